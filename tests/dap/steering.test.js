// Choosing which thread goes next.

const { Adapter, Scratch } = require('./support');
const assert = require('node:assert/strict');
const { test } = require('node:test');

test('another choice is another execution, which the terminal replays', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const adapter = new Adapter(t, scratch);
  const first = await adapter.launch({});
  const choices = async () => (await adapter.client.customRequest('raddle/choices')).body;
  // Before the preemption, the thread that is preempted can go on instead.
  await adapter.run('stepBack');
  const { chosen, threads, event } = await choices();
  assert.equal(event, first.event);
  const other = threads.map(choice => choice.thread).find(thread => thread !== chosen);
  const stop = await adapter.run('raddle/choose', { thread: other });
  assert.deepEqual([stop.thread, stop.event, stop.execution, stop.steered], [other, first.event, 1, true]);
  assert.notEqual(stop.schedule, first.schedule);
  const { interleaving } = (await adapter.client.customRequest('raddle/events')).body;
  assert.equal(interleaving.schedule, stop.schedule);
  assert.equal(interleaving.outcome, 'passed');

  assert.match(await adapter.refused('raddle/choose', { thread: 63 }), /T63 cannot make the next step/);
  assert.ok((await adapter.run('continue')).terminated);
  assert.match(adapter.output, /the execution passed/);
  const replayed = scratch.raddle('replay', scratch.target, 'lost_update', stop.schedule);
  assert.equal(replayed.status, 0, replayed.stdout + replayed.stderr);
  await adapter.disconnect();
});

test('Rust: from a passing execution to the failing one, by hand', async t => {
  const scratch = new Scratch(t, 'samples/rust/bank');
  const failing = scratch.explore('audit_sees_all_money');
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ test: 'audit_sees_all_money', schedule: 'sync@default', stopAt: 'entry' });
  assert.match(failing, /^sync@1:T1,4:T0#/);
  // T1 is taken as soon as it can be, and T0 again between the two accounts.
  const { interleaving } = (await adapter.client.customRequest('raddle/events')).body;
  const spawn = interleaving.events.find(event => event.operation === 'spawn');
  await adapter.run('raddle/goto', { event: spawn.event });
  await adapter.run('raddle/choose', { choice: 'T1' });
  let stop;
  do {
    stop = await adapter.run('next', { granularity: 'instruction' });
    assert.ok(!stop.terminated);
  } while ((await adapter.client.customRequest('raddle/choices')).body.step !== 4);
  stop = await adapter.run('raddle/choose', { choice: 'T0' });
  assert.equal(stop.schedule, failing);
  const failure = await adapter.run('continue');
  assert.match(failure.text, /the audit misses money/);
  await adapter.disconnect();
});
