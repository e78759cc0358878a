// The picture's state against a host that the test is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Picture } from '../../src/interleaving/picture';
import type { SessionState, Shown } from '../../src/protocol';
import { LOST_UPDATE } from '../samples/execution';
import { failure, session } from '../samples/session';

const FAILING = 'sync@2:T2,4:T1#1e31';

/** A host that answers when the test says so. */
class Host {
  readonly asked: {
    method: string;
    params: Record<string, unknown>;
    answer: (result: unknown) => void;
    refuse: (error: Error) => void;
  }[] = [];
  readonly picture = new Picture(
    (method, params) =>
      new Promise<never>((answer, refuse) => {
        this.asked.push({
          method,
          params: params as Record<string, unknown>,
          answer: answer as (result: unknown) => void,
          refuse,
        });
      }),
    () => undefined,
  );

  /** Answers the oldest request of a method. */
  async answer(method: string, result: unknown): Promise<Record<string, unknown>> {
    const request = await this.next(method);
    request.answer(result);
    await settled();
    return request.params;
  }

  async refuse(method: string, error: string): Promise<void> {
    (await this.next(method)).refuse(new Error(error));
    await settled();
  }

  methods(): string[] {
    return this.asked.map(r => r.method);
  }

  private async next(method: string) {
    await settled();
    const at = this.asked.findIndex(r => r.method === method);
    const [request] = at < 0 ? [] : this.asked.splice(at, 1);
    assert.ok(request, `${method} was asked for, not only ${this.methods().join(', ')}`);
    return request;
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve));
const shown = (revision: number, event: number, schedule = FAILING): Shown => ({
  schedule,
  event,
  revision,
  steered: false,
});
const failed = (changes: Partial<SessionState> = {}) =>
  session({ state: 'done', verdict: 'failed', failures: [failure()], ...changes });

/** A picture that shows the failure of a session. */
async function showing(): Promise<Host> {
  const host = new Host();
  void host.picture.show({ session: 1 }, failed());
  await host.answer('raddle/trace', LOST_UPDATE);
  await host.answer('raddle/show', failed({ shown: shown(1, 2) }));
  return host;
}

