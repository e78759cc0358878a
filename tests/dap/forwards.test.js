// Breakpoints and steps.

const { Adapter, Scratch, children, gone } = require('./support');
const assert = require('node:assert/strict');
const { test } = require('node:test');

test('breakpoints, on the way and back', async t => {
  const scratch = new Scratch(t, 'samples/c/overdraft.c');
  scratch.explore('test_never_overdrawn');
  const adapter = new Adapter(t, scratch);
  await adapter.prepare({ test: 'test_never_overdrawn', stopAt: 'entry' });
  const line = scratch.line('overdraft.c', 'balance -= amount;');
  const [set, nowhere] = await adapter.breakpoints('overdraft.c', [{ line }, { line: 100_000 }]);
  assert.deepEqual([set.verified, set.line, nowhere.verified], [true, line, false]);
  await adapter.begin();

  const hits = [];
  for (const amount of ['50', '100']) {
    const stop = await adapter.run('continue');
    assert.deepEqual([stop.reason, stop.hitBreakpointIds], ['breakpoint', [set.id]]);
    const top = await adapter.top(stop.threadId);
    assert.equal(top.line, line);
    assert.equal((await adapter.locals(top)).amount.value, amount);
    hits.push(stop);
  }
  assert.equal((await adapter.run('continue')).reason, 'exception');

  const place = stop => [stop.reason, stop.thread, stop.event];
  for (const hit of hits.reverse()) {
    assert.deepEqual(place(await adapter.run('reverseContinue')), place(hit));
  }
  assert.equal((await adapter.run('reverseContinue')).reason, 'entry');
  // And forwards again.
  assert.deepEqual(place(await adapter.run('continue')), place(hits[1]));

  // With a condition, only the other thread's is left.
  await adapter.run('raddle/goto', { event: 0 });
  await adapter.breakpoints('overdraft.c', [{ line, condition: 'amount == 100' }]);
  assert.deepEqual(place(await adapter.run('continue')), place(hits[0]));
  await adapter.breakpoints('overdraft.c', []);
  assert.equal((await adapter.run('continue')).reason, 'exception');
  assert.ok((await adapter.run('continue')).terminated);
  assert.match(adapter.output, /the execution failed: the account is overdrawn/);
  await adapter.disconnect();
});

test('Rust: a breakpoint, steps in, over and out', async t => {
  const scratch = new Scratch(t, 'samples/rust/bank');
  scratch.explore('audit_sees_all_money');
  const adapter = new Adapter(t, scratch);
  await adapter.prepare({ test: 'audit_sees_all_money', stopAt: 'entry', stepStopsAt: 'never' });
  const transfer = scratch.line('bank/src/lib.rs', 'withdraw(&mut self.lock(from), amount)?;');
  await adapter.breakpoints('bank/src/lib.rs', [{ line: transfer }]);
  await adapter.begin();
  const stop = await adapter.run('continue');
  assert.equal(stop.thread, 1);
  const thread = stop.threadId;
  const [top] = await adapter.stack(thread);
  assert.deepEqual([top.name, top.line], ['bank::Bank::transfer', transfer]);
  assert.equal((await adapter.locals(top)).amount.value, '30');

  await adapter.run('stepIn', { threadId: thread });
  assert.equal((await adapter.top(thread)).name, 'bank::Bank::lock');
  await adapter.run('stepOut', { threadId: thread });
  assert.deepEqual((await adapter.top(thread)).line, transfer);
  await adapter.next(thread);
  assert.equal((await adapter.top(thread)).line, transfer + 1);
  await adapter.disconnect();
});

test('C: steps over what other threads do, or stops where they go on', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const join = scratch.line('lost_update.c', 'pthread_join(first');
  const ends = { never: undefined, preemption: 'preemption', switch: 'switch' };
  for (const stepStopsAt of Object.keys(ends)) {
    const adapter = new Adapter(t, scratch);
    await adapter.prepare({ stopAt: 'entry', stepStopsAt });
    await adapter.breakpoints('lost_update.c', [{ line: join }]);
    const main = (await adapter.begin()).threadId;
    const { events } = (await adapter.client.customRequest('raddle/events')).body.interleaving;
    await adapter.run('continue');
    await adapter.breakpoints('lost_update.c', []);
    const stop = await adapter.next(main);
    switch (stepStopsAt) {
      case 'never':
        assert.deepEqual([stop.thread, (await adapter.top(main)).line], [0, join + 1]);
        break;
      case 'preemption':
        assert.equal(stop.event, events.find(event => event.preemption).event);
        break;
      case 'switch':
        assert.equal(stop.event, events.find(event => event.thread !== 0).event);
        break;
    }
    await adapter.disconnect();
  }
});

test('the failure comes up while stepping', async t => {
  const scratch = new Scratch(t, 'samples/rust/bank');
  scratch.explore('audit_sees_all_money');
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ test: 'audit_sees_all_money', stepStopsAt: 'never' });
  const main = await adapter.thread('T0');
  let stop;
  for (let n = 0; n < 50 && stop?.reason !== 'exception'; n++) {
    stop = await adapter.next(main);
    assert.ok(!stop.terminated, 'it ended without a failure');
  }
  assert.equal(stop.reason, 'exception');
  assert.match(stop.text, /the audit misses money/);
  // Before anything was unwound.
  const frame = (await adapter.stack(main)).find(frame => frame.name === 'audit::audit_during');
  assert.equal(frame.line, scratch.line('bank/tests/audit.rs', 'the audit misses money'));
  const back = await adapter.run('stepBack');
  assert.equal(back.event, stop.event - 1);
  await adapter.disconnect();
});

test('an execution without an end can be paused', async t => {
  const scratch = new Scratch(
    t,
    'spin.c',
    `int go;
volatile int turns;
int main(void)
{
    while (!go)
        turns++; /* for ever */
    return 0;
}
`,
  );
  const adapter = new Adapter(t, scratch);
  await adapter.launch({ schedule: 'sync@default', stopAt: 'entry' });
  // A pause may come before the program has left its first line: it turns once first.
  await adapter.breakpoints('spin.c', [{ line: scratch.line('spin.c', 'for ever') }]);
  for (let hit = 0; hit < 2; hit++) {
    assert.equal((await adapter.run('continue', { threadId: 1 })).reason, 'breakpoint');
  }
  await adapter.breakpoints('spin.c', []);
  await adapter.client.continueRequest({ threadId: 1 });
  // Requests of others are answered meanwhile.
  assert.equal((await adapter.threads()).length, 1);
  await adapter.client.pauseRequest({ threadId: 1 });
  const stop = await adapter.event('stopped');
  assert.equal(stop.body.reason, 'pause');
  const top = await adapter.top(1);
  assert.ok([1, 2].includes(top.line - scratch.line('spin.c', 'int main') - 1), `line ${top.line}`);
  assert.notEqual(await adapter.evaluate('turns', top), '0');
  // Back to where it began: it does not come to its end by itself, so another process does it.
  const back = await adapter.run('stepBack');
  assert.equal(back.reason, 'entry');
  assert.equal(await adapter.evaluate('turns', await adapter.top(1)), '0');
  const pids = children(adapter.pid);
  await adapter.client.continueRequest({ threadId: 1 });
  await adapter.disconnect();
  await gone(pids);
});
