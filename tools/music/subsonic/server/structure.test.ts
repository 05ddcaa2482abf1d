import type { XmlElement } from '@rgrove/parse-xml';
import { expect } from 'vitest';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { createPlayer } from '#testing/kits/media/subsonicPlayer.ts';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import { createplaylist, modplaylist, ytgetdata } from '../../contract.ts';

const listElements = (parent: XmlElement | undefined): readonly XmlElement[] =>
  (parent?.children ?? []).filter((child): child is XmlElement => child.type === 'element');
const getNames = (parent: XmlElement | undefined): readonly string[] => listElements(parent).map(({ name }) => name);

/** Returns a field of each item in a list of an answer. */
const getField = (answer: unknown, kind: string, field: string): readonly unknown[] =>
  ((answer as Record<string, readonly Record<string, unknown>[]>)[kind] ?? []).map((one) => one[field]);
const getAttribute = (element: XmlElement | undefined, name: string): string => element?.attributes[name] ?? '';

/** Lists elements that the original protocol doesn't have, at any depth. */
const listAdditions = (parent: XmlElement | undefined): readonly string[] =>
  listElements(parent).flatMap((one) => [
    ...(/^(albumArtists|replayGain|genres)$/.test(one.name) ||
    (one.name === 'artists' && parent?.name !== 'subsonic-response')
      ? [one.name]
      : []),
    ...listAdditions(one),
  ]);

testOnSqlite(
  'additions of OpenSubsonic come last, and are absent for players of an older version',
  async ({ databaseUrl }) => {
    await using server = await startMusicServer({ databaseUrl });
    const ada = await server.createAccount('Ada');
    const [song] = await server.addSongs('Ada', [
      { title: 'One', artist: 'Ann', album: 'Both', genre: 'Rock', year: 1980, track: 2 },
      { title: 'Two', artist: 'Ann', album: 'Both', track: 1 },
    ]);
    const id = String(song?.id);
    const player = await createPlayer(server, ada);
    const albums = listElements(listElements(await player.requestXml('getAlbumList2', { type: 'newest' }))[0]);
    const album = getAttribute(albums[0], 'id');
    const artist = getAttribute(albums[0], 'artistId');
    await ada.call(createplaylist, { title: 'List', contains: [song?.id ?? 0] });
    const list = getAttribute(listElements(listElements(await player.requestXml('getPlaylists'))[0])[0], 'id');

    const inAlbum = listElements(await player.requestXml('getAlbum', { id: album }))[0];
    const places = getNames(inAlbum).map((name) => (name === 'song' ? 0 : 1));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(
      listElements(inAlbum)
        .filter(({ name }) => name === 'song')
        .map(({ attributes }) => attributes['title']),
    ).toEqual(['Two', 'One']);
    expect(listAdditions(inAlbum)).toContain('replayGain');

    const calls = [
      ['getAlbum', { id: album }],
      ['getArtist', { id: artist }],
      ['getArtists', {}],
      ['getIndexes', {}],
      ['getMusicDirectory', { id: album }],
      ['getMusicDirectory', { id: artist }],
      ['getSong', { id }],
      ['getAlbumList', { type: 'newest' }],
      ['getAlbumList2', { type: 'newest' }],
      ['getRandomSongs', {}],
      ['search2', { query: 'one' }],
      ['search3', { query: 'one' }],
      ['getStarred', {}],
      ['getStarred2', {}],
      ['getPlaylist', { id: list }],
      ['getPlaylists', {}],
    ] as const;
    for (const v of ['1.8.0', '1.15.0'])
      for (const [call, sent] of calls) {
        const root = await player.requestXml(call, { ...sent, v });
        expect([call, root?.attributes['status'], listAdditions(root)]).toEqual([call, 'ok', []]);
      }
    expect(JSON.stringify(await player.request('getAlbum', { id: album, v: '1.15.0' }))).not.toMatch(
      /replayGain|displayArtist/,
    );
    expect(JSON.stringify(await player.request('getAlbum', { id: album }))).toMatch(
      /replayGain.*displayArtist|displayArtist.*replayGain/,
    );
  },
);

testOnSqlite(
  'a compilation is one album, several artists are separate, and each of them leads to it',
  async ({ databaseUrl }) => {
    await using server = await startMusicServer({ databaseUrl });
    const ada = await server.createAccount('Ada');
    const hits = { album: 'Hits', albumArtist: 'Various Artists' };
    await server.addSongs('Ada', [
      { title: 'A', artist: 'AC/DC', ...hits },
      { title: 'B', artist: 'Bea, Cy', artists: ['Bea', 'Cy'], ...hits },
      { title: 'C', artist: 'Dan', album: 'Flagged', isCompilation: true },
      { title: 'D', artist: 'Eve', album: 'Flagged', isCompilation: true },
      { title: 'Don’t “Let” – Go', artist: 'Jay‐Z', album: 'Alone' },
    ]);
    const player = await createPlayer(server, ada);
    const { albumList2 } = await player.request('getAlbumList2', { type: 'alphabeticalByName' });
    expect(getField(albumList2, 'album', 'name')).toEqual(['Alone', 'Flagged', 'Hits']);
    expect(getField(albumList2, 'album', 'songCount')).toEqual([1, 2, 2]);
    expect(getField(albumList2, 'album', 'artist')).toEqual(['Jay‐Z', 'Various Artists', 'Various Artists']);
    for (const [query, titles] of [
      ["don't let", ['Don’t “Let” – Go']],
      ['dont "let" - go', ['Don’t “Let” – Go']],
      ['jay-z', ['Don’t “Let” – Go']],
      ['cy', ['B']],
      ['ac/dc', ['A']],
    ] as const) {
      const { searchResult3 } = await player.request('search3', { query });
      expect([query, getField(searchResult3, 'song', 'title')]).toEqual([query, titles]);
    }
  },
);

testOnBothDatabases('a song that a player adds to a playlist twice is in it twice', async ({ databaseUrl }) => {
  await using server = await startMusicServer({ databaseUrl });
  const ada = await server.createAccount('Ada');
  const [one = 0, two = 0] = (await server.addSongs('Ada', [{ title: 'One' }, { title: 'Two' }])).map(({ id }) => id);
  const player = await createPlayer(server, ada);
  const { playlist } = await player.request('createPlaylist', { name: 'Twice', songId: [one, two, one] });
  const { id: playlistId } = playlist as { readonly id: string };
  async function inside() {
    const { playlist: list } = await player.request('getPlaylist', { id: playlistId });
    return ((list as { readonly entry?: readonly { readonly id: string }[] }).entry ?? []).map(({ id }) => Number(id));
  }
  expect(await inside()).toEqual([one, two, one]);
  await player.request('updatePlaylist', { playlistId, songIdToAdd: [two, two] });
  expect(await inside()).toEqual([one, two, one, two, two]);
  await player.request('updatePlaylist', { playlistId, songIndexToRemove: [0, 3] });
  expect(await inside()).toEqual([two, one, two]);
  // The page removes one occurrence only.
  const id = Number(playlistId);
  await ada.call(modplaylist, { id, playlistdata: { title: 'Twice', contains: [one, two], known: [two, one] } });
  expect(await inside()).toEqual([one, two]);
  expect((await ada.call(ytgetdata, {})).playlists[playlistId]?.contains).toEqual([one, two]);
});
