import { createReadStream, constants, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm, link, rename } from 'node:fs/promises';
import { dirname, join, basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { hasErrorCode } from './diskSpace.ts';

/** Whole, and on the disk, or not there. What is a link by now is not followed. */
const copy = async (from: string, to: string): Promise<void> => {
  const unfinished = join(dirname(to), `.${basename(to)}.part`);
  await using source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  // Of a server that ended in the middle.
  await rm(unfinished, { force: true });
  try {
    const sink = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source.createReadStream({ autoClose: false }), sink);
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
};

/** @returns whether it was done; not where the system says one of these. */
const unless = async (attempt: Promise<void>, ...codes: readonly string[]): Promise<boolean> => {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (!codes.some((code) => hasErrorCode(error, code))) throw error;
    return false;
  }
};

/** Takes a file over, also from another disk: folders of the data folder may lie on several. */
export async function moveFile(from: string, to: string): Promise<void> {
  if (await unless(rename(from, to), 'EXDEV')) return;
  await copy(from, to);
  await rm(from).catch(async (error: unknown) => {
    await rm(to);
    throw error;
  });
}

/** The same file by another name; a copy of it where that is on another disk, or where the file is another user's, to whom Linux gives no second names. */
export async function linkFile(from: string, to: string): Promise<void> {
  if (!(await unless(link(from, to), 'EXDEV', 'EPERM'))) await copy(from, to);
}

const FOLDER_MODE = 0o700;
const CHUNK_BYTES = 1024 * 1024;
/** Of jobs, below `work`. */
const NUMBER = /^[1-9]\d*$/;
/** Folders and ids of ours: nothing that a person wrote, nothing that begins with a dot or a dash, nothing upwards. */
const OWN_NAME = /^\w[\w-]*(\/\w[\w-]*)*(\.\w+)?$/;

export interface FileChecksum {
  readonly bytes: number;
  /** As zip has it. */
  readonly crc32: number;
}

/** A file is not there, or has fewer bytes than its row says. */
export class FileNotFoundError extends Error {
  override readonly name = 'FileMissing';
}

/** Plain folders below the data folder. Names are ours, such as `music/812.mp3`. */
export interface FileStorage {
  /** The absolute path of a name. */
  readonly getPath: (name: string) => string;
  /** The folder of a job, made where it is not there: `work/<job>`. */
  readonly createJobFolder: (job: number) => Promise<string>;
  readonly removeJobFolder: (job: number) => Promise<void>;
  /** The folder of somebody else who has something in hand that need not outlive the server: `work/<owner>`. The first who asks finds it empty; what comes into it later its owner clears away. */
  readonly createScratchFolder: (owner: string) => Promise<string>;
  /** Brings a finished file from an absolute path to its name: kept over a power cut once this resolves. A link or anything but a plain file is refused. */
  readonly importFile: (from: string, name: string) => Promise<void>;
  /** Undefined where it is not there, or no plain file. */
  readonly getSize: (name: string) => Promise<number | undefined>;
  readonly computeChecksum: (name: string) => Promise<FileChecksum>;
  /** Nothing happens where it is not there. */
  readonly remove: (name: string) => Promise<void>;
  /** Names of the plain files of ours in a folder, such as `music/812.mp3`. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Removes the folders of jobs that are over: of those that have one, `stay` says which are not. It is asked last, so that a job that begins meanwhile keeps its own. */
  readonly removeStaleJobFolders: (stay: (jobs: readonly number[]) => Promise<ReadonlySet<number>>) => Promise<void>;
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Windows hands on only what was opened for writing; on Linux the file may be another user's, to be read alone. */
const openToSync = async (path: string) => {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (!hasErrorCode(error, 'EACCES')) throw error;
    return open(path, 'r');
  }
};

const syncFile = async (path: string): Promise<void> => {
  const handle = await openToSync(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const isAbsent = (error: unknown): boolean => hasErrorCode(error, 'ENOENT');

/** @throws Error where something else than a plain file stands there. */
export async function assertRegularFile(path: string): Promise<void> {
  if (!(await lstat(path)).isFile()) throw new Error(`${path} is no plain file`);
}

/** Size and CRC-32 of a file, read in pieces. */
export async function computeChecksum(path: string): Promise<FileChecksum> {
  let bytes = 0;
  let sum = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    sum = crc32(chunk, sum);
  }
  return { bytes, crc32: sum };
}

const createFolder = async (folder: string): Promise<void> => {
  const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined) await syncFolder(dirname(made));
};

export function createFileStorage(dataDir: string): FileStorage {
  const path = (name: string): string => {
    if (!OWN_NAME.test(name)) throw new Error(`'${name}' is no name of ours`);
    return join(dataDir, ...name.split('/'));
  };
  const size = async (name: string): Promise<number | undefined> => {
    try {
      const found = await lstat(path(name));
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  };
  const cleared = new Map<string, Promise<void>>();
  const list = async (folder: string): Promise<readonly string[]> => {
    try {
      const entries = await readdir(path(folder), { withFileTypes: true });
      return entries.flatMap((entry) => {
        const name = `${folder}/${entry.name}`;
        return entry.isFile() && OWN_NAME.test(name) ? [name] : [];
      });
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  };

  return {
    getPath: path,
    getSize: size,
    list,
    createJobFolder: async (job) => {
      const folder = path(`work/${job}`);
      await createFolder(folder);
      return folder;
    },
    removeJobFolder: (job) => rm(path(`work/${job}`), { recursive: true, force: true }),
    createScratchFolder: async (owner) => {
      const folder = path(`work/${owner}`);
      const clearing = cleared.get(owner) ?? rm(folder, { recursive: true, force: true });
      cleared.set(owner, clearing);
      await clearing;
      await createFolder(folder);
      return folder;
    },
    importFile: async (from, name) => {
      const to = path(name);
      await assertRegularFile(from);
      await createFolder(dirname(to));
      await syncFile(from);
      await moveFile(from, to);
      await syncFolder(dirname(to));
    },
    computeChecksum: (name) => computeChecksum(path(name)),
    remove: (name) => rm(path(name), { force: true }),
    removeStaleJobFolders: async (stay) => {
      const found = await readdir(path('work')).catch((error: unknown) => {
        if (isAbsent(error)) return [];
        throw error;
      });
      const jobs = found.filter((name) => NUMBER.test(name)).map(Number);
      const staying = await stay(jobs);
      const over = jobs.filter((job) => !staying.has(job));
      await Promise.all(over.map((job) => rm(path(`work/${job}`), { recursive: true, force: true })));
    },
  };
}
