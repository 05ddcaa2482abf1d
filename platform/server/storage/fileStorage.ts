import { createReadStream, constants, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm, link, rename } from 'node:fs/promises';
import { dirname, extname, join, basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { hasErrorCode } from './errorCode.ts';
import { FileNotFoundError, type FileStore, type OpenedFile } from './fileStore.ts';

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

/**
 * Files below the data folder, and finished files, which may be in another store (`FILES_URL`). Names are ours, such as
 * `pictures/812.png`.
 */
export interface FileStorage extends FileStore {
  /** Returns the absolute path of a name. @throws Error if its folder is in another store */
  readonly getPath: (name: string) => string;
  /** Creates the folder of a job if needed: `work/<job>`. */
  readonly createJobFolder: (job: number) => Promise<string>;
  readonly removeJobFolder: (job: number) => Promise<void>;
  /**
   * Creates `work/<owner>` for temporary files. The first call after a start empties it; later files are up to the
   * owner.
   */
  readonly createScratchFolder: (owner: string) => Promise<string>;
  /** Undefined if it is missing or not a regular file. */
  readonly getSize: (name: string) => Promise<number | undefined>;
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

/** Returns undefined if there is no such file, or if it is a link that must not be followed. */
async function orNotFound<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ELOOP')) return undefined;
    throw error;
  }
}

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

/** Opens a regular file. Does not follow links. */
async function openRegularFile(path: string): Promise<OpenedFile | undefined> {
  const handle = await orNotFound(open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (!handle) return undefined;
  const stats = await handle.stat();
  const close = (): Promise<void> => handle.close();
  if (stats.isFile()) return { size: stats.size, read: handle.read.bind(handle), close };
  await close();
  return undefined;
}

/** Creates the store of finished files in a folder. */
function createFolderFileStore(getPath: (name: string) => string): FileStore {
  async function importFile(from: string, name: string): Promise<void> {
    const to = getPath(name);
    await assertRegularFile(from);
    await createFolder(dirname(to));
    await syncFile(from);
    await moveFile(from, to);
    await syncFolder(dirname(to));
  }
  async function find(name: string) {
    const stats = await orNotFound(lstat(getPath(name)));
    if (stats?.isFile() !== true) return undefined;
    return { size: stats.size, version: Math.round(stats.mtimeMs).toString(36) };
  }
  return {
    importFile,
    find,
    open: (name) => openRegularFile(getPath(name)),
    list: async (folder) => {
      const entries = (await orNotFound(readdir(getPath(folder), { withFileTypes: true }))) ?? [];
      return entries.flatMap((entry) => {
        const name = `${folder}/${entry.name}`;
        return entry.isFile() && NAME_PATTERN.test(name) ? [name] : [];
      });
    },
    rename: (from, to) => importFile(getPath(from), to),
    remove: (name) => rm(getPath(name), { force: true }),
    withLocalFile: async (name, work) => {
      if (!(await find(name))) throw new FileNotFoundError(`${name} is missing`);
      return work(getPath(name));
    },
  };
}

/** @throws Error if a name could lead out of the store, or is not one of ours. */
function assertFileName(name: string): void {
  if (!NAME_PATTERN.test(name)) throw new Error(`'${name}' is no name of ours`);
}

interface FileStorageOptions {
  /** Whether other instances use the folder, so that scratch folders are not emptied. */
  readonly isShared?: boolean;
  /** Creates the store of the files in some folders, which are not below the data folder then. */
  readonly remote?:
    | {
        readonly folders: readonly string[];
        readonly create: (createScratchFolder: FileStorage['createScratchFolder']) => FileStore;
      }
    | undefined;
}

/** Creates the file storage of a data folder. */
export function createFileStorage(dataDir: string, { isShared = false, remote }: FileStorageOptions = {}): FileStorage {
  const isRemote = (folder: string): boolean => remote?.folders.includes(folder) === true;
  function getPath(name: string): string {
    assertFileName(name);
    if (isRemote(dirname(name)) && extname(name) !== '') throw new Error(`'${name}' is not in the data folder`);
    return join(dataDir, ...name.split('/'));
  }
  const scratchCleanups = new Map<string, Promise<void>>();
  async function createScratchFolder(owner: string): Promise<string> {
    const folder = getPath(`work/${owner}`);
    const cleanup =
      scratchCleanups.get(owner) ?? (isShared ? Promise.resolve() : rm(folder, { recursive: true, force: true }));
    scratchCleanups.set(owner, cleanup);
    await cleanup;
    await createFolder(folder);
    return folder;
  }
  const folderStore = createFolderFileStore(getPath);
  const remoteStore = remote?.create(createScratchFolder);
  function select(name: string, folder = dirname(name)): FileStore {
    assertFileName(name);
    return remoteStore && isRemote(folder) ? remoteStore : folderStore;
  }

  return {
    getPath,
    importFile: (from, name) => select(name).importFile(from, name),
    find: (name) => select(name).find(name),
    getSize: async (name) => (await select(name).find(name))?.size,
    open: (name, range) => select(name).open(name, range),
    list: (folder) => select(folder, folder).list(folder),
    rename: (from, to) => select(to).rename(from, to),
    remove: (name) => select(name).remove(name),
    withLocalFile: (name, work) => select(name).withLocalFile(name, work),
    createScratchFolder,
    createJobFolder: async (job) => {
      const folder = getPath(`work/${job}`);
      await createFolder(folder);
      return folder;
    },
    removeJobFolder: (job) => rm(getPath(`work/${job}`), { recursive: true, force: true }),
    removeStaleJobFolders: async (selectRetained) => {
      const names = (await orNotFound(readdir(getPath('work')))) ?? [];
      const jobs = names.filter((name) => JOB_FOLDER_PATTERN.test(name)).map(Number);
      const retained = await selectRetained(jobs);
      const stale = jobs.filter((job) => !retained.has(job));
      await Promise.all(stale.map((job) => rm(getPath(`work/${job}`), { recursive: true, force: true })));
    },
  };
}
