// The page of the interleaving: takes what the extension says and draws it; tells the extension what
// was clicked. It keeps nothing that the extension does not know.

import type { Interleaving, Location, Then } from '../../protocol';
import type { Action, FromPage, ToPage, View } from '../messages';
import { Chart } from './chart';
import { details } from './details';
import { button, h, refill } from './dom';
import { header } from './header';
import { progress } from './progress';
import './style.css';
import './chart.css';
import './details.css';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
const say = (message: FromPage) => editor.postMessage(message);
const wishes = {
  act: (action: Action) => say({ type: 'action', action }),
  open: (location: Location, focus: boolean) => say({ type: 'open', location, focus }),
  select: (event: number) => {
    // Shown at once: the extension's answer is the same instant.
    if (view !== undefined) {
      draw({ ...view, event });
    }
    say({ type: 'select', event });
  },
  steer: (step: number, choice: string, then: Then) => say({ type: 'steer', step, choice, then }),
  choose: (choice: string) => say({ type: 'choose', choice }),
};

const head = h('header');
const chart = new Chart(wishes);
const side = h('aside', { 'aria-label': 'The selected instant' });
const notice = h('div', { class: 'notice', role: 'status' });
const foot = h('footer', { 'aria-label': 'Exploration' });
const body = h('main', {}, chart.element, side, notice);
document.getElementById('root')?.append(head, body, foot);

let view: View | undefined;
let trace: Interleaving | undefined;
/** What was drawn last of each part: parts are drawn again only when they differ. */
const drawn = new Map<Element, string>();

addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.type === 'trace') {
    trace = data.trace ?? undefined;
    chart.show(trace);
    drawn.delete(side);
    drawn.delete(head);
  } else {
    draw(data.view);
  }
});
say({ type: 'ready' });

function draw(next: View): void {
  view = next;
  const { session } = next;
  const execution = trace;
  const shown = execution !== undefined && next.status !== 'error';
  body.classList.toggle('shown', shown);
  body.classList.toggle('loading', next.status === 'loading');
  const failures = session?.failures.length;
  const waiting = shown ? undefined : session;
  const { nearest, comparing } = next;
  part(head, [next.test, next.schedule, failures, session?.shown, waiting, nearest, comparing], () =>
    header(next, execution, wishes),
  );
  part(foot, [session], () => progress(next, wishes.act));
  part(notice, [next.status, next.error, session?.state, session?.verdict, session?.error, shown], () =>
    shown ? [] : notices(next),
  );
  if (execution !== undefined) {
    const who = [session?.session, session?.state];
    const depends = [next.event, next.debugging, next.canUndo, next.saved, nearest, ...who];
    part(side, depends, () => details(next, execution, wishes));
    chart.select(next.event);
  } else {
    refill(side);
  }
}

function part(element: Element, depends: unknown[], made: () => Node[]): void {
  const key = JSON.stringify(depends);
  if (drawn.get(element) !== key) {
    drawn.set(element, key);
    refill(element, ...made());
  }
}

/** What is said where there is no execution to show. */
function notices({ status, error, session }: View): Node[] {
  if (status === 'error') {
    return [
      h('h2', {}, 'This schedule could not be run'),
      h('pre', {}, error),
      button('Try again', () => wishes.act('retry')),
    ];
  }
  if (status === 'loading') {
    return [h('div', { class: 'spinner' }), h('p', {}, 'Running the schedule with everything recorded.')];
  }
  if (session === null) {
    return [
      h('h2', {}, 'Nothing to show yet'),
      h(
        'p',
        {},
        'Explore a test: click Explore interleavings over it. The execution that fails is shown here.',
      ),
    ];
  }
  if (session.state !== 'done') {
    const what =
      session.state === 'building' ? 'The test is being built.' : 'No execution has failed so far.';
    return [h('div', { class: 'spinner' }), h('p', {}, what)];
  }
  if (session.verdict === 'passed') {
    const look = button('Show the default execution', () => wishes.act('default'));
    return [h('h2', { class: 'passed' }, '✓ Passed'), h('p', {}, session.guarantee), look];
  }
  const name = session.verdict === 'error' ? 'The test could not be run' : 'The search ended before its goal';
  return [h('h2', {}, name), h('pre', {}, session.error || session.guarantee)];
}
