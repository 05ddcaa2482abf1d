import { type Stats, constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import type { Ranged } from '#platform/contract/call.ts';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import { createRanged, type BytePart } from '#platform/server/http/rangedParts.ts';
import { FileNotFoundError, type FileStorage } from '#platform/server/storage/fileStorage.ts';
import { SONG_TYPES, type Song, type SongType } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStores.ts';

interface FileIdentity {
  readonly id: number;
  readonly type: SongType;
}

/** All that music keeps lies here, below the data folder. */
export const FOLDER = 'music';

export function songFile({ id, type }: FileIdentity): string {
  return `${FOLDER}/${id}.${type}`;
}
/** A song with other words in it, until it stands in the place of the one before. */
export function nextSongFile({ id, type }: FileIdentity): string {
  return `${FOLDER}/${id}-next.${type}`;
}
/** 320 px square. */
export function pictureFile(id: number): string {
  return `${FOLDER}/${id}.webp`;
}

/** The song that a file of the folder is of; undefined for what is none of ours. */
export function songOfFile(name: string): number | undefined {
  const [, id] = /^music\/([1-9]\d{0,15})(-next)?\.(mp3|m4a|flac|opus|ogg|wav|webp)$/.exec(name) ?? [];
  return id === undefined ? undefined : Number(id);
}

interface MissingMarkerDeps {
  readonly database: Database;
  readonly songs: Pick<MusicStore['songs'], 'setMissing'>;
  /** Stands first in a transaction that changes a library. */
  readonly begin: (work: UnitOfWork, account: number) => Promise<void>;
}

/** Marks songs whose files are missing, or are there again. */
export function createMissingMarker({ database, songs, begin }: MissingMarkerDeps) {
  return (account: number, ids: readonly number[], isMissing: boolean): Promise<void> =>
    database.transaction(async (work) => {
      await begin(work, account);
      await songs.setMissing(work.tx, account, ids, isMissing);
    });
}

export type Marker = ReturnType<typeof createMissingMarker>;

type SongFile = Pick<Song, 'id' | 'type' | 'size'>;

const isNotThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP');

const orUndefined = (error: unknown): undefined => {
  if (isNotThere(error)) return undefined;
  throw error;
};

const isWhole = (found: Stats, { size }: SongFile): boolean => found.isFile() && found.size === size;

/** What is asked of the files of songs. A file that is not what its row says is not there. */
export function createSongFiles(files: FileStorage) {
  // While a song is given other words its row may be ahead of its name for a moment.
  const namesOf = (song: SongFile): readonly string[] => [songFile(song), nextSongFile(song)].map(files.getPath);

  const openSong = async (song: SongFile): Promise<FileHandle> => {
    for (const path of namesOf(song)) {
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(orUndefined);
      if (handle === undefined) continue;
      if (isWhole(await handle.stat(), song)) return handle;
      await handle.close();
    }
    throw new FileNotFoundError(`the file of song ${song.id} is not there, or shorter than it was`);
  };

  const isThere = async (song: SongFile): Promise<boolean> => {
    for (const path of namesOf(song)) {
      const found = await lstat(path).catch(orUndefined);
      if (found && isWhole(found, song)) return true;
    }
    return false;
  };

  const partOf = (song: SongFile): BytePart => ({ size: song.size, open: () => openSong(song) });

  return {
    isThere,
    /** Absolute. */
    fileOf: (song: Pick<Song, 'id' | 'type'>): string => files.getPath(songFile(song)),
    partOf,
    /** A song as it is sent. */
    ranged: (song: SongFile & Pick<Song, 'crc'>): Ranged =>
      createRanged([partOf(song)], `${song.size.toString(36)}-${song.crc.toString(36)}`),
    /** Its picture; undefined where it has none. */
    picture: async (id: number): Promise<Ranged | undefined> => {
      const path = files.getPath(pictureFile(id));
      const found = await lstat(path).catch(orUndefined);
      if (!found?.isFile()) return undefined;
      const part: BytePart = { size: found.size, open: () => open(path, constants.O_RDONLY | constants.O_NOFOLLOW) };
      return createRanged([part], `${found.size.toString(36)}-${Math.round(found.mtimeMs).toString(36)}`);
    },
    /** All that there is of a song. */
    remove: async (id: number): Promise<void> => {
      for (const type of SONG_TYPES)
        for (const name of [songFile({ id, type }), nextSongFile({ id, type })]) await files.remove(name);
      await files.remove(pictureFile(id));
    },
  };
}

export type SongFiles = ReturnType<typeof createSongFiles>;
