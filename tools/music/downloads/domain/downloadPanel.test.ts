import { expect, test } from 'vitest';
import {
  countsOf,
  detailOf,
  grouped,
  notYetThere,
  songsOf,
  stateOf,
  sumUp,
  toneOf,
  type Download,
} from './downloadPanel.ts';

const download = (id: number, change: Partial<Download> = {}): Download => ({
  id,
  title: `song ${id}`,
  status: 'Queued for download',
  code: 4,
  song: undefined,
  percent: undefined,
  reason: undefined,
  parent: undefined,
  upload: undefined,
  ...change,
});

test('each code has the colour and the words of the specification', () => {
  const shown = ([0, 1, 2, 3, 4, 5] as const).map((code) => [toneOf(code), stateOf({ code, status: 'as sent' })]);
  expect(shown).toEqual([
    ['green', 'done'],
    ['red', 'as sent'],
    ['teal', 'finished'],
    ['blue', 'as sent'],
    ['orange', 'as sent'],
    ['orange', 'as sent'],
  ]);
});

test('a failure is told by its reason, and what waits says why', () => {
  expect(detailOf({ code: 1, reason: 'The site answered 404' })).toBe('Download failed: The site answered 404');
  expect(detailOf({ code: 4, reason: 'Less than 2 GiB free: downloads wait' })).toBe(
    'Less than 2 GiB free: downloads wait',
  );
  expect(detailOf({ code: 1, reason: undefined })).toBeUndefined();
});

test('the newest stand first, and the songs of a playlist under it in order', () => {
  const groups = grouped([download(3, { parent: 2 }), download(1), download(2), download(4, { parent: 2 })]);
  expect(groups.map(({ head, parts }) => [head.id, parts.map(({ id }) => id)])).toEqual([
    [2, [3, 4]],
    [1, []],
  ]);
});

test('a song whose playlist is not in the panel any more stands by itself', () => {
  expect(grouped([download(3, { parent: 2 })]).map(({ head }) => head.id)).toEqual([3]);
});

test('of a list all songs are saved that came, in its order', () => {
  const parts = [download(3, { song: 7 }), download(4, { code: 1 }), download(5, { song: 6 })];
  expect(songsOf({ head: download(2, { code: 3 }), parts })).toEqual([7, 6]);
  expect(songsOf({ head: download(2, { code: 3, song: 5 }), parts: [] })).toEqual([5]);
});

test('one line sums the panel up', () => {
  const all = [download(1), download(2, { code: 5 }), download(3, { code: 1 }), download(4, { code: 3 })];
  expect(sumUp(countsOf(all))).toBe('2 under way, 1 to save, 1 failed');
  expect(sumUp(countsOf([download(1, { code: 0 })]))).toBe('');
});

test('a file is no upload any more once its download is told of, unless that failed', () => {
  const uploads = [{ upload: undefined }, { upload: 7 }, { upload: 8 }];
  const downloads = [download(1, { upload: 7 }), download(2, { upload: 8, code: 1 }), download(3)];
  expect(notYetThere(uploads, downloads)).toEqual([{ upload: undefined }, { upload: 8 }]);
});
