import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { parseEdits } = await loadWithWindow(() => import('./slotDrafts.ts'));

test('a draft is read as it was stored', () => {
  const edits = { name: 'Run', end: '24:00' };
  expect(parseEdits(JSON.stringify(edits))).toEqual(edits);
});

test('invalid fields are left out, and the others stay', () => {
  expect(parseEdits(JSON.stringify({ name: 'Run', start: 9, other: 'x' }))).toEqual({ name: 'Run' });
});

test('any text gives a draft without throwing', () => {
  for (const nothing of ['', 'null', '7', '"name"', '{"name"']) expect(parseEdits(nothing)).toEqual({});
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const each of Object.values(parseEdits(text))) expect(typeof each).toBe('string');
    }),
  );
});
