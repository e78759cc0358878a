// One instant of an execution: right before an event. Where every thread stands, what it is about to
// do or waits for, who holds which lock, what shared variables were last seen to be, and who could
// run next.

import type { Interleaving, Location, Step } from '../protocol';

/** What a thread is up to. */
export type Standing = 'runs' | 'ready' | 'waits' | 'unborn' | 'ended';

/** A thread at the instant. */
export interface ThreadAt {
  thread: number;
  name: string;
  standing: Standing;
  /** In words: `about to lock a`, `waits for b (lock), held by T2`. */
  text: string;
  /** Where it is; absent before it begins and once it has ended. */
  location: Location | null;
}

/** Who may run at the step, and who did. */
export interface Choices {
  /** The step at which one can be chosen: that of the event, or the next one after it. */
  step: number;
  /** Its event. */
  event: number;
  enabled: number[];
  taken: number;
}

/** A shared variable. */
export interface SharedAt {
  object: string;
  /** Absent where an update left it unknown. */
  value: string | undefined;
  thread: number;
  location: Location | null;
}

/** Everything at the instant. */
export interface Instant {
  event: number;
  threads: ThreadAt[];
  choices: Choices | undefined;
  /** Locks that are held, and by whom. */
  locks: { object: string; holder: number }[];
  shared: SharedAt[];
}

/** The instant right before an event; past the last one, how things stand at the end. */
export function instantAt(trace: Interleaving, event: number): Instant {
  const at = Math.max(0, Math.min(event, trace.events.length));
  const locks = locksAt(trace.events, at);
  const atEnd = at === trace.events.length;
  const stuck = atEnd && trace.outcome === 'deadlock' ? trace.pending.map(p => p.thread) : [];
  const waiting = new Set(atEnd ? stuck : waitingAt(trace.events, at));
  const nexts = nextOfEach(trace, at);
  const threads = trace.threads.map(lane => {
    const next = nexts.get(lane.thread);
    const standing = standingOf(trace, at, lane.thread, next, waiting);
    const pending = trace.pending.find(p => p.thread === lane.thread);
    const located = standing === 'unborn' ? null : next && placeOf(trace, at, next);
    const location = located ?? pending?.location ?? null;
    const text = said(standing, next, pending?.text, locks);
    return { thread: lane.thread, name: lane.name, standing, text, location };
  });
  return {
    event: at,
    threads,
    choices: choicesAt(trace.events, at),
    locks: [...locks].map(([object, holder]) => ({ object, holder })),
    shared: sharedAt(trace.events, at),
  };
}

/** The event that an event depends on most directly: the write it reads, the unlock before its lock. */
export function causeOf(trace: Interleaving, event: number): number | undefined {
  const e = trace.events[event];
  if (e === undefined) {
    return undefined;
  }
  const before = (fits: (other: Step) => boolean) => {
    for (let i = event - 1; i >= 0; i--) {
      const other = trace.events[i];
      if (other !== undefined && fits(other)) {
        return other.thread === e.thread ? undefined : i;
      }
    }
    return undefined;
  };
  switch (e.operation) {
    case 'start':
      return before(o => o.operation === 'spawn' && o.object === `T${e.thread}`);
    case 'join':
      return before(o => o.operation === 'exit' && `T${o.thread}` === e.object);
    case 'load':
    case 'read':
    case 'rmw':
      return before(o => ['store', 'write', 'rmw'].includes(o.operation) && o.object === e.object);
    case 'lock':
      return before(o => o.operation === 'unlock' && o.object === e.object);
    default:
      return undefined;
  }
}

/** The event to look at first: the one after the first preemption, else the last. */
export function firstToShow(trace: Interleaving): number {
  const preempted = trace.events.findIndex(e => e.preemption !== null);
  return preempted >= 0 ? preempted : Math.max(0, trace.events.length - 1);
}

function nextOfEach(trace: Interleaving, at: number): Map<number, Step> {
  const next = new Map<number, Step>();
  for (let i = at; i < trace.events.length && next.size < trace.threads.length; i++) {
    const e = trace.events[i];
    if (e !== undefined && !next.has(e.thread)) {
      next.set(e.thread, e);
    }
  }
  return next;
}

/**
 * Where a thread is before an operation. Its start and its end have no place in a source: the next operation's
 * stands for the start, the last one's for the end.
 */
