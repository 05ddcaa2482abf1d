import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { copySqlite, SQLITE_FILE } from '../database/sqliteCopy.ts';
import { readFreeBytes } from '../storage/diskSpace.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import type { S3Bucket } from '../storage/s3Store.ts';
import { computeSha256 } from '../storage/sha256.ts';
import {
  BACKUPS_FOLDER,
  getFileState,
  isSameFile,
  listDataFiles,
  placeFile,
  syncFolders,
  syncPath,
} from './backupFiles.ts';
import { lockBackups, PART_SUFFIX } from './backupLock.ts';
import type { BackupReason } from './backupPolicy.ts';
import {
  type Backup,
  type BackupManifest,
  CHECKSUMS_FILE,
  FILES_FOLDER,
  formatBackupId,
  listBackups,
  MANIFEST_FILE,
  readBackup,
  readChecksums,
} from './backups.ts';
import { BUCKET_LIST_FILE, writeBucketList } from './bucketList.ts';
import { formatChecksumLine } from './checksumList.ts';

/** What a backup is made of. */
export interface BackupSource {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  /** Folders below the data folder with files that may still change, such as uploads. */
  readonly changingFolders: readonly string[];
  /** Where finished files are, if not below the data folder. The backup gets a list of them. */
  readonly filesBucket?: S3Bucket | undefined;
  /** Version of the server. */
  readonly version: string;
}

/** Space that remains free, so that the server can go on writing. */
const MIN_REMAINING_BYTES = 100 * 1024 * 1024;

/** Returns the folder of backups, or that of the data if no backup was made yet. */
export async function findBackupsFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, BACKUPS_FOLDER);
  const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  return isFolder ? folder : dataDir;
}

/** Estimates the space that the files of a new backup take: those that cannot be linked. */
export async function estimateFileBytes({
  dataDir,
  changingFolders,
}: Pick<BackupSource, 'dataDir' | 'changingFolders'>): Promise<number> {
  const [earlier] = await listBackups(dataDir);
  const { dev } = await stat(await findBackupsFolder(dataDir));
  let bytes = 0;
  for await (const { path, isChanging } of listDataFiles(dataDir, changingFolders)) {
    const state = await getFileState(join(dataDir, path));
    if (!state || (!isChanging && state.dev === dev)) continue;
    const earlierState =
      isChanging || !earlier ? undefined : await getFileState(join(earlier.path, FILES_FOLDER, path));
    if (!isSameFile(state, earlierState)) bytes += state.size;
  }
  return bytes;
}

async function estimateDatabaseBytes({ dataDir, databaseUrl }: BackupSource): Promise<number> {
  if (databaseUrl === undefined) return (await getFileState(join(dataDir, SQLITE_FILE)))?.size ?? 0;
  const [earlier] = await listBackups(dataDir);
  // A dump is compressed, so the size of the database says little.
  return earlier?.database.kind === 'postgres' ? 1.5 * earlier.database.bytes : 0;
}

/** @throws Refusal if a backup would fill the disk. */
async function assertSpace(source: BackupSource, readFree: typeof readFreeBytes): Promise<void> {
  const needed = (await estimateDatabaseBytes(source)) + (await estimateFileBytes(source));
  const free = await readFree(join(source.dataDir, BACKUPS_FOLDER));
  if (free < needed + MIN_REMAINING_BYTES)
    throw new Refusal(
      'backup.disk_full',
      `A backup needs ${Math.ceil(needed / 1e6)} MB, and only ${Math.floor(free / 1e6)} MB of disk space are free. Free some space`,
    );
}

async function copyDatabase({ dataDir, databaseUrl }: BackupSource, folder: string, signal: AbortSignal | undefined) {
  if (databaseUrl === undefined) return { kind: 'sqlite' as const, ...copySqlite(dataDir, folder) };
  const { dumpPostgres } = await import('../database/postgresDump.ts');
  return { kind: 'postgres' as const, ...(await dumpPostgres(databaseUrl, folder, signal)) };
}

/** Creates a folder for a new backup, with a name that no other one has. */
async function createPartFolder(backupsFolder: string, created: Temporal.Instant): Promise<string> {
  const id = formatBackupId(created);
  const names = new Set(await readdir(backupsFolder));
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? id : `${id}-${count}`;
    if (names.has(name)) continue;
    try {
      await mkdir(join(backupsFolder, `${name}${PART_SUFFIX}`), { mode: 0o700 });
      return name;
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
  }
}

