// Backups on disk: each is a folder `backups/<id>` with a manifest, a list of checksums, the database and the files.
import { hash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { findDifferingTable } from '../database/databaseCopy.ts';
import { checkSqliteCopy } from '../database/sqliteCopy.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import { computeSha256 } from '../storage/sha256.ts';
import { BACKUPS_FOLDER } from './backupFiles.ts';
import { BACKUP_REASONS } from './backupPolicy.ts';
import { BUCKET_LIST_FILE } from './bucketList.ts';
import { type FileDigest, parseChecksumList } from './checksumList.ts';

export const MANIFEST_FILE = 'manifest.json';
export const CHECKSUMS_FILE = 'checksums.sha256';
/** Folder of the files in a backup. */
export const FILES_FOLDER = 'files';

const ID_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?$/;

const manifestSchema = z.object({
  format: z.literal(1),
  id: z.string().check(z.regex(ID_PATTERN)),
  created: z.string(),
  reason: z.enum(BACKUP_REASONS),
  /** Version of the server that wrote it. */
  version: z.string(),
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    file: z.enum(['data.db', 'database.dump']),
    bytes: z.int(),
    rows: z.record(z.string(), z.int()),
  }),
  files: z.object({ count: z.int(), bytes: z.int() }),
  /** SHA-256 of the list of checksums. */
  checksums: z.string(),
});
export type BackupManifest = z.output<typeof manifestSchema>;

/** What is known of a backup, wherever it is. */
export interface BackupInfo extends Omit<BackupManifest, 'created'> {
  readonly created: Temporal.Instant;
  /** Of the database and all files. */
  readonly bytes: number;
}

/** A complete backup. */
export interface Backup extends BackupInfo {
  readonly path: string;
}

/** Parses a manifest. @throws Error if it is damaged. */
export function parseManifest(text: string): BackupInfo {
  const manifest = manifestSchema.parse(JSON.parse(text));
  return {
    ...manifest,
    created: Temporal.Instant.from(manifest.created),
    bytes: manifest.database.bytes + manifest.files.bytes,
  };
}

/** Returns the newest backup that is not of the future, as a wrong clock makes them. */
export function findNewest<Item extends { readonly created: Temporal.Instant }>(
  newestFirst: readonly Item[],
  now: Temporal.Instant,
): Item | undefined {
  return newestFirst.find(({ created }) => Temporal.Instant.compare(created, now) <= 0);
}

/** Returns whether a name is one of a backup. */
export const isBackupId = (name: string): boolean => ID_PATTERN.test(name);

/** Formats the id of a backup, which is also the name of its folder. */
export function formatBackupId(created: Temporal.Instant): string {
  return created.toString({ smallestUnit: 'second' }).replaceAll(':', '-');
}

/** Reads a backup. @throws Refusal if the folder has none. */
export async function readBackup(path: string): Promise<Backup> {
  try {
    return { ...parseManifest(await readFile(join(path, MANIFEST_FILE), 'utf8')), path };
  } catch (cause) {
    throw new Refusal('backup.not_found', `${path} is no complete backup of Pegboard. Name the folder of one`, {
      cause,
    });
  }
}

/** Lists the complete backups of a data folder, newest first. */
export async function listBackups(dataDir: string): Promise<readonly Backup[]> {
  const folder = join(dataDir, BACKUPS_FOLDER);
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  });
  const backups: Backup[] = [];
  for (const name of names.filter(isBackupId).toSorted().toReversed()) {
    try {
      backups.push(await readBackup(join(folder, name)));
    } catch (error) {
      // Removed meanwhile, or damaged: then it can't be restored, and doesn't count.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return backups;
}

/** Removes backups. Each loses its manifest first, so that none is ever incomplete and looks complete. */
export async function removeBackups(backups: readonly Backup[]): Promise<void> {
  for (const { path } of backups) {
    await rm(join(path, MANIFEST_FILE), { force: true });
    await rm(path, { recursive: true, force: true });
  }
}

/** @throws Refusal unless a path of a list leads to the database, the list of a bucket, or into the folder of files. */
function assertSafePath(path: string, databaseFile: string): void {
  const parts = path.split('/');
  const isOwnFile = path === databaseFile || path === BUCKET_LIST_FILE;
  if (!isOwnFile && (parts[0] !== FILES_FOLDER || parts.some((part) => ['', '.', '..'].includes(part))))
    throw new Refusal('backup.damaged', `The backup has a file with the path ${path}, which no backup has`);
}

/** Parses the list of checksums of a backup. @throws Refusal if it was changed. */
export function parseChecksums(text: string, { id, checksums, database }: BackupInfo): readonly FileDigest[] {
  if (hash('sha256', text) !== checksums)
    throw new Refusal('backup.damaged', `The list of checksums of the backup ${id} was changed. Use another backup`);
  const digests = parseChecksumList(text);
  for (const { path } of digests) assertSafePath(path, database.file);
  return digests;
}

/** Reads the checksums of a backup. @throws Refusal if the list itself was changed. */
export async function readChecksums(backup: Backup): Promise<readonly FileDigest[]> {
  return parseChecksums(await readFile(join(backup.path, CHECKSUMS_FILE), 'utf8'), backup);
}

/**
 * Reads a whole backup and compares it with its manifest: all checksums, the integrity of the database and its rows.
 * @throws Refusal that names what is damaged.
 */
export async function checkBackup(backup: Backup, signal?: AbortSignal): Promise<void> {
  const { path, database } = backup;
  for (const { path: name, sha256 } of await readChecksums(backup)) {
    signal?.throwIfAborted();
    const actual = await computeSha256(join(path, name)).catch((error: unknown) => {
      if (hasErrorCode(error, 'ENOENT')) return 'missing';
      throw error;
    });
    if (actual !== sha256)
      throw new Refusal(
        'backup.damaged',
        `${name} in the backup ${backup.id} is ${actual === 'missing' ? 'missing' : 'damaged'}. Use another backup`,
      );
  }
  const rows = await countRows(join(path, database.file), database.kind, signal);
  if (findDifferingTable(rows, database.rows) !== undefined)
    throw new Refusal('backup.damaged', `The database of the backup ${backup.id} lacks rows. Use another backup`);
}

async function countRows(path: string, kind: BackupManifest['database']['kind'], signal: AbortSignal | undefined) {
  if (kind === 'sqlite') return checkSqliteCopy(path);
  const { checkPostgresDump } = await import('../database/postgresDump.ts');
  return checkPostgresDump(path, signal);
}
