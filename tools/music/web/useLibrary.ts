import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { session } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { libraryChanged, ytgetdata } from '../contract.ts';
import { ALL_SONGS, ALL_TITLE } from '../contract/limits.ts';
import type { Library, Playlist, Song, ServerLibrary } from './musicTypes.ts';
import { byOrder, withNews } from './since.ts';

/** Tells when somebody else than before is signed in on this page: what the one did here is nobody else's business. */
export function onOtherAccount(tell: () => void): void {
  let before = offlineStorage.getAccount();
  session.subscribe(() => {
    const next = offlineStorage.getAccount();
    const isOther = before !== undefined && next !== undefined && next !== before;
    before = next ?? before;
    if (isOther) tell();
  });
}

const KEY = ['music', 'library'] as const;
type Answer = AnswerOf<typeof ytgetdata>;

const byTitle = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const inOrder = (a: Playlist, b: Playlist): number => {
  if (a.id === ALL_SONGS || b.id === ALL_SONGS) return a.id === ALL_SONGS ? -1 : 1;
  return byTitle.compare(a.title, b.title) || a.id - b.id;
};

/** What stands on the pages, from these songs and playlists. */
const libraryFrom = (
  songs: ReadonlyMap<number, Song>,
  lists: readonly Playlist[],
  { used, quota, told }: Pick<Library, 'used' | 'quota' | 'told'>,
): Library => {
  const playlists = lists.toSorted(inOrder);
  return { songs, playlists, playlistOf: new Map(playlists.map((each) => [each.id, each])), used, quota, told };
};

/** Made of the answer's own objects, which nobody else has: twenty thousand copies would be as much to clear away. */
const songsIn = ({ mp3s }: Answer): ReadonlyMap<number, Song> => {
  const songs = new Map<number, Song>();
  for (const key of Object.keys(mp3s)) {
    const song = mp3s[key];
    if (song) songs.set(Number(key), Object.assign(song, { id: Number(key) }));
  }
  return songs;
};

const listsIn = ({ playlists }: Answer): ReadonlyMap<number, Playlist> => {
  const lists = new Map<number, Playlist>();
  for (const [key, { title, contains, user_created: own }] of Object.entries(playlists)) {
    const id = Number(key);
    if (id !== ALL_SONGS) lists.set(id, { id, title, songs: contains, isOwn: own === 1 });
  }
  return lists;
};

/** What the server has, from an answer; `before` is what the answer may build on. */
const toldIn = (answer: Answer, before: ServerLibrary | undefined): ServerLibrary => {
  const { part, revision } = answer;
  const [songs, lists] = [songsIn(answer), listsIn(answer)];
  if (!part || !before) return { songs, lists, revision };
  return { ...withNews(before, { songs, lists, gone: part.gone, allLists: part.lists }), revision };
};

const libraryOf = (answer: Answer, before: ServerLibrary | undefined): Library => {
  const told = toldIn(answer, before);
  const all: Playlist = { id: ALL_SONGS, title: ALL_TITLE, songs: byOrder(told.songs), isOwn: false };
  return libraryFrom(told.songs, [all, ...told.lists.values()], { ...answer, told });
};

/** The library as it is known now. */
export function libraryNow(queries: QueryClient): Library | undefined {
  return queries.getQueryData(KEY);
}

/** How the library is asked for. */
export const libraryOptions = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client }): Promise<Library> => {
    const before = libraryNow(client)?.told;
    return libraryOf(await call(ytgetdata, before ? { known: before.revision } : {}), before);
  },
  // While the line stands every change is told.
  staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
  // Made of maps, which are not compared.
  structuralSharing: false,
});

export function useLibrary() {
  return useQuery(libraryOptions);
}

/** What goes on with the library of one client. */
interface LibraryActivity {
  isStale: boolean;
  running: Promise<void> | undefined;
  /** Changes that the server has not answered yet: until then it would answer without them. */
  changes: number;
}
const doings = new WeakMap<QueryClient, LibraryActivity>();
const doingOf = (queries: QueryClient): LibraryActivity => {
  const doing = doings.get(queries) ?? { isStale: false, running: undefined, changes: 0 };
  doings.set(queries, doing);
  return doing;
};

/** Asks for the library again, once no change is under way. Many calls at once ask once more, not once each. */
export async function refreshLibrary(queries: QueryClient): Promise<void> {
  const doing = doingOf(queries);
  doing.isStale = true;
  // The end of the last change asks.
  if (doing.changes > 0) return;
  const run = async (): Promise<void> => {
    while (doing.isStale && doing.changes === 0) {
      doing.isStale = false;
      await queries.invalidateQueries({ queryKey: KEY });
    }
    doing.running = undefined;
  };
  doing.running ??= run();
  await doing.running;
}

/** What changes elsewhere, and what was missed while the line was down, is asked for again. Used by each page that shows the library. */
export function useLibraryChanges(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const again = (): void => void refreshLibrary(queries);
    const stops = [
      realtime.on(libraryChanged, again),
      realtime.onConnectionStateChange(() => {
        // The first time too: what was asked for before it stood may have changed since.
        if (realtime.getConnectionState() === 'connected') again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
}

export interface LibraryChange {
  /** As they are to be; all others stay. */
  readonly songs?: readonly Song[];
  readonly playlists?: readonly Playlist[];
  readonly withoutSong?: number;
  readonly withoutPlaylist?: number;
}

const changed = (library: Library, change: LibraryChange): Library => {
  const songs = new Map(library.songs);
  for (const song of change.songs ?? []) songs.set(song.id, song);
  if (change.withoutSong !== undefined) songs.delete(change.withoutSong);
  const playlists = new Map(library.playlistOf);
  for (const playlist of change.playlists ?? []) playlists.set(playlist.id, playlist);
  if (change.withoutPlaylist !== undefined) playlists.delete(change.withoutPlaylist);
  const kept = [...playlists.values()].map((playlist) =>
    change.withoutSong !== undefined && playlist.songs.includes(change.withoutSong)
      ? { ...playlist, songs: playlist.songs.filter((id) => id !== change.withoutSong) }
      : playlist,
  );
  return libraryFrom(songs, kept, library);
};

/**
 * Shows a change before the server has it, then sends it. What the server has is asked for in the end, whether it took the change or not.
 * @throws whatever `send` throws.
 */
export async function changeLibrary<Answered>(
  queries: QueryClient,
  change: LibraryChange,
  send: () => Promise<Answered>,
): Promise<Answered> {
  const doing = doingOf(queries);
  doing.changes += 1;
  // An answer under way was made before this change, and would take it off the page for a moment.
  await queries.cancelQueries({ queryKey: KEY });
  queries.setQueryData(KEY, (library: Library | undefined) => library && changed(library, change));
  try {
    return await send();
  } finally {
    doing.changes -= 1;
    void refreshLibrary(queries);
  }
}
