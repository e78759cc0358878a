// What went wrong, said once, with the way on.

import * as vscode from 'vscode';
import { unlinked } from './unlinked';

/** The words of whatever was thrown. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Tells the user that something could not be done; the log is one click away. */
export async function tell(what: string, error: unknown): Promise<void> {
  const log = 'Show Log';
  const chosen = await vscode.window.showErrorMessage(unlinked(`${what}: ${message(error)}`), log);
  if (chosen === log) {
    await vscode.commands.executeCommand('raddle.showLog');
  }
}
