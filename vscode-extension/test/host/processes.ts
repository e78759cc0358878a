// The server and the host as processes: killed, started again, started from elsewhere.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { SAMPLE, argumentsOf, children, extension, lenses, open, started, until } from './editor';

export async function killed(): Promise<void> {
  const { sessions } = await extension();
  const { document } = await open(SAMPLE);
  const [server] = children('lsp');
  assert.ok(server !== undefined, 'the server runs below the extension host');
  process.kill(server, 'SIGKILL');
  const again = await until('another server', () => children('lsp').find(pid => pid !== server));
  assert.notEqual(again, server);
  const [lens] = await until('its lenses', async () => {
    const found = await lenses(document.uri, 'raddle.explore').catch(() => []);
    return found.length > 0 ? found : undefined;
  });
  const argument: unknown = lens?.command?.arguments?.[0];
  const session = await vscode.commands.executeCommand<number>('raddle.explore', argument);
  await until('the end of a search', () => sessions.get(session)?.verdict === 'failed' || undefined);
}

export async function hostKilled(): Promise<void> {
  const { interleavings, sessions } = await extension();
  const { document } = await open(SAMPLE);
  // A host that had no client for long while the server came back has ended: of the tests before there is one session.
  const [above] = await until('its lens', async () => {
    const found = await lenses(document.uri, 'raddle.explore');
    return found.length > 0 ? found : undefined;
  });
  const explored = await vscode.commands.executeCommand<number>(
    'raddle.explore',
    above?.command?.arguments?.[0],
  );
  await until('the end of one more', () => sessions.get(explored)?.verdict === 'failed' || undefined);
  await vscode.commands.executeCommand('raddle.showInterleaving');
  await until('an execution', () => interleavings.shown()?.status === 'ready' || undefined);
  const before = sessions.all().length;
  assert.ok(before > 1, 'several were explored');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const hosts = started('host').filter(pid => argumentsOf(pid).includes(folder));
  assert.equal(hosts.length, 1);
  hosts.forEach(pid => process.kill(pid, 'SIGKILL'));
  const [lens] = await until('its lens', async () => {
    const found = await lenses(document.uri, 'raddle.explore');
    return found.length > 0 ? found : undefined;
  });
  const argument: unknown = lens?.command?.arguments?.[0];
  // The first one may still find the host that is ending.
  const session = await until('a host', async () =>
    vscode.commands.executeCommand<number | undefined>('raddle.explore', argument),
  );
  await until('the end of a search', () => sessions.get(session)?.verdict === 'failed' || undefined);
  assert.deepEqual(
    sessions.all().map(s => s.session),
    [1],
  );
  await until(
    'the picture of the new one',
    () => interleavings.shown()?.session === sessions.get(1) || undefined,
  );
  assert.equal(interleavings.shown()?.test, 'lost_update');
}

export async function restarted(): Promise<void> {
  const { server } = await extension();
  const settings = vscode.workspace.getConfiguration('raddle');
  const own = vscode.extensions.getExtension('raddle-dev.raddle')?.extensionPath ?? '';
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const hosts = started('host').filter(pid => argumentsOf(pid).includes(folder));
  assert.equal(hosts.length, 1, 'an earlier case has explored');
  const elsewhere = path.join(mkdtempSync(path.join(tmpdir(), 'rd-path-')), 'raddle');
  symlinkSync(path.join(own, 'bin', 'raddle'), elsewhere);
  // Not of the workspace's: it would choose what is run.
  await assert.rejects(async () => settings.update('path', elsewhere, vscode.ConfigurationTarget.Workspace));
  await settings.update('path', elsewhere, vscode.ConfigurationTarget.Global);
  try {
    const again = () => vscode.commands.executeCommand('raddle.restartServer');
    const starts = new Promise<void>(resolve => {
      const listening = server.onStarting(() => (listening.dispose(), resolve()));
    });
    const first = again();
    await starts;
    // The second one comes while the server of the first one starts.
    await Promise.all([first, again()]);
    await until('one server', () => {
      const running = children('lsp');
      return (running.length === 1 && argumentsOf(running[0])[0] === elsewhere) || undefined;
    });
    // With its environment, which is that of whoever started it.
    await until('the end of the host', () => !started('host').includes(hosts[0] ?? 0) || undefined);
    await settings.update('path', `${elsewhere}-missing`, vscode.ConfigurationTarget.Global);
    await assert.rejects(server.restart(), /raddle\.path names .*missing, which is not a program/);
  } finally {
    await settings.update('path', undefined, vscode.ConfigurationTarget.Global);
    rmSync(path.dirname(elsewhere), { recursive: true });
  }
  await server.restart();
  await until('the server of the extension', () => children('lsp').length === 1 || undefined);
}
