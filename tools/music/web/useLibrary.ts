import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { session } from '#platform/web/app/session.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { libraryChanged, ytgetdata } from '../contract.ts';
import { ALL_SONGS, ALL_SONGS_TITLE } from '../contract/limits.ts';
import type { Library, Playlist, Song, ServerLibrary } from './musicTypes.ts';

/** The library as a page has it. All MP3s is not among the lists: it consists of all songs in order. */
export interface LibrarySnapshot<AnySong, AnyList> {
  readonly songs: ReadonlyMap<number, AnySong>;
  readonly lists: ReadonlyMap<number, AnyList>;
}

/** Changes to a snapshot. */
export interface LibraryChanges<AnySong, AnyList> {
  /** New and changed songs. */
  readonly songs: ReadonlyMap<number, AnySong>;
  /** Deleted songs. */
  readonly gone: readonly number[];
  /** New and changed playlists. */
  readonly lists: ReadonlyMap<number, AnyList>;
  /** Ids of all playlists that exist. */
  readonly allLists: readonly number[];
}

/** Returns the ids of all songs, oldest first. */
export function listSongIds(songs: ReadonlyMap<number, { readonly order: number }>): readonly number[] {
  return [...songs].toSorted(([, one], [, other]) => one.order - other.order).map(([id]) => id);
}

/** Applies changes to a snapshot. Applying the same changes twice has no further effect. */
export function applyLibraryChanges<AnySong, AnyList extends { readonly songs: readonly number[] }>(
  snapshot: LibrarySnapshot<AnySong, AnyList>,
  { songs: changed, gone, lists: changedLists, allLists }: LibraryChanges<AnySong, AnyList>,
): LibrarySnapshot<AnySong, AnyList> {
  const songs = new Map(snapshot.songs);
  for (const id of gone) songs.delete(id);
  for (const [id, song] of changed) songs.set(id, song);
  const goneIds = new Set(gone);
  const lists = new Map<number, AnyList>();
  for (const id of allLists) {
    const list = changedLists.get(id) ?? snapshot.lists.get(id);
    if (list === undefined) continue;
    const hasGoneSongs = list.songs.some((song) => goneIds.has(song));
    lists.set(id, hasGoneSongs ? { ...list, songs: list.songs.filter((song) => !goneIds.has(song)) } : list);
  }
  return { songs, lists };
}

/** Calls the listener when another account logs in on this page, so that nothing of the previous one stays visible. */
export function onOtherAccount(listener: () => void): void {
  let before = offlineStorage.getAccount();
  session.subscribe(() => {
    const next = offlineStorage.getAccount();
    const isOther = before !== undefined && next !== undefined && next !== before;
    before = next ?? before;
    if (isOther) listener();
  });
}

const KEY = ['music', 'library'] as const;
type Answer = AnswerOf<typeof ytgetdata>;

const titleCollator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function comparePlaylists(a: Playlist, b: Playlist): number {
  if (a.id === ALL_SONGS || b.id === ALL_SONGS) return a.id === ALL_SONGS ? -1 : 1;
  return titleCollator.compare(a.title, b.title) || a.id - b.id;
}

/** Creates the library that the pages show. */
function createLibrary(
  songs: ReadonlyMap<number, Song>,
  lists: readonly Playlist[],
  { used, quota, synced }: Pick<Library, 'used' | 'quota' | 'synced'>,
): Library {
  const playlists = lists.toSorted(comparePlaylists);
  return { songs, playlists, playlistById: new Map(playlists.map((each) => [each.id, each])), used, quota, synced };
}

/** Reuses the objects of the answer instead of copying them, to avoid garbage in large libraries. */
function readSongs({ mp3s }: Answer): ReadonlyMap<number, Song> {
  const songs = new Map<number, Song>();
  for (const key of Object.keys(mp3s)) {
    const song = mp3s[key];
    if (song) songs.set(Number(key), Object.assign(song, { id: Number(key) }));
  }
  return songs;
}

function readPlaylists({ playlists }: Answer): ReadonlyMap<number, Playlist> {
  const lists = new Map<number, Playlist>();
  for (const [key, { title, contains, user_created: own }] of Object.entries(playlists)) {
    const id = Number(key);
    if (id !== ALL_SONGS) lists.set(id, { id, title, songs: contains, isOwn: own === 1 });
  }
  return lists;
}

