import { expect, test } from 'vitest';
import { findSpaceProblem } from './musicServices.ts';

const GIB = 1024 ** 3;
const NOTHING = { songs: 0, uploads: 0, deleted: 0 };
const request = { bytes: GIB, quota: 20 * GIB };

test('a refusal names what uses the space, and the remedy', () => {
  expect(findSpaceProblem({ ...NOTHING, songs: 19.5 * GIB, uploads: GIB }, request)).toBe(
    'Your songs use 19.5 of 20 GiB, and there is no space for this one. Delete some first',
  );
  expect(findSpaceProblem({ ...NOTHING, uploads: 19.9 * GIB }, request)).toBe(
    'Your songs use 0.0 of 20 GiB, unfinished uploads use 19.9 GiB, and there is no space for this one. Finish or cancel some uploads first',
  );
  expect(findSpaceProblem({ ...NOTHING, songs: GIB, deleted: 38.5 * GIB }, request)).toBe(
    'Your songs use 1.0 of 20 GiB, deleted songs use 38.5 GiB more, and there is no space for this one. Deleted songs are removed after a day',
  );
});

test('deleted songs up to the quota do not count', () => {
  expect(findSpaceProblem({ songs: 19 * GIB, uploads: 0, deleted: 20 * GIB }, request)).toBeUndefined();
  expect(findSpaceProblem({ songs: 19 * GIB, uploads: 0, deleted: 20 * GIB + 1 }, request)).toBeDefined();
  expect(findSpaceProblem({ songs: 9 * GIB, uploads: 5 * GIB, deleted: 25 * GIB }, request)).toBeUndefined();
});
