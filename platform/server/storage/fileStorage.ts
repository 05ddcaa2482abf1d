import { createReadStream, constants, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm, link, rename } from 'node:fs/promises';
import { dirname, join, basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { hasErrorCode } from './errorCode.ts';

/** Copies a file completely and durably, or not at all. Does not follow links. */
async function copyFile(from: string, to: string): Promise<void> {
  const partialPath = join(dirname(to), `.${basename(to)}.part`);
  await using source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  // Left by a server that was stopped during a copy.
  await rm(partialPath, { force: true });
  try {
    const target = createWriteStream(partialPath, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source.createReadStream({ autoClose: false }), target);
    await rename(partialPath, to);
  } catch (error) {
    await rm(partialPath, { force: true });
    throw error;
  }
}

/** Returns false if an operation fails with one of these codes. @throws for other errors. */
async function isSuccessful(operation: Promise<void>, ...failureCodes: readonly string[]): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    if (!failureCodes.some((code) => hasErrorCode(error, code))) throw error;
    return false;
  }
}

/** Moves a file, also to another disk, because folders of the data folder may be on several. */
export async function moveFile(from: string, to: string): Promise<void> {
  if (await isSuccessful(rename(from, to), 'EXDEV')) return;
  await copyFile(from, to);
  await rm(from).catch(async (error: unknown) => {
    await rm(to);
    throw error;
  });
}

/**
 * Creates a hard link, or a copy if the file is on another disk or belongs to another user, whose files Linux may not
 * link.
 */
export async function linkFile(from: string, to: string): Promise<void> {
  if (!(await isSuccessful(link(from, to), 'EXDEV', 'EPERM'))) await copyFile(from, to);
}

const FOLDER_MODE = 0o700;
const CHUNK_BYTES = 1024 * 1024;
/** Names of job folders in `work`. */
const JOB_FOLDER_PATTERN = /^[1-9]\d*$/;
/** Only our own names: no user input, no leading dot or dash, no parent folders. */
const NAME_PATTERN = /^\w[\w-]*(\/\w[\w-]*)*(\.\w+)?$/;

/** Size and checksum of a file. */
export interface FileChecksum {
  readonly bytes: number;
  /** CRC-32, as in zip files. */
  readonly crc32: number;
}

/** The file is missing, or shorter than its row says. */
export class FileNotFoundError extends Error {
  override readonly name = 'FileNotFoundError';
}

/** Files in plain folders below the data folder. Names are ours, such as `pictures/812.png`. */
export interface FileStorage {
  /** Returns the absolute path of a name. */
  readonly getPath: (name: string) => string;
  /** Creates the folder of a job if needed: `work/<job>`. */
  readonly createJobFolder: (job: number) => Promise<string>;
  readonly removeJobFolder: (job: number) => Promise<void>;
  /**
   * Creates `work/<owner>` for temporary files. The first call after a start empties it; later files are up to the
   * owner.
   */
  readonly createScratchFolder: (owner: string) => Promise<string>;
  /** Moves a finished file from an absolute path to its name, durably. Refuses everything but regular files. */
  readonly importFile: (from: string, name: string) => Promise<void>;
  /** Undefined if it is missing or not a regular file. */
  readonly getSize: (name: string) => Promise<number | undefined>;
  readonly computeChecksum: (name: string) => Promise<FileChecksum>;
  /** Does nothing if the file is missing. */
  readonly remove: (name: string) => Promise<void>;
  /** Lists the names of our own regular files in a folder, such as `pictures/812.png`. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /**
   * Removes the folders of ended jobs. `selectRetained` is called after listing, so that new jobs are safe.
   */
  readonly removeStaleJobFolders: (
    selectRetained: (jobs: readonly number[]) => Promise<ReadonlySet<number>>,
  ) => Promise<void>;
}

/** Writes the entries of a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Windows only syncs files that are open for writing. On Linux the file may be another user's and read-only. */
async function openToSync(path: string) {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (!hasErrorCode(error, 'EACCES')) throw error;
    return open(path, 'r');
  }
}

async function syncFile(path: string): Promise<void> {
  await using handle = await openToSync(path);
  await handle.sync();
}

const isNotFound = (error: unknown): boolean => hasErrorCode(error, 'ENOENT');

/** @throws Error if the path is not a regular file. */
export async function assertRegularFile(path: string): Promise<void> {
  if (!(await lstat(path)).isFile()) throw new Error(`${path} is no plain file`);
}

/** Computes size and CRC-32 of a file, in chunks. */
export async function computeChecksum(path: string): Promise<FileChecksum> {
  let bytes = 0;
  let sum = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    sum = crc32(chunk, sum);
  }
  return { bytes, crc32: sum };
}

async function createFolder(folder: string): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (firstCreated !== undefined) await syncFolder(dirname(firstCreated));
}

/**
 * Creates the file storage of a data folder. @param isShared whether other instances use the folder, so that scratch
 * folders are not emptied
 */
export function createFileStorage(
  dataDir: string,
  { isShared = false }: { readonly isShared?: boolean } = {},
): FileStorage {
  function getPath(name: string): string {
    if (!NAME_PATTERN.test(name)) throw new Error(`'${name}' is no name of ours`);
    return join(dataDir, ...name.split('/'));
  }
  async function getSize(name: string): Promise<number | undefined> {
    try {
      const stats = await lstat(getPath(name));
      return stats.isFile() ? stats.size : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  const scratchCleanups = new Map<string, Promise<void>>();
  async function list(folder: string): Promise<readonly string[]> {
    try {
      const entries = await readdir(getPath(folder), { withFileTypes: true });
      return entries.flatMap((entry) => {
        const name = `${folder}/${entry.name}`;
        return entry.isFile() && NAME_PATTERN.test(name) ? [name] : [];
      });
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  return {
    getPath,
    getSize,
    list,
    createJobFolder: async (job) => {
      const folder = getPath(`work/${job}`);
      await createFolder(folder);
      return folder;
    },
    removeJobFolder: (job) => rm(getPath(`work/${job}`), { recursive: true, force: true }),
    createScratchFolder: async (owner) => {
      const folder = getPath(`work/${owner}`);
      const cleanup =
        scratchCleanups.get(owner) ?? (isShared ? Promise.resolve() : rm(folder, { recursive: true, force: true }));
      scratchCleanups.set(owner, cleanup);
      await cleanup;
      await createFolder(folder);
      return folder;
    },
    importFile: async (from, name) => {
      const to = getPath(name);
      await assertRegularFile(from);
      await createFolder(dirname(to));
      await syncFile(from);
      await moveFile(from, to);
      await syncFolder(dirname(to));
    },
    computeChecksum: (name) => computeChecksum(getPath(name)),
    remove: (name) => rm(getPath(name), { force: true }),
    removeStaleJobFolders: async (selectRetained) => {
      const names = await readdir(getPath('work')).catch((error: unknown) => {
        if (isNotFound(error)) return [];
        throw error;
      });
      const jobs = names.filter((name) => JOB_FOLDER_PATTERN.test(name)).map(Number);
      const retained = await selectRetained(jobs);
      const stale = jobs.filter((job) => !retained.has(job));
      await Promise.all(stale.map((job) => rm(getPath(`work/${job}`), { recursive: true, force: true })));
    },
  };
}