function placeOf(trace: Interleaving, at: number, next: Step): Location | null {
  const own = (e: Step) => e.thread === next.thread && e.location !== null;
  const after = next.location === null ? trace.events.slice(next.event).find(own) : next;
  return (after ?? trace.events.slice(0, at).findLast(own))?.location ?? null;
}

function waitingAt(events: Step[], at: number): number[] {
  for (let i = at; i >= 0; i--) {
    const e = events[i];
    if (e?.step != null) {
      return e.waiting;
    }
  }
  return [];
}

function standingOf(
  trace: Interleaving,
  at: number,
  thread: number,
  next: Step | undefined,
  waiting: Set<number>,
): Standing {
  const spawned = trace.events.findIndex(e => e.operation === 'spawn' && e.object === `T${thread}`);
  if (spawned >= at) {
    return 'unborn';
  }
  if (next !== undefined && next.event === at) {
    return 'runs';
  }
  if (waiting.has(thread)) {
    return 'waits';
  }
  return next === undefined && !trace.pending.some(p => p.thread === thread) ? 'ended' : 'ready';
}

function said(
  standing: Standing,
  next: Step | undefined,
  pending: string | undefined,
  locks: Map<string, number>,
): string {
  const act = next === undefined ? (pending ?? '') : named(next);
  switch (standing) {
    case 'unborn':
      return 'not spawned yet';
    case 'ended':
      return 'has ended';
    case 'runs':
      return next?.text ?? act;
    case 'ready':
      return next === undefined ? `stopped before it ${act}` : `about to ${act}`;
    case 'waits': {
      const object = next?.object ?? /^locks (.+)$/.exec(pending ?? '')?.[1];
      const holder = object === undefined ? undefined : locks.get(object);
      const held = holder === undefined ? '' : `, held by T${holder}`;
      return next === undefined || next.object === ''
        ? `waits: ${act}${held}`
        : `waits for ${next.object} (${next.operation})${held}`;
    }
  }
}

/** What an operation does, and to what: a thread that starts or ends does so to itself. */
export function words(e: Step): { word: string; object: string } {
  switch (e.operation) {
    case 'start':
      return { word: 'start', object: '' };
    case 'exit':
      return { word: 'end', object: '' };
    default:
      return { word: e.operation, object: e.object };
  }
}

/** `lock accounts[0]`. */
export function named(e: Step): string {
  const { word, object } = words(e);
  return object === '' ? word : `${word} ${object}`;
}

function choicesAt(events: Step[], at: number): Choices | undefined {
  for (let i = at; i < events.length; i++) {
    const e = events[i];
    if (e?.step != null) {
      return { step: e.step, event: i, enabled: e.enabled, taken: e.thread };
    }
  }
  return undefined;
}

function locksAt(events: Step[], at: number): Map<string, number> {
  const held = new Map<string, number>();
  for (const e of events.slice(0, at)) {
    if (['lock', 'try_lock', 'write-lock'].includes(e.operation) && !e.failed) {
      held.set(e.object, e.thread);
    } else if (e.operation === 'unlock') {
      held.delete(e.object);
    } else if (e.operation === 'wait' || e.operation === 'wake') {
      // Waiting gives a mutex back, being woken takes it again; only the words name it.
      const mutex = /(?:releasing|locks) (.+)$/.exec(e.text)?.[1];
      if (mutex !== undefined && e.operation === 'wait') {
        held.delete(mutex);
      } else if (mutex !== undefined) {
        held.set(mutex, e.thread);
      }
    }
  }
  return held;
}

function sharedAt(events: Step[], at: number): SharedAt[] {
  const shared = new Map<string, SharedAt>();
  for (const e of events.slice(0, at)) {
    if (e.matters && ['load', 'store', 'rmw'].includes(e.operation) && e.object !== '') {
      // An update tells what was there, not what is there now.
      const updated = e.operation === 'rmw' && !e.failed;
      const value = updated ? undefined : (e.value ?? undefined);
      const last = shared.get(e.object);
      const wrote = e.operation !== 'load' || last === undefined;
      shared.set(e.object, {
        object: e.object,
        value,
        thread: wrote ? e.thread : last.thread,
        location: wrote ? e.location : last.location,
      });
    }
  }
  return [...shared.values()];
}
