// Beside the lanes: where every thread is at the selected instant and which may run next, what is
// shared and held, and why it fails.

import { counted } from '../../sessions/words';
import type { Interleaving, Location, NearestPassing, Then } from '../../protocol';
import { instantAt, type Choices, type Instant, type ThreadAt } from '../instant';
import type { Action, View } from '../messages';
import { story, type Line } from '../story';
import { button, colour, h } from './dom';

/** What the details ask for. */
export interface Wishes {
  act: (action: Action) => void;
  open: (location: Location, focus: boolean) => void;
  select: (event: number) => void;
  steer: (step: number, choice: string, then: Then) => void;
  choose: (choice: string) => void;
}

/** The cards. */
export function details(view: View, trace: Interleaving, wishes: Wishes): HTMLElement[] {
  const instant = instantAt(trace, view.event);
  return [
    threads(view, trace, instant, wishes),
    ...memory(instant),
    ...(view.nearest === null ? [] : [otherwise(view.nearest)]),
    ...why(trace, wishes),
    ...output(trace),
  ];
}

/** How what passes differs from what fails. */
function otherwise(found: NearestPassing): HTMLElement {
  const ran = `${counted(found.executions, 'execution')} tried`;
  if (found.passing === null) {
    const none = found.nearest
      ? 'No execution passes with switches at these points.'
      : 'No passing execution was found.';
    return card('What passes', '', h('p', {}, none), h('p', { class: 'quiet' }, `${ran}.`));
  }
  const { distance, nearest } = found;
  const all = distance === 1 ? 'one order or choice' : `${distance} orders and choices`;
  const known = nearest ? 'no passing execution is nearer' : 'there may be a nearer one';
  return card(
    'Otherwise in what passes',
    'wide',
    h('ul', { class: 'otherwise' }, ...found.otherwise.map(text => h('li', {}, text))),
    h('p', { class: 'quiet' }, `It differs in ${all}; ${known} (${ran}).`),
  );
}

function card(name: string, kind: string, ...children: (Node | string | false | undefined)[]): HTMLElement {
  return h('section', { class: `card ${kind}`, 'aria-label': name }, h('h2', {}, name), ...children);
}

function threads(view: View, trace: Interleaving, instant: Instant, wishes: Wishes): HTMLElement {
  const { choices } = instant;
  const step = trace.events[instant.event]?.step;
  const next = choices === undefined ? 'at the end' : `before step ${choices.step}`;
  const name = step == null ? `Threads ${next}` : `Threads at step ${step}`;
  return card(
    name,
    '',
    h('ul', { class: 'threads' }, ...instant.threads.map(t => row(t, wishes))),
    choices !== undefined && view.session !== null && steering(choices, trace, wishes),
    choices !== undefined && view.debugging && inDebugger(choices, wishes),
    h(
      'div',
      { class: 'row' },
      view.session !== null &&
        button('Save this schedule', () => wishes.act('save'), { class: 'link' }, 'save'),
      view.canUndo && button('Undo', () => wishes.act('undo'), { class: 'link' }, 'undo'),
      view.session?.state === 'paused' &&
        button(
          'Hand back to the search',
          () => wishes.act('resume'),
          { class: 'link' },
          'hand back to the search',
        ),
    ),
    view.saved !== '' && h('p', { class: 'saved', role: 'status' }, 'Saved. ', h('code', {}, view.saved)),
  );
}

function row(t: ThreadAt, wishes: Wishes): HTMLElement {
  const { location } = t;
  return h(
    'li',
    { class: `${t.standing} ${colour(t.thread)}` },
    h('span', { class: 'dot' }),
    h('b', { title: t.name }, `T${t.thread}`),
    h('span', { class: 'standing' }, t.text),
    location !== null &&
      button(
        `Open the position of T${t.thread}`,
        () => wishes.open(location, true),
        { class: 'link place' },
        `:${location.line}`,
      ),
  );
}

