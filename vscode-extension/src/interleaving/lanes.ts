// Where everything in the picture of an execution stands: threads as lanes from left to right,
// operations as rows from top to bottom. Pure geometry, in pixels; drawing is the page's.
//
// `layout` walks the events once. A row is one event; runs of one thread become blocks, so that the
// eye counts switches; before a switch there is a gap, before a preemption a larger one, in which
// its mark stands. `visible` says which rows a part of the picture needs, so that an execution of
// 20,000 events costs no more to draw than one of 50.

import type { Interleaving, Location, Step } from '../protocol';

/** Height of a row. */
export const ROW = 26;
/** Gap before a switch between threads. */
export const SWITCH_GAP = 10;
/** Gap before a preemption: its mark stands there. */
export const PREEMPTION_GAP = 30;
/** Above the first row. */
export const TOP = 8;
/** Lanes are no narrower, and no wider. */
export const LANE = { least: 150, most: 260 };

/** One thread's column. */
export interface LaneBox {
  thread: number;
  name: string;
  /** Its place from the left, from 0. */
  index: number;
  /** The row at which it was spawned; the line of its life begins here. */
  from: number;
  /** The row at which it ended; past the last one if it never did. */
  to: number;
}

/** A run of one thread. */
export interface Block {
  lane: number;
  from: number;
  to: number;
}

/** A change of threads before a row. */
export interface Switch {
  row: number;
  /** Lane that ran before, and lane that runs then. */
  from: number;
  to: number;
  /** Number of the preemption, if it is one. */
  preemption?: number;
}

/** What stands below the last row of a lane: the failure, or what the thread was about to do. */
export interface Tail {
  lane: number;
  text: string;
  location: Location | null;
  failure: boolean;
}

/** The picture. */
export interface Layout {
  lanes: LaneBox[];
  /** Lane of each row. */
  laneOf: Int32Array;
  /** Top of each row, and of the end. */
  tops: Float64Array;
  blocks: Block[];
  /** Rows in which a thread exists and cannot run. */
  waits: Block[];
  switches: Switch[];
  tail: Tail[];
  height: number;
  /** Width of the column of step numbers. */
  gutter: number;
}

/** Lays an execution out. */
export function layout(trace: Interleaving): Layout {
  const lanes = lanesOf(trace);
  const index = new Map(lanes.map(lane => [lane.thread, lane.index]));
  const laneOf = Int32Array.from(trace.events, e => index.get(e.thread) ?? 0);
  const switches = switchesOf(trace.events, laneOf, index);
  const tops = topsOf(trace.events.length, switches);
  const end = tops[trace.events.length] ?? TOP;
  const tail = tailOf(trace, laneOf, index);
  return {
    lanes,
    laneOf,
    tops,
    blocks: blocksOf(laneOf),
    waits: waitsOf(trace.events, index),
    switches,
    tail,
    height: end + (tail.length > 0 ? SWITCH_GAP + ROW : 0) + TOP,
    gutter: 22 + 8 * Math.max(2, String(trace.events.length).length),
  };
}

/** Width of each lane where so much is free for all of them. */
export function laneWidth(lanes: number, free: number): number {
  return Math.min(LANE.most, Math.max(LANE.least, Math.floor(free / Math.max(1, lanes))));
}

/** Rows are drawn by so many at once: scrolling by a few draws nothing anew. */
const PAGE = 16;

/** The rows that a part of the picture shows, and some on both sides; the last one is not included. */
export function visible(picture: Layout, top: number, height: number, margin = 200): [number, number] {
  const rows = picture.tops.length - 1;
  const first = Math.floor(rowAt(picture, top - margin) / PAGE);
  const last = Math.ceil((rowAt(picture, top + height + margin) + 1) / PAGE);
  return [Math.max(0, first * PAGE), Math.min(rows, last * PAGE)];
}

