// Debugging: the type `raddle`, whose adapter is `raddle dap`; what a launch configuration leaves
// open is filled in; what the adapter says of the position in the schedule is passed on.

import * as vscode from 'vscode';
import { binary } from './binary';
import { targetOf, testAtCursor } from './lenses';
import type { SchedulesResult } from './protocol';
import type { Server } from './server';
import type { Sessions } from './sessions/model';
import { trusted } from './trust';

/** Where a debugged execution stands; the adapter says so after every stop. */
export interface Position {
  /** Counts the executions of the session: a step back runs another one. */
  execution: number;
  /** The event it stands before. */
  event: number;
  /** Its schedule, where it is not the one launched. */
  schedule?: string;
  /** The test, as the launch names it. */
  test?: string;
}

/** A schedule, and the test that it is of. */
export interface Launch {
  target: string;
  test: string;
  schedule: string;
}

/** What a view's row or a lens may carry. */
type Meant = Partial<Launch> & { session?: number };

/** The debug type and its commands. */
export class Debugging implements vscode.DebugConfigurationProvider, vscode.Disposable {
  private readonly positions = new vscode.EventEmitter<Position>();
  private readonly registered: vscode.Disposable[];

  /** A debugged execution stopped. */
  readonly onPosition = this.positions.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly sessions: Sessions,
    /** What the picture shows. */
    private readonly shown: () => Launch | undefined,
  ) {
    this.registered = [
      this.positions,
      vscode.debug.registerDebugConfigurationProvider('raddle', this),
      vscode.debug.registerDebugAdapterDescriptorFactory('raddle', {
        createDebugAdapterDescriptor: async () =>
          new vscode.DebugAdapterExecutable(await binary(this.context), ['dap'], root()),
      }),
      vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
        if (session.type === 'raddle' && event === 'raddle/position') {
          const { test } = session.configuration as Partial<Launch>;
          this.positions.fire({ ...(body as Position), ...(test === undefined ? {} : { test }) });
        }
      }),
    ];
  }

  /** Names of the commands and what they do. */
  commands(): [string, (argument?: unknown) => Promise<unknown>][] {
    return [
      ['raddle.debugSchedule', argument => this.debug(argument)],
      // The same, of a session's row: there it is called after what it does there.
      ['raddle.debugFailure', argument => this.debug(argument)],
    ];
  }

  /** Fills in what the configuration leaves open. */
  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!(await trusted('Debugging'))) {
      return undefined;
    }
    const config = { ...given, type: 'raddle', request: 'launch', name: given.name || 'Raddle' };
    const open = config as vscode.DebugConfiguration & Partial<Launch>;
    if (open.target === undefined || open.test === undefined || open.schedule === undefined) {
      const found = await this.fill(open);
      if (found === undefined) {
        void vscode.window.showInformationMessage(
          'There is no failing schedule to debug. Explore a test first, or name target, test and schedule in launch.json.',
        );
        return undefined;
      }
      Object.assign(open, found);
    }
    return { stopAt: 'firstPreemption', stepStopsAt: 'preemption', ...open };
  }

  /** Runs the execution being debugged with another choice from where it stands. */
  async choose(choice: string): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type === 'raddle') {
      await session.customRequest('raddle/choose', { choice });
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.registered).dispose();
  }

  private async debug(argument: unknown): Promise<boolean> {
    const meant = (argument ?? {}) as Meant;
    const launch = this.pointedAt(meant) ?? this.shown() ?? this.newest();
    const config: vscode.DebugConfiguration = {
      type: 'raddle',
      request: 'launch',
      name: launch === undefined ? 'Raddle' : `${launch.test} ${launch.schedule}`,
      ...launch,
    };
    return vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], config);
  }

  private pointedAt(meant: Meant): Launch | undefined {
    const { target, test, schedule } = meant;
    if (target !== undefined && test !== undefined && schedule !== undefined) {
      return { target, test, schedule };
    }
    return meant.session === undefined ? undefined : this.newest(meant.session, schedule);
  }

  /** The newest failure of this window's searches. */
  private newest(session?: number, schedule?: string): Launch | undefined {
    const found = this.sessions.failure(session);
    return (
      found && {
        target: found.session.target,
        test: found.session.test,
        schedule: schedule ?? found.failure.schedule,
      }
    );
  }

  /** From the picture, the newest failure, or what is stored for the test at the cursor. */
  private async fill(open: Partial<Launch>): Promise<Launch | undefined> {
    const fits = (launch: Launch | undefined) =>
      launch !== undefined &&
      (open.target === undefined || open.target === launch.target) &&
      (open.test === undefined || open.test === launch.test);
    const known = [this.shown(), this.newest()].find(fits);
    return known === undefined ? this.stored(open) : { ...known, ...defined(open) };
  }

  private async stored(open: Partial<Launch>): Promise<Launch | undefined> {
    const here = await testAtCursor(this.server);
    const front = vscode.window.activeTextEditor?.document;
    const target = open.target ?? here?.target ?? (front && (await targetOf(this.server, front)));
    if (target === undefined) {
      return undefined;
    }
    const params = open.test === undefined ? { target } : { target, test: open.test };
    const { schedules } = await this.server.request<SchedulesResult>('raddle/schedules', params);
    // A lens knows its test without the modules around the file.
    const name = open.test === undefined && open.target === undefined ? here?.test : undefined;
    const meant = schedules.filter(s => name === undefined || `::${s.test}`.endsWith(`::${name}`));
    const failing = meant.find(s => s.failure !== '') ?? meant[0];
    return failing && { target, test: failing.test, schedule: open.schedule ?? failing.schedule };
  }
}

/** Targets are relative to the workspace. */
function root(): vscode.DebugAdapterExecutableOptions | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return folder === undefined ? undefined : { cwd: folder };
}

/** The fields that say something. */
function defined(open: Partial<Launch>): Partial<Launch> {
  const { target, test, schedule } = open;
  return {
    ...(target === undefined ? {} : { target }),
    ...(test === undefined ? {} : { test }),
    ...(schedule === undefined ? {} : { schedule }),
  };
}
