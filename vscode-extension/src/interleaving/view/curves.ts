// The drawing behind the operations: lines of life, hatching where a thread waits, the switches, and
// where the selected operation gets its value or its turn from. Covers the rows in sight only.

import { ROW, touching, type Layout, type Switch } from '../lanes';
import { colour, svg } from './dom';

/** Width of a lane, and the rows that are drawn. */
export interface Sizes {
  lane: number;
  from: number;
  to: number;
}

/** Half the width of the hatching. */
const HATCH = 13;

/** What lies behind the operations. */
export function backdrop(picture: Layout, sizes: Sizes): SVGElement {
  const hatching = svg(
    'pattern',
    { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    svg('line', { class: 'hatching', x1: 0, y1: 0, x2: 0, y2: 6 }),
  );
  const quiet = picture.switches.filter(s => s.preemption === undefined);
  const drawn = [...lives(picture, sizes), ...waits(picture, sizes), ...changes(picture, sizes, quiet)];
  return frame(picture, sizes, 'backdrop', svg('defs', {}, hatching), ...drawn);
}

/** What lies over them: preemptions, and the cause of the selected operation (the rows of both). */
export function foreground(picture: Layout, sizes: Sizes, cause: [number, number] | undefined): SVGElement {
  const arrow = svg(
    'marker',
    { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    svg('path', { class: 'arrow', d: 'M0 0 L8 4 L0 8 z' }),
  );
  const preemptions = picture.switches.filter(s => s.preemption !== undefined);
  const drawn = [cause && link(picture, sizes, cause), ...changes(picture, sizes, preemptions)];
  return frame(picture, sizes, 'foreground', svg('defs', {}, arrow), ...drawn);
}

/** A drawing as large as the rows it shows. */
function frame(
  picture: Layout,
  { from, to, lane }: Sizes,
  name: string,
  ...drawn: (SVGElement | undefined)[]
): SVGElement {
  const top = from === 0 ? 0 : (picture.tops[from] ?? 0);
  const bottom = bottomOf(picture, to);
  const [width, height] = [picture.gutter + lane * picture.lanes.length, bottom - top];
  const viewBox = `0 ${top} ${width} ${height}`;
  const box = svg('svg', { class: name, 'aria-hidden': 'true', width, height, viewBox }, ...drawn);
  box.style.setProperty('top', `${top}px`);
  return box;
}

function bottomOf(picture: Layout, to: number): number {
  return to >= picture.tops.length - 1 ? picture.height : (picture.tops[to] ?? picture.height);
}

function lives(picture: Layout, sizes: Sizes): SVGElement[] {
  const bottom = bottomOf(picture, sizes.to);
  return touching(picture.lanes, sizes.from, sizes.to).map(lane => {
    const x = centre(picture, sizes, lane.index);
    const born = lane.from === 0 && lane.index === 0 ? 0 : (picture.tops[lane.from] ?? 0) + ROW / 2;
    const died = lane.to >= picture.tops.length - 1 ? bottom : (picture.tops[lane.to] ?? 0);
    return svg('line', { class: `life ${colour(lane.thread)}`, x1: x, x2: x, y1: born, y2: died });
  });
}

function waits(picture: Layout, sizes: Sizes): SVGElement[] {
  return touching(picture.waits, sizes.from, sizes.to).map(wait => {
    const y = (picture.tops[Math.max(wait.from, sizes.from)] ?? 0) - 2;
    const end = (picture.tops[Math.min(wait.to, sizes.to)] ?? 0) + ROW;
    const x = centre(picture, sizes, wait.lane) - HATCH;
    return svg('rect', {
      class: 'wait',
      x,
      y,
      width: 2 * HATCH,
      height: Math.max(0, end - y),
      fill: 'url(#hatch)',
    });
  });
}

function changes(picture: Layout, sizes: Sizes, among: Switch[]): SVGElement[] {
  const seen = among.filter(s => s.row >= sizes.from && s.row < sizes.to);
  return seen.flatMap(({ row, from, to, preemption }) => {
    const y2 = (picture.tops[row] ?? 0) - 3;
    const y1 = row === 0 ? y2 - 20 : (picture.tops[row - 1] ?? 0) + ROW + 1;
    const [x1, x2] = [centre(picture, sizes, from), centre(picture, sizes, to)];
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    const d = `M${x1} ${y1} C${x1} ${y} ${x1} ${y} ${x} ${y} S${x2} ${y} ${x2} ${y2}`;
    const line = svg('path', { class: preemption === undefined ? 'switch' : 'preemption', d });
    return preemption === undefined ? [line] : [line, ...mark(x1, x2, y, preemption)];
  });
}

function mark(x1: number, x2: number, y: number, number: number): SVGElement[] {
  const x = (x1 + x2) / 2;
  const back = x1 < x2 ? -1 : 1;
  return [
    svg('circle', { class: 'number', cx: x, cy: y, r: 9.5 }),
    svg(
      'text',
      { class: number < 100 ? 'number' : 'number long', x, y: y + 4, 'text-anchor': 'middle' },
      String(number),
    ),
    svg(
      'text',
      { class: 'preempted', x: x + back * 15, y: y + 13, 'text-anchor': back < 0 ? 'end' : 'start' },
      'preempted',
    ),
  ];
}

/** From the side of one operation to the side of the other, between their lanes. */
function link(picture: Layout, sizes: Sizes, [from, to]: [number, number]): SVGElement {
  const [a, b] = [picture.laneOf[from] ?? 0, picture.laneOf[to] ?? 0];
  const side = a < b ? 1 : -1;
  const edge = sizes.lane / 2 - 6;
  const [x1, x2] = [centre(picture, sizes, a) + side * edge, centre(picture, sizes, b) - side * edge];
  const [y1, y2] = [from, to].map(row => (picture.tops[row] ?? 0) + ROW / 2 - 1) as [number, number];
  const bend = 22 * side;
  const d = `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 2 * side} ${y2}`;
  return svg('path', { class: 'cause', d, 'marker-end': 'url(#arrow)' });
}

function centre(picture: Layout, sizes: Sizes, lane: number): number {
  return picture.gutter + lane * sizes.lane + sizes.lane / 2;
}
