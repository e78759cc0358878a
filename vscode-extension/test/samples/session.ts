// Sessions and failures, for tests.

import type { SessionFailure, SessionState } from '../../src/protocol';

/** A session that is searching. */
export function session(changes: Partial<SessionState>): SessionState {
  return {
    version: 1,
    session: 1,
    request: 1,
    revision: 1,
    target: 'samples/c/lost_update.c',
    test: 'lost_update',
    location: null,
    begun: 0,
    state: 'exploring',
    verdict: null,
    counts: { executions: 1234, passed: 1234, failed: 0, deadlocked: 0, cut_off: 0, waiting: 3 },
    bound: { current: 1, completed: 0 },
    rate: 1000,
    seconds: 1,
    coverage: [],
    failures: [],
    warnings: [],
    guarantee: '',
    error: '',
    problems: [],
    focus: { methods: [], variables: [], high: 0, medium: 0, low: 0 },
    shown: null,
    below: null,
    ...changes,
  };
}

/** A failure of the sample. */
export function failure(changes: Partial<SessionFailure> = {}): SessionFailure {
  return {
    kind: 'assertion',
    message: '\nassertion `counter == 2` failed\nleft: 1',
    location: null,
    schedule: 'sync@2:T2,4:T1#1e31',
    preemptions: 1,
    found_after: 5,
    explanation: [],
    replay: 'raddle replay samples/c/lost_update.c lost_update sync@2:T2,4:T1#1e31',
    related: [],
    ...changes,
  };
}
