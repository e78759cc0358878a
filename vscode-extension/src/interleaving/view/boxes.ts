// The boxes of operations, and of what stands below the last one.

import type { Interleaving, Location, Step } from '../../protocol';
import { words } from '../instant';
import { shortened } from '../shorten';
import { SWITCH_GAP, type Layout, type Tail } from '../lanes';
import { colour, h, place } from './dom';

/** Room around an operation in its lane. */
export const INSET = 7;
/** What the box's edges and gaps take of its width. */
const PADDING = 24;

/** What all boxes of a picture have in common. */
export interface Boxes {
  trace: Interleaving;
  picture: Layout;
  /** Width of a lane, and of a character in a box. */
  width: number;
  character: number;
  selected: number;
  /** A box was clicked. */
  choose: (event: number, location: Location | null) => void;
}

/** An operation. */
export function operation(e: Step, boxes: Boxes): HTMLElement {
  const { trace, picture, selected, choose } = boxes;
  const classes = [
    'operation',
    colour(e.thread),
    decides(e) && 'matters',
    e.step === null && 'plain',
    e.failed && 'failed',
    e.event === selected && 'selected',
  ];
  const label = described(e);
  const { word, object } = words(e);
  const box = h(
    'div',
    {
      class: classes.filter(Boolean).join(' '),
      id: `operation-${e.event}`,
      role: 'option',
      'aria-label': label,
      'aria-selected': String(e.event === selected),
      'aria-setsize': trace.events.length,
      'aria-posinset': e.event + 1,
      title: e.method === '' ? label : `${label}, in ${e.method}`,
      onclick: () => choose(e.event, e.location),
    },
    ...texts(word, object, valueOf(e), e.location, boxes),
  );
  return inLane(box, picture.laneOf[e.event] ?? 0, picture.tops[e.event] ?? 0, boxes);
}

/** What stands below the last operations: the failure, and what could not be done. */
export function tail(boxes: Boxes): HTMLElement[] {
  const { picture } = boxes;
  const end = picture.tops.length - 1;
  const top = (picture.tops[end] ?? 0) + SWITCH_GAP;
  return picture.tail.map(t => inLane(ending(t, end, boxes), t.lane, top, boxes));
}

function ending({ lane, text, location, failure }: Tail, end: number, boxes: Boxes): HTMLElement {
  const thread = boxes.picture.lanes[lane]?.thread ?? 0;
  const kind = failure ? 'failure' : 'pending';
  // Without a deadlock it would have gone on, had the execution not ended.
  const stuck = boxes.trace.outcome === 'deadlock';
  const [word = '', ...rest] = text.split(' ');
  const label = failure ? `T${thread} ${text}` : `T${thread} ${stuck ? 'never' : 'was about to:'} ${text}`;
  const onclick = () => boxes.choose(end, location);
  const said = failure
    ? texts(`✗ ${text}`, '', '', location, boxes)
    : texts(word, rest.join(' '), stuck ? 'never' : '', location, boxes);
  return h('div', { class: `operation ${kind} ${colour(thread)}`, title: label, onclick }, ...said);
}

/** What a box says; the line comes last, and only where there is room for it. */
function texts(
  word: string,
  object: string,
  value: string,
  at: Location | null,
  { width, character }: Boxes,
): HTMLElement[] {
  const room = Math.floor((width - 2 * INSET - PADDING) / character);
  const line = at === null ? '' : `:${at.line}`;
  const left = room - (value === '' ? 0 : value.length + 1);
  const whole = word.length + (object === '' ? 0 : object.length + 1);
  return [
    h('span', { class: 'what' }, shortened(word, object, left)),
    h('span', { class: 'value' }, value),
    ...(whole + line.length + 1 <= left ? [h('span', { class: 'line' }, line)] : []),
  ];
}

function described(e: Step): string {
  const step = e.step === null ? '' : `step ${e.step}, `;
  const line = e.location === null ? '' : `, line ${e.location.line}`;
  return `${step}T${e.thread} ${e.text}${line}`;
}

/** Threads come and go in every execution: what they do in between decides. */
function decides(e: Step): boolean {
  return e.matters && !['spawn', 'start', 'join', 'exit'].includes(e.operation);
}

/** Of an update the value is the one before it. */
function valueOf(e: Step): string {
  if (e.failed) {
    return 'no effect';
  }
  return e.operation === 'rmw' && e.value !== null ? `was ${e.value}` : (e.value ?? '');
}

function inLane(box: HTMLElement, lane: number, top: number, { picture, width }: Boxes): HTMLElement {
  return place(box, { left: picture.gutter + lane * width + INSET, top, width: width - 2 * INSET });
}
