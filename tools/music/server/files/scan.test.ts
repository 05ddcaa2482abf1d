import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillLibrary, noise, startMusic } from '#testing/songs.ts';
import { sendsongplaylist } from '../../contract.ts';
import { musicStore } from '../store/music.ts';

const BEFORE = noise(1, 500);
const AFTER = noise(2, 520);

const scratch = async () => {
  const path = await mkdtemp(join(tmpdir(), 'pegboard-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

test.each([
  ['its row has the new words: their file comes into its place', AFTER],
  ['its row has the old words: their file stays, the other goes', BEFORE],
])('the server was ended while a song was renamed, and %s', async (_, row) => {
  await using folder = await scratch();
  let path = '';
  let next = '';
  {
    await using server = await startMusic({ dataDir: folder.path });
    const ann = await server.account('ann');
    const [song] = await server.addSongs('ann', [{ title: 'One', content: row }]);
    if (!song) throw new Error('no song');
    path = server.fileOf(song);
    next = path.replace('.mp3', '-next.mp3');
    await writeFile(path, BEFORE);
    await writeFile(next, AFTER);
    // Between row and name too, a song is sent whole.
    const { content } = await ann.call(sendsongplaylist, { songs: [song.id] });
    expect(Buffer.from(await content.bytes()).equals(row)).toBe(true);
  }
  // A command of the operator's leaves the folder alone: another server may be at it.
  await (await startMusic({ dataDir: folder.path, worksByItself: false }))[Symbol.asyncDispose]();
  expect(existsSync(next)).toBe(true);
  await using _server = await startMusic({ dataDir: folder.path });
  await expect.poll(() => existsSync(next)).toBe(false);
  expect((await readFile(path)).equals(row)).toBe(true);
});

test('a folder that was lost is one change of the library, not one for every few songs', async () => {
  await using folder = await scratch();
  const ann = 1;
  let before = 0;
  {
    await using server = await startMusic({ dataDir: folder.path, worksByItself: false });
    await server.account('ann');
    await fillLibrary(server.database, ann, { songs: 200, playlists: 0 });
    before = await musicStore(server.database).book.revision(ann);
  }
  await using server = await startMusic({ dataDir: folder.path });
  const { book, songs } = musicStore(server.database);
  await expect.poll(async () => (await songs.all(ann)).every(({ isMissing }) => isMissing)).toBe(true);
  expect(await book.revision(ann)).toBe(before + 1);
});
