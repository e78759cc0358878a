// Sessions as they are kept and put into words.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionState } from '../../src/protocol';
import { Restarts } from '../../src/restarts';
import { Sessions } from '../../src/sessions/model';
import { circled, headline, standing } from '../../src/sessions/words';
import { failure, session } from '../samples/session';

describe('a session in words', () => {
  const check = (changes: Partial<SessionState>, expected: string) =>
    assert.equal(standing(session(changes)), expected);

  it('says how far it is', () => {
    check({ state: 'building' }, 'building');
    check({}, '1,234 executions · bound 0 complete');
    check({ bound: { current: 0, completed: null } }, '1,234 executions · at 0 preemptions');
    check({ failures: [failure()] }, '1,234 executions · bound 0 complete · 1 failure');
    check({ state: 'paused' }, 'paused · 1,234 executions');
  });

  it('says how it ended', () => {
    check({ state: 'done', verdict: 'passed' }, 'passed · 1,234 executions');
    check(
      { state: 'done', verdict: 'failed', failures: [failure()] },
      'failed after 5 executions · 1 preemption',
    );
    check({ state: 'done', verdict: 'incomplete' }, 'incomplete · 1,234 executions');
    check({ state: 'done', verdict: 'error', error: 'it does not compile' }, 'could not be run');
  });

  it('numbers preemptions as reports do, and takes the first line of a message', () => {
    assert.deepEqual([1, 20, 21].map(circled), ['①', '⑳', '(21)']);
    assert.equal(headline(failure()), 'assertion `counter == 2` failed');
    assert.equal(headline(failure({ message: '', kind: 'deadlock' })), 'deadlock');
  });
});

describe('the sessions of a host', () => {
  it('keeps the newest state of each', () => {
    const sessions = new Sessions();
    assert.ok(sessions.update(session({ revision: 7 })));
    assert.ok(!sessions.update(session({ revision: 6, rate: 1 })), 'an old state is not taken');
    assert.equal(sessions.get(1)?.rate, 1000);
  });

  it('takes up the sessions of a host that was started anew', () => {
    const sessions = new Sessions();
    sessions.update(session({ revision: 7, state: 'done', verdict: 'failed' }));
    assert.ok(!sessions.isOfAnotherHost(session({ revision: 8, state: 'done' })));
    assert.ok(!sessions.isOfAnotherHost(session({ session: 2, revision: 1, state: 'building' })));
    const building = session({ revision: 1, state: 'building' });
    assert.ok(sessions.isOfAnotherHost(building));
    sessions.clear();
    assert.ok(sessions.update(building));
    assert.ok(!sessions.isOfAnotherHost(session({ revision: 2, state: 'building' })), 'it is still built');
    assert.equal(sessions.running()?.session, 1);
  });

  it('finds the newest that goes on, or stands still', () => {
    const sessions = new Sessions();
    sessions.update(session({ session: 1, state: 'paused' }));
    sessions.update(session({ session: 2 }));
    sessions.update(session({ session: 3, state: 'done' }));
    assert.equal(sessions.running()?.session, 2);
    assert.equal(sessions.running(s => s.state === 'paused')?.session, 1);
  });

  it('finds the newest failure, of all or of one session', () => {
    const sessions = new Sessions();
    sessions.update(session({ session: 1, failures: [failure({ found_after: 1 })] }));
    sessions.update(session({ session: 2, failures: [failure({ found_after: 2 })] }));
    sessions.update(session({ session: 3 }));
    assert.equal(sessions.failure()?.failure.found_after, 2);
    assert.equal(sessions.failure(1)?.failure.found_after, 1);
    assert.equal(sessions.failure(3), undefined);
  });
});

describe('a server that ends by itself', () => {
  it('is started again, but not for ever', () => {
    const restarts = new Restarts(2, 1000);
    assert.deepEqual(
      [0, 100, 200].map(now => restarts.allowed(now)),
      [true, true, false],
    );
    assert.ok(restarts.allowed(1150), 'the first ones are long ago');
  });
});
