// The view of the focus: functions and variables of a target with checkboxes. Ticking one turns
// running searches to it, and those to come.

import * as vscode from 'vscode';
import { tell } from '../errors';
import { functionAtCursor, targetOf, type Prioritise } from '../lenses';
import type { Focus, SessionState, TestsResult } from '../protocol';
import { locate } from '../places';
import type { Server } from '../server';
import { trusted } from '../trust';
import { FocusModel, spread, type Chosen, type Item, type Kind } from './model';

/** A heading, or what stands under it. */
type Row = { heading: Kind } | { item: Item };

const HEADINGS: Record<Kind, string> = { methods: 'Functions', variables: 'Variables' };

/** The view and the commands that change what it shows. */
export class FocusView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly model = new FocusModel();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  /** Requests go out one after the other: each replaces the whole focus. */
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly root: () => string | undefined,
    /** The target of the newest session. */
    private readonly newest: () => string | undefined,
  ) {
    this.view = vscode.window.createTreeView('raddle.focus', {
      treeDataProvider: this,
      manageCheckboxStateManually: true,
    });
    this.view.onDidChangeVisibility(() => void this.follow());
    this.view.onDidChangeCheckboxState(({ items }) => {
      const changes = items.flatMap(([row, state]) =>
        'item' in row ? [{ ...row.item, checked: state === vscode.TreeItemCheckboxState.Checked }] : [],
      );
      void this.change(changes);
    });
  }

  /** Names of the commands and what they do. */
  commands(): [string, (argument?: unknown) => Promise<unknown>][] {
    return [
      ['raddle.prioritize', argument => this.prioritise(argument, true)],
      ['raddle.unprioritize', argument => this.prioritise(argument, false)],
    ];
  }

  /** What is prioritised, as the host says. */
  take(focus: Focus | Chosen): void {
    this.model.take(focus);
    this.changed.fire();
  }

  /** A session's new state: its counts stand beside the view's title. */
  session(state: SessionState): void {
    this.view.description = spread(state.focus);
    if (this.model.target === undefined && this.view.visible) {
      this.list(state.target).catch((error: unknown) => this.missed(error));
    }
  }

  /** Lists the target of the file in front, if it has one, else that of the newest session. */
  async follow(): Promise<void> {
    // Listing starts the workspace's host: not for a view that nobody sees.
    if (!this.view.visible || !vscode.workspace.isTrusted) {
      return;
    }
    try {
      // With the picture in front, the file beside it is the one that is looked at.
      const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
      const target =
        (editor && (await targetOf(this.server, editor.document))) ?? this.model.target ?? this.newest();
      if (target !== undefined) {
        await this.list(target);
      }
    } catch (error) {
      this.missed(error);
    }
  }

  /** The names that are listed and those that are ticked: for tests of the extension. */
  snapshot(): { target: string | undefined; items: Item[]; description: string } {
    const items = [...this.model.items('methods'), ...this.model.items('variables')];
    return { target: this.model.target, items, description: this.view.description ?? '' };
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) {
      const headings: Kind[] = ['methods', 'variables'];
      return headings.filter(kind => this.model.items(kind).length > 0).map(heading => ({ heading }));
    }
    return 'heading' in row ? this.model.items(row.heading).map(item => ({ item })) : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if ('heading' in row) {
      const heading = new vscode.TreeItem(HEADINGS[row.heading], vscode.TreeItemCollapsibleState.Expanded);
      heading.id = row.heading;
      return heading;
    }
    const { item } = row;
    const shown = new vscode.TreeItem(item.name);
    shown.id = item.id;
    shown.description = item.detail;
    shown.iconPath = new vscode.ThemeIcon(item.kind === 'methods' ? 'symbol-method' : 'symbol-variable');
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
    shown.checkboxState = {
      state: item.checked ? Checked : Unchecked,
      tooltip: item.checked ? 'The search turns to it first' : 'Prioritise in searches',
    };
    const uri = this.uri(item);
    if (uri !== undefined && item.place !== undefined) {
      const line = Math.max(0, item.place.line - 1);
      const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(line, 0, line, 0) };
      shown.command = { command: 'vscode.open', title: 'Open', arguments: [uri, options] };
    }
    return shown;
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  /** The view keeps what it shows; the server's end is told where the server is. */
  private missed(error: unknown): void {
    this.server.log.warn(`focus: ${String(error)}`);
  }

  private async list(target: string): Promise<void> {
    this.model.list(await this.server.request<TestsResult>('raddle/tests', { target }));
    this.changed.fire();
  }

  private async prioritise(argument: unknown, checked: boolean): Promise<void> {
    const given = argument as Prioritise | undefined;
    const meant = given?.method === undefined ? await functionAtCursor(this.server) : given;
    if (meant === undefined) {
      void vscode.window.showInformationMessage(
        'There is no function at the cursor that could be prioritised.',
      );
      return;
    }
    if (!(await trusted('Prioritising'))) {
      return;
    }
    await this.change([{ kind: 'methods', name: meant.method, checked }]);
  }

  private async change(changes: { kind: Kind; name: string; checked: boolean }[]): Promise<void> {
    const send = async () => {
      this.take(await this.server.request<Focus>('raddle/focus', this.model.with(changes)));
    };
    this.sending = this.sending.then(send, send);
    try {
      await this.sending;
    } catch (error) {
      this.changed.fire();
      await tell('The focus could not be changed', error);
    }
  }

  private uri(item: Item): vscode.Uri | undefined {
    const [root, target] = [this.root(), this.model.target];
    if (item.place === undefined || root === undefined || target === undefined) {
      return undefined;
    }
    const file = locate(root, target, item.place.file);
    return file === undefined ? undefined : vscode.Uri.file(file);
  }
}