/** Files of a backup that is being written. */
interface FileCollection {
  /** Puts files of the data folder into it that it lacks. */
  readonly addNew: () => Promise<void>;
  /** Returns the list of checksums, and the number and size of the files. */
  readonly finish: () => Promise<{ readonly list: string; readonly count: number; readonly bytes: number }>;
}

/** Returns checksums by path. From a damaged backup nothing is taken over, so that the new one is sound. */
async function readEarlierChecksums(earlier: Backup | undefined): Promise<ReadonlyMap<string, string>> {
  if (!earlier) return new Map();
  try {
    return new Map((await readChecksums(earlier)).map(({ path, sha256 }) => [path, sha256]));
  } catch (error) {
    if (error instanceof Refusal || hasErrorCode(error, 'ENOENT')) return new Map();
    throw error;
  }
}

async function collectFiles(
  { dataDir, changingFolders }: BackupSource,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<FileCollection> {
  const [earlier] = await listBackups(dataDir);
  const earlierDigests = await readEarlierChecksums(earlier);
  /** Checksums of files by path; undefined if they are new. */
  const placed = new Map<string, string | undefined>();
  return {
    addNew: async () => {
      for await (const { path, isChanging } of listDataFiles(dataDir, changingFolders)) {
        const name = `${FILES_FOLDER}/${path}`;
        if (placed.has(name)) continue;
        signal?.throwIfAborted();
        const placement = await placeFile(join(dataDir, path), join(folder, name), {
          isChanging,
          earlier: earlier && earlierDigests.has(name) ? join(earlier.path, name) : undefined,
        });
        if (placement !== 'missing') placed.set(name, placement === 'reused' ? earlierDigests.get(name) : undefined);
      }
    },
    finish: async () => {
      const lines: string[] = [];
      let bytes = 0;
      for (const [path, digest] of placed) {
        signal?.throwIfAborted();
        lines.push(formatChecksumLine({ path, sha256: digest ?? (await computeSha256(join(folder, path))) }));
        bytes += (await stat(join(folder, path))).size;
      }
      return { list: lines.join(''), count: placed.size, bytes };
    },
  };
}

async function writeAndSync(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
}

/**
 * Writes a backup of database and files below the data folder, and checks it. The server may be in use meanwhile. What
 * is interrupted leaves only a folder that ends with `.part`.
 * @throws Refusal if a program for it is missing or there is too little space; Error if a copy is not complete.
 */
export async function writeBackup(
  source: BackupSource,
  {
    reason,
    now,
    signal,
    readFree = readFreeBytes,
  }: {
    readonly reason: BackupReason;
    readonly now: Temporal.Instant;
    readonly signal?: AbortSignal;
    /** Tests replace it. */
    readonly readFree?: typeof readFreeBytes;
  },
): Promise<Backup> {
  const backupsFolder = join(source.dataDir, BACKUPS_FOLDER);
  using _lock = await lockBackups(source.dataDir, 'write', signal);
  await assertSpace(source, readFree);
  const id = await createPartFolder(backupsFolder, now);
  const folder = join(backupsFolder, `${id}${PART_SUFFIX}`);
  try {
    const files = await collectFiles(source, folder, signal);
    // Files before the database, so that none is removed between: a row then has its file. Files of rows that were
    // added meanwhile follow afterwards.
    await files.addNew();
    const database = await copyDatabase(source, folder, signal);
    await files.addNew();
    const { list, ...totals } = await files.finish();
    const databasePath = join(folder, database.file);
    const ownFiles: string[] = [database.file];
    if (source.filesBucket) {
      await writeBucketList(source.filesBucket, folder);
      ownFiles.push(BUCKET_LIST_FILE);
    }
    const ownLines: string[] = [];
    for (const path of ownFiles)
      ownLines.push(formatChecksumLine({ path, sha256: await computeSha256(join(folder, path)) }));
    await writeAndSync(join(folder, CHECKSUMS_FILE), ownLines.join('') + list);
    const manifest: BackupManifest = {
      format: 1,
      id,
      created: now.toString({ smallestUnit: 'second' }),
      reason,
      version: source.version,
      database: { ...database, bytes: (await stat(databasePath)).size },
      files: totals,
      checksums: await computeSha256(join(folder, CHECKSUMS_FILE)),
    };
    await writeAndSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
    await syncPath(databasePath);
    await syncFolders(folder);
    signal?.throwIfAborted();
    await rename(folder, join(backupsFolder, id));
    await syncPath(backupsFolder);
    return await readBackup(join(backupsFolder, id));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
