// An execution that hangs ends where it hangs, and can be gone back from.

const { Adapter, Scratch } = require('./support');
const assert = require('node:assert/strict');
const { test } = require('node:test');

const TEXT = `#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *spins(void *arg)
{
    volatile unsigned long n = 0;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    for (;;)
        n++; /* hangs */
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, spins, 0);
    pthread_join(thread, 0);
    return 0;
}
`;

test('a hang is a failure that continue comes to, from which one goes back', async t => {
  const scratch = new Scratch(t, 'spins.c', TEXT);
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ schedule: 'sync@default', stopAt: 'entry' });
  const { interleaving } = (await adapter.client.customRequest('raddle/events')).body;
  const last = interleaving.events.length - 1;
  assert.equal(interleaving.outcome, 'hang');
  for (let n = 0; n < 2; n++) {
    const stop = await adapter.run('continue');
    assert.equal(stop.reason, 'exception');
    assert.match(stop.text, /no schedule point was reached any more/);
    assert.equal(stop.threadId, await adapter.thread('T1'));
    const line = scratch.line('spins.c', '/* hangs */');
    const top = await adapter.top(stop.threadId);
    assert.equal(top.name, 'spins');
    assert.ok([line - 1, line].includes(top.line), `line ${top.line}`);
    const back = await adapter.run('stepBack');
    assert.deepEqual([back.reason, back.event], ['step', last]);
  }
  const top = await adapter.top(await adapter.thread('T1'));
  assert.equal(top.line, scratch.line('spins.c', 'pthread_mutex_unlock(&m);'));
  await adapter.disconnect();
});

test('stopAt failure: in the loop; then the end', async t => {
  const adapter = new Adapter(t, new Scratch(t, 'spins.c', TEXT));
  const stop = await adapter.launch({ schedule: 'sync@default', stopAt: 'failure' });
  assert.equal(stop.reason, 'exception');
  assert.equal((await adapter.top(stop.threadId)).name, 'spins');
  assert.ok((await adapter.run('continue')).terminated);
  await adapter.disconnect();
});
