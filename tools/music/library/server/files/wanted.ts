import type { RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { sendsongplaylist } from '#tools/music/contract.ts';
import type { Song } from '../../domain/song.ts';
import { type Library, playlistIn } from '../library.ts';

/** What is to be sent. */
export interface SendRequest {
  readonly kind: 'song' | 'zip' | 'm3u';
  /** Without an ending. */
  readonly title: string;
  /** In order; with their files. */
  readonly songs: readonly Song[];
  /** To be played, not kept. */
  readonly isInline: boolean;
}

type Request = RequestOf<typeof sendsongplaylist>;

const SEVERAL = 'Songs';

const songsIn = async (library: Library, account: number, { songs, playlist }: Request) => {
  const id = playlistIn(playlist);
  // An empty list beside a playlist is none.
  if (songs && (songs.length > 0 || id === undefined)) {
    const found = await library.songs(account, songs);
    return { title: found.length === 1 ? (found[0]?.title ?? SEVERAL) : SEVERAL, songs: found, isPlaylist: false };
  }
  if (id === undefined) throw new Refusal('Say which songs, or which playlist');
  return { ...(await library.playlist(account, id)), isPlaylist: true };
};

const kindOf = (request: Request, { count, isPlaylist }: { readonly count: number; readonly isPlaylist: boolean }) => {
  const { justsendm3u: isList = false, Iwanttostream: isStream = false } = request;
  if (isList) return { kind: 'm3u', isInline: false } as const;
  if (isStream) return { kind: count === 1 ? 'song' : 'm3u', isInline: true } as const;
  return { kind: count === 1 && !isPlaylist ? 'song' : 'zip', isInline: false } as const;
};

/** What a request means: `songs` rules over `playlist`, a list over a stream. Songs without a file are left out. @throws Refusal */
export const wantedOf = async (library: Library, account: number, request: Request): Promise<SendRequest> => {
  const { title, songs, isPlaylist } = await songsIn(library, account, request);
  if (songs.length === 0) throw new Refusal(isPlaylist ? 'There are no songs in this playlist' : 'Choose a song first');
  const there = songs.filter(({ isMissing }) => !isMissing);
  if (there.length === 0)
    throw new Refusal(
      songs.length === 1 ? 'File is missing, download again?' : 'Their files are missing, download again?',
    );
  return { title, songs: there, ...kindOf(request, { count: songs.length, isPlaylist }) };
};