describe('the picture', () => {
  it('shows the failure of a session, at its first preemption, and tells the others', async () => {
    const host = new Host();
    void host.picture.show({ session: 1 }, failed());
    assert.equal(host.picture.view().status, 'loading');
    const asked = await host.answer('raddle/trace', LOST_UPDATE);
    assert.deepEqual(asked, { session: 1, schedule: FAILING });
    assert.deepEqual([host.picture.view().status, host.picture.view().event], ['ready', 2]);
    assert.deepEqual(await host.answer('raddle/show', failed()), { session: 1, schedule: FAILING, event: 2 });
  });

  it('turns to what passes and is nearest, and back', async () => {
    const host = await showing();
    const found = {
      version: 1,
      failing: FAILING,
      passing: 'sync@2:T2#1e31',
      distance: 1,
      nearest: true,
      otherwise: ['T2 stores counter (:17) before T1 loads it (:16)'],
      executions: 41,
    };
    void host.picture.showNearest();
    assert.equal(host.picture.view().comparing, true);
    // Pressed twice, it is asked for once.
    void host.picture.showNearest();
    const asked = await host.answer('raddle/nearestPassing', found);
    assert.deepEqual(asked, { session: 1, schedule: FAILING });
    await host.answer('raddle/trace', { ...LOST_UPDATE, schedule: found.passing, outcome: 'passed' });
    await host.answer('raddle/show', failed({ shown: shown(2, 2, found.passing) }));
    const { schedule, nearest, comparing, canUndo } = host.picture.view();
    assert.deepEqual([schedule, nearest, comparing, canUndo], [found.passing, found, false, true]);

    void host.picture.showFailing();
    await host.answer('raddle/trace', LOST_UPDATE);
    await host.answer('raddle/show', failed({ shown: shown(3, 2) }));
    assert.deepEqual([host.picture.view().schedule, host.picture.view().nearest], [FAILING, found]);
    // It is known now.
    void host.picture.showNearest();
    await host.answer('raddle/trace', { ...LOST_UPDATE, schedule: found.passing, outcome: 'passed' });
    assert.ok(!host.methods().includes('raddle/nearestPassing'));
  });

  it('can ask again where looking for what passes was refused', async () => {
    const host = await showing();
    const refused = assert.rejects(host.picture.showNearest(), /does not fail/);
    await host.refuse('raddle/nearestPassing', 'it does not fail');
    await refused;
    assert.deepEqual([host.picture.view().comparing, host.picture.view().schedule], [false, FAILING]);
  });

  it('shows what the other faces show', async () => {
    const host = new Host();
    void host.picture.show({ session: 1 }, failed({ shown: shown(4, 7, 'sync@3:T1') }));
    assert.equal((await host.answer('raddle/trace', LOST_UPDATE))['schedule'], 'sync@3:T1');
    assert.equal(host.picture.view().event, 7);
    assert.deepEqual(host.methods(), [], 'nothing to tell them');
  });

  it('follows another face to an event, and to another execution', async () => {
    const host = await showing();
    host.picture.take(failed({ shown: shown(2, 9) }));
    assert.equal(host.picture.view().event, 9);
    host.picture.take(failed({ shown: shown(3, 5, 'sync@4:T1') }));
    await host.answer('raddle/trace', LOST_UPDATE);
    assert.deepEqual([host.picture.view().schedule, host.picture.view().event], ['sync@4:T1', 5]);
    host.picture.take(failed({ shown: shown(2, 1) }));
    assert.equal(host.picture.view().event, 5, 'what is old is not followed');
  });

  it('is not taken back by echoes of its own selections', async () => {
    const host = await showing();
    host.picture.select(3);
    host.picture.select(4);
    host.picture.select(5);
    host.picture.take(failed({ shown: shown(2, 3) }));
    assert.equal(host.picture.view().event, 5);
    assert.equal((await host.answer('raddle/show', failed({ shown: shown(2, 3) })))['event'], 3);
    assert.equal(
      (await host.answer('raddle/show', failed({ shown: shown(3, 5) })))['event'],
      5,
      'only the last',
    );
    host.picture.take(failed({ shown: shown(3, 5) }));
    assert.equal(host.picture.view().event, 5);
    assert.deepEqual(host.methods(), []);
  });

  it('steers, and goes back', async () => {
    const host = await showing();
    const steered = host.picture.steer(5, 'T0', 'pause');
    const asked = await host.answer('raddle/steer', { schedule: 'sync@5:T0', event: 6, session: 1 });
    assert.deepEqual(asked, { session: 1, prefix: FAILING, step: 5, choice: 'T0', then: 'pause' });
    await host.answer('raddle/trace', { ...LOST_UPDATE, schedule: 'sync@5:T0' });
    await steered;
    assert.deepEqual([host.picture.view().event, host.picture.view().canUndo], [6, true]);
    void host.picture.undo();
    await host.answer('raddle/trace', LOST_UPDATE);
    assert.equal((await host.answer('raddle/show', failed()))['schedule'], FAILING);
    assert.deepEqual([host.picture.view().event, host.picture.view().canUndo], [2, false]);
  });

  it('saves, and says how to run it', async () => {
    const host = await showing();
    void host.picture.save();
    await host.answer('raddle/save', { file: 'x', replay: 'raddle replay x' });
    assert.equal(host.picture.view().saved, 'raddle replay x');
  });

  it('keeps what it shows when the host is another one, and asks that by target and test', async () => {
    const host = new Host();
    const failing = session({ failures: [failure()] });
    void host.picture.show({}, failing);
    await host.answer('raddle/trace', LOST_UPDATE);
    host.picture.detach();
    const { session: of, schedule, status } = host.picture.view();
    assert.deepEqual([of, schedule, status], [null, FAILING, 'ready']);
    // A session of the other host with the same number is none of it.
    host.picture.take(session({ test: 'another', failures: [failure({ schedule: 'sync@1:T1' })] }));
    assert.equal(host.picture.view().test, 'lost_update');
    const { target, test } = host.picture.view();
    void host.picture.show({ target, test, schedule: 'sync@default' }, undefined);
    const asked = await host.answer('raddle/trace', LOST_UPDATE);
    assert.deepEqual(asked, {
      target: 'samples/c/lost_update.c',
      test: 'lost_update',
      schedule: 'sync@default',
    });
  });

  it('takes up a failure when the search finds one', async () => {
    const host = new Host();
    await host.picture.show({ session: 1 }, session({}));
    assert.deepEqual([host.picture.view().status, host.methods()], ['ready', []]);
    host.picture.take(failed({ state: 'exploring' }));
    await host.answer('raddle/trace', LOST_UPDATE);
    assert.equal(host.picture.trace?.outcome, 'assertion');
  });

  it('says why an execution cannot be shown, and asks again', async () => {
    const host = new Host();
    void host.picture.show({ session: 1 }, failed());
    await host.refuse('raddle/trace', 'the program is gone');
    assert.deepEqual(
      [host.picture.view().status, host.picture.view().error],
      ['error', 'the program is gone'],
    );
    void host.picture.retry();
    await host.answer('raddle/trace', LOST_UPDATE);
    assert.equal(host.picture.view().status, 'ready');
  });

  it('shows the last of several executions that were asked for, whatever comes last', async () => {
    const host = new Host();
    void host.picture.show({ session: 1, schedule: 'sync@1:T1' }, failed());
    void host.picture.show({ session: 1, schedule: FAILING }, failed());
    const [first, second] = host.asked.filter(r => r.method === 'raddle/trace');
    second?.answer(LOST_UPDATE);
    await settled();
    first?.answer({ ...LOST_UPDATE, outcome: 'passed' });
    await settled();
    assert.equal(host.picture.trace?.outcome, 'assertion');
  });

  it('waits for an execution that is asked for twice', async () => {
    const host = await showing();
    void host.picture.show({ session: 1, schedule: 'sync@1:T1', event: 4 }, failed());
    void host.picture.show({ session: 1, schedule: 'sync@1:T1', event: 5 }, failed());
    const [, second] = host.asked.filter(r => r.method === 'raddle/trace');
    second?.answer(LOST_UPDATE);
    await settled();
    assert.deepEqual([host.picture.view().status, host.picture.view().event], ['ready', 5]);
  });

  it('stands where the debugger stands', async () => {
    const host = await showing();
    void host.picture.debugged({ event: 8 });
    assert.deepEqual([host.picture.view().event, host.picture.view().debugging], [8, true]);
    await host.answer('raddle/show', failed());
    void host.picture.debugged({ event: 3, schedule: 'sync@4:T1' });
    await host.answer('raddle/trace', LOST_UPDATE);
    assert.equal(host.picture.view().event, 3);
    void host.picture.debugged();
    assert.equal(host.picture.view().debugging, false);
  });
});
