// The lines of an explanation, taken apart into what stands in its columns.

/** One line. */
export interface Line {
  /** Its kind: what a thread does, a preemption, what was left out, or a sentence. */
  kind: 'step' | 'preemption' | 'note' | 'fact';
  /** Who, where it changes. */
  who: string;
  text: string;
  /** `samples/c/a.c:16`; empty where the line has none. */
  place: string;
  /** The function, where it is not that of the line before. */
  method?: string;
  /** Number of the preemption. */
  number?: number;
}

const CIRCLES = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';

/** Takes the lines of an explanation apart: columns are two spaces or more from each other. */
export function story(explanation: string[]): Line[] {
  return explanation.map(line => {
    const cells = line.trim().split(/ {2,}/);
    const number = preemption(cells[0] ?? '');
    if (number !== undefined) {
      return { kind: 'preemption', who: cells[0] ?? '', text: cells.slice(1).join('  '), place: '', number };
    }
    if (line.trim().startsWith('…')) {
      return { kind: 'note', who: '', text: line.trim(), place: '' };
    }
    const who = /^T\d+( |$)/.test(cells[0] ?? '') && cells.length > 1 ? (cells.shift() ?? '') : '';
    const at = cells.findIndex(cell => /:\d+$/.test(cell));
    const [place = '', method] = at > 0 ? cells.splice(at) : [];
    const kind = who === '' && place === '' ? 'fact' : 'step';
    return { kind, who, text: cells.join('  '), place, ...(method === undefined ? {} : { method }) };
  });
}

function preemption(cell: string): number | undefined {
  const circle = CIRCLES.indexOf(cell);
  if (cell !== '' && circle >= 0) {
    return circle + 1;
  }
  const plain = /^\((\d+)\)$/.exec(cell)?.[1];
  return plain === undefined ? undefined : Number(plain);
}
