import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { SQLITE_FILE } from '../database/sqliteCopy.ts';
import { readFreeBytes } from '../storage/diskSpace.ts';
import { linkFile } from '../storage/fileStorage.ts';
import {
  isChangingFile,
  isInBackup,
  REPLACED_PREFIX,
  RESTORE_FOLDER,
  RESTORE_MARKER,
  syncFolders,
  syncPath,
} from './backupFiles.ts';
import { lockBackups } from './backupLock.ts';
import { type Backup, checkBackup, FILES_FOLDER, formatBackupId, readChecksums } from './backups.ts';

/** What a backup is restored to. The caller holds its lock, so no server uses it. */
export interface RestoreTarget {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  readonly changingFolders: readonly string[];
}

const DATABASE_PATTERN = /^data\.db(-(wal|shm|journal))?$/;
const isReplaced = (name: string): boolean => DATABASE_PATTERN.test(name) || isInBackup(name);

/** @throws Refusal if a restore of this data folder did not end, so that some of its files are missing. */
export function assertNoUnfinishedRestore(dataDir: string): void {
  if (existsSync(join(dataDir, RESTORE_MARKER)))
    throw new Refusal(
      'server.restore_unfinished',
      `A restore of ${dataDir} was interrupted. Run the same command again: npm run pegboard -- restore <backup>`,
    );
}

/** @throws Refusal if the backup cannot be restored there. */
async function assertFits(backup: Backup, { dataDir, databaseUrl }: RestoreTarget): Promise<void> {
  const kind = databaseUrl === undefined ? 'sqlite' : 'postgres';
  if (backup.database.kind !== kind)
    throw new Refusal(
      'restore.other_database',
      kind === 'sqlite'
        ? 'This backup is of PostgreSQL. Set DATABASE_URL to an empty database, and restore again'
        : 'This backup is of SQLite. Restore it without DATABASE_URL, then move it to PostgreSQL',
    );
  const { dev } = await stat(dataDir);
  for (const entry of await readdir(dataDir, { withFileTypes: true }))
    if (isReplaced(entry.name) && entry.isDirectory() && (await lstat(join(dataDir, entry.name))).dev !== dev)
      throw new Refusal(
        'restore.mounted_folder',
        `${join(dataDir, entry.name)} is a mount of another disk, which a restore can't replace. Unmount it, and copy the restored folder there afterwards`,
      );
  const needed = (await stat(backup.path)).dev === dev ? backup.database.bytes : backup.bytes;
  const free = await readFreeBytes(dataDir);
  if (free < needed)
    throw new Refusal(
      'restore.disk_full',
      `The restore needs ${Math.ceil(needed / 1e6)} MB, and ${Math.floor(free / 1e6)} MB are free. Free some space first`,
    );
}

/** Prepares everything that the data folder will have, without touching what it has. */
async function prepareFiles(backup: Backup, { dataDir, changingFolders }: RestoreTarget): Promise<string> {
  const folder = join(dataDir, RESTORE_FOLDER);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  for (const { path } of await readChecksums(backup)) {
    if (!path.startsWith(`${FILES_FOLDER}/`)) continue;
    const name = path.slice(FILES_FOLDER.length + 1);
    const [source, target] = [join(backup.path, path), join(folder, name)];
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (isChangingFile(name, changingFolders)) {
      await copyFile(source, target);
      await syncPath(target);
    } else await linkFile(source, target);
  }
  if (backup.database.kind === 'sqlite') {
    const target = join(folder, SQLITE_FILE);
    await copyFile(join(backup.path, backup.database.file), target);
    await syncPath(target);
  }
  await syncFolders(folder);
  return folder;
}

/**
 * Moves the files of the data folder away and the prepared ones in their place. If it was interrupted and runs again,
 * what is already in the folder of replaced files stays there, and the rest comes from the interrupted attempt.
 */
async function swapFiles(dataDir: string, prepared: string, replaced: string): Promise<void> {
  for (const name of (await readdir(dataDir)).filter(isReplaced)) {
    const movedPath = join(replaced, name);
    if (existsSync(movedPath)) await rm(join(dataDir, name), { recursive: true, force: true });
    else await rename(join(dataDir, name), movedPath);
  }
  await syncPath(replaced);
  for (const name of await readdir(prepared)) await rename(join(prepared, name), join(dataDir, name));
  await rm(prepared, { recursive: true });
  await syncPath(dataDir);
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0;
}

/** Returns a name for a folder of replaced files. No other one has it, because what is in one is never removed. */
function findReplacedName(dataDir: string, now: Temporal.Instant): string {
  const first = REPLACED_PREFIX + formatBackupId(now);
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? first : `${first}-${count}`;
    if (!existsSync(join(dataDir, name))) return name;
  }
}

/** Returns the folder of replaced files of an interrupted restore; undefined if none had begun to replace any. */
async function findReplacedFolder(marker: string): Promise<string | undefined> {
  const name = existsSync(marker) ? await readFile(marker, 'utf8') : '';
  // It is empty if the restore was killed while it wrote it.
  return name.startsWith(REPLACED_PREFIX) ? name : undefined;
}

/**
 * Restores a backup after checking it whole. What it replaces moves to a folder in the data folder.
 * @returns the path of that folder; undefined if nothing was replaced.
 * @throws Refusal if the backup is damaged or does not fit, before anything is changed.
 */
export async function restoreBackup(
  backup: Backup,
  target: RestoreTarget,
  { now, signal }: { readonly now: Temporal.Instant; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const { dataDir, databaseUrl } = target;
  // A killed server may have left a process that still reads the files for a backup.
  using _lock = await lockBackups(dataDir, 'write', signal);
  await assertFits(backup, target);
  await checkBackup(backup, signal);
  if (databaseUrl !== undefined) {
    const { assertReplaceable } = await import('../database/postgresDump.ts');
    await assertReplaceable(databaseUrl);
  }
  const prepared = await prepareFiles(backup, target);
  const marker = join(dataDir, RESTORE_MARKER);
  const unfinished = await findReplacedFolder(marker);
  // An interrupted restore goes on with the same folder.
  const replacedName = unfinished ?? findReplacedName(dataDir, now);
  const replaced = join(dataDir, replacedName);
  await mkdir(replaced, { recursive: true, mode: 0o700 });
  if (databaseUrl !== undefined && unfinished === undefined) {
    const { dumpPostgres, hasTables } = await import('../database/postgresDump.ts');
    if (await hasTables(databaseUrl)) await dumpPostgres(databaseUrl, replaced, signal);
  }
  await writeFile(marker, replacedName, { mode: 0o600, flush: true });
  await syncPath(dataDir);
  if (databaseUrl !== undefined) {
    const { restorePostgres } = await import('../database/postgresDump.ts');
    await restorePostgres(databaseUrl, join(backup.path, backup.database.file), backup.database.rows);
  }
  await swapFiles(dataDir, prepared, replaced);
  await rm(marker);
  await syncPath(dataDir);
  if (!(await isEmpty(replaced))) return replaced;
  await rm(replaced, { recursive: true });
  return undefined;
}
