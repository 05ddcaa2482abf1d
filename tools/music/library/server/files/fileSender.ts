import type { Ranged } from '#platform/contract/ranged.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { splitIntoChunks } from '#platform/server/database/pieces.ts';
import { m3uOf } from '../../domain/m3u.ts';
import { MEDIA_TYPES, type Song } from '../../domain/song.ts';
import { fileNameOf } from '../../domain/songFileNames.ts';
import { LIST_LINK, songPurpose, streamPath, type SignedLinks } from './signedLinks.ts';
import type { SongFiles } from './songFiles.ts';
import { songsZip } from './songsZip.ts';
import type { SendRequest } from './wanted.ts';

/** What is sent, as calls and addresses alike give it. */
export interface FileToSend {
  readonly type: string;
  readonly name: string;
  readonly isInline: boolean;
  readonly content: string | Ranged;
}

interface FileSenderDeps {
  readonly files: SongFiles;
  readonly links: SignedLinks;
  /** Waits for words that are on their way into files. */
  readonly settled: (songs: readonly number[]) => Promise<void>;
  /** The songs as they are now. */
  readonly again: (account: number, songs: readonly Song[]) => Promise<readonly Song[]>;
  /** Tells that files are gone. */
  readonly missing: (account: number, songs: readonly number[]) => Promise<void>;
}

/** Whose it is, and under which address the server was reached. */
interface RequestOrigin {
  readonly account: number;
  readonly origin: string;
}

const BATCH_SIZE = 64;

export const createFileSender = ({ files, links, settled, again, missing }: FileSenderDeps) => {
  /** Those whose files are there. @throws Refusal where none is. */
  const whole = async (account: number, wanted: readonly Song[]): Promise<readonly Song[]> => {
    await settled(wanted.map(({ id }) => id));
    const songs = await again(account, wanted);
    const there: Song[] = [];
    const gone: number[] = [];
    for (const some of splitIntoChunks(songs, BATCH_SIZE)) {
      const found = await Promise.all(some.map(files.isThere));
      for (const [index, song] of some.entries())
        if (found[index] === true) there.push(song);
        else gone.push(song.id);
    }
    if (gone.length > 0) await missing(account, gone);
    if (there.length === 0) throw new Refusal('File is missing, download again?');
    return there;
  };

  const list = async (songs: readonly Song[], { account, origin }: RequestOrigin): Promise<string> => {
    const { of } = await links.queries(account, LIST_LINK);
    return m3uOf(
      songs.map((song) => ({ ...song, place: `${origin}${streamPath(song.id)}${of(songPurpose(song.id))}` })),
    );
  };

  /** @throws Refusal where there is no file of any of the songs. */
  return async ({ kind, title, songs, isInline }: SendRequest, place: RequestOrigin): Promise<FileToSend> => {
    const name = fileNameOf(title);
    if (kind === 'm3u')
      return { type: 'audio/x-mpegurl', name: `${name}.m3u8`, isInline, content: await list(songs, place) };
    const there = await whole(place.account, songs);
    const [first] = there;
    if (kind === 'song' && first)
      return {
        type: MEDIA_TYPES[first.type],
        name: `${fileNameOf(first.title)}.${first.type}`,
        isInline,
        content: files.ranged(first),
      };
    return { type: 'application/zip', name: `${name}.zip`, isInline, content: songsZip(there, files) };
  };
};

export type Giver = ReturnType<typeof createFileSender>;
