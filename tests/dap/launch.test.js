// Launching: what runs, where it stops first, and what is refused.

const { Adapter, Scratch, named } = require('./support');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { test } = require('node:test');

test('C: the first preemption, with the variables of both threads', async t => {
  const scratch = new Scratch(t, 'samples/c/overdraft.c');
  const schedule = scratch.explore('test_never_overdrawn');
  const adapter = new Adapter(t, scratch);
  const stop = await adapter.launch({ test: 'test_never_overdrawn' });
  assert.equal(stop.schedule, schedule);
  assert.equal(stop.description, 'preemption 1: T1 waits, T2 runs');
  assert.equal(stop.threadId, await adapter.thread('T2'));
  assert.deepEqual((await adapter.threads()).map(thread => thread.name), [
    'T0 test_never_overdrawn',
    'T1 withdraws',
    'T2 withdraws',
  ]);

  // T1 has seen that 100 are enough and stands before its second lock; T2 begins, with 50.
  const [parked] = await adapter.stack(await adapter.thread('T1'));
  const second = scratch.line('overdraft.c', 'balance -= amount;') - 1;
  assert.deepEqual([parked.name, parked.line], ['withdraw', second]);
  assert.equal(parked.source.path, scratch.path('overdraft.c'));
  assert.equal((await adapter.locals(parked)).amount.value, '100');
  assert.equal(await adapter.evaluate('balance', parked), '100');
  const [running] = await adapter.stack(stop.threadId);
  assert.equal(running.name, 'withdraws');
  assert.equal(await adapter.evaluate('*(int *)amount', running), '50');
  await adapter.disconnect();
});

test('Rust: the first preemption, with the variables of both threads', async t => {
  const scratch = new Scratch(t, 'samples/rust/bank');
  scratch.explore('audit_sees_all_money');
  const adapter = new Adapter(t, scratch);
  const stop = await adapter.launch({ test: 'audit_sees_all_money' });
  const threads = await adapter.threads();
  assert.deepEqual(threads.map(thread => thread.name.split(' ')[0]), ['T0', 'T1']);

  // T0 was about to lock the first account.
  const parked = await adapter.stack(threads[0].id);
  assert.equal(parked[0].name, 'bank::Bank::lock');
  assert.equal(parked[0].line, scratch.line('bank/src/lib.rs', 'self.accounts[account].lock()'));
  const locals = await adapter.locals(parked[0]);
  assert.equal(locals.account.value, '0');
  const bank = await adapter.children_of(locals.self.variablesReference);
  assert.match(bank.accounts.value, /^Vec\(size=2\)/);
  const accounts = await adapter.children_of(bank.accounts.variablesReference);
  assert.deepEqual(Object.keys(accounts), ['[0]', '[1]']);
  const body = parked.find(frame => frame.name === 'audit::audit_during');
  assert.match((await adapter.locals(body)).bank.value, /strong=2/);

  // T1 begins to transfer.
  assert.equal(stop.threadId, threads[1].id);
  const [running] = await adapter.stack(stop.threadId);
  assert.equal(running.line, scratch.line('bank/tests/audit.rs', 'thread::spawn'));
  assert.match((await adapter.locals(running)).transfer.value, /bank::Bank::transfer/);
  await adapter.disconnect();
});

test('the program that runs is the very one that was searched', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const adapter = new Adapter(t, scratch);
  const told = new Promise(done => adapter.client.on('process', event => done(event.body)));
  await adapter.launch({});
  const { name, systemProcessId } = await told;
  const { runner } = named(adapter.children);
  assert.equal(systemProcessId, runner);
  assert.equal(fs.readlinkSync(`/proc/${runner}/exe`), name);
  // The schedule carries the hash of what was searched, and nothing was said of another build.
  assert.doesNotMatch(adapter.output, /another build/);
  // Its addresses are those of the search: a plan can be followed only there.
  const environment = fs.readFileSync(`/proc/${runner}/environ`, 'latin1');
  assert.doesNotMatch(environment, /(^|\0)(LINES|COLUMNS)=/);
  await adapter.disconnect();
});

test('stopAt: the entry, and the failure with its message', async t => {
  const scratch = new Scratch(t, 'samples/c/two_lock_deadlock.c');
  scratch.explore('two_lock_deadlock');
  const entry = new Adapter(t, scratch);
  const begin = await entry.launch({ stopAt: 'entry' });
  assert.deepEqual([begin.reason, begin.event], ['entry', 0]);
  assert.equal((await entry.top(begin.threadId)).name, 'main');
  await entry.disconnect();

  const failure = new Adapter(t, scratch);
  const stop = await failure.launch({ stopAt: 'failure' });
  assert.equal(stop.reason, 'exception');
  assert.match(stop.text, /T1 waits to lock right, held by T2; T2 waits to lock left, held by T1/);
  const both = ['pthread_mutex_lock(&right);', 'pthread_mutex_lock(&left);'];
  for (const [thread, text, nth] of [['T1', both[0], 1], ['T2', both[1], 2]]) {
    const top = await failure.top(await failure.thread(thread));
    assert.equal(top.line, scratch.line('two_lock_deadlock.c', text, nth), thread);
  }
  await failure.disconnect();
});

test('a crash stops where it happens', async t => {
  const scratch = new Scratch(t, 'samples/c/segfault_once.c');
  scratch.explore('segfault_once');
  const adapter = new Adapter(t, scratch);
  const stop = await adapter.launch({ stopAt: 'failure' });
  assert.equal(stop.reason, 'exception');
  assert.match(stop.text, /SIGSEGV/);
  const top = await adapter.top(stop.threadId);
  assert.equal(top.source.path, scratch.path('segfault_once.c'));
  // Back from where it crashed, and there again.
  const back = await adapter.run('stepBack');
  assert.equal(back.event, stop.event - 1);
  const again = await adapter.run('continue');
  assert.deepEqual([again.reason, again.text], ['exception', stop.text]);
  assert.equal((await adapter.top(again.threadId)).line, top.line);
  await adapter.disconnect();
});

