// Where everything in the picture stands.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  LANE,
  PREEMPTION_GAP,
  ROW,
  SWITCH_GAP,
  TOP,
  laneWidth,
  layout,
  rowAt,
  visible,
} from '../../src/interleaving/lanes';
import { shortened } from '../../src/interleaving/shorten';
import { keyTarget } from '../../src/interleaving/keys';
import { DEADLOCK, LOST_UPDATE, execution } from '../samples/execution';

describe('the lanes', () => {
  const picture = layout(LOST_UPDATE);

  it('are one for each thread, from its spawn to its end', () => {
    const lives = picture.lanes.map(({ thread, from, to }) => [thread, from, to]);
    // T0 has no event that ends it: it reaches past the last of 13 rows.
    assert.deepEqual(lives, [
      [0, 0, 13],
      [1, 0, 7],
      [2, 1, 10],
    ]);
  });

  it('have a block for every run between switches', () => {
    const runs = picture.blocks.map(({ lane, from, to }) => [lane, from, to]);
    assert.deepEqual(runs, [
      [0, 0, 1],
      [2, 2, 3],
      [1, 4, 7],
      [0, 8, 8],
      [2, 9, 10],
      [0, 11, 12],
    ]);
  });

  it('number the preemptions among the switches', () => {
    const switches = picture.switches.map(({ row, from, to, preemption }) => [row, from, to, preemption]);
    assert.deepEqual(switches, [
      [2, 0, 2, 1],
      [4, 2, 1, 2],
      [8, 1, 0, undefined],
      [9, 0, 2, undefined],
      [11, 2, 0, undefined],
    ]);
  });

  it('leave room for marks above preemptions, and some above other switches', () => {
    const gap = (row: number) => (picture.tops[row] ?? 0) - (picture.tops[row - 1] ?? 0) - ROW;
    assert.equal(picture.tops[0], TOP);
    assert.deepEqual([1, 2, 8].map(gap), [0, PREEMPTION_GAP, SWITCH_GAP]);
  });

  it('hatch a thread from where it cannot run to where it can', () => {
    assert.deepEqual(picture.waits, [{ lane: 0, from: 9, to: 10 }]);
    // The last event is no step: what waited before it waits on.
    assert.deepEqual(layout(DEADLOCK).waits, [{ lane: 0, from: 2, to: 6 }]);
  });

  it('end with the failure in the lane of the failing line, or with what nobody could do', () => {
    const tail = picture.tail.map(({ lane, text, failure }) => [lane, text, failure]);
    assert.deepEqual(tail, [[0, 'fails the assertion', true]]);
    const stuck = layout(DEADLOCK).tail.map(({ lane, text }) => [lane, text]);
    assert.deepEqual(stuck, [
      [0, 'joins T1'],
      [1, 'locks b'],
      [2, 'locks a'],
    ]);
  });

  it('share what width there is, within reason', () => {
    assert.equal(laneWidth(3, 600), 200);
    assert.equal(laneWidth(1, 1000), LANE.most);
    assert.equal(laneWidth(20, 1000), LANE.least);
  });

  it('have nothing where nothing happened', () => {
    const empty = layout(execution([]));
    assert.deepEqual([empty.blocks, empty.switches, empty.tail], [[], [], []]);
    assert.deepEqual(visible(empty, 0, 500), [0, 0]);
  });
});

describe('what is drawn', () => {
  const long = execution(Array.from({ length: 20_000 }, (_, i) => `T${Math.floor(i / 9) % 4} load x :1`));

  it('is what can be seen of a long execution', () => {
    const picture = layout(long);
    const [from, to] = visible(picture, picture.height / 2, 600);
    assert.ok(to - from < 80, `${to - from} rows for a window of 600 pixels`);
    const [top, bottom] = [picture.tops[from] ?? NaN, picture.tops[to] ?? NaN];
    assert.ok(top <= picture.height / 2 && bottom >= picture.height / 2 + 600, 'they cover the window');
    assert.deepEqual(visible(picture, 0, 100)[0], 0);
    assert.deepEqual(visible(picture, picture.height - 100, 100)[1], 20_000);
  });

  it('is found by its height', () => {
    const picture = layout(long);
    for (const row of [0, 8, 9, 19_999]) {
      assert.equal(rowAt(picture, picture.tops[row] ?? NaN), row);
      assert.equal(rowAt(picture, (picture.tops[row] ?? NaN) + ROW - 1), row);
    }
  });

  it('is laid out in the blink of an eye', () => {
    const began = performance.now();
    layout(long);
    assert.ok(performance.now() - began < 500);
  });
});

describe('a name in little room', () => {
  const check = (most: number, expected: string) =>
    assert.equal(shortened('unlock', 'self.accounts[0]', most), expected);

  it('keeps the operation and the end of the object', () => {
    check(30, 'unlock self.accounts[0]');
    check(23, 'unlock self.accounts[0]');
    check(18, 'unlock …ccounts[0]');
    check(11, 'unlock …[0]');
    check(8, 'unlock …');
    assert.equal(shortened('spawn', '', 3), 'spawn');
  });
});

describe('a key', () => {
  const picture = layout(LOST_UPDATE);
  const check = (key: string, at: number, expected: number | undefined) =>
    assert.equal(keyTarget(key, LOST_UPDATE, picture, at, 4 * ROW), expected, `${key} at ${at}`);

  it('leads to the next instant, within a thread, or to a preemption', () => {
    check('ArrowDown', 3, 4);
    check('ArrowUp', 3, 2);
    check('ArrowUp', 0, undefined);
    check('ArrowRight', 3, 9);
    check('ArrowLeft', 9, 3);
    check('ArrowRight', 12, undefined);
    check('n', 0, 2);
    check('n', 2, 4);
    check('n', 4, undefined);
    check('p', 4, 2);
    check('Home', 7, 0);
    check('End', 7, 13);
    check('ArrowDown', 13, undefined);
    check('x', 7, undefined);
  });

  it('turns pages', () => {
    check('PageDown', 4, 7);
    check('PageDown', 12, 13);
    check('PageUp', 1, 0);
  });
});
