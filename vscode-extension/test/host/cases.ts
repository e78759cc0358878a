// What is tried in the editor, in this order: later cases build on the session of earlier ones.

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import manifest from '../../package.json';
import type { Launch } from '../../src/debug';
import type { SessionState, SteerResult } from '../../src/protocol';
import { SAMPLE, create, extension, lenses, open, until } from './editor';
import { hostKilled, killed, restarted } from './processes';

/** Names and bodies. */
export const cases: [string, () => Promise<void>][] = [
  ['every command of the manifest is registered', commands],
  ['lenses stand over the test and its functions', lensesAppear],
  ['exploring gives a diagnostic with its preemption beside it', explore],
  ['a command at the cursor is about the test that the cursor is in', nowhere],
  ['prioritising a function ticks it', prioritise],
  ['the interleaving is shown, at its preemption', show],
  ['the picture follows what other faces show and steer', follow],
  ['the replay command is copied', copy],
  ['the replay command runs in a terminal, and fails as it did', replay],
  ['the picture stands where the debugger stands', debug],
  ['a launch that leaves all but its stop open is filled in', launch],
  ['a search is paused, goes on, and is stopped', control],
  ['a server that is killed comes back', killed],
  ['sessions of a host that was killed give way to those of the next', hostKilled],
  ['one server runs, of the program that the settings of this machine name', restarted],
];

async function commands(): Promise<void> {
  await extension();
  const registered = new Set(await vscode.commands.getCommands(true));
  const missing = manifest.contributes.commands.map(c => c.command).filter(c => !registered.has(c));
  assert.deepEqual(missing, []);
}

async function lensesAppear(): Promise<void> {
  const { document } = await open(SAMPLE);
  const look = async (command: string) => {
    const found = await lenses(document.uri, command);
    return found.length > 0 ? found : undefined;
  };
  const [test] = await until('a lens to explore', () => look('raddle.explore'));
  assert.match(document.lineAt(test?.range.start ?? new vscode.Position(0, 0)).text, /int main/);
  await until('a lens to prioritise', () => look('raddle.prioritize'));
}

async function explore(): Promise<void> {
  const { sessions } = await extension();
  const { document } = await open(SAMPLE);
  const [lens] = await lenses(document.uri, 'raddle.explore');
  const session = await vscode.commands.executeCommand<number>(
    'raddle.explore',
    ...((lens?.command?.arguments ?? []) as unknown[]),
  );
  const ended = await until('the end of the search', () => {
    const state = sessions.get(session);
    return state?.state === 'done' ? state : undefined;
  });
  assert.equal(ended.verdict, 'failed', ended.error);
  const found = await until('the diagnostic', () =>
    vscode.languages.getDiagnostics(document.uri).find(d => d.source?.toLowerCase() === 'raddle'),
  );
  assert.match(document.lineAt(found.range.start.line).text, /assert\(counter == 2\)/);
  const beside = (found.relatedInformation ?? []).map(
    r => `${document.lineAt(r.location.range.start.line).text.trim()} | ${r.message}`,
  );
  assert.ok(
    beside.some(text => text.startsWith('atomic_store') && text.includes('preempted')),
    `a preemption before the store: ${JSON.stringify(beside)}`,
  );
}

async function nowhere(): Promise<void> {
  const { sessions } = await extension();
  const editor = await open(SAMPLE);
  const [lens] = await lenses(editor.document.uri, 'raddle.explore');
  const begins = lens?.range.start.line ?? 0;
  const [{ end = 0 } = {}] = (lens?.command?.arguments ?? []) as { end?: number }[];
  const before = sessions.all().length;
  for (const line of [0, begins - 1]) {
    editor.selection = new vscode.Selection(line, 0, line, 0);
    assert.equal(await vscode.commands.executeCommand('raddle.explore'), undefined, `line ${line + 1}`);
  }
  assert.equal(sessions.all().length, before);
  editor.selection = new vscode.Selection(end - 2, 0, end - 2, 0);
  const session = await vscode.commands.executeCommand<number>('raddle.explore');
  await until('the end of the search', () => sessions.get(session)?.verdict === 'failed' || undefined);
}

async function prioritise(): Promise<void> {
  const { focus } = await extension();
  await vscode.commands.executeCommand('raddle.focus.focus');
  const { document } = await open(SAMPLE);
  const ticked = () =>
    focus
      .snapshot()
      .items.filter(item => item.checked)
      .map(item => item.name);
  const [lens] = await lenses(document.uri, 'raddle.prioritize');
  const argument = lens?.command?.arguments?.[0] as { method: string };
  await vscode.commands.executeCommand('raddle.prioritize', argument);
  await until('a ticked function', () => (ticked().includes(argument.method) ? true : undefined));
  await vscode.commands.executeCommand('raddle.unprioritize', argument);
  await until('no ticked function', () => (ticked().includes(argument.method) ? undefined : true));
}

async function show(): Promise<void> {
  const { interleavings } = await extension();
  await vscode.commands.executeCommand('raddle.showInterleaving');
  await until('the tab of the picture', () => tab());
  const view = await until('the execution', () => {
    const shown = interleavings.shown();
    return shown?.status === 'ready' && shown.schedule !== '' ? shown : undefined;
  });
  assert.equal(view.test, 'lost_update');
  assert.ok(view.event > 0, 'the selected instant is that of the preemption');
}

