import { expect, test } from 'vitest';
import {
  countDownloads,
  formatDetail,
  groupDownloads,
  isSame,
  listUnannouncedUploads,
  listFinishedSongs,
  formatState,
  formatSummary,
  getTone,
  type Download,
} from './downloadPanel.ts';

const createDownload = (id: number, change: Partial<Download> = {}): Download => ({
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

test('downloads are the same only if each field is', () => {
  const download = createDownload(1);
  expect(isSame(download, createDownload(1))).toBe(true);
  const changes: readonly Partial<Download>[] = [
    { title: 'another' },
    { status: 'mp3 download pending' },
    { code: 1 },
    { song: 7 },
    { percent: 50 },
    { reason: 'This video is private' },
    { remedy: 'again' },
    { url: 'https://example.org/watch' },
    { details: 'HTTP Error 403' },
    { parent: 2 },
    { upload: 3 },
  ];
  expect(changes.filter((change) => isSame(download, { ...download, ...change }))).toEqual([]);
});

test('each code has the colour and the text of the specification', () => {
  const toneAndText = ([0, 1, 2, 3, 4, 5] as const).map((code) => [
    getTone(code),
    formatState({ code, status: 'as sent' }),
  ]);
  expect(toneAndText).toEqual([
    ['green', 'done'],
    ['red', 'as sent'],
    ['teal', 'finished'],
    ['blue', 'as sent'],
    ['orange', 'as sent'],
    ['orange', 'as sent'],
  ]);
});

test('failed and waiting downloads show the reason', () => {
  expect(formatDetail({ code: 1, reason: 'The site responded with status 404' })).toBe(
    'Download failed: The site responded with status 404',
  );
  expect(formatDetail({ code: 4, reason: 'Waiting: the server has less than 2 GiB of free disk space' })).toBe(
    'Waiting: the server has less than 2 GiB of free disk space',
  );
  expect(formatDetail({ code: 1, reason: undefined })).toBeUndefined();
});

test('the newest downloads are first, and songs of a playlist are below it in order', () => {
  const groups = groupDownloads([
    createDownload(3, { parent: 2 }),
    createDownload(1),
    createDownload(2),
    createDownload(4, { parent: 2 }),
  ]);
  expect(groups.map(({ download, songDownloads }) => [download.id, songDownloads.map(({ id }) => id)])).toEqual([
    [2, [3, 4]],
    [1, []],
  ]);
});

test('a song whose playlist is no longer in the panel is listed separately', () => {
  expect(groupDownloads([createDownload(3, { parent: 2 })]).map(({ download }) => download.id)).toEqual([3]);
});

test('all finished songs of a list are saved in order', () => {
  const songDownloads = [
    createDownload(3, { song: 7 }),
    createDownload(4, { code: 1 }),
    createDownload(5, { song: 6 }),
  ];
  expect(listFinishedSongs({ download: createDownload(2, { code: 3 }), songDownloads })).toEqual([7, 6]);
  expect(listFinishedSongs({ download: createDownload(2, { code: 3, song: 5 }), songDownloads: [] })).toEqual([5]);
});

test('one line summarizes the panel', () => {
  const all = [
    createDownload(1),
    createDownload(2, { code: 5 }),
    createDownload(3, { code: 1 }),
    createDownload(4, { code: 3 }),
  ];
  expect(formatSummary(countDownloads(all))).toBe('2 in progress, 1 to save, 1 failed');
  expect(formatSummary(countDownloads([createDownload(1, { code: 0 })]))).toBe('');
});

test('an upload is hidden once its download is listed, unless that has failed', () => {
  const uploads = [{ upload: undefined }, { upload: 7 }, { upload: 8 }];
  const downloads = [createDownload(1, { upload: 7 }), createDownload(2, { upload: 8, code: 1 }), createDownload(3)];
  expect(listUnannouncedUploads(uploads, downloads)).toEqual([{ upload: undefined }, { upload: 8 }]);
});
