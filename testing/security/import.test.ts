import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openExportArchive } from '#platform/server/storage/exportArchive.ts';
import { createShoplist, readShoplist } from '#testing/kits/planning/planner.ts';
import { accountimport, startimport, importpart, dropimport } from '#tools/accounts/contract.ts';
import { MAX_SONGS } from '#tools/music/contract/limits.ts';
import { EXPORTED_SONG, exportZip, importZip, packZip } from '../kits/server/accountTransfer.ts';
import { startServer, type TestAccount } from '../kits/server/server.ts';
import { createTempFolder } from '../kits/server/tempFolder.ts';
import { readZip } from '../kits/server/zip.ts';

async function importFiles(account: TestAccount, files: Readonly<Record<string, unknown>>) {
  const state = await importZip(account, await packZip(files));
  return state.parts?.map(({ tool, status, problems }) => [tool, status, problems.join(' ')]) ?? state.error;
}

/** Leaves out what has the time of the export. */
const withoutTime = (entries: readonly string[]) =>
  entries.filter((entry) => !/^(README|manifest|accounts)/.test(entry));

const EVENT = {
  id: 1,
  uid: 'one',
  name: 'One',
  description: '',
  date: '2026-11-23',
  endDate: '2026-11-23',
  exceptions: [],
  tags: [],
  created: '2026-11-21T12:00:00Z',
  edited: '2026-11-21T12:00:00Z',
  history: [],
};

test('an import never reaches the data of another account, whatever ids its zip has', async () => {
  await using server = await startServer({ rateLimits: false });
  const victim = await server.createAccount('victim');
  const list = await createShoplist(victim, 'Of the victim');
  const before = [...readZip(await exportZip(victim))].map(([path, bytes]) => `${path} ${bytes.toString()}`);
  const attacker = await server.createAccount('attacker');
  const ids = Array.from({ length: 5 }, (_, index) => index + 1);
  const parts = await importFiles(attacker, {
    'accounts.json': { username: 'victim', account: 1, timeZone: 'Europe/Berlin', isOwner: true },
    'calendar.json': {
      account: 1,
      events: ids.map((id) => ({ ...EVENT, id, account: 1, changedDayOf: 1, changedDay: '2026-11-23' })),
    },
    'shopping.json': {
      lists: [{ id: list, account: 1, isOwn: true, name: 'Mine', items: {}, types: {}, links: {} }],
    },
    'messages.json': {
      messages: ids.map((device) => ({
        account: 1,
        device,
        from: 1,
        sender: 'person',
        inputtype: 1,
        text: 'x',
        timesent: 1,
      })),
    },
    'music.json': {
      songs: [EXPORTED_SONG],
      playlists: [{ title: 'P', songs: ids, created: EVENT.created, changed: EVENT.created }],
      queue: ids,
    },
    'screentime.json': { computers: ids.map((id) => ({ id, name: `Computer ${id}` })), goals: [] },
  });
  expect(parts).toEqual([
    ['accounts', 'imported', expect.any(String)],
    ['messages', 'imported', expect.any(String)],
    ['calendar', 'imported', expect.any(String)],
    ['shopping', 'imported', expect.any(String)],
    ['screentime', 'imported', expect.any(String)],
    ['music', 'imported', expect.any(String)],
  ]);
  const after = [...readZip(await exportZip(victim))].map(([path, bytes]) => `${path} ${bytes.toString()}`);
  expect(withoutTime(after)).toEqual(withoutTime(before));
  expect((await readShoplist(victim, list)).name).toBe('Of the victim');
  expect(server.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test('a hostile or damaged part is refused as a whole, and the others are imported', async () => {
  await using server = await startServer({ rateLimits: false });
  const account = await server.createAccount('anna');
  const good = { lists: [{ isOwn: true, name: 'Good', items: {}, types: {}, links: {} }] };
  const parts = await importFiles(account, {
    'shopping.json': good,
    'calendar.json': { events: [EVENT, { ...EVENT, id: 2, timeZone: 'Moon/Base' }] },
    'timetable.json': '{"slots": [',
    'paste.json': { pieces: [{ text: 5 }] },
    'gallery.json': { recordings: [{ file: '../../../secret.webm' }] },
    'music.json': { songs: [{ ...EXPORTED_SONG, source: 'javascript:alert(1)' }] },
    'remote.json': { scripts: [{ name: '../evil.sh', text: 'x' }] },
    'unknowntool.json': {},
    'unknowntool/file.bin': 'x',
  });
  expect(parts).toEqual([
    ['remote', 'failed', expect.stringContaining('slash')],
    ['paste', 'failed', expect.stringContaining('pieces.1')],
    ['calendar', 'failed', expect.stringContaining('events.2.timeZone')],
    ['shopping', 'imported', ''],
    ['timetable', 'failed', expect.stringContaining('damaged')],
    ['music', 'failed', expect.stringContaining('songs.1.source')],
    ['gallery', 'failed', expect.stringContaining('recordings.1.file')],
    ['unknowntool', 'unsupported', ''],
  ]);
  // Nothing of a refused part was stored, so a good zip can follow.
  expect(await importFiles(account, { 'calendar.json': { events: [EVENT] }, 'shopping.json': good })).toEqual([
    ['calendar', 'imported', expect.any(String)],
    ['shopping', 'skipped', ''],
  ]);
});

test('a zip that is no complete export is refused with a sentence', async () => {
  await using server = await startServer({ rateLimits: false });
  const account = await server.createAccount('anna');
  const whole = await packZip({ 'shopping.json': { lists: [] } });
  const damaged = Buffer.from(whole);
  // A byte of the compressed JSON, behind the header and its name.
  damaged[50] = (damaged[50] ?? 0) ^ 255;
  const evilPath = Buffer.from(
    (await packZip({ 'shopping.json': {}, 'aaa/bbb.txt': '' })).toString('latin1').replaceAll('aaa/bbb', '../bbbb'),
    'latin1',
  );
  const twice = Buffer.from(
    (await packZip({ 'shopping.json': {}, 'shoppinh.json': {} })).toString('latin1').replaceAll('shoppinh', 'shopping'),
    'latin1',
  );
  for (const [zip, message] of [
    [Buffer.from('no zip at all'), 'damaged or incomplete'],
    [whole.subarray(0, whole.length - 10), 'damaged or incomplete'],
    [evilPath, 'damaged or incomplete'],
    [twice, 'two files called shopping.json'],
    [await packZip({ 'notes.txt': 'x' }), 'no export of Pegboard'],
    [await packZip({ 'shopping.json': {}, 'manifest.json': { format: 99 } }), 'newer version'],
  ] as const)
    expect(await importZip(account, zip)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(message) as string,
    });
  expect((await importZip(account, damaged)).parts).toMatchObject([{ tool: 'shopping', status: 'failed' }]);
});

test('a small zip with a large content is refused before it takes time, memory or space', async () => {
  await using server = await startServer({ rateLimits: false });
  const account = await server.createAccount('anna');
  const recording = { file: 'a.webm', title: 'A', start: EVENT.created, end: EVENT.created, public: true };
  const longName = { isOwn: false, name: 'x'.repeat(100_000), items: {}, types: {}, links: {} };
  const parts = await importFiles(account, {
    'calendar.json': `{"events": [${' '.repeat(17 * 1024 ** 2)}]}`,
    'shopping.json': { lists: [longName] },
    'music.json': { songs: [EXPORTED_SONG], queue: Array.from({ length: MAX_SONGS + 1 }, () => EXPORTED_SONG.id) },
    'gallery.json': { recordings: [recording] },
    'gallery/a.webm': Buffer.from('1a45dfa3', 'hex'),
    'gallery/a.png': Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(21 * 1024 ** 2)]),
  });
  expect(parts).toEqual([
    ['calendar', 'failed', 'This part is too large'],
    ['shopping', 'failed', 'This part is damaged at lists.1.name'],
    ['music', 'failed', 'This part is damaged: its play queue is too long'],
    ['gallery', 'failed', 'This part is damaged: a file in it is too large'],
  ]);
});

