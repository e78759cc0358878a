// The first stop of a schedule that preempts nobody.

const { Adapter, Scratch } = require('./support');
const assert = require('node:assert/strict');
const { test } = require('node:test');

const TEXT = `#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int last;
static void *says(void *number)
{
    pthread_mutex_lock(&m);
    last = *(int *)number;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    int numbers[2] = {1, 2};
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], 0, says, &numbers[n]);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], 0);
    assert(last == 2);
    return 0;
}
`;

test('without a preemption: where the schedule differs from the default', async t => {
  const scratch = new Scratch(t, 'order.c', TEXT);
  const schedule = scratch.explore('order');
  const [, step, choice] = /^sync@(\d+):(\w+)/.exec(schedule);
  const adapter = new Adapter(t, scratch);
  const stop = await adapter.launch({});
  const { interleaving } = (await adapter.client.customRequest('raddle/events')).body;
  assert.equal(interleaving.preemptions, 0);
  assert.equal(interleaving.events[stop.event].step, Number(step));
  assert.equal(stop.threadId, await adapter.thread(choice));
  const difference = `first difference from the default: ${choice} at step ${step}`;
  assert.equal(stop.description, difference);
  assert.ok(adapter.output.includes(`preempts nobody: stopped at its ${difference}`), adapter.output);
  await adapter.disconnect();
});

test('the default has no difference: the beginning', async t => {
  const adapter = new Adapter(t, new Scratch(t, 'order.c', TEXT));
  const stop = await adapter.launch({ schedule: 'sync@default' });
  assert.deepEqual([stop.reason, stop.event], ['entry', 0]);
  assert.match(adapter.output, /stopped at the test's beginning/);
  await adapter.disconnect();
});