async function follow(): Promise<void> {
  const { interleavings, server, sessions } = await extension();
  const session = sessions.failure()?.session.session;
  const { schedule = '' } = interleavings.shown() ?? {};
  await server.request('raddle/show', { session, schedule, event: 1 });
  await until('the event that was shown', () => interleavings.shown()?.event === 1 || undefined);
  const params = { session, prefix: schedule, step: 2, choice: 'T1', then: 'pause' };
  const steered = await server.request<SteerResult>('raddle/steer', params);
  assert.notEqual(steered.schedule, schedule);
  await until('the execution that was steered', () => {
    const { status, schedule: shown } = interleavings.shown() ?? {};
    return (status === 'ready' && shown === steered.schedule) || undefined;
  });
}

async function copy(): Promise<void> {
  const { sessions } = await extension();
  const found = sessions.failure();
  await vscode.commands.executeCommand('raddle.copySchedule', { session: found?.session.session });
  const copied = await vscode.env.clipboard.readText();
  assert.equal(copied, found?.failure.replay);
  assert.match(copied, /^raddle replay .*lost_update sync@/);
}

async function replay(): Promise<void> {
  const { sessions } = await extension();
  const ended = new Promise<number | undefined>(resolve => {
    const listening = vscode.tasks.onDidEndTaskProcess(({ exitCode }) => {
      listening.dispose();
      resolve(exitCode);
    });
  });
  await vscode.commands.executeCommand('raddle.replay', { session: sessions.failure()?.session.session });
  assert.equal(await ended, 1, 'raddle replay ends with 1 where the failure happened');
}

async function debug(): Promise<void> {
  const { interleavings, sessions } = await extension();
  const found = sessions.failure();
  const meant = { session: found?.session.session, schedule: found?.failure.schedule };
  await vscode.commands.executeCommand('raddle.showInterleaving', meant);
  assert.ok(await vscode.commands.executeCommand('raddle.debugSchedule', meant), 'it starts');
  const at = (what: string) =>
    until(what, () => (interleavings.shown()?.debugging === true ? interleavings.shown()?.event : undefined));
  const first = await at('the first stop');
  await vscode.commands.executeCommand('workbench.action.debug.stepOver');
  await until('a step', async () => ((await at('a stop')) === first ? undefined : true));
  await vscode.debug.stopDebugging();
  await until('the end of debugging', () => interleavings.shown()?.debugging === false || undefined);
}

async function launch(): Promise<void> {
  const { sessions } = await extension();
  const stands = new Promise<unknown>(resolve => {
    const listening = vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (event === 'raddle/position') {
        listening.dispose();
        const { target, test, schedule } = session.configuration as Partial<Launch>;
        resolve({ target, test, schedule, event: (body as { event: number }).event });
      }
    });
  });
  const folder = vscode.workspace.workspaceFolders?.[0];
  const config = { type: 'raddle', request: 'launch', name: 'the failure', stopAt: 'entry' };
  assert.ok(await vscode.debug.startDebugging(folder, config), 'it starts');
  const { target, test } = sessions.failure()?.session ?? {};
  const schedule = sessions.failure()?.failure.schedule;
  assert.deepEqual(await stands, { target, test, schedule, event: 0 });
  await vscode.debug.stopDebugging();
  await until('the end of debugging', () => vscode.debug.activeDebugSession === undefined || undefined);
}

/** Three threads that take more interleavings than anybody has time for. */
const ENDLESS = `#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void *work(void *p) {
    for (int i = 0; i < 50; i++)
        atomic_fetch_add(&n, 1);
    return p;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
`;

async function control(): Promise<void> {
  const { sessions } = await extension();
  const { document } = await create('samples/c/endless.c', ENDLESS);
  const [lens] = await until('its lens', async () => {
    const found = await lenses(document.uri, 'raddle.explore');
    return found.length > 0 ? found : undefined;
  });
  const argument: unknown = lens?.command?.arguments?.[0];
  const session = await vscode.commands.executeCommand<number>('raddle.explore', argument);
  const reaches = (what: string, state: SessionState['state'], beyond = 0) =>
    until(what, () => {
      const now = sessions.get(session);
      return now?.state === state && now.counts.executions > beyond ? now : undefined;
    });
  await reaches('executions', 'exploring');
  await vscode.commands.executeCommand('raddle.pause');
  const paused = await reaches('the pause', 'paused');
  await vscode.commands.executeCommand('raddle.resume', { session });
  await reaches('more executions', 'exploring', paused.counts.executions);
  await vscode.commands.executeCommand('raddle.stop');
  const ended = await until('the end', () => {
    const now = sessions.get(session);
    return now?.state === 'done' ? now : undefined;
  });
  assert.equal(ended.verdict, 'incomplete');
}

function tab(): vscode.Tab | undefined {
  const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
  return tabs.find(
    t => t.input instanceof vscode.TabInputWebview && t.input.viewType.endsWith('raddle.interleaving'),
  );
}
