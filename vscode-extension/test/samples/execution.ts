// Executions in a compact notation, for tests: one line an operation, `T1 lock a :20`, with what is
// to be said of it behind it: `= 5` its value, `!` that it matters, `^1` that preemption 1 is right
// before it, `{1 2}` who could run, `[0]` who waits, `-` that it is no step.

import type { Interleaving, Step } from '../../src/protocol';

/** Makes an execution. */
export function execution(lines: string[], changes: Partial<Interleaving> = {}): Interleaving {
  const events: Step[] = [];
  let steps = 0;
  for (const line of lines) {
    events.push(step(line, events, () => steps++));
  }
  const numbers = [...new Set(events.map(e => e.thread))].sort((a, b) => a - b);
  const of = (thread: number) => events.filter(e => e.thread === thread).map(e => e.event);
  return {
    version: 1,
    target: 'samples/c/a.c',
    test: 'a',
    schedule: 'sync@default',
    outcome: 'passed',
    message: '',
    location: null,
    preemptions: events.filter(e => e.preemption !== null).length,
    threads: numbers.map(thread => ({
      thread,
      name: thread === 0 ? 'main' : `worker ${thread}`,
      spawned: null,
      first: of(thread)[0] ?? 0,
      last: of(thread).at(-1) ?? 0,
    })),
    events,
    pending: [],
    output: '',
    explanation: [],
    replay: '',
    stale: false,
    ...changes,
  };
}

function step(line: string, before: Step[], next: () => number): Step {
  const take = (pattern: RegExp) => pattern.exec(line)?.[1];
  const list = (text: string | undefined) => (text ?? '').split(' ').filter(Boolean).map(Number);
  const thread = Number(take(/^T(\d+)/));
  const place = take(/ :(\d+)/);
  const preemption = take(/ \^(\d+)/);
  const plain = / -( |$)/.test(line);
  const [operation = '', object = ''] =
    line
      .replace(/^T\d+ /, '')
      .split(/ [:=!^{[-]/)[0]
      ?.split(/ (.*)/) ?? [];
  return {
    event: before.length,
    step: plain ? null : next(),
    thread,
    operation,
    object,
    value: take(/ = (\S+)/) ?? null,
    text: object === '' || operation === 'start' ? `${operation}s` : `${operation}s ${object}`,
    method: '',
    location: place === undefined ? null : { file: '/w/samples/c/a.c', line: Number(place), column: 5 },
    failed: false,
    matters: / !/.test(line),
    preemption:
      preemption === undefined
        ? null
        : { number: Number(preemption), thread: before.at(-1)?.thread ?? 0, before: null, holding: [] },
    enabled: list(take(/ \{([\d ]*)\}/)) ?? [thread],
    waiting: list(take(/ \[([\d ]*)\]/)),
  };
}

/** A lost update: both threads read the counter before either writes it. */
export const LOST_UPDATE = execution(
  [
    'T0 spawn T1 :24 {0}',
    'T0 spawn T2 :25 {0 1}',
    'T2 start T2 :13 ^1 {0 1 2}',
    'T2 load counter = 0 ! :16 {0 1 2}',
    'T1 start T1 :13 ^2 {0 1 2}',
    'T1 load counter = 0 ! :16 {0 1 2}',
    'T1 store counter = 1 ! :17 {0 1 2}',
    'T1 exit :18 {0 1 2}',
    'T0 join T1 :26 {0 2}',
    'T2 store counter = 1 ! :17 {2} [0]',
    'T2 exit :18 {2} [0]',
    'T0 join T2 :27 {0}',
    'T0 load counter = 1 ! :28 {0}',
  ],
  {
    schedule: 'sync@2:T2,4:T1#1e31',
    outcome: 'assertion',
    message: 'assertion `counter == 2` failed in main',
    location: { file: '/w/samples/c/a.c', line: 28, column: 5 },
    explanation: [
      'T0 main                        spawns T1            samples/c/a.c:24',
      'T2 increment (spawned at :25)  loads counter = 0    samples/c/a.c:16',
      '②  T2 preempted before :17, holding no lock',
      'T1 increment (spawned at :24)  loads counter = 0    samples/c/a.c:16',
      'stores counter = 1   samples/c/a.c:17',
      'T2                             stores counter = 1   samples/c/a.c:17',
    ],
    replay: 'raddle replay samples/c/a.c a sync@2:T2,4:T1#1e31',
  },
);

/** Two locks taken in opposite orders: nobody can go on. */
export const DEADLOCK = execution(
  [
    'T0 spawn T1 :30 {0}',
    'T0 spawn T2 :31 {0 1}',
    'T1 start :10 {1 2} [0]',
    'T1 lock a ! :11 {1 2} [0]',
    'T2 start :20 ^1 {1 2} [0]',
    'T2 lock b ! :21 {1 2} [0]',
    'T2 write x -',
  ],
  {
    outcome: 'deadlock',
    pending: [
      { thread: 0, text: 'joins T1', location: { file: '/w/samples/c/a.c', line: 32, column: 5 } },
      { thread: 1, text: 'locks b', location: { file: '/w/samples/c/a.c', line: 12, column: 5 } },
      { thread: 2, text: 'locks a', location: { file: '/w/samples/c/a.c', line: 22, column: 5 } },
    ],
  },
);
