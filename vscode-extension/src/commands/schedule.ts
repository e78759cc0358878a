// What can be done with a schedule outside of its picture: copy its replay command, run it in a
// terminal; and the explorer window.

import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { binary } from '../binary';
import { tell } from '../errors';
import type { Found, Sessions } from '../sessions/model';
import { trusted } from '../trust';

/** What a view's row or a lens may carry. */
interface Meant {
  session?: number;
  schedule?: string;
}

/** The commands about schedules. */
export class ScheduleCommands {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly sessions: Sessions,
    /** The replay command of what the picture shows. */
    private readonly shown: () => string | undefined,
  ) {}

  /** Names and what they do. */
  all(): [string, (argument?: unknown) => Promise<unknown>][] {
    return [
      ['raddle.copySchedule', argument => this.copy(argument)],
      ['raddle.replay', argument => this.replay(argument)],
      ['raddle.openExplorer', () => this.openExplorer()],
    ];
  }

  private async copy(argument: unknown): Promise<string | undefined> {
    const command = this.command(argument);
    if (command === undefined) {
      void vscode.window.showInformationMessage('There is no schedule to copy yet: no test has failed.');
      return undefined;
    }
    await vscode.env.clipboard.writeText(command);
    vscode.window.setStatusBarMessage(`$(copy) ${command}`, 4000);
    return command;
  }

  private async replay(argument: unknown): Promise<void> {
    const command = this.command(argument);
    if (command === undefined) {
      void vscode.window.showInformationMessage('There is no schedule to replay yet: no test has failed.');
      return;
    }
    if (!(await trusted('Replaying'))) {
      return;
    }
    await vscode.tasks.executeTask(replaying(command, await binary(this.context), this.root()));
  }

  /** What was pointed at, else what is shown, else the newest failure. */
  private command(argument: unknown): string | undefined {
    const meant = argument as Meant | undefined;
    const of = (found: Found | undefined) => found?.failure.replay;
    if (meant?.session !== undefined) {
      const failures = this.sessions.get(meant.session)?.failures ?? [];
      return (failures.find(f => f.schedule === meant.schedule) ?? failures[0])?.replay;
    }
    return this.shown() ?? of(this.sessions.failure());
  }

  private async openExplorer(): Promise<void> {
    const root = this.root();
    if (root === undefined) {
      void vscode.window.showInformationMessage('Open a folder first: the explorer shows its sessions.');
      return;
    }
    if (!(await trusted('The explorer'))) {
      return;
    }
    await startWindow(await binary(this.context), root, this.context.logUri);
  }

  private root(): string | undefined {
    return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  }
}

/** Runs the line as it reads in reports, with the program that found the failure. */
function replaying(command: string, program: string, cwd: string | undefined): vscode.Task {
  const env = { PATH: `${path.dirname(program)}${path.delimiter}${process.env['PATH'] ?? ''}` };
  const run = new vscode.ShellExecution(command, { env, ...(cwd === undefined ? {} : { cwd }) });
  const task = new vscode.Task({ type: 'shell' }, vscode.TaskScope.Workspace, 'replay', 'Raddle', run, []);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, clear: true };
  return task;
}

/** Starts a window that outlives the editor; what it says when it fails is told. */
async function startWindow(program: string, cwd: string, log: vscode.Uri): Promise<void> {
  await vscode.workspace.fs.createDirectory(log);
  // A file, not a pipe: the window may still write when the editor is gone.
  const said = path.join(log.fsPath, 'explorer.log');
  const file = await fs.open(said, 'w');
  const child = spawn(program, ['gui'], { cwd, detached: true, stdio: ['ignore', 'ignore', file.fd] });
  child.on('error', error => void tell('The explorer window could not be opened', error));
  child.on('exit', (status, signal) => {
    if (status !== 0) {
      void fs.readFile(said, 'utf8').then(text => {
        const cause = text.trim() === '' ? `it ended with ${status ?? signal}` : text.trim().slice(-1000);
        return tell('The explorer window ended', cause);
      });
    }
  });
  child.unref();
  await file.close();
}
