// The sessions that the host has told of, as they stand.

import type { SessionFailure, SessionState } from '../protocol';
import { searching } from './words';

/** A failure and the session that found it. */
export interface Found {
  session: SessionState;
  failure: SessionFailure;
}

/** All sessions, by number. */
export class Sessions {
  private readonly states = new Map<number, SessionState>();

  /** Whether this begins a session whose number is taken: a host gives none twice, so it is another host's. */
  isOfAnotherHost(state: SessionState): boolean {
    const known = this.states.get(state.session);
    const again = known?.state !== 'building' || state.revision < known.revision;
    return known !== undefined && state.state === 'building' && again;
  }

  /** Takes up a session's new state; false if it is older than what is known. */
  update(state: SessionState): boolean {
    const known = this.states.get(state.session);
    if (known !== undefined && state.revision < known.revision) {
      return false;
    }
    this.states.set(state.session, state);
    return true;
  }

  /** Forgets all. */
  clear(): void {
    this.states.clear();
  }

  /** One of them. */
  get(session: number): SessionState | undefined {
    return this.states.get(session);
  }

  /** All, the newest first. */
  all(): SessionState[] {
    return [...this.states.values()].sort((a, b) => b.session - a.session);
  }

  /** The newest one, of a test if one is named. */
  newest(test?: { target: string; test: string }): SessionState | undefined {
    return this.all().find(s => test === undefined || (s.target === test.target && s.test === test.test));
  }

  /** The newest one whose search goes on, among those that fit. */
  running(fits: (state: SessionState) => boolean = () => true): SessionState | undefined {
    return this.all().find(state => searching(state) && fits(state));
  }

  /** The newest failure, of a session if one is meant. */
  failure(session?: number): Found | undefined {
    const among = session === undefined ? this.all() : this.all().filter(s => s.session === session);
    for (const state of among) {
      const failure = state.failures[0];
      if (failure !== undefined) {
        return { session: state, failure };
      }
    }
    return undefined;
  }
}
