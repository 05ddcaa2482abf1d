import { type Stats, constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import type { RangedFile } from '#platform/contract/call.ts';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import { createRangedFile, type BytePart } from '#platform/server/http/rangedParts.ts';
import { FileNotFoundError, type FileStorage } from '#platform/server/storage/fileStorage.ts';
import { SONG_TYPES, type Song, type SongType } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStore.ts';

interface FileIdentity {
  readonly id: number;
  readonly type: SongType;
}

/** Folder of all files of the tool, in the data folder. */
export const FOLDER = 'music';

/** Returns the path of a song's file. */
export function getSongPath({ id, type }: FileIdentity): string {
  return `${FOLDER}/${id}.${type}`;
}
/** Returns the path of a file with new tags, before it replaces the old one. */
export function getNextSongPath({ id, type }: FileIdentity): string {
  return `${FOLDER}/${id}-next.${type}`;
}
/** A square picture of 320 px. */
export function getPicturePath(id: number): string {
  return `${FOLDER}/${id}.webp`;
}

/** Returns the id of the song that a file belongs to; undefined for other files. */
export function parseSongFileName(name: string): number | undefined {
  const [, id] = /^music\/([1-9]\d{0,15})(-next)?\.(mp3|m4a|flac|opus|ogg|wav|webp)$/.exec(name) ?? [];
  return id === undefined ? undefined : Number(id);
}

interface MissingMarkerDeps {
  readonly database: Database;
  readonly songs: Pick<MusicStore['songs'], 'setMissing'>;
  /** Must be called first in a transaction that changes a library. */
  readonly startChange: (work: UnitOfWork, account: number) => Promise<void>;
}

/** Creates a function that marks songs as missing or as found again. */
export function createMissingMarker({ database, songs, startChange }: MissingMarkerDeps) {
  return (account: number, ids: readonly number[], isMissing: boolean): Promise<void> =>
    database.transaction(async (work) => {
      await startChange(work, account);
      await songs.setMissing(work.tx, account, ids, isMissing);
    });
}

export type MissingMarker = ReturnType<typeof createMissingMarker>;

type SongFile = Pick<Song, 'id' | 'type' | 'size'>;

const isNotFoundError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP');

function ignoreNotFound(error: unknown): undefined {
  if (isNotFoundError(error)) return undefined;
  throw error;
}

const isComplete = (stats: Stats, { size }: SongFile): boolean => stats.isFile() && stats.size === size;

/** Creates the access to song files. A file whose size differs from its row counts as missing. */
export function createSongFiles(files: FileStorage) {
  // While a file gets new tags, its row is updated before the file is moved into place.
  const getPaths = (song: SongFile): readonly string[] => [getSongPath(song), getNextSongPath(song)].map(files.getPath);

  async function openSong(song: SongFile): Promise<FileHandle> {
    for (const path of getPaths(song)) {
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreNotFound);
      if (handle === undefined) continue;
      if (isComplete(await handle.stat(), song)) return handle;
      await handle.close();
    }
    throw new FileNotFoundError(`the file of song ${song.id} is missing or truncated`);
  }

  async function exists(song: SongFile): Promise<boolean> {
    for (const path of getPaths(song)) {
      const stats = await lstat(path).catch(ignoreNotFound);
      if (stats && isComplete(stats, song)) return true;
    }
    return false;
  }

  const createBytePart = (song: SongFile): BytePart => ({ size: song.size, open: () => openSong(song) });

  return {
    exists,
    /** Absolute path. */
    getAbsolutePath: (song: Pick<Song, 'id' | 'type'>): string => files.getPath(getSongPath(song)),
    createBytePart,
    /** Opens a song for range requests. */
    openRanged: (song: SongFile & Pick<Song, 'crc'>): RangedFile =>
      createRangedFile([createBytePart(song)], `${song.size.toString(36)}-${song.crc.toString(36)}`),
    /** Opens the picture of a song; undefined if there is none. */
    openPicture: async (id: number): Promise<RangedFile | undefined> => {
      const path = files.getPath(getPicturePath(id));
      const stats = await lstat(path).catch(ignoreNotFound);
      if (!stats?.isFile()) return undefined;
      const part: BytePart = { size: stats.size, open: () => open(path, constants.O_RDONLY | constants.O_NOFOLLOW) };
      return createRangedFile([part], `${stats.size.toString(36)}-${Math.round(stats.mtimeMs).toString(36)}`);
    },
    /** Removes all files of a song. */
    remove: async (id: number): Promise<void> => {
      for (const type of SONG_TYPES)
        for (const name of [getSongPath({ id, type }), getNextSongPath({ id, type })]) await files.remove(name);
      await files.remove(getPicturePath(id));
    },
  };
}

export type SongFiles = ReturnType<typeof createSongFiles>;
