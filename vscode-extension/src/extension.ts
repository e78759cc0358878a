// The extension: starts the server, puts commands and views in place, and hands each session's
// news to all of them.

import * as vscode from 'vscode';
import { ExploreCommands } from './commands/explore';
import { ScheduleCommands } from './commands/schedule';
import { Debugging } from './debug';
import { tell } from './errors';
import { FocusView } from './focus/tree';
import { Interleavings } from './interleaving/panel';
import type { SessionState } from './protocol';
import { Server } from './server';
import { Sessions } from './sessions/model';
import { SessionTree } from './sessions/tree';
import { searching } from './sessions/words';

type Command = [string, (argument?: unknown) => Promise<unknown>];

/** What of the extension's manifest is needed. */
interface Manifest {
  contributes: { commands: { command: string; title: string }[] };
}

/** What the extension gives to its own tests. */
export interface Api {
  server: Server;
  sessions: Sessions;
  focus: FocusView;
  interleavings: Interleavings;
}

let running: Server | undefined;

/** Called by the editor, once. */
export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel('Raddle', { log: true });
  const server = new Server(context, log);
  running = server;
  const sessions = new Sessions();
  const root = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const focus = new FocusView(server, root, () => sessions.newest()?.target);
  const interleavings = new Interleavings(context, server, sessions);
  const debugging = new Debugging(context, server, sessions, () => interleavings.launch());
  const explore = new ExploreCommands(server, sessions);
  const schedule = new ScheduleCommands(context, sessions, () => interleavings.replay());
  const tree = new SessionTree(sessions);

  const news = (state: SessionState) => {
    if (sessions.isOfAnotherHost(state)) {
      anew(state.request);
      interleavings.forget();
    }
    if (sessions.update(state)) {
      tree.refresh();
      focus.session(state);
      explore.ended(state);
      interleavings.session(state);
      whenKeys(sessions);
    }
  };
  const anew = (request?: number) => {
    sessions.clear();
    explore.forget(request);
    tree.refresh();
    whenKeys(sessions);
  };

  context.subscriptions.push(
    log,
    server,
    focus,
    interleavings,
    debugging,
    vscode.window.createTreeView('raddle.sessions', { treeDataProvider: tree }),
    vscode.window.onDidChangeActiveTextEditor(() => void focus.follow()),
    server.onSession(news),
    server.onFocused(chosen => focus.take(chosen)),
    // A new server joins the workspace's host, if one runs, and tells its sessions.
    server.onStarting(() => anew()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void focus.follow()),
    debugging.onPosition(position => interleavings.debugged(position)),
    interleavings.onChoose(choice => void debugging.choose(choice)),
    vscode.debug.onDidTerminateDebugSession(({ type }) => type === 'raddle' && interleavings.debugged()),
    ...registered(titles(context), [
      ...explore.all(),
      ...schedule.all(),
      ...focus.commands(),
      ...debugging.commands(),
      ...interleavings.commands(),
      ['raddle.restartServer', () => server.restart()],
      ['raddle.showLog', () => Promise.resolve(log.show())],
    ]),
  );

  server
    .start()
    .then(() => focus.follow())
    .catch((error: unknown) => tell('Raddle could not be started', error));
  return { server, sessions, focus, interleavings };
}

/** Called by the editor before it ends: the server ends first. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}

/** Commands that say what went wrong, where they are run. */
function registered(titles: Map<string, string>, commands: Command[]): vscode.Disposable[] {
  return commands.map(([name, run]) =>
    vscode.commands.registerCommand(name, async (argument?: unknown) => {
      try {
        return await run(argument);
      } catch (error) {
        void tell(`“${titles.get(name) ?? name}” did not work`, error);
        return undefined;
      }
    }),
  );
}

/** What the commands are called in menus. */
function titles(context: vscode.ExtensionContext): Map<string, string> {
  const { contributes } = context.extension.packageJSON as Manifest;
  return new Map(contributes.commands.map(({ command, title }) => [command, title]));
}

/** Keys that menus depend on. */
function whenKeys(sessions: Sessions): void {
  const all = sessions.all();
  const set = (key: string, value: boolean) => void vscode.commands.executeCommand('setContext', key, value);
  set('raddle.searching', all.some(searching));
  set(
    'raddle.paused',
    all.some(s => s.state === 'paused'),
  );
}
