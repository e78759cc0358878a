// How far the search has come: counts, the bound, what is waiting; and its buttons.

import { boundReached, counted, grouped, searching } from '../../sessions/words';
import type { CoveragePoint, SessionState } from '../../protocol';
import type { Action, View } from '../messages';
import { button, h, svg } from './dom';

const STATES: Record<SessionState['state'], string> = {
  building: 'Building',
  queued: 'Waits for its turn',
  exploring: 'Exploring',
  paused: 'Paused',
  done: 'Explored',
};

/** The strip at the bottom. */
export function progress(view: View, act: (action: Action) => void): HTMLElement[] {
  const state = view.session;
  if (state === null) {
    return [];
  }
  const buttons = [
    ['exploring', 'pause', 'Pause'],
    ['paused', 'resume', 'Resume'],
  ] as const;
  return [
    h(
      'div',
      { class: 'row' },
      h('b', {}, STATES[state.state]),
      h('span', { class: 'counts' }, counts(state)),
      h('span', { class: 'grow' }),
      curve(state.coverage),
      ...buttons
        .filter(([when]) => when === state.state)
        .map(([, action, name]) => button(`${name} exploring`, () => act(action), {}, name)),
      searching(state) && button('Stop exploring', () => act('stop'), {}, 'Stop'),
    ),
    bar(state),
    h('p', { class: 'quiet small said', title: said(state) }, said(state)),
  ];
}

function counts(state: SessionState): string {
  const { executions, waiting } = state.counts;
  const parts = [counted(executions, 'execution')];
  if (state.state === 'exploring') {
    parts.push(`${grouped(state.rate)} a second`);
  }
  if (waiting > 0) {
    parts.push(`${grouped(waiting)} waiting`);
  }
  parts.push(boundReached(state));
  return parts.join(' · ');
}

function said(state: SessionState): string {
  const { high, medium, low, methods, variables } = state.focus;
  const focus = [...methods, ...variables];
  return [
    state.below !== null && `below ${state.below}`,
    focus.length > 0 &&
      `prioritised ${focus.join(', ')}: ${grouped(high)} high, ${grouped(medium)} medium, ${grouped(low)} low`,
    state.error,
    state.guarantee,
    ...state.warnings,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Known executions by what came of them; what waits is not run yet. */
function bar({ counts: c }: SessionState): HTMLElement {
  const kinds: [string, number][] = [
    ['failed', c.failed + c.deadlocked],
    ['passed', c.passed],
    ['cut-off', c.cut_off],
    ['waiting', c.waiting],
  ];
  const known = kinds.reduce((sum, [, n]) => sum + n, 0);
  const name = kinds.map(([kind, n]) => `${grouped(n)} ${kind}`).join(', ');
  const parts = kinds
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => {
      const part = h('span', { class: kind, title: `${grouped(n)} ${kind}` });
      // A failure among thousands is still to be seen.
      part.style.setProperty('flex', `${n / known} 0 ${kind === 'failed' ? '4px' : '0'}`);
      return part;
    });
  return h('div', { class: 'bar', role: 'img', 'aria-label': name }, ...parts);
}

/** Distinct classes over executions. */
function curve(points: CoveragePoint[]): HTMLElement | undefined {
  const last = points.at(-1);
  if (last === undefined || points.length < 3) {
    return undefined;
  }
  const [width, height] = [72, 18];
  const x = (p: CoveragePoint) => ((p.executions / last.executions) * width).toFixed(1);
  const y = (p: CoveragePoint) =>
    (height - 1 - (p.classes / Math.max(1, last.classes)) * (height - 2)).toFixed(1);
  const drawn = points.map(p => `${x(p)},${y(p)}`).join(' ');
  const name = `${counted(last.classes, 'distinct interleaving')} in ${counted(last.executions, 'execution')}`;
  const picture = svg(
    'svg',
    { class: 'curve', width, height },
    svg('polyline', { points: `0,${height - 1} ${drawn}` }),
  );
  return h('span', { class: 'coverage', role: 'img', 'aria-label': name, title: name }, picture);
}