/** Reads the server's library from an answer, which can be relative to `before`. */
function readServerLibrary(answer: Answer, before: ServerLibrary | undefined): ServerLibrary {
  const { part, revision } = answer;
  const [songs, lists] = [readSongs(answer), readPlaylists(answer)];
  if (!part || !before) return { songs, lists, revision };
  return { ...applyLibraryChanges(before, { songs, lists, gone: part.gone, allLists: part.lists }), revision };
}

function toLibrary(answer: Answer, before: ServerLibrary | undefined): Library {
  const synced = readServerLibrary(answer, before);
  const all: Playlist = { id: ALL_SONGS, title: ALL_SONGS_TITLE, songs: listSongIds(synced.songs), isOwn: false };
  return createLibrary(synced.songs, [all, ...synced.lists.values()], { ...answer, synced });
}

export function getCachedLibrary(queryClient: QueryClient): Library | undefined {
  return queryClient.getQueryData(KEY);
}

export const libraryOptions = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client }): Promise<Library> => {
    const before = getCachedLibrary(client)?.synced;
    return toLibrary(await call(ytgetdata, before ? { known: before.revision } : {}), before);
  },
  // While connected, every change arrives as an event.
  staleTime: createLiveStaleTime([libraryChanged]),
  // The library consists of maps, which can't be compared.
  structuralSharing: false,
});

/** Loads the library, or returns the cached one. */
export function useLibrary() {
  return useQuery(libraryOptions);
}

/** Pending work on the library of one query client. */
interface LibraryActivity {
  isStale: boolean;
  running: Promise<void> | undefined;
  /** Changes that the server has not confirmed: a refetch would return a library without them. */
  changes: number;
}
const activityByClient = new WeakMap<QueryClient, LibraryActivity>();
function getActivity(queryClient: QueryClient): LibraryActivity {
  const activity = activityByClient.get(queryClient) ?? { isStale: false, running: undefined, changes: 0 };
  activityByClient.set(queryClient, activity);
  return activity;
}

/** Refetches the library once no change is pending. Concurrent calls share one refetch. */
export async function refreshLibrary(queryClient: QueryClient): Promise<void> {
  const activity = getActivity(queryClient);
  activity.isStale = true;
  // The last pending change refetches when it ends.
  if (activity.changes > 0) return;
  async function run(): Promise<void> {
    while (activity.isStale && activity.changes === 0) {
      activity.isStale = false;
      await queryClient.invalidateQueries({ queryKey: KEY });
    }
    activity.running = undefined;
  }
  activity.running ??= run();
  await activity.running;
}

/** Refetches the library after changes elsewhere and after a reconnect. Every page that shows the library uses it. */
export function useLibraryChanges(): void {
  const queryClient = useQueryClient();
  const refetch = (): void => void refreshLibrary(queryClient);
  useRealtimeEvent(libraryChanged, refetch);
  useConnectionStateChange((state) => state === 'connected' && refetch());
}

export interface LibraryChange {
  /** New and changed songs; all others stay. */
  readonly songs?: readonly Song[];
  readonly playlists?: readonly Playlist[];
  readonly withoutSong?: number;
  readonly withoutPlaylist?: number;
}

function applyChange(library: Library, change: LibraryChange): Library {
  const songs = new Map(library.songs);
  for (const song of change.songs ?? []) songs.set(song.id, song);
  if (change.withoutSong !== undefined) songs.delete(change.withoutSong);
  const playlists = new Map(library.playlistById);
  for (const playlist of change.playlists ?? []) playlists.set(playlist.id, playlist);
  if (change.withoutPlaylist !== undefined) playlists.delete(change.withoutPlaylist);
  const remaining = [...playlists.values()].map((playlist) =>
    change.withoutSong !== undefined && playlist.songs.includes(change.withoutSong)
      ? { ...playlist, songs: playlist.songs.filter((id) => id !== change.withoutSong) }
      : playlist,
  );
  return createLibrary(songs, remaining, library);
}

/**
 * Updates the library optimistically, then sends the change. Afterwards the library is refetched in any case.
 * @throws whatever `send` throws.
 */
export async function changeLibrary<Result>(
  queryClient: QueryClient,
  change: LibraryChange,
  send: () => Promise<Result>,
): Promise<Result> {
  const activity = getActivity(queryClient);
  activity.changes += 1;
  // A response on its way lacks this change, and would hide it for a moment.
  await queryClient.cancelQueries({ queryKey: KEY });
  queryClient.setQueryData(KEY, (library: Library | undefined) => library && applyChange(library, change));
  try {
    return await send();
  } finally {
    activity.changes -= 1;
    void refreshLibrary(queryClient);
  }
}
