import assert from 'node:assert/strict';
import { test } from 'node:test';
import { around } from '../../src/around';

test('only what the line is in counts, the innermost first', () => {
  const all = [
    { name: 'b', line: 20, last: 30 },
    { name: 'a', line: 4, last: 16 },
    { name: 'within a', line: 8, last: 10 },
    { name: 'no end', line: 18 },
  ];
  const found = (line: number) => around(all, line)?.name;
  assert.deepEqual(
    [0, 3, 4, 7, 8, 10, 11, 16, 17, 18, 19, 20, 30, 31].map(found),
    // prettier-ignore
    [undefined, undefined, 'a', 'a', 'within a', 'within a', 'a', 'a', undefined, 'no end', undefined, 'b', 'b', undefined],
  );
});
