// What the tests of the debug adapter share: a folder with a program and its failing schedule, the
// adapter with everything it says, places in sources by what stands there, and processes.

const { DebugClient } = require('@vscode/debugadapter-testsupport');
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const REPOSITORY = path.resolve(__dirname, '../..');
const RADDLE = process.env.RADDLE_BIN ?? path.join(REPOSITORY, 'target/debug/raddle');
/** Longest wait for anything: building is among it. */
const PATIENCE = 120_000;

/** A folder of its own with a copy of a program of this repository. */
class Scratch {
  constructor(t, program, text) {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'raddle-dap-')));
    t.after(() => fs.rmSync(this.folder, { recursive: true, force: true }));
    this.target = path.basename(program);
    if (text === undefined) {
      fs.cpSync(path.join(REPOSITORY, program), path.join(this.folder, this.target), { recursive: true });
    } else {
      fs.writeFileSync(path.join(this.folder, this.target), text);
    }
  }

  /** The command line, in this folder. */
  raddle(...args) {
    return spawnSync(RADDLE, args, { cwd: this.folder, encoding: 'utf8' });
  }

  /** Explores a test that fails; its schedule, which is stored. */
  explore(test, ...options) {
    const ran = this.raddle('explore', this.target, test, '--exact', '--bound', 'iterative', '--json', ...options);
    const report = JSON.parse(ran.stdout.trim());
    assert.equal(report.verdict, 'failed', ran.stdout);
    return report.failures[0].schedule;
  }

  path(file) {
    return path.join(this.folder, file);
  }

  /** The line, from 1, on which a text stands for the n-th time. */
  line(file, text, nth = 1) {
    const lines = fs.readFileSync(this.path(file), 'utf8').split('\n');
    const found = lines.flatMap((line, at) => (line.includes(text) ? [at + 1] : []));
    assert.ok(found.length >= nth, `${text} stands in ${file} ${found.length} times`);
    return found[nth - 1];
  }
}

/** The adapter, with what it says. */
class Adapter {
  constructor(t, scratch, env = {}) {
    const options = { cwd: scratch.folder, env: { ...process.env, ...env } };
    this.client = new DebugClient(RADDLE, 'dap', 'raddle', options);
    this.client.defaultTimeout = PATIENCE;
    this.client.setMaxListeners(100);
    this.scratch = scratch;
    this.output = '';
    this.events = [];
    this.waiting = [];
    for (const name of ['stopped', 'terminated', 'initialized', 'raddle/position']) {
      this.client.on(name, event => this.arrived(event));
    }
    this.client.on('output', event => (this.output += event.body.output));
    t.after(() => this.client.stopAdapter());
  }

  arrived(event) {
    this.events.push(event);
    this.waiting.splice(0).forEach(look => look());
  }

  /** The next event of one of these names, in the order in which they come. */
  async event(...names) {
    const until = Date.now() + PATIENCE;
    for (;;) {
      const at = this.events.findIndex(event => names.includes(event.event));
      if (at >= 0) {
        return this.events.splice(0, at + 1)[at];
      }
      assert.ok(Date.now() < until, `no ${names} came; the adapter said: ${this.output}`);
      await new Promise(look => {
        this.waiting.push(look);
        setTimeout(look, 1000).unref();
      });
    }
  }

  /** Launches and stops for the first time. */
  async launch(args) {
    await this.prepare(args);
    return this.begin();
  }

  /** Launches, up to where breakpoints are set. */
  async prepare(args) {
    await this.client.start();
    this.pid = this.client._adapterProcess.pid;
    await this.client.initializeRequest();
    await this.client.launchRequest({ target: this.scratch.target, ...args });
    await this.event('initialized');
    this.children = children(this.pid);
  }

  async begin() {
    return this.after(this.client.configurationDoneRequest());
  }

  /** A request that lets the program run; where it stands then. */
  async run(command, args) {
    return this.after(this.client.customRequest(command, args));
  }

  async after(request) {
    await request;
    const stopped = await this.event('stopped', 'terminated');
    if (stopped.event === 'terminated') {
      return { terminated: true };
    }
    const position = (await this.event('raddle/position')).body;
    return { ...stopped.body, ...position };
  }

  async next(threadId) {
    return this.run('next', { threadId });
  }

  /** Steps lines until the text of the line is this. */
  async nextUntil(threadId, file, text) {
    const line = this.scratch.line(file, text);
    for (let n = 0; n < 50; n++) {
      const stop = await this.next(threadId);
      assert.ok(!stop.terminated, `the program ended before ${text}`);
      if ((await this.top(threadId)).line === line) {
        return stop;
      }
    }
    assert.fail(`line ${line} never came`);
  }

  async threads() {
    return (await this.client.threadsRequest()).body.threads;
  }

