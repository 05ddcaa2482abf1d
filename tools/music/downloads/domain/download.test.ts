import { expect, test } from 'vitest';
import { formatListPart, getDownloadStatus, type QueuedDownload } from './download.ts';

const createDownload = (change: Partial<QueuedDownload>): QueuedDownload => ({
  title: 'A song',
  state: 'queued',
  isList: false,
  percent: undefined,
  error: '',
  result: undefined,
  isDismissed: false,
  ...change,
});
function getStatus(change: Partial<QueuedDownload>) {
  const { code, status, reason } = getDownloadStatus(createDownload(change));
  return [code, status, reason];
}

test('a song goes from queued to pending to please save, and is done once it is saved', () => {
  const result = { kind: 'song', song: 812, isKnown: false } as const;
  expect([
    getStatus({}),
    getStatus({ state: 'running' }),
    getStatus({ state: 'done', result }),
    getStatus({ state: 'done', result, isDismissed: true }),
  ]).toEqual([
    [4, 'Queued for download', undefined],
    [5, 'mp3 download pending', undefined],
    [3, 'Downloaded! please save', undefined],
    [0, 'Downloaded! please save', undefined],
  ]);
  expect(getDownloadStatus(createDownload({ state: 'done', result }))).toMatchObject({ song: 812, percent: 100 });
});

test('waiting, failed and cancelled downloads show the reason', () => {
  expect([
    getStatus({ error: 'The site responded with status 500. Next attempt in 4 s' }),
    getStatus({ state: 'failed', error: 'The site responded with status 404' }),
    getStatus({ state: 'cancelled' }),
  ]).toEqual([
    [4, 'Queued for download', 'The site responded with status 500. Next attempt in 4 s'],
    [1, 'Download failed', 'The site responded with status 404'],
    [1, 'Download failed', 'Cancelled'],
  ]);
  // A retry removes the old reason.
  expect(getStatus({ state: 'running', error: 'The site responded with status 500. Next attempt in 4 s' })).toEqual([
    5,
    'mp3 download pending',
    undefined,
  ]);
});

test('a song that was in the library already is marked as such', () => {
  expect(getStatus({ state: 'done', result: { kind: 'song', song: 1, isKnown: true } })).toEqual([
    3,
    'Downloaded! please save',
    'Already in your library',
  ]);
});

test('a list is pending until its last song has ended, and shows how much of it is taken', () => {
  const list = createDownload({ state: 'done', result: { kind: 'list', songs: 199, isCut: true, of: 250 } });
  expect(getDownloadStatus(createDownload({ state: 'running', isList: true })).status).toBe(
    'Playlist download pending',
  );
  expect(getDownloadStatus(list, { all: 200, open: 150, failed: 0 })).toMatchObject({
    code: 5,
    status: 'Playlist download pending',
    percent: 25,
    reason: 'First 200 of 250',
  });
  expect(getDownloadStatus(list, { all: 200, open: 0, failed: 2 })).toMatchObject({
    code: 3,
    reason: 'First 200 of 250; 2 songs failed',
  });
  expect(getDownloadStatus(list, { all: 200, open: 0, failed: 200 })).toMatchObject({
    code: 1,
    status: 'Download failed',
  });
});

test('a list that is taken completely shows no note', () => {
  expect([
    formatListPart({ isCut: true, of: 250 }),
    formatListPart({ isCut: true, of: undefined }),
    formatListPart({ isCut: false, of: 200 }),
    formatListPart({ isCut: false, of: undefined }),
  ]).toEqual(['First 200 of 250', 'Only the first 200', '', '']);
});
