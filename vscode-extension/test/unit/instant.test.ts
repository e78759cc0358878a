// One instant of an execution.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { causeOf, firstToShow, instantAt } from '../../src/interleaving/instant';
import { story } from '../../src/interleaving/story';
import { DEADLOCK, LOST_UPDATE, execution } from '../samples/execution';
import type { Interleaving } from '../../src/protocol';

/** Threads in words. */
function threads(trace: Interleaving, event: number): string[] {
  return instantAt(trace, event).threads.map(
    t => `T${t.thread} ${t.standing}: ${t.text}${t.location === null ? '' : ` :${t.location.line}`}`,
  );
}

describe('an instant', () => {
  it('says where every thread is', () => {
    assert.deepEqual(threads(LOST_UPDATE, 1), [
      'T0 runs: spawns T2 :25',
      'T1 ready: about to start :13',
      'T2 unborn: not spawned yet',
    ]);
    assert.deepEqual(threads(LOST_UPDATE, 4), [
      'T0 ready: about to join T1 :26',
      'T1 runs: starts :13',
      'T2 ready: about to store counter :17',
    ]);
    assert.deepEqual(threads(LOST_UPDATE, 9), [
      'T0 waits: waits for T2 (join) :27',
      'T1 ended: has ended',
      'T2 runs: stores counter :17',
    ]);
  });

  it('gives starts and ends, which have no place, those of the operations beside them', () => {
    const lines = ['T0 spawn T1 :1', 'T0 join T1 :2', 'T1 start', 'T1 store x :9', 'T1 exit'];
    const trace = execution(lines);
    const place = (event: number) => instantAt(trace, event).threads.map(t => t.location?.line ?? null);
    assert.deepEqual([0, 2, 4, 5].map(place), [
      [1, null],
      [null, 9],
      [null, 9],
      [null, null],
    ]);
  });

  it('says who waits for whom at the end of a deadlock', () => {
    const instant = instantAt(DEADLOCK, 7);
    assert.deepEqual(instant.locks, [
      { object: 'a', holder: 1 },
      { object: 'b', holder: 2 },
    ]);
    assert.deepEqual(threads(DEADLOCK, 7), [
      'T0 waits: waits: joins T1 :32',
      'T1 waits: waits: locks b, held by T2 :12',
      'T2 waits: waits: locks a, held by T1 :22',
    ]);
    assert.deepEqual(threads(LOST_UPDATE, 13), [
      'T0 ended: has ended',
      'T1 ended: has ended',
      'T2 ended: has ended',
    ]);
  });

  it('names the holder of a lock that a thread waits for', () => {
    const trace = execution([
      'T0 spawn T1 :1 {0}',
      'T0 lock m :2 {0 1}',
      'T1 start :9 {0 1}',
      'T0 store x :3 {0} [1]',
      'T0 unlock m :4 {0} [1]',
      'T1 lock m :9 {1}',
    ]);
    assert.equal(threads(trace, 3)[1], 'T1 waits: waits for m (lock), held by T0 :9');
  });

  it('says who may run, at the step of the event or the next one', () => {
    const trace = execution(['T0 load x {0 1}', 'T0 write y -', 'T1 load x {0 1}']);
    assert.deepEqual(instantAt(trace, 0).choices, { step: 0, event: 0, enabled: [0, 1], taken: 0 });
    assert.deepEqual(instantAt(trace, 1).choices, { step: 1, event: 2, enabled: [0, 1], taken: 1 });
    assert.equal(instantAt(DEADLOCK, 6).choices, undefined);
  });

  it('says what shared variables were last seen to be', () => {
    const shared = (event: number) =>
      instantAt(LOST_UPDATE, event).shared.map(s => [s.object, s.value, `T${s.thread}`]);
    assert.deepEqual(shared(3), []);
    assert.deepEqual(shared(6), [['counter', '0', 'T2']]);
    assert.deepEqual(shared(10), [['counter', '1', 'T2']]);
  });

  it('stays within the execution', () => {
    assert.equal(instantAt(LOST_UPDATE, 99).event, 13);
    assert.deepEqual(instantAt(execution([]), 3).threads, []);
  });

  it('begins at the first preemption, else at the end', () => {
    assert.equal(firstToShow(LOST_UPDATE), 2);
    assert.equal(firstToShow(execution(['T0 load x', 'T0 load y'])), 1);
  });

  it('knows where a value, a lock and a turn came from', () => {
    const check = (event: number, cause: number | undefined) =>
      assert.equal(causeOf(LOST_UPDATE, event), cause, `event ${event}`);
    check(2, 1);
    check(8, 7);
    check(12, 9);
    check(5, undefined);
    check(6, undefined);
  });
});

describe('an explanation', () => {
  it('is taken apart into its columns', () => {
    const lines = story([
      ...LOST_UPDATE.explanation,
      'T1  locks m  src/lib.rs:53  Bank::lock',
      '… 3 more operations …',
      'T1 waits for b, held by T2',
      '(21)  T3 preempted, holding m',
    ]);
    const shown = lines.map(l => [l.kind, l.who, l.text, l.place, l.method].filter(Boolean).join(' | '));
    assert.deepEqual(shown, [
      'step | T0 main | spawns T1 | samples/c/a.c:24',
      'step | T2 increment (spawned at :25) | loads counter = 0 | samples/c/a.c:16',
      'preemption | ② | T2 preempted before :17, holding no lock',
      'step | T1 increment (spawned at :24) | loads counter = 0 | samples/c/a.c:16',
      'step | stores counter = 1 | samples/c/a.c:17',
      'step | T2 | stores counter = 1 | samples/c/a.c:17',
      'step | T1 | locks m | src/lib.rs:53 | Bank::lock',
      'note | … 3 more operations …',
      'fact | T1 waits for b, held by T2',
      'preemption | (21) | T3 preempted, holding m',
    ]);
    assert.deepEqual([lines[2]?.number, lines[9]?.number], [2, 21]);
  });
});
