import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createNoise, startMusicServer } from '#testing/kits/media/songs.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { getSkipReason } from '#testing/machine.ts';
import { changepassword, deleteaccount, endlinks, endsessions, exportaccount } from '#tools/accounts/contract.ts';
import {
  createplaylist,
  deletesong,
  downloadticket,
  sendsongplaylist,
  startupload,
  streamaddresses,
  ytgetdata,
} from '#tools/music/contract.ts';
import { ALL_SONGS } from '#tools/music/contract/limits.ts';
import type { MusicTables } from '../store/tables.ts';

const run = promisify(execFile);
const NOT_YOURS = 'One of these songs is not in your library. It may have been deleted';

/** Starts a server on which ann has these songs, with a clock that the test advances. */
async function startWithSongs(titles: readonly string[], size = 2000) {
  let now = Temporal.Instant.from('2026-11-23T04:00:00Z');
  const server = await startMusicServer({ now: () => now });
  const ann = await server.createAccount('ann');
  const contents = titles.map((_, at) => createNoise(at, size + at));
  const songs = await server.addSongs(
    'ann',
    titles.map((title, at) => ({ title, artist: '', content: contents[at] ?? createNoise(at, size) })),
  );
  return {
    server,
    ann,
    songs,
    ids: songs.map(({ id }) => id),
    contents,
    pass: (duration: Temporal.DurationLike) => {
      now = now.add(duration);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'pegboard-zip-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const fetchStatus = async (url: string): Promise<number> => (await fetch(url)).status;
const readBytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

test('one song is sent as its file; several songs or a playlist as a zip with an ordered playlist file', async () => {
  await using place = await startWithSongs(['One', 'Two', 'Three']);
  const { ann, ids, contents } = place;
  const [one = 0, two = 0, three = 0] = ids;
  const single = await ann.call(sendsongplaylist, { songs: [two], playlist: '' });
  expect([single.fileName, single.content.type]).toEqual(['Two.mp3', 'audio/mpeg']);
  expect(Buffer.from(await single.content.bytes()).equals(contents[1] ?? Buffer.alloc(0))).toBe(true);

  const { playlistid } = await ann.call(createplaylist, { title: 'Best: of', contains: [three, one] });
  const zip = await ann.call(sendsongplaylist, { playlist: playlistid });
  const files = readZip(await zip.content.bytes());
  expect([zip.fileName, [...files.keys()]]).toEqual(['Best_ of.zip', ['01 Three.mp3', '02 One.mp3', 'playlist.m3u8']]);
  expect(files.get('02 One.mp3')?.equals(contents[0] ?? Buffer.alloc(0))).toBe(true);
  expect(files.get('playlist.m3u8')?.toString()).toBe(
    '#EXTM3U\n#EXTINF:123,Three\n01 Three.mp3\n#EXTINF:121,One\n02 One.mp3\n',
  );

  const chosen = await ann.call(sendsongplaylist, { songs: [two, one], playlist: playlistid });
  expect([...readZip(await chosen.content.bytes()).keys()]).toEqual(['01 Two.mp3', '02 One.mp3', 'playlist.m3u8']);
  const all = await ann.call(sendsongplaylist, { songs: null, playlist: String(ALL_SONGS) });
  expect([all.fileName, readZip(await all.content.bytes()).size]).toEqual(['All MP3s.zip', 4]);
  await expect(ann.call(sendsongplaylist, {})).rejects.toThrow('Choose songs or a playlist');
  await expect(ann.call(sendsongplaylist, { songs: [] })).rejects.toThrow('Choose a song first');
  // Some clients send both, one of them empty.
  const whole = await ann.call(sendsongplaylist, { songs: [], playlist: playlistid });
  expect([whole.fileName, readZip(await whole.content.bytes()).size]).toEqual(['Best_ of.zip', 3]);
  await expect(ann.call(sendsongplaylist, { playlist: 'x' })).rejects.toThrow('There is no such playlist');
});

describe('with other programs', () => {
  const skipReason = getSkipReason('unzip');
  test.skipIf(skipReason)(
    `unzip and Python accept a zip, and an interrupted download can be resumed${skipReason ?? ''}`,
    async () => {
      await using place = await startWithSongs(['a/../b', 'c\r\n"d"', '\u{202e}3pm', 'é'.repeat(300), 'CON'], 300_000);
      await using folder = await createFolder();
      const { ann, server, ids } = place;
      const { address, name, size } = await ann.call(downloadticket, { songs: ids });
      expect([name, size > 1_500_000]).toEqual(['Songs.zip', true]);
      const url = server.origin + address;
      const whole = await readBytes(await fetch(url));
      expect(whole.length).toBe(size);
      const path = join(folder.path, 'cut.zip');
      await writeFile(path, whole.subarray(0, 700_001));
      const { stdout } = await run('curl', ['-sS', '-C', '-', '-o', path, '-w', '%{http_code}', url]);
      expect([stdout, (await readFile(path)).equals(whole)]).toEqual(['206', true]);
      expect((await run('unzip', ['-t', path])).stdout).toContain('No errors detected');
      const python = `import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print(z.testzip(),len(z.namelist()),len(set(n.upper() for n in z.namelist())))`;
      expect((await run('python3', ['-c', python, path])).stdout.trim()).toBe('None 6 6');
      const names = [...readZip(whole).keys()];
      expect(names.slice(0, 3)).toEqual(['01 a_.._b.mp3', '02 c _d_.mp3', '03 3pm.mp3']);
      expect(names[4]).toBe('05 _CON.mp3');
    },
  );
});

test('a playlist file has addresses that play without a token, for a day or until they are revoked', async () => {
  await using place = await startWithSongs(['One', 'Two\nLine']);
  const { ann, server, ids, contents, pass } = place;
  const list = await ann.call(sendsongplaylist, { songs: ids, justsendm3u: true, Iwanttostream: true });
  const lines = (await list.content.text()).split('\n');
  expect([list.fileName, list.content.type, lines.length]).toEqual(['Songs.m3u8', 'audio/x-mpegurl;charset=utf-8', 6]);
  const address = lines[2] ?? '';
  expect(address).toMatch(new RegExp(`^${server.origin}/api/stream/${ids[0]}\\?e=\\d+&s=[\\w-]{32}$`));
  expect(lines.join()).not.toContain(ann.token);

  const part = await fetch(address, { headers: { range: 'bytes=10-19' } });
  const headers = [
    'content-type',
    'content-range',
    'content-disposition',
    'cache-control',
    'referrer-policy',
    'x-content-type-options',
    'content-security-policy',
  ];
  expect([part.status, ...headers.map((name) => part.headers.get(name))]).toEqual([
    206,
    'audio/mpeg',
    'bytes 10-19/2000',
    `inline; filename="One.mp3"; filename*=UTF-8''One.mp3`,
    'private, no-cache',
    'no-referrer',
    'nosniff',
    expect.stringContaining('sandbox'),
  ]);
  expect((await readBytes(part)).equals(contents[0]?.subarray(10, 20) ?? Buffer.alloc(0))).toBe(true);

  const forged = [
    address.replace(`/${ids[0]}?`, `/${ids[1]}?`),
    address.replace(/e=\d+/, 'e=99999999999'),
    address.replace(/s=./, (start) => (start === 's=_' ? 's=-' : 's=_')),
    address.replace(/&s=.*/, ''),
    address.replace(`/${ids[0]}?`, '/12345?'),
    address.replace(`/${ids[0]}?`, '/x?'),
  ];
  for (const url of forged) expect(await fetchStatus(url)).toBe(403);
  pass({ hours: 23, minutes: 59 });
  expect(await fetchStatus(address)).toBe(200);
  pass({ minutes: 1 });
  expect(await fetchStatus(address)).toBe(403);

  const { addresses, until } = await ann.call(streamaddresses, { songs: [ids[0] ?? 0] });
  const playing = server.origin + (addresses[String(ids[0])] ?? '');
  const { address: ticket } = await ann.call(downloadticket, { songs: ids });
  expect(until).toBe('2026-11-24T10:00:00Z');
  expect([await fetchStatus(playing), await fetchStatus(server.origin + ticket)]).toEqual([200, 200]);
  await ann.call(endlinks, {});
  expect([await fetchStatus(playing), await fetchStatus(server.origin + ticket)]).toEqual([403, 403]);
  const { addresses: later } = await ann.call(streamaddresses, { songs: [ids[0] ?? 0] });
  const again = server.origin + (later[String(ids[0])] ?? '');
  expect(await fetchStatus(again)).toBe(200);
  await ann.call(endsessions, {});
  expect(await fetchStatus(again)).toBe(403);
  const { addresses: last } = await ann.call(streamaddresses, { songs: [ids[0] ?? 0] });
  await ann.call(changepassword, { password: TEST_PASSWORD, newPassword: `${TEST_PASSWORD} anew` });
  expect(await fetchStatus(server.origin + (last[String(ids[0])] ?? ''))).toBe(403);
  expect(server.log.join('\n')).not.toMatch(/[?&]s=/);
});

test('a song is streamed from any position', async () => {
  await using place = await startWithSongs(['One', 'Two']);
  const { ann, server, ids, contents } = place;
  const ask = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.origin}/api/sendsongplaylist`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ann.token}`, ...headers },
      body: JSON.stringify(body),
    });
  const song = await ask({ songs: [ids[0]], Iwanttostream: true }, { range: 'bytes=1990-' });
  expect([song.status, song.headers.get('content-disposition'), song.headers.get('content-range')]).toEqual([
    206,
    `inline; filename="One.mp3"; filename*=UTF-8''One.mp3`,
    'bytes 1990-1999/2000',
  ]);
  expect((await readBytes(song)).equals(contents[0]?.subarray(1990) ?? Buffer.alloc(0))).toBe(true);
  const list = await ask({ songs: ids, Iwanttostream: true });
  expect([list.headers.get('content-type'), list.headers.get('content-disposition')]).toEqual([
    'audio/x-mpegurl; charset=utf-8',
    `inline; filename="Songs.m3u8"; filename*=UTF-8''Songs.m3u8`,
  ]);
});

