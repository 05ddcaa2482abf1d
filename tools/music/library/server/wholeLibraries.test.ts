import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillLibrary, createSongRow, startMusicServer } from '#testing/kits/media/songs.ts';
import { type Catalogue, createCatalogues } from '../../subsonic/server/catalogue.ts';
import { createLibrary } from './library.ts';
import { createWholeLibraryCache } from './libraryResponses.ts';
import { createMusicStore } from './store/musicStore.ts';

const ANN = 1;
/** More than one page of the database query. */
const SONG_COUNT = 1010;

type LibraryAction = 'star' | 'rename' | 'delete' | 'restore' | 'lose' | 'add' | 'list' | 'nothing';
const acts = fc.array(
  fc.record({
    act: fc.constantFrom<LibraryAction>('star', 'rename', 'delete', 'restore', 'lose', 'add', 'list', 'nothing'),
    at: fc.oneof(fc.nat({ max: SONG_COUNT - 1 }), fc.constantFrom(0, 999, 1000, SONG_COUNT - 1)),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Serializes a catalogue for comparison. */
const serializeCatalogue = ({ songsByName, albumsByName, artistsByName }: Catalogue): string =>
  JSON.stringify([
    songsByName.map(({ album, artist, artists, ...entry }) => [
      album.id,
      artist.id,
      artists.map(({ id }) => id),
      entry,
    ]),
    albumsByName.map(({ entries, artist, ...album }) => [entries.map(({ song }) => song.id), artist.id, album]),
    artistsByName.map(({ albums, ...artist }) => [albums.map(({ id }) => id), artist]),
  ]);

const now = (): Temporal.Instant => Temporal.Instant.from('2026-11-23T04:00:00Z');

test('after every change the cached library equals a new one', async () => {
  await using server = await startMusicServer({ runsBackgroundWork: false });
  await server.createAccount('ann');
  const { database } = server;
  const ids = [...(await fillLibrary(database, ANN, { songs: SONG_COUNT, playlists: 3 }))];
  const store = createMusicStore(database);
  const library = createLibrary({ realtime: { send: () => undefined } as never, now }, store);
  const [wholes, catalogues] = [
    () => createWholeLibraryCache({ store, library, quota: 1 }),
    () => createCatalogues({ database, store, now }),
  ];
  const [whole, catalogue] = [wholes(), catalogues()];

  let createdCount = SONG_COUNT;
  const run = (act: LibraryAction, song: number): Promise<unknown> =>
    database.transaction(async (work) => {
      if (act === 'nothing') return;
      await library.startChange(work, ANN);
      if (act === 'star') await store.songs.star(work.tx, ANN, song, createdCount);
      if (act === 'rename')
        await store.songs.rename(work.tx, ANN, song, { title: `Name ${song}`, artist: 'Änne', album: '' });
      if (act === 'delete') await store.songs.remove(work.tx, ANN, song, now().epochMilliseconds);
      if (act === 'restore') await store.songs.restore(work.tx, ANN, song, 0);
      if (act === 'lose') await store.songs.setMissing(work.tx, ANN, [song], true);
      if (act === 'add') ids.push((await store.songs.insert(work.tx, ANN, createSongRow((createdCount += 1)))).id);
      if (act === 'list')
        await store.playlists.insert(work.tx, ANN, { title: 'More', songs: [song], created: 1, changed: 1 });
    });

  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      for (const { act, at } of history) await run(act, ids[at] ?? 0);
      const version = { account: ANN, revision: await store.revisions.getRevision(ANN), time: now().epochMilliseconds };
      expect((await whole(version)).join('') === (await wholes()(version)).join('')).toBe(true);
      expect(serializeCatalogue(await catalogue.get(ANN)) === serializeCatalogue(await catalogues().get(ANN))).toBe(
        true,
      );
    }),
    { numRuns: 6 },
  );
});
