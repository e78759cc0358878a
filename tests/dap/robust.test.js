// Processes that die, and what is left of them; files that nobody may put between.

const { Adapter, Scratch, gone, lives, named } = require('./support');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { test } = require('node:test');

async function stopped(t) {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  scratch.explore('lost_update');
  const adapter = new Adapter(t, scratch);
  await adapter.launch({});
  return { adapter, ...named(adapter.children) };
}

for (const who of ['gdb', 'runner']) {
  test(`kill -9 of ${who}: the debugging ends, and that is said`, async t => {
    const session = await stopped(t);
    const { adapter } = session;
    process.kill(session[who], 'SIGKILL');
    await adapter.event('terminated');
    assert.match(adapter.output, who === 'gdb' ? /gdb has ended/ : /the test program was killed/);
    await gone(session.all);
    assert.match(await adapter.refused('next', { threadId: 1 }), /nothing is being debugged/);
    assert.deepEqual(await adapter.threads(), []);
    await adapter.disconnect();
  });

  test(`kill -9 of ${who} while the program runs`, async t => {
    const scratch = new Scratch(t, 'spin.c', 'int go;\nint main(void)\n{\n    while (!go)\n        ;\n}\n');
    const adapter = new Adapter(t, scratch);
    await adapter.launch({ schedule: 'sync@default', stopAt: 'entry' });
    const session = named(adapter.children);
    await adapter.client.continueRequest({ threadId: 1 });
    process.kill(session[who], 'SIGKILL');
    await adapter.event('terminated');
    await gone(session.all);
    await adapter.disconnect();
  });
}

test('nothing is left when the client disconnects', async t => {
  const { adapter, all } = await stopped(t);
  assert.ok(all.every(lives));
  await adapter.disconnect();
  await gone([adapter.pid, ...all]);
});

test('nothing is left when the adapter is killed', async t => {
  const { adapter, all } = await stopped(t);
  process.kill(adapter.pid, 'SIGKILL');
  await gone([adapter.pid, ...all]);
});

test('nothing is left when the client has gone without a word', async t => {
  const { adapter, all } = await stopped(t);
  adapter.client._adapterProcess.stdin.end();
  await gone([adapter.pid, ...all]);
});

test('terminate ends the program, not the adapter', async t => {
  const { adapter, all } = await stopped(t);
  await adapter.client.customRequest('terminate');
  await adapter.event('terminated');
  await gone(all);
  await adapter.disconnect();
});

test('gdb obeys nothing that lies in the workspace', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  const mark = scratch.path('obeyed');
  fs.writeFileSync(scratch.path('.gdbinit'), `shell touch ${mark}\n`);
  fs.writeFileSync(scratch.path('gdb_lookup.py'), `open(${JSON.stringify(mark)}, 'w')\n`);
  fs.writeFileSync(scratch.path('gdb_load_rust_pretty_printers.py'), `open(${JSON.stringify(mark)}, 'w')\n`);
  fs.writeFileSync(scratch.path('rust-toolchain.toml'), '[toolchain]\nchannel = "no-such-channel"\n');
  scratch.explore('lost_update');
  const adapter = new Adapter(t, scratch);
  await adapter.launch({});
  await adapter.run('continue');
  await adapter.disconnect();
  assert.ok(!fs.existsSync(mark));
});

test('an expression that changes something changes it once', async t => {
  const scratch = new Scratch(t, 'samples/c/lost_update.c');
  const adapter = new Adapter(t, scratch);
  const stop = await adapter.launch({ schedule: scratch.explore('lost_update'), stopAt: 'entry' });
  const top = await adapter.top(stop.threadId);
  assert.equal(await adapter.evaluate('counter++', top), '0');
  assert.equal(await adapter.evaluate('counter', top), '1');
});
