import { constants, type Dirent } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode } from '../storage/errorCode.ts';
import { linkFile } from '../storage/fileStorage.ts';

/** Folder of backups in the data folder. */
export const BACKUPS_FOLDER = 'backups';
/** Folders with what a restore replaced begin with this. */
export const REPLACED_PREFIX = 'before-restore-';
/** Folder in which a restore prepares the new files. */
export const RESTORE_FOLDER = 'restore.part';
/** It exists while a restore replaces files. */
export const RESTORE_MARKER = 'restore.running';

/** What the server creates again, and what belongs to a running server. */
const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  BACKUPS_FOLDER,
  RESTORE_FOLDER,
  RESTORE_MARKER,
  'control.sock',
  'lost+found', // of a file system whose root is the data folder
  'programs',
  'reserve',
]);
const EXCLUDED_PATTERN = /^(data|lock)\.db(-(wal|shm|journal))?$|\.new$/;
/** Files of unfinished jobs, which change. */
const WORK_FOLDER = 'work';

/** Returns whether a file or folder at the top of the data folder belongs in a backup. */
export function isInBackup(name: string): boolean {
  return !EXCLUDED_NAMES.has(name) && !EXCLUDED_PATTERN.test(name) && !name.startsWith(REPLACED_PREFIX);
}

/** A file of the data folder. */
export interface DataFile {
  /** Relative to the data folder, with slashes. */
  readonly path: string;
  /** Whether it may still change, so that a backup needs a copy. Other files are written once, and linked. */
  readonly isChanging: boolean;
}

async function readFolder(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    // Removed meanwhile.
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Yields the regular files below a folder. Does not follow links. */
async function* walk(root: string, folder: string): AsyncGenerator<string> {
  for (const entry of await readFolder(join(root, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** Returns whether the file may still change, so that it must not be linked. Files at the top may be overwritten. */
export function isChangingFile(path: string, changingFolders: readonly string[]): boolean {
  return !path.includes('/') || [WORK_FOLDER, ...changingFolders].some((folder) => path.startsWith(`${folder}/`));
}

/**
 * Yields the files of a data folder that belong in a backup. Files and folders at its top may be links.
 * @param changingFolders Folders with files that may still change, in addition to those of unfinished jobs.
 */
export async function* listDataFiles(dataDir: string, changingFolders: readonly string[]): AsyncGenerator<DataFile> {
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    if (!isInBackup(entry.name)) continue;
    const target = entry.isSymbolicLink() ? await stat(join(dataDir, entry.name)).catch(() => undefined) : entry;
    if (target?.isFile() === true) yield { path: entry.name, isChanging: isChangingFile(entry.name, changingFolders) };
    if (target?.isDirectory() !== true) continue;
    for await (const path of walk(dataDir, entry.name))
      yield { path, isChanging: isChangingFile(path, changingFolders) };
  }
}

/** Returns size and time of change of a regular file; undefined if there is none. */
export async function getFileState(path: string) {
  try {
    const state = await stat(path);
    return state.isFile() ? state : undefined;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

type FileState = Awaited<ReturnType<typeof getFileState>>;

/** Returns whether a file did not change since an earlier backup. */
export function isSameFile(state: FileState, earlier: FileState): boolean {
  return state !== undefined && state.size === earlier?.size && state.mtimeMs === earlier.mtimeMs;
}

/** Returns whether it was linked. An earlier backup may expire meanwhile. */
async function linkIfPresent(source: string, target: string): Promise<boolean> {
  try {
    await linkFile(source, target);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** How a file came into a backup; `reused` if it is the one of the earlier backup. */
export type Placement = 'linked' | 'copied' | 'reused' | 'missing';

/**
 * Puts a file of the data folder into a backup, with the time of its last change.
 * @param earlier Path of the same file in an earlier backup, which is linked if it did not change since.
 */
export async function placeFile(
  source: string,
  target: string,
  { isChanging, earlier }: { readonly isChanging: boolean; readonly earlier?: string | undefined },
): Promise<Placement> {
  const state = await getFileState(source);
  if (!state) return 'missing';
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const earlierState = earlier === undefined ? undefined : await getFileState(earlier);
  const isSame = isSameFile(state, earlierState);
  try {
    if (isChanging) {
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await utimes(target, state.atime, state.mtime);
      await syncPath(target);
      return 'copied';
    }
    if (earlier !== undefined && isSame && (await linkIfPresent(earlier, target))) return 'reused';
    await linkFile(source, target);
    // A copy on this disk instead of a link to another one.
    if ((await lstat(target)).ino !== state.ino) await utimes(target, state.atime, state.mtime);
    return 'linked';
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return 'missing';
    throw error;
  }
}

/** Writes the entries of a folder, and of all folders in it, to the disk. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncPath(folder);
}

/** Writes one file, or the entries of one folder, to the disk. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