test('a zip whose list of files does not fit into memory is refused', async () => {
  const paths = Array.from({ length: 450 }, (_, index) => `gallery/${index}`.padEnd(60_000, 'x'));
  const zipPath = join(await createTempFolder(), 'export.zip');
  await writeFile(
    zipPath,
    await packZip({ 'shopping.json': {}, ...Object.fromEntries(paths.map((path) => [path, ''])) }),
  );
  await expect(openExportArchive(zipPath)).rejects.toThrow('This zip has too many files');
});

test('an upload continues where it was interrupted, and belongs to its account', async () => {
  await using server = await startServer({ rateLimits: false });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const zip = await packZip({
    'shopping.json': { lists: [{ isOwn: true, name: 'L', items: {}, types: {}, links: {} }] },
  });
  const start = { size: zip.length, key: 'a' };
  expect(await anna.call(startimport, start)).toEqual({ offset: 0 });
  const part = (from: number, to: number) => ({ offset: from, data: zip.subarray(from, to).toString('base64') });
  expect(await anna.call(importpart, part(0, 50))).toEqual({ offset: 50 });
  expect(await anna.call(importpart, part(0, 50))).toEqual({ offset: 50 });
  expect(await anna.call(startimport, start)).toEqual({ offset: 50 });
  expect(await anna.call(accountimport, {})).toMatchObject({ state: 'uploading' });
  await expect(bob.call(importpart, part(50, 60))).rejects.toThrow('There is no such upload');
  await expect(anna.call(importpart, { offset: 50, data: Buffer.alloc(1000).toString('base64') })).rejects.toThrow(
    'larger than announced',
  );
  await expect(anna.call(importpart, { offset: 50, data: '?' })).rejects.toThrow('base64');
  await anna.call(dropimport, {});
  expect(await anna.call(accountimport, {})).toEqual({ state: 'none' });
  await expect(anna.call(startimport, { size: 1e15, key: 'huge' })).rejects.toThrow('at most 50 GiB');
  await importZip(anna, zip);
  expect((await importZip(anna, zip)).parts).toMatchObject([{ status: 'skipped' }]);
});
