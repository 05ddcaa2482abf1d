import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNASSIGNED } from '../../contract/limits.ts';
import { HOTKEY_ACTIONS, NO_KEYS, applySorting, type CategoryAssignment } from '../domain/category.ts';
import { applyEdit, type Box, type SortingEdit } from '../domain/categoryBoard.ts';
import { toRequest } from './categoryBoxes.ts';

const APPLICATIONS = ['firefox', 'code', 'obs', 'mpv'];
const NAMES = ['work', 'web', 'media'];

const boxes: fc.Arbitrary<readonly Box[]> = fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }).map((places) =>
  [...NAMES, UNASSIGNED].map((name, at) => ({
    name,
    keys: NO_KEYS,
    applications: APPLICATIONS.filter((_, index) => places[index] === at),
  })),
);
const move = (applications: readonly string[]): fc.Arbitrary<SortingEdit> =>
  fc.record({
    kind: fc.constant('move' as const),
    application: fc.constantFrom(...applications),
    to: fc.constantFrom(...NAMES, UNASSIGNED),
  });
const other: fc.Arbitrary<SortingEdit> = fc.oneof(
  move(APPLICATIONS),
  fc.record({ kind: fc.constant('remove' as const), category: fc.constantFrom(...NAMES) }),
  fc.record({
    kind: fc.constant('key' as const),
    category: fc.constantFrom(...NAMES, UNASSIGNED),
    action: fc.constantFrom(...HOTKEY_ACTIONS),
    key: fc.constantFrom('', 'F9'),
  }),
  fc.record({ kind: fc.constant('add' as const), category: fc.constantFrom('music', 'games') }),
);

/** Converts boxes to the server's form. */
const toAssignment = (all: readonly Box[]): CategoryAssignment => ({
  unassignedKeys: all.find(({ name }) => name === UNASSIGNED)?.keys ?? NO_KEYS,
  categories: all.filter(({ name }) => name !== UNASSIGNED).map(({ name, keys }) => ({ name, keys })),
  categoryByApplication: new Map(all.flatMap(({ name, applications }) => applications.map((each) => [each, name]))),
});
const normalize = ({ categories, unassignedKeys, categoryByApplication }: CategoryAssignment) => [
  categories,
  unassignedKeys,
  Object.fromEntries(categoryByApplication),
];

test('the request turns the server’s state into what the page shows', () => {
  fc.assert(
    fc.property(boxes, fc.array(other), (before, edits) => {
      const after = edits.reduce(applyEdit, before);
      expect(normalize(applySorting(toAssignment(before), toRequest(before, after)))).toEqual(
        normalize(toAssignment(after)),
      );
    }),
  );
});

test('two pages that move different applications at the same time don’t undo each other', () => {
  fc.assert(
    fc.property(
      boxes,
      fc.array(move(['firefox', 'code'])),
      fc.array(move(['obs', 'mpv'])),
      (before, ownEdits, otherEdits) => {
        const serverBoxes = otherEdits.reduce(applyEdit, before);
        const saved = applySorting(toAssignment(serverBoxes), toRequest(before, ownEdits.reduce(applyEdit, before)));
        expect(normalize(saved)).toEqual(normalize(toAssignment(ownEdits.reduce(applyEdit, serverBoxes))));
      },
    ),
  );
});
