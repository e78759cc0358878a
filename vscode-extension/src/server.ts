// The language server: `raddle lsp`, its life, and the raddle/* messages that travel with it.

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  TransportKind,
  type ErrorHandler,
} from 'vscode-languageclient/node';
import { binary } from './binary';
import type { Focus, SessionState } from './protocol';
import { Restarts } from './restarts';

const LANGUAGES = ['rust', 'c', 'cpp'];
/** How long a server that is to be ended may take to begin, or to end its host, in milliseconds. */
const PATIENCE = 3000;

/** The running server, or the next one. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<LanguageClient> | undefined;
  private readonly sessions = new vscode.EventEmitter<SessionState>();
  private readonly focused = new vscode.EventEmitter<Focus>();
  private readonly starts = new vscode.EventEmitter<void>();

  /** A session as it stands now. */
  readonly onSession = this.sessions.event;
  /** What is prioritised, after it changed. */
  readonly onFocused = this.focused.event;
  /** The server begins: it knows nothing yet. */
  readonly onStarting = this.starts.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {}

  /** Starts it, if it does not run. */
  async start(): Promise<LanguageClient> {
    this.starting ??= this.launch().catch((error: unknown) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }

  /** Ends it and the host, and starts it anew: with the program that the settings name now, and the environment of now. */
  async restart(): Promise<void> {
    await this.endHost();
    await this.stop();
    await this.start();
  }

  /** Ends the host, and its searches with it, if the server runs that can be asked to. */
  private async endHost(): Promise<void> {
    if (this.client?.state === State.Running) {
      const quit = this.client.sendRequest('raddle/quit', { version: 1 });
      await within(PATIENCE, quit).catch((error: unknown) => this.log.warn(`host: ${String(error)}`));
    }
  }

  /** Ends it. One that is starting cannot be stopped: it is waited for, within reason. */
  async stop(): Promise<void> {
    const { starting } = this;
    this.starting = undefined;
    const started = starting && (await within(PATIENCE, starting).catch(() => undefined));
    const client = started ?? this.client;
    if (client === this.client) {
      this.client = undefined;
    }
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
  }

  /** Sends a request, to a server that is started for it if need be. */
  async request<Result>(method: string, params: object): Promise<Result> {
    const client = await this.start();
    if (client.state === State.Stopped) {
      throw new Error(
        "Raddle's language server does not run. The command “Restart the Server and the Host” starts it.",
      );
    }
    return client.sendRequest<Result>(method, { version: 1, ...params });
  }

  private async launch(): Promise<LanguageClient> {
    const command = await binary(this.context);
    const client = new LanguageClient(
      'raddle',
      'Raddle',
      { command, args: ['lsp'], transport: TransportKind.stdio },
      {
        documentSelector: LANGUAGES.map(language => ({ scheme: 'file', language })),
        outputChannel: this.log,
        // The server offers none of its own then: they have the same names.
        initializationOptions: { ownCommands: true },
        // What could not be done is said where it was asked for.
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        errorHandler: this.failures(),
      },
    );
    client.onDidChangeState(change => change.newState === State.Starting && this.starts.fire());
    client.onNotification('raddle/session', (state: SessionState) => this.sessions.fire(state));
    client.onNotification('raddle/focused', (focus: Focus) => this.focused.fire(focus));
    this.client = client;
    this.log.info(`${command} lsp`);
    await client.start();
    return client;
  }

  /** A server that ends by itself is started again, and the user is told. */
  private failures(): ErrorHandler {
    const restarts = new Restarts(4, 180_000);
    return {
      // A write to a server that has just ended fails; that it has ended is told below.
      error: error => {
        this.log.warn(`connection: ${error.message}`);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        if (restarts.allowed(Date.now())) {
          void vscode.window.showWarningMessage("Raddle's language server has ended and is started again.");
          return { action: CloseAction.Restart, handled: true };
        }
        void this.offerRestart();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private async offerRestart(): Promise<void> {
    const [again, log] = ['Start It Again', 'Show Log'];
    const text = "Raddle's language server has ended five times within three minutes.";
    const chosen = await vscode.window.showErrorMessage(text, again, log);
    if (chosen !== undefined) {
      await vscode.commands.executeCommand(chosen === again ? 'raddle.restartServer' : 'raddle.showLog');
    }
  }

  dispose(): void {
    void this.stop();
    this.sessions.dispose();
    this.focused.dispose();
    this.starts.dispose();
  }
}

/** What is promised, if it comes in time. */
function within<T>(milliseconds: number, promised: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(
    resolve => (timer = setTimeout(() => resolve(undefined), milliseconds)),
  );
  return Promise.race([promised, late]).finally(() => clearTimeout(timer));
}