test('a song of another account, or an unknown one, refuses the whole call with the same message', async () => {
  await using place = await startWithSongs(['One']);
  const { server, ids } = place;
  const bob = await server.createAccount('bob');
  const [own] = await server.addSongs('bob', [{ title: 'His' }]);
  for (const foreign of [ids[0] ?? 0, 4_503_599_627_370_495]) {
    const songs = [own?.id ?? 0, foreign];
    for (const request of [{ songs }, { songs, justsendm3u: true }, { songs, Iwanttostream: true }])
      await expect(bob.call(sendsongplaylist, request)).rejects.toThrow(NOT_YOURS);
    await expect(bob.call(downloadticket, { songs })).rejects.toThrow(NOT_YOURS);
    await expect(bob.call(streamaddresses, { songs })).rejects.toThrow(NOT_YOURS);
  }
});

test('a file that is missing or truncated is reported as missing, and never sent', async () => {
  await using place = await startWithSongs(['One', 'Two', 'Three']);
  const { ann, server, songs, ids } = place;
  const [one, two, three] = songs;
  if (!one || !two || !three) throw new Error('no songs');
  const { addresses } = await ann.call(streamaddresses, { songs: ids });
  await truncate(server.getSongPath(one), 500);
  await unlink(server.getSongPath(two));
  const played = await fetch(server.origin + (addresses[String(one.id)] ?? ''));
  expect([played.status, await played.json()]).toEqual([404, { message: 'The file is missing. Download it again' }]);
  const zip = await ann.call(sendsongplaylist, { songs: ids });
  expect([...readZip(await zip.content.bytes()).keys()]).toEqual(['01 Three.mp3', 'playlist.m3u8']);
  await expect(ann.call(sendsongplaylist, { songs: [one.id] })).rejects.toThrow(
    'The file is missing. Download it again',
  );
  const { mp3s } = await ann.call(ytgetdata, {});
  expect(ids.map((id) => mp3s[String(id)]?.isMissing)).toEqual([true, true, false]);
});

