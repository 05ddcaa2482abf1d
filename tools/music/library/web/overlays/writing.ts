import type { QueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { modplaylist } from '#tools/music/contract.ts';
import type { Playlist } from '#tools/music/web/musicTypes.ts';
import { changeLibrary } from '#tools/music/web/useLibrary.ts';

interface PlaylistWrite {
  /** The newest that has not been sent; undefined while there is none. */
  next: Playlist | undefined;
  /** All songs that were seen in it since the last one that was sent. */
  readonly known: Set<number>;
  sent: Promise<void>;
}

const writings = new Map<number, PlaylistWrite>();

const sendAll = async (id: number, writing: PlaylistWrite): Promise<void> => {
  try {
    while (writing.next) {
      const { title, songs } = writing.next;
      const known = [...writing.known];
      writing.next = undefined;
      writing.known.clear();
      await call(modplaylist, { id, playlistdata: { title, contains: [...songs], known } });
    }
  } finally {
    writings.delete(id);
  }
};

const send = (before: Playlist, after: Playlist): Promise<void> => {
  const { id } = after;
  const running = writings.get(id);
  const writing = running ?? { next: after, known: new Set(), sent: Promise.resolve() };
  writing.next = after;
  for (const song of [...before.songs, ...after.songs]) writing.known.add(song);
  if (running) return running.sent;
  writings.set(id, writing);
  writing.sent = sendAll(id, writing);
  return writing.sent;
};

/**
 * Gives a playlist another title, other songs or another order: shown at once. While one change is on its way the next ones wait and go as
 * one, so that a song moved quickly ends where it was put. Settles when all are there.
 * @throws Refusal, or CallFailed.
 */
export const writePlaylist = (queries: QueryClient, before: Playlist, after: Playlist): Promise<void> =>
  changeLibrary(queries, { playlists: [after] }, () => send(before, after));