function steering(choices: Choices, trace: Interleaving, wishes: Wishes): HTMLElement {
  const { step, taken, enabled } = choices;
  const next = trace.events.findIndex((e, i) => i > choices.event && e.step !== null);
  const run = (thread: number) =>
    // The thread that runs anyway needs no other execution: the instant moves on.
    thread === taken
      ? wishes.select(next < 0 ? choices.event : next)
      : wishes.steer(step, `T${thread}`, 'pause');
  return h(
    'div',
    { class: 'row steering', role: 'group', 'aria-label': `Choose who runs at step ${step}` },
    h('span', { class: 'quiet' }, 'run next:'),
    ...enabled.map(thread =>
      button(
        `Run T${thread} next`,
        () => run(thread),
        {
          class: `pill ${colour(thread)}${thread === taken ? ' taken' : ''}`,
          title:
            thread === taken
              ? `T${thread} runs here: go on to its next step`
              : `Run T${thread} instead of T${taken}`,
        },
        `T${thread}`,
      ),
    ),
    button(
      'Search here',
      () => wishes.steer(step, `T${taken}`, 'search'),
      { class: 'pill search', title: 'Search all executions that begin so' },
      'search here',
    ),
  );
}

function inDebugger({ enabled }: Choices, wishes: Wishes): HTMLElement {
  return h(
    'div',
    { class: 'row', role: 'group', 'aria-label': 'Choose in the debugger' },
    h('span', { class: 'quiet' }, 'in the debugger:'),
    ...enabled.map(thread =>
      button(
        `Debugger: run T${thread} next`,
        () => wishes.choose(`T${thread}`),
        { class: `pill ${colour(thread)}` },
        `T${thread}`,
      ),
    ),
  );
}

function memory({ shared, locks }: Instant): HTMLElement[] {
  if (shared.length + locks.length === 0) {
    return [];
  }
  const values = shared.map(s =>
    h(
      'li',
      {},
      h('code', {}, s.object),
      h('b', { class: 'value' }, s.value ?? '…'),
      h('span', { class: 'quiet' }, `T${s.thread}${s.location === null ? '' : ` :${s.location.line}`}`),
    ),
  );
  const held = locks.map(l =>
    h(
      'li',
      {},
      h('code', {}, l.object),
      h('span', { class: `held ${colour(l.holder)}` }, `held by T${l.holder}`),
    ),
  );
  return [
    card(
      values.length === 0 ? 'Locks' : 'Shared',
      '',
      values.length > 0 && h('ul', { class: 'memory' }, ...values),
      held.length > 0 && values.length > 0 && h('h2', {}, 'Locks'),
      held.length > 0 && h('ul', { class: 'memory' }, ...held),
    ),
  ];
}

function why(trace: Interleaving, wishes: Wishes): HTMLElement[] {
  if (trace.explanation.length === 0) {
    return [];
  }
  const lines = story(trace.explanation).map(line => told(line, trace, wishes));
  const name = trace.outcome === 'passed' ? 'What happens' : 'Why it fails';
  return [card(name, 'wide', h('div', { class: 'story' }, ...lines.flat()))];
}

function told(line: Line, trace: Interleaving, wishes: Wishes): HTMLElement[] {
  if (line.kind === 'preemption') {
    const event = trace.events.findIndex(e => e.preemption?.number === line.number);
    const mark = h('span', { class: 'mark' }, line.who);
    const go = () => event >= 0 && wishes.select(event);
    return [mark, button(`Preemption ${line.number}`, go, { class: 'link preempted' }, line.text)];
  }
  if (line.kind !== 'step') {
    return [h('span', { class: `whole ${line.kind}` }, line.text)];
  }
  const thread = /^T(\d+)/.exec(line.who)?.[1];
  const who = line.who.replace(/ \(spawned at .*\)$/, '');
  return [
    h(
      'span',
      { class: thread === undefined ? 'who' : `who ${colour(Number(thread))}`, title: line.who },
      who,
    ),
    h(
      'span',
      { class: 'did' },
      line.text,
      line.method !== undefined && h('span', { class: 'quiet' }, ` in ${line.method}`),
    ),
    h('span', { class: 'quiet', title: line.place }, line.place.slice(line.place.lastIndexOf(':'))),
  ];
}

function output(trace: Interleaving): HTMLElement[] {
  return trace.output === '' ? [] : [card('Output', 'wide', h('pre', {}, trace.output.trimEnd()))];
}