test('the start marks songs with missing files, and removes the mark when they are back; nothing is deleted', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  try {
    let paths: readonly string[] = [];
    let lost = Buffer.alloc(0);
    {
      await using server = await startMusicServer({ dataDir });
      await server.createAccount('ann');
      const songs = await server.addSongs('ann', [{ title: 'One' }, { title: 'Two' }]);
      paths = songs.map(server.getSongPath);
      lost = await readFile(paths[1] ?? '');
    }
    await unlink(paths[1] ?? '');
    await writeFile(join(dataDir, 'music', '77.mp3'), 'of no song');
    const missing = async (): Promise<readonly boolean[]> => {
      await using server = await startMusicServer({ dataDir });
      const isLogged = async (): Promise<boolean> => server.log.some((line) => line.includes('music.files.unknown'));
      await expect.poll(isLogged).toBe(true);
      const rows = await server.database.db
        .$extendTables<{ music_song: { is_missing: number; place: number } }>()
        .selectFrom('music_song')
        .select('is_missing')
        .orderBy('place')
        .execute();
      return rows.map((row) => row.is_missing === 1);
    };
    expect(await missing()).toEqual([false, true]);
    await writeFile(paths[1] ?? '', lost);
    expect(await missing()).toEqual([false, false]);
    expect(existsSync(join(dataDir, 'music', '77.mp3'))).toBe(true);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('pictures are public for those who know the song’s id, and nothing else is', async () => {
  await using place = await startWithSongs([]);
  const { server } = place;
  const picture = createNoise(9, 900);
  const [song] = await server.addSongs('ann', [{ title: 'One', picture }]);
  const ask = (id: string) => fetch(`${server.origin}/api/sendytthumb/${id}`);
  const found = await ask(String(song?.id));
  expect([found.status, found.headers.get('content-type'), found.headers.get('cache-control')]).toEqual([
    200,
    'image/webp',
    'private, max-age=604800',
  ]);
  expect([found.headers.get('x-content-type-options'), found.headers.get('content-security-policy')]).toEqual([
    'nosniff',
    expect.stringContaining('sandbox'),
  ]);
  expect((await readBytes(found)).equals(picture)).toBe(true);
  for (const id of ['1', 'x', '..%2f..%2fdata.db', `${song?.id}.mp3`, '-1']) expect((await ask(id)).status).toBe(404);
});

test('the file of a deleted song is removed a day later, and files of an account with the account', async () => {
  await using place = await startWithSongs(['One', 'Two']);
  const { ann, server, songs, pass } = place;
  const [one, two] = songs;
  if (!one || !two) throw new Error('no songs');
  await ann.call(deletesong, { id: one.id });
  const listExisting = () => [one, two].map((song) => existsSync(server.getSongPath(song)));
  pass({ hours: 23 });
  await server.runNightlyCleanup();
  expect(listExisting()).toEqual([true, true]);
  pass({ hours: 1 });
  await server.runNightlyCleanup();
  expect(listExisting()).toEqual([false, true]);
  await ann.call(deleteaccount, { password: TEST_PASSWORD, username: 'ann' });
  expect(listExisting()).toEqual([false, false]);
});

test('the export of an account contains its songs and playlists', async () => {
  await using place = await startWithSongs(['One', 'Two']);
  const { ann, ids, contents } = place;
  await ann.call(createplaylist, { title: 'Best', contains: [ids[1] ?? 0] });
  const { content } = await ann.call(exportaccount, { password: TEST_PASSWORD });
  const files = readZip(await content.bytes());
  expect(readJsonFromZip(files, 'music.json')).toMatchObject({
    songs: [
      { id: ids[0], title: 'One' },
      { id: ids[1], title: 'Two' },
    ],
    playlists: [{ title: 'Best', songs: [ids[1]] }],
  });
  expect(files.get(`music/songs/${ids[1]}.mp3`)?.equals(contents[1] ?? Buffer.alloc(0))).toBe(true);
});

testOnBothDatabases(
  'deleted songs take space as far as they exceed the quota, and missing songs take none',
  async ({ databaseUrl }) => {
    await using server = await startMusicServer({ databaseUrl, environment: { MUSIC_QUOTA_GB: '0.001' } });
    const ann = await server.createAccount('ann');
    const size = 500_000;
    const announce = () => ann.call(startupload, { name: 'x.mp3', size, digest: 'a'.repeat(64) });
    const gone = await server.addSongs('ann', [{ size }, { size }]);
    for (const { id } of gone) await ann.call(deletesong, { id });
    await announce();
    const [more] = await server.addSongs('ann', [{ size: 200_000 }, { size }]);
    await ann.call(deletesong, { id: more?.id ?? 0 });
    await expect(announce()).rejects.toThrow('deleted songs use');
    await server.database.db
      .$extendTables<MusicTables>()
      .updateTable('music_song')
      .set({ is_missing: 1 })
      .where('gone', 'is', null)
      .execute();
    await announce();
  },
);
