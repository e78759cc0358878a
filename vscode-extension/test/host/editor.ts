// Driving the editor from inside: waiting for states, never for time.

import { readFileSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';

/** The program that most cases are about. */
export const SAMPLE = 'samples/c/lost_update.c';

/** The extension, active. */
export async function extension(): Promise<Api> {
  const found = vscode.extensions.getExtension<Api>('raddle-dev.raddle');
  if (found === undefined) {
    throw new Error('the extension is not installed');
  }
  return found.activate();
}

/** Opens a file of the workspace. */
export async function open(file: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(uri(file), { viewColumn: vscode.ViewColumn.One });
}

/** Writes a file of the workspace, and opens it. */
export async function create(file: string, text: string): Promise<vscode.TextEditor> {
  await vscode.workspace.fs.writeFile(uri(file), Buffer.from(text));
  return open(file);
}

function uri(file: string): vscode.Uri {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (root === undefined) {
    throw new Error('the rig has opened no folder');
  }
  return vscode.Uri.file(path.join(root, file));
}

/** Waits until a state is reached; `look` gives it, or undefined while it is not. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  seconds = 120,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`${what}: not within ${seconds} s`);
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** The lenses of a document that stand for a command. */
export async function lenses(uri: vscode.Uri, command: string): Promise<vscode.CodeLens[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
  return (all ?? []).filter(lens => lens.command?.command === command);
}

/** The processes of raddle with this word that the extension host has started. */
export function children(word: string): number[] {
  return started(word).filter(pid => parentOf(pid) === process.pid);
}

/** The processes of raddle with this word, whoever has started them. */
export function started(word: string): number[] {
  const all = readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0);
  return all.filter(pid => {
    const [program = '', first] = argumentsOf(pid);
    return program.endsWith('/raddle') && first === word;
  });
}

/** The program and the arguments of a process; none once it has ended. */
export function argumentsOf(pid: number | undefined): string[] {
  return read(`/proc/${pid}/cmdline`).split('\0');
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]);
}

/** It may end while it is looked at. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