/** The row at a height: the last one that begins at or above it. */
export function rowAt(picture: Layout, y: number): number {
  let low = 0;
  let high = picture.tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((picture.tops[middle] ?? 0) <= y) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** Those of a sorted list of runs that touch the rows [from, to). */
export function touching<T extends { from: number; to: number }>(runs: T[], from: number, to: number): T[] {
  return runs.filter(run => run.to >= from && run.from < to);
}

function lanesOf(trace: Interleaving): LaneBox[] {
  const spawned = new Map<number, number>();
  const ended = new Map<number, number>();
  trace.events.forEach((e, row) => {
    const child = e.operation === 'spawn' ? /^T(\d+)$/.exec(e.object) : null;
    if (child !== null) {
      spawned.set(Number(child[1]), row);
    }
    if (e.operation === 'exit') {
      ended.set(e.thread, row);
    }
  });
  return trace.threads.map((lane, index) => ({
    thread: lane.thread,
    name: lane.name,
    index,
    from: spawned.get(lane.thread) ?? lane.first,
    to: ended.get(lane.thread) ?? trace.events.length,
  }));
}

function switchesOf(events: Step[], laneOf: Int32Array, index: Map<number, number>): Switch[] {
  const switches: Switch[] = [];
  events.forEach((e, row) => {
    const [before, now] = [laneOf[row - 1], laneOf[row]];
    if (e.preemption !== null) {
      const from = index.get(e.preemption.thread) ?? before ?? 0;
      switches.push({ row, from, to: now ?? 0, preemption: e.preemption.number });
    } else if (before !== undefined && now !== undefined && before !== now) {
      switches.push({ row, from: before, to: now });
    }
  });
  return switches;
}

function topsOf(rows: number, switches: Switch[]): Float64Array {
  const tops = new Float64Array(rows + 1);
  let y = TOP;
  let next = 0;
  for (let row = 0; row < rows; row++) {
    const change = switches[next];
    if (change?.row === row) {
      y += change.preemption === undefined ? SWITCH_GAP : PREEMPTION_GAP;
      next++;
    }
    tops[row] = y;
    y += ROW;
  }
  tops[rows] = y;
  return tops;
}

function blocksOf(laneOf: Int32Array): Block[] {
  const blocks: Block[] = [];
  laneOf.forEach((lane, row) => {
    const last = blocks.at(-1);
    if (last?.lane === lane) {
      last.to = row;
    } else {
      blocks.push({ lane, from: row, to: row });
    }
  });
  return blocks;
}

/** Outcomes that one thread brings about, and how that is said. */
const FAILS: Record<string, string> = {
  assertion: 'fails the assertion',
  panic: 'panics',
  crash: 'crashes',
  exit: 'exits',
  hang: 'hangs',
};

function tailOf(trace: Interleaving, laneOf: Int32Array, index: Map<number, number>): Tail[] {
  const pending = trace.pending.map(p => {
    return { lane: index.get(p.thread) ?? 0, text: p.text, location: p.location, failure: false };
  });
  const text = FAILS[trace.outcome];
  if (text === undefined || trace.events.length === 0) {
    return pending;
  }
  // The thread that was last seen on the failing line, else the one that ran last.
  const on = (e: Step) =>
    e.location?.file === trace.location?.file && e.location?.line === trace.location?.line;
  const last = trace.location === null ? -1 : trace.events.findLastIndex(on);
  const lane = laneOf[last >= 0 ? last : trace.events.length - 1] ?? 0;
  const failure = { lane, text, location: trace.location, failure: true };
  return [failure, ...pending.filter(p => p.lane !== lane)];
}

/** Waiting is known at steps; what happens between two of them changes nothing about it. */
function waitsOf(events: Step[], index: Map<number, number>): Block[] {
  const waits: Block[] = [];
  let open = new Map<number, Block>();
  let waiting: number[] = [];
  events.forEach((e, row) => {
    waiting = e.step === null ? waiting : e.waiting;
    const still = new Map<number, Block>();
    for (const thread of waiting) {
      const lane = index.get(thread);
      if (lane === undefined) {
        continue;
      }
      const run = open.get(lane) ?? { lane, from: row, to: row };
      if (!open.has(lane)) {
        waits.push(run);
      }
      run.to = row;
      still.set(lane, run);
    }
    open = still;
  });
  return waits;
}
