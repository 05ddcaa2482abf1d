import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBuffer } from 'music-metadata';
import sharp from 'sharp';
import { SubsonicAPI } from 'subsonic-api';
import { expect } from 'vitest';
import { type MusicServer, startMusicServer, createTone } from '#testing/kits/media/songs.ts';
import { createPlayer } from '#testing/kits/media/subsonicPlayer.ts';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { deleteaccount, exportaccount } from '#tools/accounts/contract.ts';
import { createplaylist, modplaylist, starsong, ytgetdata } from '../../contract.ts';

const createRedPicture = (pixels: number) =>
  sharp({ create: { width: pixels, height: pixels, channels: 3, background: '#c02020' } });
const encodeWebp = (): Promise<Buffer> => createRedPicture(320).webp().toBuffer();

/** Returns a value that must exist. */
function requireValue<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('something is not there');
  return value;
}
const getFirst = <T>(list: readonly T[] | undefined): T => requireValue(requireValue(list)[0]);

testOnBothDatabases(
  'a player browses, searches, plays and downloads songs, and its stars and ratings appear on the page',
  async ({ databaseUrl }) => {
    await using server = await startMusicServer({ databaseUrl });
    const ada = await server.createAccount('Ada');
    const sound = await createTone();
    const [blue = '', green = ''] = (
      await server.addSongs('Ada', [
        { title: 'Blue', artist: 'Björk', album: 'Colours', content: sound, picture: await encodeWebp(), duration: 3 },
        { title: 'Green', artist: 'Björk', album: 'Colours' },
        { title: 'Lonely', artist: '', album: '' },
      ])
    ).map(({ id }) => String(id));
    const onPage = async (id: string) => requireValue((await ada.call(ytgetdata, {})).mp3s[id]);
    const { username, password } = await createPlayer(server, ada);
    const api = new SubsonicAPI({ url: server.origin, auth: { username, password } });

    expect(await api.ping()).toMatchObject({ status: 'ok', version: '1.16.1', type: 'pegboard', openSubsonic: true });
    expect((await api.getLicense()).license.valid).toBe(true);
    const extensions = (await api.getOpenSubsonicExtensions()).openSubsonicExtensions;
    expect(extensions.map(({ name }) => name)).toEqual(['apiKeyAuthentication', 'formPost']);
    expect((await api.getUser({ username })).user).toMatchObject({ username, streamRole: true, adminRole: false });
    expect((await api.getScanStatus()).scanStatus).toEqual({ scanning: false, count: 3 });
    expect((await api.getMusicFolders()).musicFolders.musicFolder).toEqual([{ id: 0, name: 'Music' }]);

    const { artists } = await api.getArtists();
    expect(requireValue(artists.index).map(({ name }) => name)).toEqual(['B', 'U']);
    const bjork = getFirst(getFirst(artists.index).artist);
    expect(bjork).toMatchObject({ name: 'Björk', albumCount: 1 });
    const { artist } = await api.getArtist({ id: bjork.id });
    const colours = getFirst(artist.album);
    expect(colours).toMatchObject({ name: 'Colours', artist: 'Björk', songCount: 2 });
    const { album } = await api.getAlbum({ id: colours.id });
    expect(requireValue(album.song).map(({ title }) => title)).toEqual(['Blue', 'Green']);
    const { song } = await api.getSong({ id: blue });
    expect(song).toMatchObject({ title: 'Blue', albumId: colours.id, suffix: 'mp3', contentType: 'audio/mpeg' });
    const { indexes } = await api.getIndexes();
    const { directory } = await api.getMusicDirectory({ id: getFirst(getFirst(indexes.index).artist).id });
    expect(requireValue(directory.child).map(({ title, isDir }) => [title, isDir])).toEqual([['Colours', true]]);
    const inAlbum = (await api.getMusicDirectory({ id: getFirst(directory.child).id })).directory;
    expect(requireValue(inAlbum.child).map(({ title, isDir }) => [title, isDir])).toEqual([
      ['Blue', false],
      ['Green', false],
    ]);

    const { searchResult3: hits } = await api.search3({ query: 'bjork' });
    expect([hits.artist, hits.album, hits.song].map((found) => requireValue(found).length)).toEqual([1, 1, 2]);
    const { searchResult3: page } = await api.search3({ query: '""', songCount: 2, songOffset: 1, artistCount: 0 });
    expect(requireValue(page.song).map(({ title }) => title)).toEqual(['Green', 'Lonely']);
    expect(page.artist).toEqual([]);

    await api.star({ id: blue, albumId: colours.id, artistId: bjork.id });
    await api.setRating({ id: green, rating: 4 });
    await api.setRating({ id: colours.id, rating: 5 });
    const { starred2 } = await api.getStarred2();
    expect(getFirst(starred2.artist).name).toBe('Björk');
    expect(getFirst(starred2.album).name).toBe('Colours');
    expect(getFirst(starred2.song).title).toBe('Blue');
    expect((await onPage(blue)).starred).toBe(true);
    await ada.call(starsong, { id: Number(blue), starred: false });
    expect((await api.getStarred2()).starred2.song).toEqual([]);
    expect((await api.getSong({ id: green })).song.userRating).toBe(4);
    expect((await api.getAlbumList2({ type: 'highest' })).albumList2.album).toMatchObject([{ name: 'Colours' }]);

    const { content } = await ada.call(exportaccount, { password: ada.password });
    expect(readJsonFromZip(readZip(await content.bytes()), 'music.json')).toMatchObject({
      marked: { albums: [{ name: 'Colours', artist: 'Björk', rating: 5 }], artists: [{ name: 'Björk', rating: 0 }] },
    });

    await api.unstar({ albumId: colours.id, artistId: bjork.id });
    const left = (await api.getStarred2()).starred2;
    expect([left.artist, left.album]).toEqual([[], []]);

    const time = Math.floor(Date.now() / 1000) * 1000; // Whole seconds also have three decimals.
    await api.scrobble({ id: blue, submission: false });
    expect((await api.getNowPlaying()).nowPlaying.entry).toMatchObject([{ title: 'Blue', username, minutesAgo: 0 }]);
    for (const _ of [1, 2]) await api.scrobble({ id: blue, time });
    expect((await onPage(blue)).plays).toBe(1);
    // A play that is reported late was not played just now.
    await api.scrobble({ id: green, time: time - 3_600_000 });
    await api.scrobble({ id: green, time: time - 7_200_000 });
    expect((await api.getSong({ id: green })).song.played).toBe(new Date(time - 3_600_000).toISOString());
    expect((await onPage(green)).plays).toBe(2);
    expect((await api.getAlbumList2({ type: 'frequent' })).albumList2.album).toMatchObject([{ name: 'Colours' }]);
    expect((await api.getRandomSongs({ size: 2 })).randomSongs.song).toHaveLength(2);

    expect((await api.getPlayQueue()).playQueue).toBeUndefined();
    for (const position of [1000, 2000]) await api.savePlayQueue({ id: [green, blue], current: blue, position });
    const { playQueue } = await api.getPlayQueue();
    expect(playQueue).toMatchObject({ current: blue, position: 2000, username });
    expect(requireValue(playQueue?.entry).map(({ id }) => id)).toEqual([green, blue]);
    expect(await api.savePlayQueue({ id: ['4711'], position: 0 })).toMatchObject({
      status: 'failed',
      error: { code: 70 },
    });

    const stream = await api.stream({ id: blue });
    expect(stream.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await stream.arrayBuffer()).equals(sound)).toBe(true);
    const download = await api.download({ id: blue });
    expect(download.headers.get('content-disposition')).toContain('attachment; filename="Blue.mp3"');
    expect(Buffer.from(await download.arrayBuffer()).equals(sound)).toBe(true);
    for (const id of [song.coverArt, album.coverArt, artist.coverArt]) {
      const art = await api.getCoverArt({ id: requireValue(id), size: 100 });
      expect(art.headers.get('content-type')).toBe('image/jpeg');
      expect(await sharp(await art.arrayBuffer()).metadata()).toMatchObject({
        format: 'jpeg',
        width: 100,
        height: 100,
      });
    }
  },
);

