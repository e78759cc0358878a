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

test('a pause ends the way back to a breakpoint of many hits', async t => {
  const scratch = new Scratch(
    t,
    'turns.c',
    `#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;
int main(void)
{
    volatile int raddle_turns = 0; /* the user's own name */
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
    }
    return turns - 2000 + raddle_turns;
}
`,
  );
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ schedule: 'sync@default', stopAt: 'entry' });
  await adapter.run('raddle/goto', { event: 3999 });
  assert.equal((await adapter.locals(await adapter.top(1))).raddle_turns.value, '0');
  await adapter.breakpoints('turns.c', [{ line: scratch.line('turns.c', 'turns++') }]);
  await adapter.client.reverseContinueRequest({ threadId: 1 });
  await adapter.client.pauseRequest({ threadId: 1 });
  assert.equal((await adapter.event('stopped')).body.reason, 'pause');
  assert.match(adapter.output, /stopped on the way back, by a pause/);
  // Not wanted any more: the next one goes all the way.
  assert.equal((await adapter.run('raddle/goto', { event: 20 })).event, 20);
  assert.equal((await adapter.run('reverseContinue', { threadId: 1 })).reason, 'breakpoint');
  await adapter.disconnect();
});

test('breakpoints that are set after going to an event do not stop on the way to another', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ schedule: 'sync@default', stopAt: 'entry' });
  await adapter.run('raddle/goto', { event: 1 });
  await adapter.breakpoints('lost_update.c', [{ line: scratch.line('lost_update.c', 'int seen') }]);
  assert.equal((await adapter.run('raddle/goto', { event: 9 })).event, 9);
  assert.equal((await adapter.run('stepBack')).event, 8);
  await adapter.disconnect();
});
