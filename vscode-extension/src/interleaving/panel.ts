// The panel of the picture: its page beside the source, the marks in the source, and the way from the
// page's buttons to the session and back.

import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Launch, Position } from '../debug';
import { message, tell } from '../errors';
import { renamed } from '../places';
import type { Location, SessionState } from '../protocol';
import type { Server } from '../server';
import type { Sessions } from '../sessions/model';
import { trusted } from '../trust';
import { instantAt } from './instant';
import type { Action, FromPage, ToPage } from './messages';
import { page } from './page';
import { Picture, type Meant } from './picture';
import { Positions } from './positions';

const VIEW = 'raddle.interleaving';

/** The one panel of a window. */
export class Interleavings implements vscode.Disposable {
  private readonly picture: Picture;
  private readonly positions: Positions;
  private readonly choices = new vscode.EventEmitter<string>();
  private panel: vscode.WebviewPanel | undefined;
  /** What the page has of the execution. */
  private sent: unknown;
  /** Where a debugger stands. */
  private position: Position | undefined;
  /** A session that was begun from the page and that nothing is known of yet. */
  private awaited: number | undefined;

  /** In the debugger, another thread is to run next. */
  readonly onChoose = this.choices.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {
    this.picture = new Picture(
      (method, params) => this.server.request(method, params),
      () => this.draw(),
    );
    this.positions = new Positions(file => this.named(file));
  }

  /** Names of the commands and what they do. */
  commands(): [string, (argument?: unknown) => Promise<unknown>][] {
    return [
      ['raddle.showInterleaving', argument => this.show(argument as Meant | undefined)],
      ['raddle.showNearestPassing', argument => this.showNearest(argument as Meant | undefined)],
    ];
  }

  /** A session's new state. */
  session(state: SessionState): void {
    if (this.supersedes(state) || state.session === this.awaited) {
      this.awaited = undefined;
      void this.picture.show({}, state);
    } else {
      this.picture.take(state);
    }
  }

  /** The test that is shown is explored again: what it comes to now is what is looked at. */
  private supersedes(state: SessionState): boolean {
    const { session, target, test } = this.shown() ?? {};
    const later = session == null || (session.state === 'done' && state.session > session.session);
    return later && target === state.target && test === state.test && test !== '';
  }

  /** The sessions that were known are another host's. */
  forget(): void {
    this.awaited = undefined;
    this.picture.detach();
  }

  /** Where a debugged execution stands; absent once the debugger has ended. */
  debugged(position?: Position): void {
    this.position = position;
    if (this.panel !== undefined && this.concerns(position)) {
      void this.picture.debugged(position);
    }
  }

  /** What the page shows: for the commands that act on it, and for tests. */
  shown(): ReturnType<Picture['view']> | undefined {
    return this.panel === undefined ? undefined : this.picture.view();
  }

  /** The schedule that is shown, as a debugger takes it. */
  launch(): Launch | undefined {
    const { target, test, schedule } = this.shown() ?? {};
    return target && test && schedule ? { target, test, schedule } : undefined;
  }

  /** The command that runs the schedule that is shown. */
  replay(): string | undefined {
    return this.panel === undefined ? undefined : this.picture.trace?.replay;
  }

  dispose(): void {
    this.panel?.dispose();
    this.positions.dispose();
    this.choices.dispose();
  }

  private async show(meant: Meant | undefined): Promise<void> {
    if (!(await trusted('Showing an execution'))) {
      return;
    }
    const found = meant?.session ?? (meant?.schedule === undefined ? this.newest() : undefined);
    this.open();
    await this.picture.show(meant ?? {}, found === undefined ? undefined : this.sessions.get(found));
    if (this.position !== undefined && meant?.schedule === undefined && this.concerns(this.position)) {
      await this.picture.debugged(this.position);
    }
  }

  /** Of the failure that is meant, else of what is shown, else of the newest failure. */
  private async showNearest(meant: Meant | undefined): Promise<void> {
    if (meant !== undefined || this.panel === undefined) {
      await this.show(meant);
    }
    try {
      await this.picture.showNearest();
    } catch (error) {
      void tell('No nearest passing execution', error);
    }
  }

  /** A debugger may be at another test than the one that is shown. */
  private concerns(position: Position | undefined): boolean {
    return position?.test === undefined || this.picture.view().test.includes(position.test);
  }

  /** The newest session that failed, else the newest one. */
  private newest(): number | undefined {
    return (this.sessions.failure()?.session ?? this.sessions.newest())?.session;
  }

