// Exploring: start, pause, resume, stop, and what is said when a search ends.

import * as vscode from 'vscode';
import { tell } from '../errors';
import { exploredAtCursor, isExplore, testAtCursor, type Explore } from '../lenses';
import type { ExploreParams, ExploreResult, SessionState } from '../protocol';
import type { Server } from '../server';
import type { Sessions } from '../sessions/model';
import { headline, standing } from '../sessions/words';
import { trusted } from '../trust';
import { unlinked } from '../unlinked';

/** A session, or what stands for one in a view. */
interface Meant {
  session?: number;
}

/** The commands about searches. */
export class ExploreCommands {
  /** Requests whose end is to be told: those that this window made. */
  private readonly asked = new Set<number>();
  private readonly told = new Set<number>();

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {}

  /** Names and what they do. */
  all(): [string, (argument?: unknown) => Promise<unknown>][] {
    return [
      ['raddle.explore', argument => this.explore(argument)],
      [
        'raddle.pause',
        argument => this.control('raddle/pause', 'paused', argument, s => s.state !== 'paused'),
      ],
      [
        'raddle.resume',
        argument => this.control('raddle/resume', 'resumed', argument, s => s.state === 'paused'),
      ],
      ['raddle.stop', argument => this.control('raddle/stop', 'stopped', argument, () => true)],
    ];
  }

  /** A session's new state: tells the end of one that was asked for here. */
  ended(state: SessionState): void {
    if (state.state !== 'done') {
      this.told.delete(state.session);
    } else if (this.asked.has(state.request) && !this.told.has(state.session)) {
      this.told.add(state.session);
      void this.tellEnd(state);
    }
  }

  /** Forgets what was asked of a host that is gone; a request of the new one may have been answered already. */
  forget(but?: number): void {
    this.told.clear();
    this.asked.forEach(request => request !== but && this.asked.delete(request));
  }

  private async explore(argument: unknown): Promise<number | undefined> {
    if (!(await trusted('Exploring'))) {
      return undefined;
    }
    const test = isExplore(argument) ? argument : await testAtCursor(this.server);
    if (test === undefined) {
      const running = await exploredAtCursor(this.server);
      if (running !== undefined) {
        await vscode.commands.executeCommand('raddle.showInterleaving', { session: running });
        return running;
      }
      void vscode.window.showInformationMessage(
        'There is no test at the cursor. Open a Rust, C or C++ file with a test, or a C or C++ file with main.',
      );
      return undefined;
    }
    // What is built is what is on the disk.
    await vscode.workspace.saveAll(false);
    const { session } = await this.server.request<ExploreResult>('raddle/explore', params(test));
    this.asked.add(session);
    // Notifications may have come before the answer.
    this.sessions.all().forEach(state => this.ended(state));
    return session;
  }

  /** Asks this of the session that is meant, else of the newest one that goes on and fits. */
  private async control(
    method: string,
    done: string,
    argument: unknown,
    fits: (state: SessionState) => boolean,
  ): Promise<void> {
    const session = (argument as Meant | undefined)?.session ?? this.sessions.running(fits)?.session;
    if (session === undefined) {
      void vscode.window.showInformationMessage(`Nothing is being explored that could be ${done}.`);
      return;
    }
    await this.server.request(method, { session });
  }

  private async tellEnd(state: SessionState): Promise<void> {
    const failure = state.failures[0];
    if (state.verdict === 'error') {
      await tell(`${state.test} could not be explored`, state.error);
    } else if (failure !== undefined) {
      const [show, debug] = ['Show Interleaving', 'Debug'];
      const text = unlinked(`${state.test} ${standing(state)}: ${headline(failure)}`);
      const chosen = await vscode.window.showErrorMessage(text, show, debug);
      const meant = { session: state.session, schedule: failure.schedule };
      if (chosen === show) {
        await vscode.commands.executeCommand('raddle.showInterleaving', meant);
      } else if (chosen === debug) {
        await vscode.commands.executeCommand('raddle.debugSchedule', meant);
      }
    } else {
      const guarantee = state.guarantee === '' ? '' : `: ${state.guarantee}`;
      void vscode.window.showInformationMessage(unlinked(`${state.test} ${standing(state)}${guarantee}`));
    }
  }
}

/** The test is known by its name: lines may be others on the disk. */
function params(test: Explore): Omit<ExploreParams, 'version'> {
  const { target, at, label, test: name } = test;
  const inFile = name === undefined || at === undefined ? undefined : { file: at.file, test: name };
  return {
    target,
    tests: [],
    exact: false,
    ...(at === undefined ? {} : { at }),
    ...(inFile === undefined ? {} : { in_file: inFile }),
    options: [],
    ...(label === undefined ? {} : { label }),
  };
}
