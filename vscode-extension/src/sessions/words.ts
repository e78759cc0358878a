// How a session is put into words: one line for lists, one for notifications.

import type { SessionFailure, SessionState } from '../protocol';

/** The numbers of preemptions, as reports write them. */
export function circled(number: number): string {
  return number >= 1 && number <= 20 ? String.fromCodePoint(0x245f + number) : `(${number})`;
}

/** 12,345. */
export function grouped(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

/** `1 preemption`, `2 preemptions`. */
export function counted(n: number, one: string): string {
  return `${grouped(n)} ${one}${n === 1 ? '' : 's'}`;
}

/** Whether a search goes on, or could. */
export function searching(state: SessionState): boolean {
  return state.state !== 'done';
}

/** How far it is, or how it ended: `failed after 5 executions · 1 preemption`. */
export function standing(state: SessionState): string {
  const executions = counted(state.counts.executions, 'execution');
  switch (state.state) {
    case 'building':
      return 'building';
    case 'queued':
      return 'waits for its turn';
    case 'paused':
      return `paused · ${executions}`;
    case 'exploring': {
      const failed = state.failures.length > 0 ? ` · ${counted(state.failures.length, 'failure')}` : '';
      return `${executions} · ${boundReached(state)}${failed}`;
    }
    case 'done':
      return ended(state, executions);
  }
}

function ended(state: SessionState, executions: string): string {
  const first = state.failures[0];
  switch (state.verdict) {
    case 'passed':
      return `passed · ${executions}`;
    case 'failed':
      return first === undefined
        ? `failed · ${executions}`
        : `failed after ${counted(first.found_after, 'execution')} · ${counted(first.preemptions, 'preemption')}`;
    case 'error':
      return 'could not be run';
    case 'incomplete':
    case null:
      return `incomplete · ${executions}`;
  }
}

/** Which bound of preemptions is complete, or is being worked on. */
export function boundReached(state: SessionState): string {
  const { completed, current } = state.bound;
  return completed === null ? `at ${counted(current, 'preemption')}` : `bound ${completed} complete`;
}

/** The first line of a failure's message. */
export function headline(failure: SessionFailure): string {
  const first = failure.message.split('\n').find(line => line.trim() !== '');
  return first?.trim() ?? failure.kind;
}
