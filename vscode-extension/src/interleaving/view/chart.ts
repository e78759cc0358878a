// The lanes: draws the rows that can be seen, and takes clicks and keys on them.

import type { Interleaving, Location, Step } from '../../protocol';
import { causeOf } from '../instant';
import {
  GUTTER,
  ROW,
  SWITCH_GAP,
  layout,
  laneWidth,
  rowAt,
  shortened,
  touching,
  visible,
  type LaneBox,
  type Layout,
} from '../lanes';
import { colour, h, place, refill } from './dom';
import { backdrop, foreground, type Sizes } from './curves';

/** What the chart asks for. */
export interface Wishes {
  select: (event: number) => void;
  open: (location: Location, focus: boolean) => void;
}

/** Room around an operation in its lane. */
const INSET = 10;
/** What the box's edges and gaps take of its width. */
const PADDING = 30;

/** The chart of one execution at a time. */
export class Chart {
  readonly element: HTMLElement;
  private readonly head = h('div', { class: 'lanes-head' });
  private readonly canvas = h('div', { class: 'canvas' });
  private trace: Interleaving | undefined;
  private picture: Layout | undefined;
  private selected = 0;
  private drawn = '';
  /** Width of a character in an operation's box. */
  private character = 7.5;

  constructor(private readonly wishes: Wishes) {
    this.element = h(
      'div',
      { class: 'chart', role: 'listbox', tabindex: 0, 'aria-label': 'Operations of all threads, in order' },
      this.head,
      this.canvas,
    );
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    this.element.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows another execution. */
  show(trace: Interleaving | undefined): void {
    this.trace = trace;
    this.picture = trace && layout(trace);
    this.drawn = '';
    this.element.scrollTop = 0;
    this.draw();
  }

  /** Marks an instant, and brings it into sight. */
  select(event: number): void {
    const moved = this.selected !== event || this.drawn === '';
    this.selected = event;
    if (moved) {
      this.reveal();
      this.draw();
    }
  }

  private reveal(): void {
    const top = this.picture?.tops[this.selected];
    if (top === undefined) {
      return;
    }
    const { scrollTop, clientHeight } = this.element;
    const seen = clientHeight - this.head.offsetHeight;
    if (top - 2 * ROW < scrollTop || top + 2 * ROW > scrollTop + seen) {
      this.element.scrollTop = Math.max(0, top - seen / 2);
    }
  }

  private draw(): void {
    const { trace, picture } = this;
    if (trace === undefined || picture === undefined) {
      refill(this.head);
      refill(this.canvas);
      this.drawn = '';
      return;
    }
    this.measure();
    const { scrollTop, clientHeight, clientWidth } = this.element;
    const width = laneWidth(picture.lanes.length, clientWidth - GUTTER - 8);
    const [from, to] = visible(picture, scrollTop, clientHeight);
    const drawn = `${width} ${from} ${to} ${this.selected}`;
    if (drawn === this.drawn) {
      return;
    }
    this.drawn = drawn;
    const sizes: Sizes = { lane: width, from, to };
    place(this.canvas, { width: GUTTER + width * picture.lanes.length, height: picture.height });
    place(this.head, { width: GUTTER + width * picture.lanes.length });
    const step = h('span', { class: 'step-title quiet small' }, 'step');
    refill(this.head, step, ...picture.lanes.map((lane, i) => this.title(lane, trace, i, width)));
    refill(
      this.canvas,
      this.band(picture),
      backdrop(picture, sizes),
      ...this.blocks(picture, sizes),
      ...trace.events.slice(from, to).map(e => this.operation(e, trace, picture, width)),
      ...trace.events.slice(from, to).map(e => this.number(e, picture)),
      ...(to === trace.events.length ? this.tail(picture, width) : []),
      foreground(picture, sizes, this.cause(trace)),
    );
    this.element.setAttribute('aria-activedescendant', `operation-${this.selected}`);
  }

  /** Once: the editor's font does not change while a page lives. */
  private measure(): void {
    if (this.head.childElementCount === 0) {
      const probe = h('span', { class: 'operation' }, h('span', {}, '0'.repeat(40)));
      this.canvas.replaceChildren(probe);
      const width = probe.firstElementChild?.getBoundingClientRect().width ?? 0;
      this.character = width > 0 ? width / 40 : this.character;
    }
  }

  private cause(trace: Interleaving): [number, number] | undefined {
    const cause = causeOf(trace, this.selected);
    return cause === undefined ? undefined : [cause, this.selected];
  }

  private title(lane: LaneBox, trace: Interleaving, i: number, width: number): HTMLElement {
    const at = trace.threads[i]?.spawned ?? null;
    const spawned = at === null ? '' : `spawned ${file(at.file)}:${at.line}`;
    const title = h(
      'div',
      { class: `lane-title ${colour(lane.thread)}`, title: `T${lane.thread} ${lane.name} ${spawned}` },
      h(
        'span',
        { class: 'lane-name' },
        h('span', { class: 'dot' }),
        h('b', {}, `T${lane.thread}`),
        ` ${lane.name}`,
      ),
      h('span', { class: 'quiet small' }, spawned),
    );
    return place(title, { left: GUTTER + i * width, width });
  }

  private band(picture: Layout): HTMLElement {
    const atEnd = this.selected === picture.tops.length - 1;
    const top = (picture.tops[this.selected] ?? 0) + (atEnd ? SWITCH_GAP : 0) - 1;
    return place(h('div', { class: 'band' }), { top, height: ROW });
  }

  private blocks(picture: Layout, { lane, from, to }: Sizes): HTMLElement[] {
    return touching(picture.blocks, from, to).map(block => {
      const thread = picture.lanes[block.lane]?.thread ?? 0;
      const top = (picture.tops[block.from] ?? 0) - 3;
      const height = (picture.tops[block.to] ?? 0) + ROW + 1 - top;
      const left = GUTTER + block.lane * lane + INSET - 5;
      const box = { left, top, height, width: lane - 2 * INSET + 10 };
      return place(h('div', { class: `block ${colour(thread)}` }), box);
    });
  }

  private operation(e: Step, trace: Interleaving, picture: Layout, width: number): HTMLElement {
    const value = e.failed ? 'no effect' : (e.value ?? '');
    const classes = [
      'operation',
      colour(e.thread),
      e.matters && 'matters',
      e.step === null && 'plain',
      e.failed && 'failed',
      e.event === this.selected && 'selected',
    ];
    const label = `${e.step === null ? '' : `step ${e.step}, `}T${e.thread} ${e.text}${e.location === null ? '' : `, line ${e.location.line}`}`;
    const box = h(
      'div',
      {
        class: classes.filter(Boolean).join(' '),
        id: `operation-${e.event}`,
        role: 'option',
        'aria-label': label,
        'aria-selected': String(e.event === this.selected),
        'aria-setsize': trace.events.length,
        'aria-posinset': e.event + 1,
        title: e.method === '' ? label : `${label}, in ${e.method}`,
        onclick: () => this.choose(e),
      },
      ...this.words(wordOf(e), e.object, value, e.location, width),
    );
    const left = GUTTER + (picture.laneOf[e.event] ?? 0) * width + INSET;
    return place(box, { left, top: picture.tops[e.event] ?? 0, width: width - 2 * INSET });
  }

  private number(e: Step, picture: Layout): HTMLElement {
    const classes = e.event === this.selected ? 'step selected' : 'step';
    const shown = h('div', { class: classes, 'aria-hidden': 'true' }, e.step === null ? '·' : String(e.step));
    return place(shown, { top: picture.tops[e.event] ?? 0 });
  }

  private tail(picture: Layout, width: number): HTMLElement[] {
    const top = (picture.tops[picture.tops.length - 1] ?? 0) + SWITCH_GAP;
    return picture.tail.map(({ lane, text, location, failure }) => {
      const thread = picture.lanes[lane]?.thread ?? 0;
      const said = failure ? text : `${text}: never`;
      const box = h(
        'div',
        {
          class: `operation ${failure ? 'failure' : 'pending'} ${colour(thread)}`,
          title: `T${thread} ${said}`,
          onclick: () => {
            this.wishes.select(picture.tops.length - 1);
            if (location !== null) {
              this.wishes.open(location, false);
            }
          },
        },
        ...this.words(failure ? `✗ ${text}` : text, '', failure ? '' : 'never', location, width),
      );
      return place(box, { left: GUTTER + lane * width + INSET, top, width: width - 2 * INSET });
    });
  }

  /** What an operation's box says; the line comes last, and only where there is room for it. */
  private words(
    word: string,
    object: string,
    value: string,
    at: Location | null,
    width: number,
  ): HTMLElement[] {
    const room = Math.floor((width - 2 * INSET - PADDING) / this.character);
    const line = at === null ? '' : `:${at.line}`;
    const left = room - (value === '' ? 0 : value.length + 1);
    const whole = word.length + (object === '' ? 0 : object.length + 1);
    return [
      h('span', { class: 'what' }, shortened(word, object, left)),
      h('span', { class: 'value' }, value),
      ...(whole + line.length + 1 <= left ? [h('span', { class: 'line' }, line)] : []),
    ];
  }

  private choose(e: Step): void {
    this.wishes.select(e.event);
    if (e.location !== null) {
      this.wishes.open(e.location, false);
    }
  }

  private key(event: KeyboardEvent): void {
    const { trace, picture } = this;
    if (trace === undefined || picture === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const here = trace.events[this.selected];
    if (event.key === 'Enter') {
      if (here?.location != null) {
        this.wishes.open(here.location, true);
      }
      event.preventDefault();
      return;
    }
    const target = this.target(event.key, trace, picture);
    if (target !== undefined && target >= 0 && target <= trace.events.length) {
      this.wishes.select(target);
      event.preventDefault();
    }
  }

  private target(key: string, trace: Interleaving, picture: Layout): number | undefined {
    const { events } = trace;
    const at = this.selected;
    const thread = events[at]?.thread;
    const before = (fits: (e: Step) => boolean) => events.slice(0, at).findLastIndex(fits);
    const after = (fits: (e: Step) => boolean) => events.findIndex((e, i) => i > at && fits(e));
    const page = this.element.clientHeight - this.head.offsetHeight - ROW;
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
        return Math.min(events.length - 1, rowAt(picture, top + page));
      case 'PageUp':
        return Math.max(0, rowAt(picture, top - page));
      default:
        return undefined;
    }
  }
}

/** The last part of a path. */
export function file(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The word for an operation: a thread ends. */
function wordOf(e: Step): string {
  return e.operation === 'exit' ? 'end' : e.operation;
}
