import { expect } from 'vitest';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { createPlayer } from '#testing/kits/media/subsonicPlayer.ts';
import { testOnSqlite } from '#testing/kits/server/database.ts';

testOnSqlite('odd parameters of players change nothing that they do not name', async () => {
  await using server = await startMusicServer();
  const ada = await server.createAccount('Ada');
  const songs = await server.addSongs('Ada', [{ title: 'One' }, { title: 'Two' }]);
  const ids = songs.map(({ id }) => id);
  const player = await createPlayer(server, ada);
  await player.request('createPlaylist', { name: 'Mine', songId: ids });
  const playlistId = '1';
  const listSongs = async () => {
    const { playlist } = (await player.request('getPlaylist', { id: playlistId })) as unknown as {
      readonly playlist: { readonly entry: readonly { readonly id: string }[] };
    };
    return playlist.entry.map(({ id }) => Number(id));
  };
  for (const songIndexToRemove of [' ', '0x0', '0e1', '-0', '0.0', 'first']) {
    await player.request('updatePlaylist', { playlistId, songIndexToRemove });
    expect(await listSongs(), songIndexToRemove).toEqual(ids);
  }
  const [id = 0] = ids;
  await player.request('setRating', { id, rating: 4 });
  expect(await player.request('setRating', { id, rating: ' ' })).toMatchObject({ status: 'failed' });
  expect(await player.request('getSong', { id })).toMatchObject({ song: { userRating: 4 } });

  // The address of the server was entered with a slash at its end.
  expect(await player.request('/ping.view')).toMatchObject({ status: 'ok' });
  expect(await player.request('ping.view/')).toMatchObject({ status: 'ok' });

  const head = await player.fetch(
    'download',
    { ...player.token, id },
    { method: 'HEAD', headers: { range: 'bytes=0-0' } },
  );
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(songs[0]?.size)]);
});