  private open(): void {
    if (this.panel !== undefined) {
      this.panel.reveal(undefined, true);
      return;
    }
    const dist = vscode.Uri.joinPath(this.context.extensionUri, 'dist');
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(VIEW, 'Interleaving', column, {
      enableScripts: true,
      localResourceRoots: [dist],
    });
    panel.iconPath = vscode.Uri.joinPath(this.context.extensionUri, 'media', 'interleaving.svg');
    const { webview } = panel;
    const served = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
    webview.onDidReceiveMessage((said: FromPage) => void this.heard(said));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.positions.set([]);
    });
    const nonce = randomBytes(16).toString('base64url');
    webview.html = page(webview.cspSource, served('interleaving.js'), served('interleaving.css'), nonce);
    this.panel = panel;
  }

  private async heard(said: FromPage): Promise<void> {
    try {
      switch (said.type) {
        case 'ready':
          // A page that was hidden starts from nothing.
          this.sent = undefined;
          return this.draw();
        case 'select':
          return this.picture.select(said.event);
        case 'open':
          return await this.reveal(said.location, said.focus);
        case 'steer':
          return await this.steer(said.step, said.choice, said.then);
        case 'choose':
          return this.choices.fire(said.choice);
        case 'action':
          return await this.act(said.action);
      }
    } catch (error) {
      void tell('Action failed', error);
    }
  }

  private async steer(step: number, choice: string, then: 'pause' | 'search'): Promise<void> {
    const result = await this.picture.steer(step, choice, then);
    if (result === undefined || then !== 'search') {
      return;
    }
    const begun = this.sessions.get(result.session);
    if (begun === undefined) {
      // The answer has overtaken the news of it.
      this.awaited = result.session;
    } else {
      await this.picture.show({}, begun);
    }
  }

  private async act(action: Action): Promise<void> {
    const session = this.picture.view().session?.session;
    const on = session === undefined ? {} : { session };
    switch (action) {
      case 'copy':
        return vscode.commands.executeCommand('raddle.copySchedule');
      case 'replay':
        return vscode.commands.executeCommand('raddle.replay');
      case 'debug':
        return vscode.commands.executeCommand('raddle.debugSchedule');
      case 'pause':
      case 'resume':
      case 'stop':
        return vscode.commands.executeCommand(`raddle.${action}`, on);
      case 'retry':
        return this.picture.retry();
      case 'undo':
        return this.picture.undo();
      case 'nearest':
        return this.picture.showNearest();
      case 'failing':
        return this.picture.showFailing();
      case 'save':
        await this.picture.save();
        return;
      case 'default':
        return this.picture.show(
          { ...on, schedule: 'sync@default', event: 0 },
          this.picture.view().session ?? undefined,
        );
    }
  }

  private draw(): void {
    if (this.panel === undefined) {
      return;
    }
    const view = this.picture.view();
    const { trace } = this.picture;
    this.panel.title = view.test === '' ? 'Interleaving' : `Interleaving: ${view.test}`;
    if (this.sent !== (trace ?? null)) {
      this.sent = trace ?? null;
      this.post({ type: 'trace', trace: trace ?? null });
    }
    this.post({ type: 'view', view });
    const ready = view.status === 'ready' && trace !== undefined;
    this.positions.set(ready ? instantAt(trace, view.event).threads : []);
  }

  private post(said: ToPage): void {
    void this.panel?.webview.postMessage(said);
  }

  /** Opens a place in the sources, beside the picture and not over it. */
  private async reveal(location: Location, focus: boolean): Promise<void> {
    const uri = vscode.Uri.file(this.named(location.file));
    const line = Math.max(0, location.line - 1);
    const column = Math.max(0, location.column - 1);
    const selection = new vscode.Range(line, column, line, column);
    const viewColumn = this.source(uri);
    try {
      await vscode.window.showTextDocument(uri, { viewColumn, preserveFocus: !focus, selection });
    } catch (error) {
      throw new Error(`${uri.fsPath} cannot be shown: ${message(error)}`, { cause: error });
    }
  }

  /** The column that shows a file already, else one that the picture is not in. */
  private source(uri: vscode.Uri): vscode.ViewColumn {
    const same = vscode.window.visibleTextEditors.find(e => e.document.uri.fsPath === uri.fsPath);
    const other = vscode.window.tabGroups.all.find(g => g.viewColumn !== this.panel?.viewColumn);
    return same?.viewColumn ?? other?.viewColumn ?? vscode.ViewColumn.Beside;
  }

  /** A file as the editor has it open: the host names files without links. */
  private named(file: string): string {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    return root === undefined ? file : renamed(file, root, realpathSync);
  }
}
