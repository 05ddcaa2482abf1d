import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireFileLock } from '../database/sqliteConnection.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import { BACKUPS_FOLDER } from './backupFiles.ts';

/** End of the names of backups that are being written. */
export const PART_SUFFIX = '.part';
/** End of the names of copies that are being fetched. */
export const FETCH_SUFFIX = `-copy${PART_SUFFIX}`;
/** Of work in the folder of backups, only one of a kind happens at a time, also with several instances. */
export type BackupWork = 'write' | 'copy' | 'fetch';

const POLL_INTERVAL_MS = 200;

/** Takes a lock; undefined if another process has it. */
export async function tryToLockBackups(dataDir: string, work: BackupWork): Promise<Disposable | undefined> {
  const folder = join(dataDir, BACKUPS_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return acquireFileLock(join(folder, `${work}.lock`));
}

/** Waits for a lock. */
export async function lockBackups(dataDir: string, work: BackupWork, signal?: AbortSignal): Promise<Disposable> {
  for (;;) {
    const lock = await tryToLockBackups(dataDir, work);
    if (lock) return lock;
    await sleep(POLL_INTERVAL_MS, undefined, { signal });
  }
}

/** Removes what killed processes left, but nothing that another one is working on. */
export async function removeUnfinished(dataDir: string): Promise<void> {
  const folder = join(dataDir, BACKUPS_FOLDER);
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  });
  const namesByWork = Object.groupBy(
    names.filter((name) => name.endsWith(PART_SUFFIX)),
    (name) => (name.endsWith(FETCH_SUFFIX) ? 'fetch' : 'write'),
  );
  for (const work of ['write', 'fetch'] as const) {
    const unfinished = namesByWork[work] ?? [];
    if (unfinished.length === 0) continue;
    using lock = await tryToLockBackups(dataDir, work);
    if (lock) for (const name of unfinished) await rm(join(folder, name), { recursive: true, force: true });
  }
}
