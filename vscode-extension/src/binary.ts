// Which raddle is run: the one that the setting names, else the one that the extension carries.

import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** The program, or an error that says what is missing and what to do. */
export async function binary(context: vscode.ExtensionContext): Promise<string> {
  // The setting's scope is the machine: a workspace cannot choose the program.
  const named = vscode.workspace.getConfiguration('raddle').get<string>('path', '').trim();
  const program = named === '' ? path.join(context.extensionPath, 'bin', 'raddle') : named;
  try {
    await fs.access(program, fs.constants.X_OK);
  } catch {
    throw new Error(
      named === ''
        ? `This extension carries no program for this machine (${program} is missing). Name one in the setting raddle.path.`
        : `The setting raddle.path names ${program}, which is not a program that can be run.`,
    );
  }
  return program;
}
