import { expect } from 'vitest';
import type { Client } from '#platform/contract/client.ts';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { testOnBothDatabases, type TestStorage } from '#testing/kits/server/database.ts';
import {
  countplay,
  createplaylist,
  deleteplaylist,
  deletesong,
  modplaylist,
  modvideo,
  restoresong,
  sendsongplaylist,
  starsong,
  ytgetdata,
} from '../../contract.ts';
import { ALL_SONGS } from '../../contract/limits.ts';

const UNKNOWN = 4_503_599_627_370_495;
const NO_SONG = 'There is no such song. It may have been deleted';
const NOT_YOURS = 'One of these songs is not in your library. It may have been deleted';
const NO_LIST = 'There is no such playlist. It may have been deleted';

/** Starts a server on which ann has three songs, with a clock that the test advances. */
async function startWithSongs({ dataDir, databaseUrl }: TestStorage) {
  let now = Temporal.Instant.from('2026-11-23T04:00:00Z');
  const server = await startMusicServer({ dataDir, databaseUrl, now: () => now });
  const ann = await server.createAccount('ann');
  const songs = await server.addSongs('ann', [{ title: 'One' }, { title: 'Two', artist: 'Bea' }, { title: 'Three' }]);
  const [one = 0, two = 0, three = 0] = songs.map(({ id }) => id);
  return {
    server,
    ann,
    ids: [one, two, three] as const,
    pass: (duration: Temporal.DurationLike) => {
      now = now.add(duration);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const getPlaylist = async (call: Client, id: number) => (await call(ytgetdata, {})).playlists[String(id)];

testOnBothDatabases('a library consists of its songs and playlists, including All MP3s', async (storage) => {
  await using place = await startWithSongs(storage);
  const { ann, ids, server } = place;
  const [one, two, three] = ids;
  const { playlistid } = await ann.call(createplaylist, { title: ' Best  of ', contains: [three, one, three] });
  const library = await ann.call(ytgetdata, {});
  expect(Object.keys(library.mp3s)).toEqual(ids.map(String));
  expect(library.mp3s[String(two)]).toEqual({
    title: 'Two',
    artist: 'Bea',
    album: 'Album 2',
    colour: '#5a5a5a',
    order: 2,
    expanded: false,
    selected: false,
    duration: 122,
    size: 2000,
    added: '2026-01-01T00:02:00.000Z',
    plays: 0,
    starred: false,
    gain: -6,
    peak: 0.9,
    source: 'https://videos.example/watch?v=2',
    isMissing: false,
    hasPicture: false,
  });
  expect(library.playlists).toEqual({
    [ALL_SONGS]: {
      title: 'All MP3s',
      contains: [one, two, three],
      user_created: 0,
      expanded: false,
      created: '1970-01-01T00:00:00.000Z',
    },
    [playlistid]: {
      title: 'Best of',
      contains: [three, one, three],
      user_created: 1,
      expanded: false,
      created: '2026-11-23T04:00:00.000Z',
    },
  });
  expect([library.used, library.quota]).toEqual([6000, 20 * 1024 ** 3]);
  const bob = await server.createAccount('bob');
  const empty = await bob.call(ytgetdata, {});
  expect([empty.mp3s, Object.keys(empty.playlists), empty.used]).toEqual([{}, ['-1'], 0]);
});

testOnBothDatabases('two tabs that change a playlist lose no song of each other', async (storage) => {
  await using place = await startWithSongs(storage);
  const { ann, ids } = place;
  const [one, two, three] = ids;
  const { playlistid } = await ann.call(createplaylist, { title: 'Best', contains: [one] });
  const change = (contains: readonly number[], known: readonly number[] | undefined) =>
    ann.call(modplaylist, {
      id: playlistid,
      playlistdata: { title: 'Best', contains: [...contains], ...(known ? { known: [...known] } : {}) },
    });
  const answers = await Promise.all([change([two, one], [one]), change([one, three], [one])]);
  const { contains = [] } = (await getPlaylist(ann.call, playlistid)) ?? {};
  expect(new Set(contains)).toEqual(new Set(ids));
  expect(answers.map(({ playlist }) => playlist.contains)).toContainEqual(contains);
  // A client that doesn't send `known` replaces the list.
  const { playlist } = await change([three], undefined);
  expect(playlist.contains).toEqual([three]);
});

testOnBothDatabases(
  'a deleted song leaves every playlist, and returns to its place when it is restored within a day',
  async (storage) => {
    await using place = await startWithSongs(storage);
    const { ann, ids, server, pass } = place;
    const [one, two, three] = ids;
    const { playlistid } = await ann.call(createplaylist, { title: 'Best', contains: [...ids] });
    await ann.call(deletesong, { id: two });
    await ann.call(modplaylist, {
      id: playlistid,
      playlistdata: { title: 'Best', contains: [three, one], known: [one, three] },
    });
    const gone = await ann.call(ytgetdata, {});
    expect([gone.playlists[playlistid]?.contains, gone.playlists[ALL_SONGS]?.contains, gone.used]).toEqual([
      [three, one],
      [one, three],
      4000,
    ]);
    await expect(ann.call(deletesong, { id: two })).rejects.toThrow(NO_SONG);
    await expect(ann.call(modvideo, { id: two, title: 'x' })).rejects.toThrow(NO_SONG);
    pass({ hours: 23 });
    expect((await ann.call(restoresong, { id: two })).mp3.title).toBe('Two');
    expect((await getPlaylist(ann.call, playlistid))?.contains).toEqual([three, one, two]);
    await ann.call(deletesong, { id: two });
    pass({ hours: 24 });
    await expect(ann.call(restoresong, { id: two })).rejects.toThrow(NO_SONG);
    expect((await server.addSongs('ann', [{}]))[0]?.place).toBe(4);
  },
);

testOnBothDatabases(
  'songs and playlists of other accounts are unknown, and one such song refuses the whole call',
  async (storage) => {
    await using place = await startWithSongs(storage);
    const { ann, ids, server } = place;
    const [one] = ids;
    const { playlistid } = await ann.call(createplaylist, { title: 'Best', contains: [one] });
    const bob = await server.createAccount('bob');
    const [own] = await server.addSongs('bob', [{ title: 'His' }]);
    for (const foreign of [one, UNKNOWN]) {
      const contains = [own?.id ?? 0, foreign];
      await expect(bob.call(createplaylist, { title: 'x', contains })).rejects.toThrow(NOT_YOURS);
      await expect(bob.call(deletesong, { id: foreign })).rejects.toThrow(NO_SONG);
      await expect(bob.call(restoresong, { id: foreign })).rejects.toThrow(NO_SONG);
      await expect(bob.call(starsong, { id: foreign, starred: true })).rejects.toThrow(NO_SONG);
      await expect(bob.call(countplay, { id: foreign, play: 'playing-1' })).rejects.toThrow(NO_SONG);
      await expect(bob.call(modvideo, { id: foreign, title: 'x' })).rejects.toThrow(NO_SONG);
    }
    for (const id of [playlistid, 2 ** 31 - 1, 2 ** 31, 2 ** 52, 0, -7]) {
      const playlistdata = { title: 'x', contains: [] };
      await expect(bob.call(modplaylist, { id, playlistdata })).rejects.toThrow(NO_LIST);
      await expect(bob.call(deleteplaylist, { playlistid: id })).rejects.toThrow(NO_LIST);
    }
    await expect(
      ann.call(modplaylist, { id: playlistid, playlistdata: { title: 'y', contains: [own?.id ?? 0] } }),
    ).rejects.toThrow(NOT_YOURS);
    expect(await getPlaylist(ann.call, playlistid)).toMatchObject({ title: 'Best', contains: [one] });
    expect(Object.keys((await bob.call(ytgetdata, {})).playlists)).toEqual(['-1']);
  },
);

testOnBothDatabases(
  'All MP3s can be neither changed nor deleted, and titles can be neither blank nor too long',
  async (storage) => {
    await using place = await startWithSongs(storage);
    const { ann, ids } = place;
    const playlistdata = { title: 'x', contains: [...ids] };
    await expect(ann.call(modplaylist, { id: ALL_SONGS, playlistdata })).rejects.toThrow(
      "The playlist All MP3s can't be changed",
    );
    await expect(ann.call(deleteplaylist, { playlistid: ALL_SONGS })).rejects.toThrow(
      "The playlist All MP3s can't be changed",
    );
    await expect(ann.call(createplaylist, { title: ' \n ', contains: [] })).rejects.toThrow(
      'Enter a title for the playlist',
    );
    await expect(ann.call(createplaylist, { title: 'é'.repeat(301), contains: [] })).rejects.toThrow(
      'The title is too long. Enter at most 300 characters',
    );
    const { playlist } = await ann.call(createplaylist, { title: '👋'.repeat(300), contains: [] });
    expect(playlist.title).toBe('👋'.repeat(300));
    await expect(ann.call(modvideo, { id: ids[0], title: '\u{202e}' })).rejects.toThrow('Enter a title for the song');
    const { mp3 } = await ann.call(modvideo, { id: ids[0], title: 'a\r\nb\u{202e}\0c', album: '' });
    expect([mp3.title, mp3.artist, mp3.album]).toEqual(['a b c', 'Artist 1', '']);
  },
);

testOnBothDatabases(
  'stars can be set and removed, and a play counts once however often it is reported',
  async (storage) => {
    await using place = await startWithSongs(storage);
    const { ann, ids } = place;
    const [one] = ids;
    await ann.call(starsong, { id: one, starred: true });
    const answers = await Promise.all(
      ['playing-1', 'playing-1', 'playing-2'].map((play) => ann.call(countplay, { id: one, play })),
    );
    expect(Math.max(...answers.map(({ plays }) => plays))).toBe(2);
    expect((await ann.call(ytgetdata, {})).mp3s[String(one)]).toMatchObject({ starred: true, plays: 2 });
    await ann.call(starsong, { id: one, starred: false });
    expect((await ann.call(ytgetdata, {})).mp3s[String(one)]).toMatchObject({ starred: false });
  },
);

testOnBothDatabases('ids can be texts, like the keys of the answer', async (storage) => {
  await using place = await startWithSongs(storage);
  const { ann, ids } = place;
  const { mp3s } = await ann.call(ytgetdata, {});
  const [one = '', two = ''] = Object.keys(mp3s);
  const { playlistid, playlist } = await ann.call(createplaylist, { title: 'Best', contains: [two] });
  expect(playlist.contains).toEqual([ids[1]]);
  const id = String(playlistid);
  const changed = await ann.call(modplaylist, { id, playlistdata: { title: 'Best', contains: [one, two] } });
  expect([changed.id, changed.playlist.contains]).toEqual([playlistid, [ids[0], ids[1]]]);
  expect((await ann.call(modvideo, { id: one, title: 'Uno' })).mp3.title).toBe('Uno');
  const { content } = await ann.call(sendsongplaylist, { songs: [two], playlist: '' });
  expect((await content.bytes()).length).toBe(2000);
  await ann.call(deleteplaylist, { playlistid: id });
  for (const wrong of ['1e3', '-5', '', 'x', '9007199254740993'])
    await expect(ann.call(modvideo, { id: wrong, title: 'x' })).rejects.toThrow();
});

testOnBothDatabases('deleting a playlist keeps its songs', async (storage) => {
  await using place = await startWithSongs(storage);
  const { ann, ids } = place;
  const { playlistid } = await ann.call(createplaylist, { title: 'Best', contains: [...ids] });
  await ann.call(deleteplaylist, { playlistid });
  const { mp3s, playlists } = await ann.call(ytgetdata, {});
  expect([Object.keys(mp3s).length, Object.keys(playlists)]).toEqual([3, ['-1']]);
  await expect(ann.call(deleteplaylist, { playlistid })).rejects.toThrow(NO_LIST);
});

testOnBothDatabases(
  'concurrent and repeated requests contain every change that was confirmed before',
  async (storage) => {
    await using place = await startWithSongs(storage);
    const { ann, ids } = place;
    for (let round = 0; round < 5; round += 1) {
      const starred = round % 2 === 0;
      await ann.call(starsong, { id: ids[0], starred });
      const answers = await Promise.all([1, 2, 3].map(() => ann.call(ytgetdata, {})));
      for (const { mp3s } of answers) expect(mp3s[String(ids[0])]?.starred).toBe(starred);
    }
  },
);
