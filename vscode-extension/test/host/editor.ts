// Driving the editor from inside: waiting for states, never for time.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';

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
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (root === undefined) {
    throw new Error('the rig has opened no folder');
  }
  return vscode.window.showTextDocument(vscode.Uri.file(path.join(root, file)));
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
