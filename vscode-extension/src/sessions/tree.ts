// The view of sessions: running and ended ones, each with its failures.

import * as vscode from 'vscode';
import type { SessionFailure, SessionState } from '../protocol';
import type { Sessions } from './model';
import { counted, headline, searching, standing } from './words';

/** A row: a session, or one of its failures. */
export type Row = { session: number; schedule?: string };

/** Rows of sessions and failures. */
export class SessionTree implements vscode.TreeDataProvider<Row> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly sessions: Sessions) {}

  /** Draws the rows again. */
  refresh(): void {
    this.changed.fire();
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) {
      return this.sessions.all().map(state => ({ session: state.session }));
    }
    const failures = row.schedule === undefined ? (this.sessions.get(row.session)?.failures ?? []) : [];
    return failures.map(f => ({ session: row.session, schedule: f.schedule }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const state = this.sessions.get(row.session);
    if (state === undefined) {
      return new vscode.TreeItem(`Session ${row.session}`);
    }
    const failure = state.failures.find(f => f.schedule === row.schedule);
    const item = failure === undefined ? sessionItem(state) : failureItem(failure);
    item.id = `${row.session} ${row.schedule ?? ''}`;
    item.command = { command: 'raddle.showInterleaving', title: 'Show Interleaving', arguments: [row] };
    return item;
  }
}

function sessionItem(state: SessionState): vscode.TreeItem {
  const open = state.failures.length > 0;
  const item = new vscode.TreeItem(
    state.test,
    open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
  );
  item.description = standing(state);
  item.iconPath = icon(state);
  item.contextValue = context(state);
  item.tooltip = tooltip(state);
  return item;
}

function failureItem(failure: SessionFailure): vscode.TreeItem {
  const item = new vscode.TreeItem(headline(failure));
  const place = failure.location === null ? '' : ` · :${failure.location.line}`;
  item.description = `${failure.kind} · ${counted(failure.preemptions, 'preemption')}${place}`;
  item.iconPath = new vscode.ThemeIcon('circle-small-filled', new vscode.ThemeColor('raddle.preemption'));
  item.contextValue = 'failure';
  item.tooltip = [failure.message, ...failure.explanation].join('\n');
  return item;
}

function context(state: SessionState): string {
  if (state.state === 'paused') {
    return 'paused';
  }
  return searching(state) ? 'searching' : (state.verdict ?? 'incomplete');
}

function icon(state: SessionState): vscode.ThemeIcon {
  if (state.state === 'paused') {
    return new vscode.ThemeIcon('debug-pause');
  }
  if (searching(state)) {
    return new vscode.ThemeIcon('loading~spin');
  }
  switch (state.verdict) {
    case 'passed':
      return new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed'));
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed'));
    case 'error':
      return new vscode.ThemeIcon('warning', new vscode.ThemeColor('testing.iconErrored'));
    case 'incomplete':
    case null:
      return new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('testing.iconSkipped'));
  }
}

function tooltip(state: SessionState): string {
  const below = state.below === null ? [] : [`below ${state.below}`];
  return [
    `${state.test} (${state.target})`,
    ...below,
    standing(state),
    state.estimate === undefined ? '' : `${state.estimate.text} executions`,
    state.guarantee,
    state.error,
    ...state.warnings,
  ]
    .filter(line => line !== '')
    .join('\n');
}