test('back from a crash inside of libc, which its process does not survive', async t => {
  const text = `#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *volatile text;
static volatile unsigned long n;
int main(void)
{
    pthread_mutex_lock(&m);
    n = strlen(text); /* crashes */
    pthread_mutex_unlock(&m);
    return 0;
}
`;
  const scratch = new Scratch(t, 'within.c', text);
  const adapter = new Adapter(t, scratch);
  const stop = await adapter.launch({ schedule: 'sync@default', stopAt: 'failure' });
  assert.match(stop.text, /SIGSEGV/);
  const line = scratch.line('within.c', '/* crashes */');
  assert.equal((await adapter.top(stop.threadId)).line, line);
  for (let n = 0; n < 2; n++) {
    const back = await adapter.run('stepBack');
    assert.equal(back.event, stop.event - 1);
    const again = await adapter.run('continue');
    assert.deepEqual([again.reason, again.text, again.event], ['exception', stop.text, stop.event]);
  }
  await adapter.disconnect();
});

test('what cannot be launched is refused with its name', async t => {
  const scratch = new Scratch(t, 'samples/c/overdraft.c');
  const adapter = new Adapter(t, scratch);
  await adapter.client.start();
  await adapter.client.initializeRequest();
  const refusals = [
    [{}, /there is no `target`/],
    [{ target: 'missing.c' }, /cannot read missing\.c/],
    [{ target: 'overdraft.c', test: 'nothing' }, /no test of overdraft\.c matches `nothing`/],
    [{ target: 'overdraft.c' }, /names 2 tests/],
    [{ target: 'overdraft.c', test: 'never' }, /no failing schedule of test_never_overdrawn is stored/],
    [{ target: 'overdraft.c', test: 'never', schedule: 'sync@x' }, /malformed schedule `sync@x`/],
    [{ target: 'overdraft.c', test: 'never', schedule: 'sync@900:T2' }, /cannot follow/],
    [{ target: 'overdraft.c', stopAt: 'end' }, /`stopAt` is not one of entry, firstPreemption, failure/],
    [{ target: 'overdraft.c', cwd: '/nowhere' }, /cannot enter the workspace \/nowhere/],
  ];
  for (const [args, message] of refusals) {
    assert.match(await adapter.refused('launch', args), message);
  }
  assert.match(await adapter.refused('stackTrace', { threadId: 1 }), /nothing is being debugged/);
  assert.match(await adapter.refused('gotoTargets', {}), /`gotoTargets` is not supported/);
  await adapter.disconnect();
});

test('arguments, variables and flags reach the program', async t => {
  const text = `#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifndef GIVEN
#define GIVEN 0
#endif
int main(int argc, char **argv)
{
    assert(GIVEN == 7);
    assert(argc == 3 && !strcmp(argv[2], "b c"));
    assert(getenv("GREETING") && !strcmp(getenv("GREETING"), "hello"));
    return 0;
}
`;
  const scratch = new Scratch(t, 'given.c', text);
  const given = { args: ['a', 'b c'], env: { GREETING: 'hello' }, cflags: '-DGIVEN=7 -g' };
  for (const [args, end] of [
    [given, /the execution passed/],
    [{ ...given, env: {} }, /failed: .*GREETING/],
    [{ ...given, args: ['a'] }, /failed: .*argc == 3/],
    [{ ...given, cflags: '' }, /failed: .*GIVEN == 7/],
  ]) {
    const adapter = new Adapter(t, scratch);
    const entry = await adapter.launch({ schedule: 'sync@default', stopAt: 'entry', ...args });
    assert.equal(entry.reason, 'entry');
    const stop = await adapter.run('continue');
    const last = stop.terminated ? stop : await adapter.run('continue');
    assert.ok(last.terminated);
    assert.match(adapter.output, end);
    await adapter.disconnect();
  }
});

test('sources that have moved are found by the map', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const moved = scratch.path('moved');
  fs.mkdirSync(moved);
  fs.copyFileSync(scratch.path('lost_update.c'), `${moved}/lost_update.c`);
  const adapter = new Adapter(t, scratch);
  await adapter.prepare({ stopAt: 'entry', sourceMap: { [scratch.folder]: moved } });
  const line = scratch.line('lost_update.c', 'atomic_store(');
  const [set] = await adapter.breakpoints('moved/lost_update.c', [{ line }]);
  assert.ok(set.verified, set.message);
  await adapter.begin();
  const stop = await adapter.run('continue');
  assert.equal(stop.reason, 'breakpoint');
  const top = await adapter.top(stop.threadId);
  assert.deepEqual([top.source.path, top.line], [`${moved}/lost_update.c`, line]);
  await adapter.disconnect();
});

test('a target elsewhere is searched and debugged from its own workspace', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const away = new Scratch(t, 'nothing.txt', '');
  for (const given of [
    { target: scratch.path('lost_update.c') },
    { target: 'lost_update.c', cwd: scratch.folder },
  ]) {
    const adapter = new Adapter(t, away);
    const stop = await adapter.launch(given);
    assert.equal(stop.description, 'preemption 1: T1 waits, T2 runs');
    assert.doesNotMatch(adapter.output, /another build/);
    await adapter.disconnect();
  }
});
