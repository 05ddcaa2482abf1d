import { XmlElement } from '@rgrove/parse-xml';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { startMusicServer, type SongSpec } from '#testing/kits/media/songs.ts';
import { createPlayer } from '#testing/kits/media/subsonicPlayer.ts';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import { createplaylist, ytgetdata } from '../../contract.ts';

/** All calls, and some that don't exist. */
const CALLS = [
  'ping getLicense tokenInfo getUser getScanStatus getLyrics getGenres getMusicFolders getIndexes getMusicDirectory',
  'getArtists getArtist getAlbum getSong getTopSongs getAlbumList getAlbumList2 getRandomSongs search2 search3',
  'getStarred getStarred2 getPlaylists getPlaylist createPlaylist updatePlaylist deletePlaylist star unstar setRating',
  'scrobble stream download getCoverArt getOpenSubsonicExtensions getPlayQueue savePlayQueue getNowPlaying',
  `__proto__ constructor toString ..%2f..%2fetc %00 ${'x'.repeat(1000)}`,
].flatMap((names) => names.split(' '));
const NAMES = [
  'id playlistId songId name songIdToAdd songIndexToRemove albumId artistId rating time submission query songCount',
  'current position c songOffset artistCount size offset type maxBitRate format username artist count f v comment public',
].flatMap((names) => names.split(' '));

const HOSTILE = ['<b>&"\'', ']]>', '\u202Egnp.exe', '../../x', 'a\u0000b', 'line\nbreak', '👋\uD800', '<?xml?>'];

testOnSqlite('hostile names are returned unchanged in XML and JSON, without becoming markup', async () => {
  await using server = await startMusicServer();
  const ada = await server.createAccount('Ada');
  const songs = await server.addSongs(
    'Ada',
    HOSTILE.map((title) => ({ title, artist: title, album: title })),
  );
  // The library stores them as one line, without characters that change the text direction.
  const storedTitles = songs.map(({ title }) => title);
  await ada.call(createplaylist, { title: '<script>"&', contains: songs.map(({ id }) => id) });
  const player = await createPlayer(server, ada);
  const { searchResult3 } = (await player.request('search3', { query: '' })) as unknown as {
    readonly searchResult3: { readonly song: readonly { readonly title: string; readonly path: string }[] };
  };
  expect(searchResult3.song.map(({ title }) => title).toSorted()).toEqual(storedTitles.toSorted());
  // No part of a path starts with a dot.
  for (const { path } of searchResult3.song)
    expect(path).toMatch(/^([^./:<>"\\?][^/:<>"\\?]*\/){2}[^./:<>"\\?][^/:<>"\\?]*\.mp3$/);
  const root = await player.requestXml('search3', { query: '' });
  const found = root?.children.filter((child) => child instanceof XmlElement)[0];
  const titles = found?.children.flatMap((child) =>
    child instanceof XmlElement && child.name === 'song' ? [child.attributes['title']] : [],
  );
  expect(titles?.toSorted()).toEqual(storedTitles.toSorted());
  const lists = await player.requestXml('getPlaylists');
  expect(JSON.stringify(lists)).toContain('<script>');
  const file = await player.fetch('download', { ...player.token, id: songs[5]?.id ?? 0 });
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''/);
  await file.arrayBuffer();
});

