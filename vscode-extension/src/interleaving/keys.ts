// Which instant a key leads to.

import type { Interleaving, Step } from '../protocol';
import { rowAt, type Layout } from './lanes';

/** The event that a key selects from the one that is selected; `page` is the height of a page. */
export function keyTarget(
  key: string,
  trace: Interleaving,
  picture: Layout,
  at: number,
  page: number,
): number | undefined {
  const target = meant(key, trace.events, picture, at, page);
  return target !== undefined && target >= 0 && target <= trace.events.length ? target : undefined;
}

function meant(key: string, events: Step[], picture: Layout, at: number, page: number): number | undefined {
  const thread = events[at]?.thread;
  const before = (fits: (e: Step) => boolean) => events.slice(0, at).findLastIndex(fits);
  const after = (fits: (e: Step) => boolean) => events.findIndex((e, i) => i > at && fits(e));
  const top = picture.tops[at] ?? 0;
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'ArrowRight':
      return after(e => e.thread === thread);
    case 'ArrowLeft':
      return before(e => e.thread === thread);
    case 'n':
      return after(e => e.preemption !== null);
    case 'p':
      return before(e => e.preemption !== null);
    case 'Home':
      return 0;
    case 'End':
      return events.length;
    case 'PageDown':
      return rowAt(picture, top + page);
    case 'PageUp':
      return rowAt(picture, Math.max(0, top - page));
    default:
      return undefined;
  }
}
