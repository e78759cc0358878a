// What is tried in the editor, in this order: later cases build on the session of earlier ones.

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import manifest from '../../package.json';
import { extension, lenses, open, until } from './editor';

const SAMPLE = 'samples/c/lost_update.c';

/** Names and bodies. */
export const cases: [string, () => Promise<void>][] = [
  ['every command of the manifest is registered', commands],
  ['lenses stand over the test and its functions', lensesAppear],
  ['exploring gives a diagnostic with its preemption beside it', explore],
  ['prioritising a function ticks it', prioritise],
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
