import type { RangedFile } from '#platform/contract/call.ts';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import { createRangedFile, type BytePart } from '#platform/server/http/rangedParts.ts';
import {
  createStoredPart,
  type FileStore,
  openRangedFile,
  readStoredFile,
} from '#platform/server/storage/fileStore.ts';
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

/** While a file gets new tags, its row is updated before the file is moved into place. */
const getPaths = (song: SongFile): readonly string[] => [getSongPath(song), getNextSongPath(song)];

/** Creates the access to song files. A file whose size differs from its row counts as missing. */
export function createSongFiles(files: FileStore) {
  async function exists(song: SongFile): Promise<boolean> {
    for (const path of getPaths(song)) if ((await files.find(path))?.size === song.size) return true;
    return false;
  }

  const createBytePart = (song: SongFile): BytePart => createStoredPart(files, getPaths(song), song.size);

  return {
    exists,
    createBytePart,
    /** Reads a whole song. */
    read: (song: SongFile): AsyncIterable<Uint8Array> => readStoredFile(files, getPaths(song), song.size),
    /** Opens a song for range requests. */
    openRanged: (song: SongFile & Pick<Song, 'crc'>): RangedFile =>
      createRangedFile([createBytePart(song)], `${song.size.toString(36)}-${song.crc.toString(36)}`),
    /** Opens the picture of a song; undefined if there is none. */
    openPicture: (id: number): Promise<RangedFile | undefined> => openRangedFile(files, getPicturePath(id)),
    /** Removes all files of a song. */
    remove: async (id: number): Promise<void> => {
      const songPaths = SONG_TYPES.flatMap((type) => [getSongPath({ id, type }), getNextSongPath({ id, type })]);
      await Promise.all([...songPaths, getPicturePath(id)].map(files.remove));
    },
  };
}

export type SongFiles = ReturnType<typeof createSongFiles>;
