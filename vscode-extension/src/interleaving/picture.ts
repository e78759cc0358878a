// What the window's picture shows: an execution, the selected instant, and how both follow the
// session that all faces share. No editor in here: requests go out through a function, changes are
// told to another, so that tests can be the host.
//
// Following: a selection made here is shown at once and sent with raddle/show; one request is on its
// way at a time, and what others show meanwhile is looked at when it has come back, so that an echo
// of an older selection never takes the newer one away.

import type {
  Interleaving,
  NearestPassing,
  SaveResult,
  SessionState,
  Shown,
  SteerParams,
  SteerResult,
  Then,
} from '../protocol';
import { firstToShow } from './instant';
import type { View } from './messages';

/** Sends a request to the host. */
export type Ask = <Result>(method: string, params: object) => Promise<Result>;

/** What is to be shown: of a session, or of a target and a test. */
export interface Meant {
  session?: number;
  target?: string;
  test?: string;
  schedule?: string;
  event?: number;
}

/** Schedule and event that were shown before. */
interface Past {
  schedule: string;
  event: number;
}

const HISTORY = 50;

/** The picture's state. */
export class Picture {
  /** The execution; absent while there is none. */
  trace: Interleaving | undefined;

  private state: SessionState | undefined;
  private target = '';
  private test = '';
  private schedule = '';
  private event = 0;
  private status: View['status'] = 'empty';
  private error = '';
  private saved = '';
  private debugging = false;
  /** What passes and is nearest to an execution that was shown. */
  private nearest: NearestPassing | undefined;
  private comparing = false;
  private past: Past[] = [];
  /** Counts requests for executions: an answer to an older one is not shown. */
  private loads = 0;
  /** The newest revision of what is shown that was looked at. */
  private seen = 0;
  /** A selection is on its way to the host, and a newer one waits for it. */
  private sending = false;
  private unsent = false;

  constructor(
    private readonly ask: Ask,
    private readonly changed: () => void,
  ) {}

  /** What the page is to show. */
  view(): View {
    const { status, error, target, test, schedule, event, debugging, saved, comparing } = this;
    const session = this.state ?? null;
    const nearest = this.compared() ?? null;
    return {
      status,
      error,
      session,
      target,
      test,
      schedule,
      event,
      debugging,
      saved,
      nearest,
      comparing,
      canUndo: this.past.length > 0,
    };
  }

  /** Shows an execution, or a session that has none to show yet. */
  async show(meant: Meant, state: SessionState | undefined): Promise<void> {
    const another = state === undefined || state.session !== this.state?.session;
    this.state = state;
    this.target = state?.target ?? meant.target ?? '';
    this.test = state?.test ?? meant.test ?? '';
    this.seen = state?.shown?.revision ?? 0;
    this.debugging = false;
    if (another) {
      this.past = [];
      this.nearest = undefined;
      this.forget();
    }
    const shown = meant.schedule === undefined ? (state?.shown ?? undefined) : undefined;
    const schedule = meant.schedule ?? shown?.schedule ?? state?.failures[0]?.schedule;
    if (schedule === undefined) {
      this.forget();
      this.changed();
      return;
    }
    await this.load(schedule, meant.event ?? shown?.event);
    if (shown === undefined) {
      this.send();
    }
  }

  /** A session's new state. */
  take(state: SessionState): void {
    if (state.session !== this.state?.session) {
      return;
    }
    this.state = state;
    this.test = state.test;
    this.follow(state.shown);
    if (this.schedule === '' && state.failures[0] !== undefined) {
      void this.load(state.failures[0].schedule, undefined);
    }
    this.changed();
  }

  /** Keeps the execution, but not as one of a session: the host that had it is gone, and numbers begin again. */
  detach(): void {
    this.state = undefined;
    this.past = [];
    this.nearest = undefined;
    this.seen = 0;
    if (this.schedule === '') {
      this.forget();
    }
    this.changed();
  }

  /** Selects an event. */
  select(event: number): void {
    this.event = this.clamped(event);
    this.changed();
    this.send();
  }

  /** Runs the execution up to a step with another choice there, or searches below it. */
  async steer(step: number, choice: string, then: Then): Promise<SteerResult | undefined> {
    if (this.state === undefined) {
      return undefined;
    }
    const params: Omit<SteerParams, 'version'> = {
      session: this.state.session,
      prefix: this.schedule,
      step,
      choice,
      then,
    };
    const result = await this.ask<SteerResult>('raddle/steer', params);
    if (then === 'pause') {
      await this.turnTo(result.schedule, result.event);
    }
    return result;
  }

  /** Shows what passes and is nearest to the failing execution that is shown. */
  async showNearest(): Promise<void> {
    const { state, trace } = this;
    if (state === undefined || trace === undefined || this.comparing) {
      return;
    }
    if (this.compared() === undefined) {
      this.comparing = true;
      this.changed();
      try {
        const of = { session: state.session, schedule: trace.schedule };
        const found = await this.ask<NearestPassing>('raddle/nearestPassing', of);
        if (this.state?.session === state.session && this.shows(found.failing)) {
          this.nearest = found;
        }
      } finally {
        this.comparing = false;
        this.changed();
      }
    }
    await this.turnToSide(this.nearest?.passing);
  }

