import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNASSIGNED } from '../../contract/limits.ts';
import { HOTKEY_ACTIONS, NO_KEYS } from './category.ts';
import {
  canAddCategory,
  getCategory,
  distributeColumns,
  applyEdit,
  invertEdit,
  type Box,
  type SortingEdit,
} from './categoryBoard.ts';

const NAMES = ['work', 'web', '__proto__', 'constructor', '2'] as const;
const APPLICATIONS = ['firefox', 'code', 'obs', 'hasOwnProperty', '7'] as const;

const key = fc.constantFrom('', 'u', 'F5');
const sorting: fc.Arbitrary<readonly Box[]> = fc
  .record({
    names: fc.subarray([...NAMES]),
    places: fc.array(fc.nat(), { minLength: APPLICATIONS.length, maxLength: APPLICATIONS.length }),
    keys: fc.array(fc.record({ up: key, down: key, mute: key }), { minLength: 6, maxLength: 6 }),
  })
  .map(({ names, places, keys }) => {
    const all = [...names, UNASSIGNED];
    return all.map((name, at) => ({
      name,
      keys: name === UNASSIGNED ? NO_KEYS : (keys[at] ?? NO_KEYS),
      applications: APPLICATIONS.filter((_, index) => (places[index] ?? 0) % all.length === at),
    }));
  });
const edit: fc.Arbitrary<SortingEdit> = fc.oneof(
  fc.record({
    kind: fc.constant('move' as const),
    application: fc.constantFrom(...APPLICATIONS, 'gone'),
    to: fc.constantFrom(...NAMES, UNASSIGNED),
  }),
  fc.record({ kind: fc.constant('add' as const), category: fc.constantFrom(...NAMES, UNASSIGNED) }),
  fc.record({ kind: fc.constant('remove' as const), category: fc.constantFrom(...NAMES, UNASSIGNED) }),
  fc.record({
    kind: fc.constant('key' as const),
    category: fc.constantFrom(...NAMES),
    action: fc.constantFrom(...HOTKEY_ACTIONS),
    key,
  }),
);

/** Normalizes the order. */
const normalize = (boxes: readonly Box[]) =>
  new Map(boxes.map(({ name, keys, applications }) => [name, { keys, applications: applications.toSorted() }]));

test('after any edits, each application is in one category, and unassigned stays last', () => {
  fc.assert(
    fc.property(sorting, fc.array(edit), (boxes, edits) => {
      const after = edits.reduce(applyEdit, boxes);
      expect(after.flatMap(({ applications }) => applications).toSorted()).toEqual([...APPLICATIONS].toSorted());
      expect(new Set(after.map(({ name }) => name)).size).toBe(after.length);
      expect(after.at(-1)?.name).toBe(UNASSIGNED);
    }),
  );
});

test('an edit applied twice has the same effect as once', () => {
  fc.assert(
    fc.property(sorting, edit, (boxes, one) => {
      const once = applyEdit(boxes, one);
      expect(applyEdit(once, one)).toEqual(once);
    }),
  );
});

test('an undone edit restores the boxes', () => {
  fc.assert(
    fc.property(sorting, edit, (boxes, one) => {
      const undo = invertEdit(boxes, one);
      const after = applyEdit(boxes, one);
      expect(normalize(undo ? applyEdit(after, undo) : after)).toEqual(normalize(boxes));
    }),
  );
});

test('a restored category takes no application that was sorted elsewhere meanwhile', () => {
  const boxes: readonly Box[] = [
    { name: 'web', keys: { up: 'u', down: '', mute: '' }, applications: ['firefox', 'chromium'] },
    { name: 'work', keys: NO_KEYS, applications: [] },
    { name: UNASSIGNED, keys: NO_KEYS, applications: [] },
  ];
  const undo = invertEdit(boxes, { kind: 'remove', category: 'web' });
  const meanwhile = applyEdit(applyEdit(boxes, { kind: 'remove', category: 'web' }), {
    kind: 'move',
    application: 'firefox',
    to: 'work',
  });
  const after = undo ? applyEdit(meanwhile, undo) : [];
  expect([getCategory(after, 'firefox'), getCategory(after, 'chromium')]).toEqual(['work', 'web']);
  expect(after.find(({ name }) => name === 'web')?.keys.up).toBe('u');
});

test('a new category needs an unused name', () => {
  fc.assert(
    fc.property(sorting, (boxes) => {
      for (const { name } of boxes) expect(canAddCategory(boxes, ` ${name} `)).toBe(false);
      expect(canAddCategory(boxes, ' ')).toBe(false);
      expect(canAddCategory(boxes, 'music')).toBe(true);
    }),
  );
});

test('each category is in one column, and unassigned is last in the last column', () => {
  fc.assert(
    fc.property(sorting, fc.integer({ min: 1, max: 3 }), (boxes, count) => {
      const columns = distributeColumns(boxes, count);
      expect(columns).toHaveLength(count);
      expect(columns.flat().toSorted()).toEqual(boxes.map(({ name }) => name).toSorted());
      expect(columns.at(boxes.length === 1 ? 0 : -1)?.at(-1)).toBe(UNASSIGNED);
    }),
  );
  expect(distributeColumns([{ name: UNASSIGNED, keys: NO_KEYS, applications: [] }], 3)).toEqual([[UNASSIGNED], [], []]);
});
