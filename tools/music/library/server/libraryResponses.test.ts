import { expect } from 'vitest';
import type { AnswerOf } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import {
  createplaylist,
  deleteplaylist,
  deletesong,
  modplaylist,
  modvideo,
  restoresong,
  starsong,
  ytgetdata,
} from '../../contract.ts';
import { ALL_SONGS } from '../../contract/limits.ts';

const { listSongIds, applyLibraryChanges } = await loadWithWindow(() => import('../../web/useLibrary.ts'));

type Answer = AnswerOf<typeof ytgetdata>;

const toNumberMap = <T>(record: Readonly<Record<string, T>>): ReadonlyMap<number, T> =>
  new Map(Object.entries(record).map(([id, value]) => [Number(id), value]));

const getLists = ({ playlists }: Answer) =>
  new Map(
    Object.entries(playlists)
      .filter(([id]) => id !== String(ALL_SONGS))
      .map(([id, { title, contains }]) => [Number(id), { title, songs: contains }]),
  );

/** A page that has a library, and requests changes. */
async function openPage(load: (request: { readonly known?: string }) => Promise<Answer>) {
  let newest = await load({});
  let library = {
    songs: toNumberMap(newest.mp3s),
    lists: getLists(newest) as ReadonlyMap<number, { title: string; songs: readonly number[] }>,
  };
  return {
    getLibrary: () => library,
    getNewest: () => newest,
    /** Requests changes, and compares the result with the whole library. */
    follow: async (): Promise<Answer> => {
      newest = await load({ known: newest.revision });
      library = newest.part
        ? applyLibraryChanges(library, {
            songs: toNumberMap(newest.mp3s),
            gone: newest.part.gone,
            lists: getLists(newest),
            allLists: newest.part.lists,
          })
        : { songs: toNumberMap(newest.mp3s), lists: getLists(newest) };
      const whole = await load({});
      expect(new Map([...library.songs].toSorted(([a], [b]) => a - b))).toEqual(
        new Map([...toNumberMap(whole.mp3s)].toSorted(([a], [b]) => a - b)),
      );
      expect(new Map(library.lists)).toEqual(getLists(whole));
      expect(listSongIds(library.songs)).toEqual(whole.playlists[String(ALL_SONGS)]?.contains);
      expect([newest.used, newest.quota]).toEqual([whole.used, whole.quota]);
      return newest;
    },
  };
}

testOnBothDatabases('a page that has the library gets only what changed since', async (storage) => {
  const { dataDir, databaseUrl } = storage;
  await using server = await startMusicServer({ dataDir, databaseUrl });
  const ann = await server.createAccount('ann');
  const songs = await server.addSongs('ann', [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
  const [one = 0, two = 0, three = 0] = songs.map(({ id }) => id);
  const { playlistid: best } = await ann.call(createplaylist, { title: 'Best', contains: [one, two, three] });
  const { playlistid: other } = await ann.call(createplaylist, { title: 'Other', contains: [three] });
  const page = await openPage((request) => ann.call(ytgetdata, request));
  expect(page.getNewest().part).toBeUndefined();
  async function followIds() {
    const { mp3s, playlists, part } = await page.follow();
    return [Object.keys(mp3s).map(Number), Object.keys(playlists).map(Number), part?.gone];
  }

  expect(await followIds()).toEqual([[], [], []]);
  await ann.call(starsong, { id: two, starred: true });
  expect(await followIds()).toEqual([[two], [], []]);
  await ann.call(modvideo, { id: one, title: 'Uno' });
  // The new tags are written into its file a moment later, which is another change.
  const getSize = async () => (await ann.call(ytgetdata, {})).mp3s[String(one)]?.size;
  await expect.poll(getSize).not.toBe(songs[0]?.size);
  await ann.call(modplaylist, { id: other, playlistdata: { title: 'Others', contains: [three, one] } });
  expect(await followIds()).toEqual([[one], [other], []]);
  await ann.call(deletesong, { id: one });
  expect(await followIds()).toEqual([[], [], [one]]);
  // It returns to the playlists that it was in.
  await ann.call(restoresong, { id: one });
  expect(await followIds()).toEqual([[one], [best, other], []]);
  expect(page.getLibrary().lists.get(best)?.songs).toEqual([one, two, three]);
  await ann.call(deleteplaylist, { playlistid: best });
  const [four] = await server.addSongs('ann', [{ title: 'Four' }]);
  expect(await followIds()).toEqual([[four?.id], [], []]);
  expect([...page.getLibrary().lists.keys()]).toEqual([other]);
  // Changes of another account are not included.
  const bob = await server.createAccount('bob');
  await server.addSongs('bob', [{ title: 'His' }]);
  expect(await followIds()).toEqual([[], [], []]);
  // A revision of another account or an invented one: the page gets everything.
  const { revision } = page.getNewest();
  const [start = '', account = '', number = '', time = ''] = revision.split('-');
  const { revision: his } = await bob.call(ytgetdata, {});
  const later = `${start}-${account}-${Number(number) + 1}-${time}`;
  for (const known of [his, later, `${revision}0`, '', 'x', `${start}-${account}-1e3-${time}`])
    expect((await ann.call(ytgetdata, { known })).part).toBeUndefined();
});

testOnBothDatabases(
  'a page that was away for a day gets the whole library, because deleted songs are unknown by then',
  async ({ dataDir, databaseUrl }) => {
    let now = Temporal.Instant.from('2026-11-23T04:00:00Z');
    await using server = await startMusicServer({ dataDir, databaseUrl, now: () => now });
    const ann = await server.createAccount('ann');
    const [one] = await server.addSongs('ann', [{ title: 'One' }, { title: 'Two' }]);
    const page = await openPage((request) => ann.call(ytgetdata, request));
    await ann.call(deletesong, { id: one?.id ?? 0 });
    now = now.add({ hours: 22 });
    const { revision, part } = await page.follow();
    expect(part?.gone).toEqual([one?.id]);
    now = now.add({ hours: 23 });
    await server.runNightlyCleanup();
    expect((await ann.call(ytgetdata, { known: revision })).part).toBeUndefined();
    await page.follow();
  },
);

testOnBothDatabases(
  'after a start of the server pages get the whole library, because its database can be a restored backup',
  async ({ dataDir, databaseUrl }) => {
    let known = '';
    let token = '';
    {
      await using server = await startServer({ dataDir, databaseUrl });
      const ann = await server.createAccount('ann');
      ({ token } = ann);
      ({ revision: known } = await ann.call(ytgetdata, {}));
      expect((await ann.call(ytgetdata, { known })).part).toEqual({ gone: [], lists: [] });
    }
    await using server = await startServer({ dataDir, databaseUrl });
    const call = createClient({ origin: server.origin, token: () => token });
    expect((await call(ytgetdata, { known })).part).toBeUndefined();
  },
);
