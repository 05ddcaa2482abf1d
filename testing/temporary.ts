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

/** Memory that the system shows as a disk: nobody waits there for what is synced. */
const MEMORY = '/dev/shm';
const RUN_FOLDER = /^pegboard-run-(\d+)-/;
/** A whole run needs 2.2 GB at its peak, PostgreSQL's data included. */
const RUN_BYTES = 4 * 1024 ** 3;
/** PostgreSQL runs as a user of its own. */
const PASSABLE = 0o711;

/** Gives the folder in memory if it has so much room; a container's has 64 MB as a rule. */
export function findMemoryFolder(bytes: number): string | undefined {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const hasRoom = bavail * bsize >= bytes && process.availableMemory() >= 2 * bytes;
    return hasRoom ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

/** What a run left that was killed. */
function removeAbandoned(memory: string): void {
  for (const name of readdirSync(memory)) {
    const pid = RUN_FOLDER.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true });
  }
}

/** Puts the temporary files of this process and its children into memory where there is room; they are removed at its end. */
export function useMemoryForTemporaryFiles(say: (line: string) => void): void {
  const memory = findMemoryFolder(RUN_BYTES);
  if (memory === undefined)
    return say(`No room in ${MEMORY}: the tests' temporary files are in ${tmpdir()}, which takes longer`);
  removeAbandoned(memory);
  const folder = mkdtempSync(join(memory, `pegboard-run-${process.pid}-`));
  chmodSync(folder, PASSABLE);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
}

/** Gives a folder on another disk than temporary files: memory, or where the system or the repository is. */
export function findOtherDisk(): string | undefined {
  const cache = resolve(import.meta.dirname, '../node_modules/.cache');
  const own = statSync(tmpdir()).dev;
  return [MEMORY, '/var/tmp', cache].find((folder) => existsSync(folder) && statSync(folder).dev !== own);
}