  /** Goes back from what passes to what fails. */
  async showFailing(): Promise<void> {
    await this.turnToSide(this.nearest?.failing);
  }

  /** What is known of the nearest, if one of the two is shown. */
  private compared(): NearestPassing | undefined {
    const { nearest } = this;
    const sides = [nearest?.failing, nearest?.passing];
    return sides.some(side => side != null && this.shows(side)) ? nearest : undefined;
  }

  private async turnToSide(schedule: string | null | undefined): Promise<void> {
    if (schedule != null && !this.shows(schedule)) {
      await this.turnTo(schedule, undefined);
      this.send();
    }
  }

  /** Goes back to what was shown before. */
  async undo(): Promise<void> {
    const last = this.past.pop();
    if (last !== undefined) {
      await this.load(last.schedule, last.event);
      this.send();
    }
  }

  /** Keeps the schedule; the command that runs it. */
  async save(): Promise<string | undefined> {
    if (this.state === undefined) {
      return undefined;
    }
    const params = { session: this.state.session, schedule: this.schedule };
    const { replay } = await this.ask<SaveResult>('raddle/save', params);
    this.saved = replay;
    this.changed();
    return replay;
  }

  /** A debugger stands at an event, perhaps of another schedule; absent once it has ended. */
  async debugged(position?: { event: number; schedule?: string }): Promise<void> {
    this.debugging = position !== undefined;
    if (position === undefined) {
      this.changed();
    } else if (position.schedule !== undefined && !this.shows(position.schedule)) {
      await this.turnTo(position.schedule, position.event);
    } else {
      this.select(position.event);
    }
  }

  /** Asks for the execution again. */
  async retry(): Promise<void> {
    if (this.schedule !== '') {
      await this.load(this.schedule, this.event);
    }
  }

  /** Something else is to be said than an execution. */
  fail(error: string): void {
    this.status = 'error';
    this.error = error;
    this.changed();
  }

  private forget(): void {
    this.trace = undefined;
    this.schedule = '';
    this.saved = '';
    this.event = 0;
    this.loads++;
    this.status = this.state === undefined ? 'empty' : 'ready';
  }

  private follow(shown: Shown | null): void {
    if (shown === null || shown.revision <= this.seen || this.sending) {
      return;
    }
    this.seen = shown.revision;
    if (!this.shows(shown.schedule)) {
      void this.turnTo(shown.schedule, shown.event);
    } else if (this.status === 'ready') {
      this.event = this.clamped(shown.event);
    }
  }

  /** Schedules are given with and without the hash of the program. */
  private shows(schedule: string): boolean {
    // While another one is awaited, the execution at hand is the one before it.
    return schedule === this.schedule || (this.status === 'ready' && schedule === this.trace?.schedule);
  }

  private async turnTo(schedule: string, event: number | undefined): Promise<void> {
    if (this.schedule !== '' && this.schedule !== schedule) {
      this.past = [...this.past, { schedule: this.schedule, event: this.event }].slice(-HISTORY);
    }
    await this.load(schedule, event);
  }

  private async load(schedule: string, event: number | undefined): Promise<void> {
    const load = ++this.loads;
    if (this.trace !== undefined && this.shows(schedule) && this.status === 'ready') {
      this.event = this.clamped(event ?? firstToShow(this.trace));
      this.changed();
      return;
    }
    Object.assign(this, { schedule, saved: '', status: 'loading' });
    this.changed();
    const { session } = this.state ?? {};
    const of = session === undefined ? { target: this.target, test: this.test } : { session };
    try {
      const trace = await this.ask<Interleaving>('raddle/trace', { ...of, schedule });
      if (load === this.loads) {
        this.trace = trace;
        this.status = 'ready';
        this.event = this.clamped(event ?? firstToShow(trace));
      }
    } catch (error) {
      if (load === this.loads) {
        this.trace = undefined;
        this.fail(error instanceof Error ? error.message : String(error));
      }
    }
    this.changed();
  }

  /** Tells the session's other faces what is selected. */
  private send(): void {
    this.unsent = true;
    if (!this.sending && this.state !== undefined && this.status === 'ready' && this.trace !== undefined) {
      void this.sendAll(this.state.session);
    }
  }

  private async sendAll(session: number): Promise<void> {
    this.sending = true;
    let answer: SessionState | undefined;
    while (this.unsent && this.state?.session === session) {
      this.unsent = false;
      // The end is an instant of this picture only.
      const last = Math.max(0, (this.trace?.events.length ?? 1) - 1);
      const params = { session, schedule: this.schedule, event: Math.min(this.event, last) };
      // What cannot be told to others is still shown here.
      answer = await this.ask<SessionState>('raddle/show', params).catch(() => undefined);
    }
    this.sending = false;
    const own = answer?.shown?.revision ?? 0;
    this.seen = Math.max(this.seen, own);
    const newest = this.state?.shown ?? null;
    this.follow(newest);
    this.changed();
  }

  private clamped(event: number): number {
    return Math.max(0, Math.min(event, this.trace?.events.length ?? 0));
  }
}