testOnBothDatabases(
  'playlists are the same in the player and on the page, created and changed in both',
  async ({ databaseUrl }) => {
    await using server = await startMusicServer({ databaseUrl });
    const ada = await server.createAccount('Ada');
    const songs = await server.addSongs('Ada', [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
    const ids = songs.map(({ id }) => id);
    const [one = '', two = '', three = ''] = ids.map(String);
    const { key } = await createPlayer(server, ada);
    const api = new SubsonicAPI({ url: server.origin, auth: { apiKey: String(key['apiKey']) }, post: true });
    const onPage = async () =>
      Object.entries((await ada.call(ytgetdata, {})).playlists)
        .filter(([id]) => id !== '-1')
        .map(([, { title, contains }]) => [title, contains]);

    const { playlist: made } = await api.createPlaylist({ name: 'From the player', songId: [two, one] });
    expect(made).toMatchObject({ name: 'From the player', songCount: 2, owner: 'Ada', public: false });
    expect(made.entry?.map(({ id }) => id)).toEqual([two, one]);
    expect(await onPage()).toEqual([['From the player', [ids[1], ids[0]]]]);

    await api.updatePlaylist({ playlistId: made.id, name: 'Renamed', songIdToAdd: [three], songIndexToRemove: [0] });
    expect(await onPage()).toEqual([['Renamed', [ids[0], ids[2]]]]);
    const { playlistid } = await ada.call(createplaylist, { title: 'From the page', contains: [...ids] });
    await ada.call(modplaylist, {
      id: playlistid,
      playlistdata: { title: 'From the page', contains: ids.toReversed() },
    });
    const { playlists } = await api.getPlaylists();
    expect(playlists.playlist?.map(({ name, songCount }) => [name, songCount])).toEqual([
      ['Renamed', 2],
      ['From the page', 3],
    ]);
    const { playlist } = await api.getPlaylist({ id: String(playlistid) });
    expect(playlist.entry?.map(({ title }) => title)).toEqual(['Three', 'Two', 'One']);

    // Players send the whole list after reordering it.
    await api.createPlaylist({ playlistId: String(playlistid), name: 'From the page', songId: [one, three] });
    expect((await onPage())[1]).toEqual(['From the page', [ids[0], ids[2]]]);
    await api.deletePlaylist({ id: made.id });
    expect((await onPage()).map(([title]) => title)).toEqual(['From the page']);
    expect(await api.deletePlaylist({ id: made.id })).toMatchObject({ status: 'failed', error: { code: 70 } });
  },
);

const measureSeconds = async (sound: Uint8Array): Promise<number> =>
  (await parseBuffer(sound, { mimeType: 'audio/mpeg' }, { duration: true })).format.duration ?? 0;

/** A song of 20 seconds whose picture in the file is larger than the one beside it. */
async function addRealSong(server: MusicServer) {
  const account = await server.createAccount('Ada');
  await createRedPicture(600).jpeg().toFile(join(server.dataDir, 'large.jpg'));
  const making =
    '-nostdin -v error -f lavfi -i sine=duration=20 -i large.jpg -map 0:a -map 1:v -c:v copy -disposition:v attached_pic -b:a 128k made.mp3';
  execFileSync('ffmpeg', making.split(' '), { cwd: server.dataDir });
  const sound = await readFile(join(server.dataDir, 'made.mp3'));
  const song = { content: sound, duration: await measureSeconds(sound), picture: await encodeWebp() };
  const { id } = getFirst(await server.addSongs('Ada', [song]));
  return { account, sound, id, player: await createPlayer(server, account) };
}

testOnSqlite('streams support ranges and lower bit rates, and pictures have the requested size', async () => {
  await using server = await startMusicServer();
  const { account, sound, id, player } = await addRealSong(server);

  const part = await player.fetch('stream', { ...player.token, id }, { headers: { range: 'bytes=100-299' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${sound.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(sound.subarray(100, 300))).toBe(true);
  const head = await player.fetch('stream', { ...player.token, id }, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(sound.length)]);

  // Two concurrent requests share one conversion. A later one supports ranges.
  const streamParams = { ...player.token, id, maxBitRate: 32 };
  const fetchStream = async () => Buffer.from(await (await player.fetch('stream', streamParams)).arrayBuffer());
  const [one, other] = await Promise.all([fetchStream(), fetchStream()]);
  expect(one.equals(other)).toBe(true);
  expect(one.length).toBeLessThan(sound.length);
  expect(await measureSeconds(one)).toBeCloseTo(20, 0);
  const later = await player.fetch('stream', streamParams, { headers: { range: 'bytes=10-19' } });
  expect(later.status).toBe(206);
  expect(Buffer.from(await later.arrayBuffer()).equals(one.subarray(10, 20))).toBe(true);

  // A conversion whose file is missing is made again.
  const folder = join(server.dataDir, 'work', 'lowered');
  for (const name of await readdir(folder)) await rm(join(folder, name));
  expect((await fetchStream()).equals(one)).toBe(true);

  for (const as of [{ maxBitRate: 320 }, { maxBitRate: 0 }, { maxBitRate: 32, format: 'raw' }]) {
    const wholeFile = await player.fetch('stream', { ...player.token, id, ...as });
    expect(Buffer.from(await wholeFile.arrayBuffer()).equals(sound)).toBe(true);
  }

  for (const [size, width] of [
    [64, 64],
    [320, 320],
    [500, 500],
    [5000, 600],
    [0, 600],
  ] as const) {
    const art = await player.fetch('getCoverArt', { ...player.token, id, ...(size === 0 ? {} : { size }) });
    expect((await sharp(await art.arrayBuffer()).metadata()).width).toBe(width);
  }

  expect(await readdir(folder)).toHaveLength(1);
  await account.call(deleteaccount, { password: account.password, username: account.name });
  expect(await readdir(folder)).toEqual([]);
});
