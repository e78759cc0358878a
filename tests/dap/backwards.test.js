// The same execution forwards and backwards, event by event.

const { Adapter, Scratch } = require('./support');
const assert = require('node:assert/strict');
const { test } = require('node:test');

/** What a person sees at an event. */
async function seen(adapter, stop) {
  const [top] = await adapter.stack(stop.threadId);
  return { event: stop.event, thread: stop.thread, function: top.name, line: top.line };
}

/** Every event, from the entry on, then back to it. */
async function there_and_back(t, program, name) {
  const scratch = new Scratch(t, program);
  scratch.explore(name);
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ test: name, stopAt: 'entry' });
  const { interleaving } = (await adapter.client.customRequest('raddle/events')).body;
  const forwards = [];
  for (const event of interleaving.events) {
    const stop = await adapter.run('next', { granularity: 'instruction' });
    assert.deepEqual([stop.reason, stop.event], ['step', event.event]);
    forwards.push(await seen(adapter, stop));
  }
  assert.deepEqual(forwards.map(at => at.thread), interleaving.events.map(event => event.thread));
  const lines = interleaving.events.map((event, at) => event.location?.line ?? forwards[at].line);
  assert.deepEqual(forwards.map(at => at.line), lines);

  const failure = await adapter.run('continue');
  assert.equal(failure.reason, 'exception');
  const backwards = [];
  for (const _ of interleaving.events) {
    backwards.push(await seen(adapter, await adapter.run('stepBack')));
  }
  assert.deepEqual(backwards.reverse(), forwards);
  const entry = await adapter.run('stepBack');
  assert.equal(entry.reason, 'entry');
  await adapter.disconnect();
}

test('C: events forwards, then backwards', t => there_and_back(t, 'samples/c/lost_update.c', 'lost_update'));
test('C with inputs: events forwards, then backwards', t =>
  there_and_back(t, 'samples/c/overdraft.c', 'test_never_overdrawn'));
test('Rust: events forwards, then backwards', t =>
  there_and_back(t, 'samples/rust/bank', 'audit_sees_all_money'));

test('variables are those of the event gone back to', async t => {
  const scratch = new Scratch(t, 'samples/c/overdraft.c');
  scratch.explore('test_never_overdrawn');
  const adapter = new Adapter(t, scratch);
  const first = await adapter.launch({ test: 'test_never_overdrawn' });
  const failure = await adapter.run('continue');
  assert.equal(await adapter.evaluate('balance', await adapter.top(failure.threadId)), '-50');
  const back = await adapter.run('raddle/goto', { event: first.event });
  assert.equal(back.event, first.event);
  assert.equal(await adapter.evaluate('balance', await adapter.top(back.threadId)), '100');
  assert.match(
    await adapter.refused('raddle/goto', { event: 'x' }),
    /`event` is not the number of an event/,
  );
  // An event that there is not: told, and nothing moves.
  const stays = await adapter.run('raddle/goto', { event: 1000 });
  assert.equal(stays.event, first.event);
  assert.match(adapter.output, /there is no event 1000/);
  await adapter.disconnect();
});
