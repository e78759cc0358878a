// A schedule whose steps count the accesses to a variable that raced (explore --promote-races).

const { Adapter, Scratch } = require('./support');
const assert = require('node:assert/strict');
const { test } = require('node:test');

test('a schedule that promotes a variable is debugged', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update_plain.c');
  const schedule = scratch.explore('lost_update_plain', '--promote-races');
  assert.match(schedule, /^sync\+counter@\d+:T2/);
  const adapter = new Adapter(t, scratch);
  const first = await adapter.launch({ test: 'lost_update_plain', schedule, stopAt: 'firstPreemption' });
  // The thread that has read the counter is preempted before it writes it.
  const line = scratch.line('lost_update_plain.c', 'counter = counter + 1;');
  assert.equal(first.threadId, await adapter.thread('T1'));
  assert.equal((await adapter.top(await adapter.thread('T2'))).line, line);
  const end = await adapter.run('continue');
  assert.equal(end.reason, 'exception');
  // Back to the accesses that are steps, and forwards again.
  const back = await adapter.run('raddle/goto', { event: first.event });
  assert.deepEqual([back.schedule, back.event, back.threadId], [schedule, first.event, first.threadId]);
  assert.equal((await adapter.top(await adapter.thread('T2'))).line, line);
  assert.equal((await adapter.run('continue')).reason, 'exception');
  assert.ok((await adapter.run('continue')).terminated);
  assert.match(adapter.output, /the execution failed: .*counter == 2/);
  await adapter.disconnect();
});
