import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import { createFileStorage } from '#platform/server/storage/fileStorage.ts';
import { fillLibrary, createNoise, startMusicServer } from '#testing/kits/media/songs.ts';
import { sendsongplaylist } from '#tools/music/contract.ts';
import { createMusicStore } from '../store/musicStore.ts';
import { scanFolder } from './scanFolder.ts';
import { createSongFiles } from './songFiles.ts';

const BEFORE = createNoise(1, 500);
const AFTER = createNoise(2, 520);

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'pegboard-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test.each([
  ['its row has the new words: their file comes into its place', AFTER],
  ['its row has the old words: their file stays, the other goes', BEFORE],
])('the server was stopped while a song was renamed, and %s', async (_, row) => {
  await using folder = await createFolder();
  let path = '';
  let next = '';
  {
    await using server = await startMusicServer({ dataDir: folder.path });
    const ann = await server.createAccount('ann');
    const [song] = await server.addSongs('ann', [{ title: 'One', content: row }]);
    if (!song) throw new Error('no song');
    path = server.getSongPath(song);
    next = path.replace('.mp3', '-next.mp3');
    await writeFile(path, BEFORE);
    await writeFile(next, AFTER);
    // A song is sent completely even between the update of its row and of its file.
    const { content } = await ann.call(sendsongplaylist, { songs: [song.id] });
    expect(Buffer.from(await content.bytes()).equals(row)).toBe(true);
  }
  // Admin commands leave the folder alone, because a server can be running.
  await (await startMusicServer({ dataDir: folder.path, runsBackgroundWork: false }))[Symbol.asyncDispose]();
  expect(existsSync(next)).toBe(true);
  await using _server = await startMusicServer({ dataDir: folder.path });
  await expect.poll(() => existsSync(next)).toBe(false);
  expect((await readFile(path)).equals(row)).toBe(true);
});

test('a lost folder is one change of the library, not one for every few songs', async () => {
  await using folder = await createFolder();
  const ann = 1;
  let before = 0;
  {
    await using server = await startMusicServer({ dataDir: folder.path, runsBackgroundWork: false });
    await server.createAccount('ann');
    await fillLibrary(server.database, ann, { songs: 200, playlists: 0 });
    before = await createMusicStore(server.database).revisions.getRevision(ann);
  }
  await using server = await startMusicServer({ dataDir: folder.path });
  const { revisions, songs } = createMusicStore(server.database);
  await expect.poll(async () => (await songs.list(ann)).every(({ isMissing }) => isMissing)).toBe(true);
  expect(await revisions.getRevision(ann)).toBe(before + 1);
});

test('a song that is renamed twice during the scan is not marked as missing', async () => {
  await using folder = await createFolder();
  await using server = await startMusicServer({ dataDir: folder.path, runsBackgroundWork: false });
  await server.createAccount('ann');
  const [song] = await server.addSongs('ann', [{ title: 'One', content: BEFORE }]);
  if (!song) throw new Error('no song');
  const files = createFileStorage(folder.path);
  const store = createMusicStore(server.database);
  const runInOrder = createKeyedQueue();
  const marked: (readonly number[])[] = [];
  let renaming: Promise<void> | undefined;
  const rename = async (): Promise<void> => {
    await writeFile(server.getSongPath(song), AFTER);
    const file = { size: AFTER.length, crc: crc32(AFTER), written: 1 };
    await server.database.transaction(({ tx }) => store.songs.markRetagged(tx, 1, song, file));
  };
  const reading = {
    ...store,
    songs: {
      ...store.songs,
      listFiles: async (after: number) => {
        const rows = await store.songs.listFiles(after);
        // From here on both have read the old or the new row, and the file is the new one.
        await (renaming ??= rename());
        return rows;
      },
    },
  };
  const log = pino({ level: 'silent' });
  const { signal } = new AbortController();
  const markMissing = async (_account: number, ids: readonly number[]): Promise<void> => void marked.push(ids);
  const scan = () =>
    scanFolder({ store: reading, files, songFiles: createSongFiles(files), runInOrder, markMissing, log, signal });
  await Promise.all([scan(), scan()]);
  await scan();
  expect(marked).toEqual([]);
  expect(renaming).toBeDefined();
});
