// The lanes: draws the rows that can be seen, and takes clicks and keys on them.

import type { Interleaving, Location, Step } from '../../protocol';
import { causeOf } from '../instant';
import { keyTarget } from '../keys';
import { ROW, SWITCH_GAP, layout, laneWidth, touching, visible, type LaneBox, type Layout } from '../lanes';
import { INSET, operation, tail, type Boxes } from './boxes';
import { colour, h, place, refill } from './dom';
import { backdrop, foreground, type Sizes } from './curves';

/** What the chart asks for. */
export interface Wishes {
  select: (event: number) => void;
  open: (location: Location, focus: boolean) => void;
}

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
    const width = laneWidth(picture.lanes.length, clientWidth - picture.gutter - 2);
    const [from, to] = visible(picture, scrollTop, clientHeight);
    const drawn = `${width} ${from} ${to} ${this.selected}`;
    if (drawn === this.drawn) {
      return;
    }
    this.drawn = drawn;
    const sizes: Sizes = { lane: width, from, to };
    const boxes: Boxes = { ...this.common(), trace, picture, width };
    place(this.canvas, { width: picture.gutter + width * picture.lanes.length, height: picture.height });
    place(this.head, { width: picture.gutter + width * picture.lanes.length });
    const step = h('span', { class: 'step-title quiet small' }, 'step');
    place(step, { width: picture.gutter - 10 });
    refill(
      this.head,
      step,
      ...picture.lanes.map((lane, i) => this.title(lane, trace, i, width, picture.gutter)),
    );
    refill(
      this.canvas,
      this.band(picture),
      backdrop(picture, sizes),
      ...this.blocks(picture, sizes),
      ...trace.events.slice(from, to).map(e => operation(e, boxes)),
      ...trace.events.slice(from, to).map(e => this.number(e, picture)),
      ...(to === trace.events.length ? tail(boxes) : []),
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

  private title(lane: LaneBox, trace: Interleaving, i: number, width: number, gutter: number): HTMLElement {
    const at = trace.threads[i]?.spawned ?? null;
    const where = at === null ? '' : `${width < 200 ? '' : file(at.file)}:${at.line}`;
    const spawned = at === null ? '' : `spawned ${where}`;
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
    return place(title, { left: gutter + i * width, width });
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
      const left = picture.gutter + block.lane * lane + INSET - 4;
      const box = { left, top, height, width: lane - 2 * INSET + 8 };
      return place(h('div', { class: `block ${colour(thread)}` }), box);
    });
  }

  private number(e: Step, picture: Layout): HTMLElement {
    const classes = e.event === this.selected ? 'step selected' : 'step';
    const shown = h('div', { class: classes, 'aria-hidden': 'true' }, e.step === null ? '·' : String(e.step));
    return place(shown, { top: picture.tops[e.event] ?? 0, width: picture.gutter - 10 });
  }

  private common(): Pick<Boxes, 'character' | 'selected' | 'choose'> {
    const choose = (event: number, location: Location | null) => {
      this.wishes.select(event);
      if (location !== null) {
        this.wishes.open(location, false);
      }
    };
    return { character: this.character, selected: this.selected, choose };
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
    const page = this.element.clientHeight - this.head.offsetHeight - ROW;
    const target = keyTarget(event.key, trace, picture, this.selected, page);
    if (target !== undefined) {
      this.wishes.select(target);
      event.preventDefault();
    }
  }
}

/** The last part of a path. */
export function file(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
