import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { listSongIds, applyLibraryChanges } = await loadWithWindow(() => import('./useLibrary.ts'));

const snapshot = {
  songs: new Map([
    [11, { order: 1, title: 'One' }],
    [12, { order: 2, title: 'Two' }],
    [13, { order: 3, title: 'Three' }],
  ]),
  lists: new Map([
    [1, { songs: [13, 12, 11] }],
    [2, { songs: [11] }],
    [3, { songs: [12] }],
  ]),
};

test('changed and new songs are added, and deleted songs and playlists are removed everywhere', () => {
  const changes = {
    songs: new Map([
      [11, { order: 1, title: 'Uno' }],
      [14, { order: 4, title: 'Four' }],
    ]),
    gone: [12, 99],
    lists: new Map([[4, { songs: [14] }]]),
    allLists: [1, 3, 4],
  };
  const updated = applyLibraryChanges(snapshot, changes);
  expect([...updated.songs].map(([id, { title }]) => [id, title])).toEqual([
    [11, 'Uno'],
    [13, 'Three'],
    [14, 'Four'],
  ]);
  expect([...updated.lists]).toEqual([
    [1, { songs: [13, 11] }],
    [3, { songs: [] }],
    [4, { songs: [14] }],
  ]);
  expect(applyLibraryChanges(updated, changes)).toEqual(updated);
  // The previous snapshot is unchanged, because it can still be on the screen.
  expect(snapshot.songs.size).toBe(3);
});

test('a restored song returns to its place among all songs', () => {
  const without = applyLibraryChanges(snapshot, { songs: new Map(), gone: [12], lists: new Map(), allLists: [] });
  expect(listSongIds(without.songs)).toEqual([11, 13]);
  const restored = new Map([[12, { order: 2, title: 'Two' }]]);
  expect(
    listSongIds(applyLibraryChanges(without, { songs: restored, gone: [], lists: new Map(), allLists: [] }).songs),
  ).toEqual([11, 12, 13]);
});