testOnSqlite('songs, albums and playlists of another account are treated as unknown', async () => {
  await using server = await startMusicServer();
  const [ada, bob] = [await server.createAccount('Ada'), await server.createAccount('Bob')];
  const findId = async (owner: string, spec: SongSpec): Promise<number> =>
    (await server.addSongs(owner, [spec])).map(({ id }) => id)[0] ?? 0;
  const song = await findId('Ada', { title: 'Hers', artist: 'Secret', album: 'Hidden' });
  const his = await findId('Bob', { title: 'His' });
  const { playlistid } = await ada.call(createplaylist, { title: 'Hers', contains: [song] });
  const own = await createPlayer(server, ada);
  const { searchResult3: known } = (await own.request('search3', { query: '' })) as unknown as {
    readonly searchResult3: Readonly<Record<'artist' | 'album', readonly { readonly id: string }[]>>;
  };
  const [album = '', artist = ''] = [known.album[0]?.id, known.artist[0]?.id];
  const player = await createPlayer(server, bob);
  const tries = [
    ['getSong', { id: song }, { id: 4711 }],
    ['stream', { id: song }, { id: 4711 }],
    ['download', { id: song }, { id: 4711 }],
    ['getCoverArt', { id: song }, { id: 4711 }],
    ['getCoverArt', { id: `pl-${playlistid}` }, { id: 'pl-4711' }],
    ['getAlbum', { id: album }, { id: 'al-none' }],
    ['getArtist', { id: artist }, { id: 'ar-none' }],
    ['getMusicDirectory', { id: album }, { id: 'al-none' }],
    ['star', { id: song }, { id: 4711 }],
    ['star', { albumId: album }, { albumId: 'al-none' }],
    ['setRating', { id: song, rating: 5 }, { id: 4711, rating: 5 }],
    ['scrobble', { id: song }, { id: 4711 }],
    ['savePlayQueue', { id: song }, { id: 4711 }],
    ['getPlaylist', { id: playlistid }, { id: 4711 }],
    ['updatePlaylist', { playlistId: playlistid, name: 'Mine' }, { playlistId: 4711, name: 'Mine' }],
    ['createPlaylist', { playlistId: playlistid, songId: his }, { playlistId: 4711, songId: his }],
    ['createPlaylist', { name: 'Mine', songId: [his, song] }, { name: 'Mine', songId: [his, 4711] }],
    ['deletePlaylist', { id: playlistid }, { id: 4711 }],
  ] as const;
  for (const [call, foreign, unknown] of tries) {
    const answer = await player.request(call, foreign);
    expect([call, answer]).toMatchObject([call, { status: 'failed', error: { code: 70 } }]);
    expect(answer).toEqual(await player.request(call, unknown));
  }
  expect(JSON.stringify(await player.request('search3', { query: '' }))).not.toMatch(/Hers|Secret|Hidden/);
  const { mp3s, playlists } = await ada.call(ytgetdata, {});
  expect(mp3s[String(song)]).toMatchObject({ starred: false, plays: 0 });
  expect(playlists[String(playlistid)]).toMatchObject({ title: 'Hers', contains: [song] });
});

testOnBothDatabases('the server answers any request of a player without an internal error', async ({ databaseUrl }) => {
  await using server = await startMusicServer({ databaseUrl, rateLimits: false });
  const ada = await server.createAccount('Ada');
  const songs = await server.addSongs('Ada', [{ title: 'One' }, { title: 'Two' }]);
  const { playlistid } = await ada.call(createplaylist, { title: 'List', contains: songs.map(({ id }) => id) });
  const player = await createPlayer(server, ada);
  const value = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.constantFrom(
      ...'0 -1 1e300 NaN 9007199254740992 2147483648 al- ar-x pl-1 newest true raw mp3 json xml jsonp'.split(' '),
      String(songs[0]?.id),
      String(playlistid),
      '',
      '\u0000',
      '\uD800',
    ),
  );
  const sent = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(value, fc.array(value, { maxLength: 3 })), {
    maxKeys: 6,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CALLS), sent, fc.boolean(), async (call, given, isPost) => {
      const how = { method: isPost ? 'POST' : 'GET' };
      const answer = await player.fetch(call, { ...player.key, ...given }, how);
      await answer.arrayBuffer();
      expect([200, 206, 404]).toContain(answer.status);
    }),
    { numRuns: 200 },
  );
  expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
});

testOnSqlite('JSONP calls the function of the page, and only accepts plain names', async () => {
  await using server = await startMusicServer();
  const player = await createPlayer(server, await server.createAccount('Ada'));
  async function fetchJsonp(sent: Readonly<Record<string, string>>) {
    const response = await player.fetch('ping', { ...player.token, f: 'jsonp', ...sent });
    return [response.headers.get('content-type'), await response.text()] as const;
  }
  const [type, text] = await fetchJsonp({ callback: 'angular.callbacks._0' });
  expect(type).toBe('text/javascript; charset=utf-8');
  const [, json = ''] = /^\/\*\*\/angular\.callbacks\._0\((.*)\);$/.exec(text) ?? [];
  expect(JSON.parse(json)).toMatchObject({ 'subsonic-response': { status: 'ok' } });
  expect((await fetchJsonp({ callback: 'cb', u: 'nobody' }))[1]).toMatch(/^\/\*\*\/cb\(.*"failed".*\);$/);
  for (const callback of ['alert(1)//', '</script>', 'a b', '', 'x'.repeat(500)]) {
    const [plainType, plain] = await fetchJsonp({ callback });
    expect([plainType, JSON.parse(plain)]).toMatchObject(['application/json; charset=utf-8', {}]);
  }
});
