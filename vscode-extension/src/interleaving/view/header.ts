// The head of the page: which test and which schedule, how it ends, and what can be done with it.

import { counted, standing } from '../../sessions/words';
import type { Interleaving, Location } from '../../protocol';
import type { Action, View } from '../messages';
import { file } from './chart';
import { button, h } from './dom';

/** What the header asks for. */
export interface Wishes {
  act: (action: Action) => void;
  open: (location: Location, focus: boolean) => void;
}

/** The head. */
export function header(view: View, trace: Interleaving | undefined, wishes: Wishes): HTMLElement[] {
  const name = view.test === '' ? 'Interleaving' : view.test;
  return [
    h('div', { class: 'title' }, h('h1', { title: view.target }, name), verdict(view, trace, wishes)),
    ...(view.schedule === '' ? [] : [actions(view, trace, wishes)]),
  ];
}

function actions(view: View, trace: Interleaving | undefined, wishes: Wishes): HTMLElement {
  const shown = trace?.schedule ?? view.schedule;
  return h(
    'div',
    { class: 'actions' },
    h(
      'span',
      { class: 'schedule' },
      h('code', { title: trace?.replay ?? shown }, shown),
      button('Copy the replay command', () => wishes.act('copy'), { class: 'link' }, 'copy'),
    ),
    button('Replay in a terminal', () => wishes.act('replay'), {}, 'Replay'),
    button('Debug this schedule', () => wishes.act('debug'), { class: 'primary' }, 'Debug'),
    ...compared(view, trace, wishes),
  );
}

/** Executions that are no failure and have not passed either. */
const OTHERS = ['truncated', 'assume-blocked', 'sleep-blocked', 'diverged'];

/** The way to what passes and is nearest, and between the two. */
function compared(view: View, trace: Interleaving | undefined, wishes: Wishes): HTMLElement[] {
  if (view.nearest?.passing != null) {
    const passes = trace?.outcome === 'passed';
    const side = (name: string, act: Action, on: boolean) =>
      button(name, () => wishes.act(act), { 'aria-pressed': `${on}` }, name);
    return [
      h(
        'span',
        { class: 'compared', role: 'group', 'aria-label': 'Which execution' },
        side('Failing', 'failing', !passes),
        side('Nearest passing', 'nearest', passes),
      ),
    ];
  }
  const fails = trace !== undefined && trace.outcome !== 'passed' && !OTHERS.includes(trace.outcome);
  if (!fails || view.session === null || view.nearest !== null) {
    return [];
  }
  const name = view.comparing ? 'Looking for what passes…' : 'Show nearest passing';
  const title = 'The passing execution that differs least from this one';
  return [
    button(name, () => wishes.act('nearest'), { title, ...(view.comparing && { disabled: '' }) }, name),
  ];
}

function verdict(view: View, trace: Interleaving | undefined, wishes: Wishes): HTMLElement {
  if (trace === undefined) {
    const state = view.session === null ? '' : standing(view.session);
    return h('p', { class: 'verdict quiet' }, [view.target, state].filter(Boolean).join(' · '));
  }
  const passed = trace.outcome === 'passed';
  const { location } = trace;
  const found = view.session?.failures.find(f => f.schedule === view.schedule);
  const facts = [
    counted(trace.preemptions, 'preemption'),
    found && `found after ${counted(found.found_after, 'execution')}`,
    view.session?.shown?.steered === true &&
      view.session.shown.schedule === view.schedule &&
      'steered by hand',
    trace.stale && 'the program has changed since',
  ].filter(Boolean);
  const message = trace.message.split('\n').find(line => line.trim() !== '') ?? '';
  return h(
    'p',
    { class: 'verdict' },
    h('b', { class: passed ? 'passed' : 'failed' }, passed ? '✓ passes' : `✗ ${trace.outcome}`),
    message !== '' && h('span', { class: 'message', title: trace.message }, message),
    location !== null && to(location, wishes),
    h('span', { class: 'quiet' }, facts.join(' · ')),
  );
}

/** A place in the sources that can be gone to. */
export function to(location: Location, wishes: Pick<Wishes, 'open'>): HTMLElement {
  const name = `${file(location.file)}:${location.line}`;
  return button(`Open ${name}`, () => wishes.open(location, true), { class: 'link place' }, name);
}
