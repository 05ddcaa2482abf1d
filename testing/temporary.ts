import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A disk in memory, where syncing costs nothing. */
const MEMORY = '/dev/shm';
/** Folders in memory, with the process that removes them. */
const OWNED_FOLDER = /^pegboard-(?:run|postgres)-(\d+)-/;
/** A whole run needs 2.2 GB at its peak, including PostgreSQL's data. */
const RUN_BYTES = 4 * 1024 ** 3;
/** PostgreSQL runs as its own user, which must be able to pass through the folder. */
const PASSABLE = 0o711;

/** Returns the folder in memory if it has enough space; containers usually have 64 MB. */
export function findMemoryFolder(bytes: number): string | undefined {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const hasSpace = bavail * bsize >= bytes && process.availableMemory() >= 2 * bytes;
    return hasSpace ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the files of killed processes. */
function removeAbandoned(memory: string): void {
  for (const name of readdirSync(memory)) {
    const pid = OWNED_FOLDER.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true });
  }
}

/** Puts temporary files of this process and its children into memory if they fit. They are removed at the end. */
export function useMemoryForTemporaryFiles(print: (line: string) => void): void {
  const memory = findMemoryFolder(RUN_BYTES);
  if (memory === undefined)
    return print(`${MEMORY} has too little space: temporary files are in ${tmpdir()}, which is slower`);
  removeAbandoned(memory);
  const folder = mkdtempSync(join(memory, `pegboard-run-${process.pid}-`));
  chmodSync(folder, PASSABLE);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
}

/** Returns a folder on another disk than temporary files: memory, or the disk of the system or the repository. */
export function findOtherDisk(): string | undefined {
  const cache = resolve(import.meta.dirname, '../node_modules/.cache');
  const { dev } = statSync(tmpdir());
  return [MEMORY, '/var/tmp', cache].find((folder) => existsSync(folder) && statSync(folder).dev !== dev);
}
