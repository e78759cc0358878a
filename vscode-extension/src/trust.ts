// Exploring and debugging run the workspace's code: not before the user trusts it.

import * as vscode from 'vscode';

/** Whether code may be run; if not, the user is told how to allow it. */
export async function trusted(what: string): Promise<boolean> {
  if (vscode.workspace.isTrusted) {
    return true;
  }
  const manage = 'Manage Workspace Trust';
  const chosen = await vscode.window.showWarningMessage(
    `${what} builds and runs the code of this workspace, which you have not said that you trust.`,
    manage,
  );
  if (chosen === manage) {
    await vscode.commands.executeCommand('workbench.trust.manage');
  }
  return false;
}
