// Choosing which thread goes next.

const { Adapter, Host, Scratch, gone } = require('./support');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { test } = require('node:test');

test('another choice is another execution, which the terminal replays', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const adapter = new Adapter(t, scratch);
  const first = await adapter.launch({});
  const choices = async () => (await adapter.client.customRequest('raddle/choices')).body;
  // At the preemption, the thread that is preempted can go on instead.
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

test('the thread that runs anyway keeps the rest of the schedule', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const adapter = new Adapter(t, scratch);
  const first = await adapter.launch({});
  await adapter.run('stepBack');
  const { chosen, event } = (await adapter.client.customRequest('raddle/choices')).body;
  assert.equal(event, first.event - 1);
  const stop = await adapter.run('raddle/choose', { thread: chosen });
  assert.deepEqual([stop.event, stop.execution, stop.steered], [event, 0, false]);
  assert.equal(stop.schedule, first.schedule);
  assert.equal((await adapter.run('continue')).reason, 'exception');
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
  const able = interleaving.events.find(event => event.step !== null && event.enabled.includes(1));
  await adapter.run('raddle/goto', { event: able.event });
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

test('the search goes on below what was chosen by hand', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const run = scratch.path('run');
  fs.mkdirSync(run, { mode: 0o700 });
  const adapter = new Adapter(t, scratch, { XDG_RUNTIME_DIR: run, RADDLE_HOST_LINGER: '1' });
  const stop = await adapter.launch({});
  const begun = (await adapter.client.customRequest('raddle/resumeSearch')).body;
  const host = await Host.of(run);
  const { sessions } = await host.until(({ sessions }) =>
    sessions.some(session => session.session === begun.session && session.state === 'done'),
  );
  const session = sessions.find(session => session.session === begun.session);
  // The preemption is kept, and not all that lies below it fails.
  assert.equal(session.below, begun.schedule);
  assert.equal(begun.schedule, stop.schedule);
  assert.equal(session.test, 'lost_update');
  assert.ok(session.counts.executions > 0, JSON.stringify(session.counts));
  assert.equal(session.verdict, 'failed');
  // The debugger stands where it stood.
  assert.equal((await adapter.run('stepBack')).event, stop.event - 1);
  await adapter.disconnect();
  host.close();
  await gone([host.pid]);
});