  async thread(name) {
    const threads = await this.threads();
    const found = threads.find(thread => thread.name === name || thread.name.startsWith(`${name} `));
    assert.ok(found, `no ${name} among ${threads.map(thread => thread.name)}`);
    return found.id;
  }

  async stack(threadId) {
    return (await this.client.stackTraceRequest({ threadId })).body.stackFrames;
  }

  async top(threadId) {
    return (await this.stack(threadId))[0];
  }

  /** The variables of a frame, by name. */
  async locals(frame) {
    const { scopes } = (await this.client.scopesRequest({ frameId: frame.id })).body;
    return this.children_of(scopes[0].variablesReference);
  }

  async children_of(variablesReference) {
    const { variables } = (await this.client.variablesRequest({ variablesReference })).body;
    return Object.fromEntries(variables.map(variable => [variable.name, variable]));
  }

  async evaluate(expression, frame) {
    return (await this.client.evaluateRequest({ expression, frameId: frame.id })).body.result;
  }

  async breakpoints(file, breakpoints) {
    const source = { path: this.scratch.path(file) };
    return (await this.client.setBreakpointsRequest({ source, breakpoints })).body.breakpoints;
  }

  /** The request is refused; what the refusal says. */
  async refused(command, args) {
    const done = this.client.customRequest(command, args).then(
      () => assert.fail(`${command} was not refused`),
      error => error.message,
    );
    return done;
  }

  async disconnect() {
    const ended = new Promise(done => this.client._adapterProcess.once('exit', done));
    await this.client.disconnectRequest();
    await ended;
  }
}

/** A connection to the host of a workspace, of whatever build it is. */
class Host {
  /** The only one whose socket lies below this folder for runtime files. */
  static async of(folder) {
    const [hash] = fs.readdirSync(path.join(folder, 'raddle'));
    const socket = path.join(folder, 'raddle', hash, 'socket');
    const hello = { protocol: 1, build: '', face: 'cli' };
    const first = new Host(socket);
    const { build, protocol } = await first.request('raddle/hello', hello);
    first.close();
    const host = new Host(socket);
    const greeted = await host.request('raddle/hello', { ...hello, build, protocol });
    host.pid = greeted.pid;
    return host;
  }

  constructor(socket) {
    this.stream = net.connect(socket);
    this.answers = new Map();
    this.heard = Buffer.alloc(0);
    this.stream.on('data', data => this.hear(data));
  }

  hear(data) {
    this.heard = Buffer.concat([this.heard, data]);
    for (;;) {
      const end = this.heard.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.heard.subarray(0, Math.max(end, 0)))?.[1]);
      if (end < 0 || this.heard.length < end + 4 + length) {
        return;
      }
      const message = JSON.parse(this.heard.subarray(end + 4, end + 4 + length));
      this.heard = this.heard.subarray(end + 4 + length);
      this.answers.get(message.id)?.(message);
    }
  }

  async request(method, params) {
    const id = this.answers.size + 1;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { version: 1, ...params } });
    const answer = new Promise(done => this.answers.set(id, done));
    this.stream.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const { result, error } = await answer;
    assert.equal(error, undefined, `${method}: ${error?.message}`);
    return result;
  }

  /** Asks for its sessions until they are like this. */
  async until(fits) {
    const last = Date.now() + PATIENCE;
    for (;;) {
      const sessions = await this.request('raddle/sessions', {});
      if (fits(sessions)) {
        return sessions;
      }
      assert.ok(Date.now() < last, JSON.stringify(sessions));
      await new Promise(done => setTimeout(done, 50));
    }
  }

  close() {
    this.stream.destroy();
  }
}

/** Fields of /proc/PID/stat after the name: state, parent, … */
function stat(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
  } catch {
    return undefined;
  }
}

/** The processes that a process has started. */
function children(pid) {
  const all = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number);
  return all.filter(child => stat(child)?.[1] === String(pid));
}

/** Does it run? One that is dead and not collected yet does not. */
function lives(pid) {
  const state = stat(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** The command line of a process; empty where it has ended. */
function commandLine(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Waits until none of these processes runs. */
async function gone(pids) {
  const until = Date.now() + 120_000;
  while (pids.some(lives)) {
    const left = pids.filter(lives).map(pid => `${pid} ${commandLine(pid)}`);
    assert.ok(Date.now() < until, `left behind: ${left}`);
    await new Promise(done => setTimeout(done, 20));
  }
}

/** The processes of a session by what they are: gdb, the program that it holds, and all of them. */
function named(pids) {
  const read = (pid, file) => fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const gdb = pids.find(pid => read(pid, 'comm').trim() === 'gdb');
  const runner = pids.find(pid => read(pid, 'status').includes(`TracerPid:\t${gdb}\n`));
  assert.ok(gdb && runner, `gdb and the program among ${pids.map(pid => read(pid, 'comm'))}`);
  return { gdb, runner, all: pids };
}

module.exports = { Adapter, Host, Scratch, children, gone, lives, named };
