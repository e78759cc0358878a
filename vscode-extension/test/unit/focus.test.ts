// What can be prioritised and what is; files of a target.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FocusModel, spread } from '../../src/focus/model';
import { folderOf, locate } from '../../src/places';
import type { TestsResult } from '../../src/protocol';

const at = (line: number) => ({ file: 'src/lib.rs', line, column: 1 });
const BANK: TestsResult = {
  version: 1,
  target: 'samples/rust/bank',
  tests: [],
  methods: [
    { name: 'Bank::lock', location: at(52), end_line: 60, points: 1 },
    { name: 'Account::new', location: at(3), end_line: 5, points: 0 },
    { name: 'audit', location: at(9), end_line: 19, points: 2 },
  ],
  variables: [{ name: 'accounts', within: 'Bank', location: at(11) }],
};

describe('the focus', () => {
  it('lists a target, ticks what is prioritised, and keeps what is prioritised elsewhere', () => {
    const model = new FocusModel();
    model.list(BANK);
    model.take({ methods: ['Bank::lock', 'gone'], variables: [] });
    const rows = model.items('methods').map(({ name, detail, checked }) => [name, detail, checked]);
    assert.deepEqual(rows, [
      ['audit', 'lib.rs:9 · 2 points', false],
      ['Bank::lock', 'lib.rs:52 · 1 point', true],
      ['Account::new', 'lib.rs:3 · 0 points', false],
      ['gone', 'not in this target', true],
    ]);
    assert.equal(model.items('variables')[0]?.detail, 'Bank · lib.rs:11');
  });

  it('tells items of one name and place apart', () => {
    const model = new FocusModel();
    const twice = { name: 'init', location: at(3), end_line: 5, points: 1 };
    model.list({ ...BANK, methods: [twice, twice] });
    assert.equal(new Set(model.items('methods').map(({ id }) => id)).size, 2);
  });

  it('adds and takes away without touching the rest', () => {
    const model = new FocusModel();
    model.take({ methods: ['a', 'b'], variables: ['v'] });
    const next = model.with([
      { kind: 'methods', name: 'a', checked: false },
      { kind: 'methods', name: 'c', checked: true },
      { kind: 'methods', name: 'b', checked: true },
    ]);
    assert.deepEqual(next, { methods: ['c', 'b'], variables: ['v'] });
    assert.deepEqual(model.focus.methods, ['a', 'b'], 'only the host changes the focus');
  });

  it('knows a function by the end of its name', () => {
    const model = new FocusModel();
    model.list(BANK);
    model.take({ methods: ['money::Bank::lock'], variables: [] });
    assert.deepEqual(
      model.items('methods').map(({ name, checked }) => [name, checked]),
      [
        ['audit', false],
        ['Bank::lock', true],
        ['Account::new', false],
      ],
    );
    assert.deepEqual(model.with([{ kind: 'methods', name: 'lock', checked: false }]).methods, []);
  });

  it('tells how executions spread only where something is prioritised', () => {
    const counts = { high: 12, medium: 3, low: 1 };
    assert.equal(spread({ methods: ['a'], variables: [], ...counts }), '12 high · 3 medium · 1 low');
    assert.equal(spread({ methods: [], variables: [], ...counts }), '');
  });
});

describe('places', () => {
  it('finds the files of a target', () => {
    const exists = (...files: string[]) => {
      return (file: string) => files.includes(file);
    };
    assert.equal(folderOf('/w', 'samples/c/a.c'), '/w/samples/c');
    assert.equal(folderOf('/w', 'samples/rust/bank/Cargo.toml'), '/w/samples/rust/bank');
    assert.equal(locate('/w', 'bank', 'src/lib.rs', exists('/w/bank/src/lib.rs')), '/w/bank/src/lib.rs');
    assert.equal(locate('/w', 'c/a.c', 'c/a.c', exists('/w/c/a.c')), '/w/c/a.c');
    assert.equal(locate('/w', 'bank', '/abs/x.rs', exists('/abs/x.rs')), '/abs/x.rs');
    assert.equal(locate('/w', 'bank', 'src/gone.rs', exists()), undefined);
  });
});
