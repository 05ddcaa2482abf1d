import { expect } from 'vitest';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { createPlayer } from '#testing/kits/media/subsonicPlayer.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';

type Things = Readonly<Record<string, readonly Record<string, unknown>[]>>;

testOnBothDatabases('genres and years come from the files, and songs are found by them', async ({ databaseUrl }) => {
  await using server = await startMusicServer({ databaseUrl });
  const ada = await server.createAccount('Ada');
  await server.addSongs('Ada', [
    { title: 'One', album: 'Old', artist: 'Ann', genre: 'Rock', year: 1970 },
    { title: 'Two', album: 'Old', artist: 'Ann', genre: 'rock; Pop', year: 1970 },
    { title: 'Three', album: 'New', artist: 'Bea', genre: 'Hip-Hop/Rap', year: 1999 },
    { title: 'Four', album: 'Newest', artist: 'Bea', genre: 'R&B', year: 2020 },
    { title: 'Five', album: 'Unknown', artist: 'Cat' },
  ]);
  const player = await createPlayer(server, ada);
  async function list(call: string, params: Record<string, string>, field: string, kind: string) {
    const answer = (await player.request(call, params)) as unknown as Readonly<Record<string, Things>>;
    return answer[field]?.[kind] ?? [];
  }
  const titles = async (call: string, params: Record<string, string>, field: string, kind: string) =>
    (await list(call, params, field, kind)).map((one) => one['title'] ?? one['name']);
  const albums = (params: Record<string, string>) => titles('getAlbumList2', params, 'albumList2', 'album');

  expect(await list('getGenres', {}, 'genres', 'genre')).toEqual([
    { songCount: 1, albumCount: 1, value: 'Hip-Hop/Rap' },
    { songCount: 1, albumCount: 1, value: 'Pop' },
    { songCount: 1, albumCount: 1, value: 'R&B' },
    { songCount: 2, albumCount: 1, value: 'Rock' },
  ]);
  const songs = (params: Record<string, string>) => titles('getSongsByGenre', params, 'songsByGenre', 'song');
  expect(await songs({ genre: 'ROCK' })).toEqual(['One', 'Two']);
  expect(await songs({ genre: 'Rock', count: '1', offset: '1' })).toEqual(['Two']);
  expect(await songs({ genre: 'Hip-Hop/Rap' })).toEqual(['Three']);
  expect(await songs({ genre: 'Polka' })).toEqual([]);

  expect(await albums({ type: 'byGenre', genre: 'rock' })).toEqual(['Old']);
  expect(await albums({ type: 'byYear', fromYear: '1900', toYear: '1999' })).toEqual(['Old', 'New']);
  expect(await albums({ type: 'byYear', fromYear: '3000', toYear: '1990' })).toEqual(['Newest', 'New']);
  expect(await albums({ type: 'byYear', fromYear: '3000', toYear: '1990', size: '1', offset: '1' })).toEqual(['New']);
  expect(await titles('getAlbumList', { type: 'byGenre', genre: 'Pop' }, 'albumList', 'album')).toEqual(['Old']);
  for (const params of [{ type: 'byGenre' }, { type: 'byYear', fromYear: '1990' }])
    expect(await player.request('getAlbumList2', params)).toMatchObject({ status: 'failed', error: { code: 10 } });
  expect(await player.request('getSongsByGenre')).toMatchObject({ status: 'failed', error: { code: 10 } });

  const random = (params: Record<string, string>) => titles('getRandomSongs', params, 'randomSongs', 'song');
  expect(new Set(await random({ genre: 'rock' }))).toEqual(new Set(['One', 'Two']));
  expect(await random({ fromYear: '1980', toYear: '2000' })).toEqual(['Three']);
  expect(await random({ toYear: '1980', genre: 'Pop' })).toEqual(['Two']);
  expect(await random({})).toHaveLength(5);
});
