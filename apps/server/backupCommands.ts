import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import type { CopyPlace } from '#platform/server/backup/backupCopies.ts';
import {
  type Backup,
  type BackupInfo,
  checkBackup,
  findNewest,
  isBackupId,
  listBackups,
  MANIFEST_FILE,
  readBackup,
} from '#platform/server/backup/backups.ts';
import { compareWithBucket } from '#platform/server/backup/bucketList.ts';
import { restoreBackup } from '#platform/server/backup/restoreBackup.ts';
import { MIGRATION_TABLE_SUFFIX } from '#platform/server/database/migrate.ts';
import { lockDatabase } from '#platform/server/database/openDatabase.ts';
import { listChangingFolders, version as ownVersion } from './assemble.ts';
import { type Config, toCopyTarget, toFilesBucket } from './config.ts';
import { listMigrationSets } from './migrationSets.ts';

/** A command about backups that needs no server, such as `restore newest --yes`. */
export interface BackupCommand {
  readonly words: readonly string[];
  readonly yes: boolean;
  /** Local or zoned time. */
  readonly at: string | undefined;
}

const MEGABYTE = 1e6;

const describeBackup = ({ id, reason, bytes, version, database, files }: BackupInfo): string =>
  [
    id,
    reason,
    `${Math.ceil(bytes / MEGABYTE)} MB`,
    `${database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'} and ${files.count} files`,
    `version ${version}`,
  ].join('\t');

/** Parses a time with or without a zone; without one it is of this computer. @throws Refusal if it is no time. */
function parseTime(text: string): Temporal.Instant {
  try {
    return /z$|[+-]\d\d:?\d\d$/i.test(text)
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text).toZonedDateTime(Temporal.Now.timeZoneId()).toInstant();
  } catch (cause) {
    throw new Refusal('backup.time_invalid', `'${text}' is no time. Write it like 2026-11-30T12:00`, { cause });
  }
}

/** Finds the backup that a command names. @throws Refusal if there is none. */
function selectBackup<Item extends BackupInfo>(
  backups: readonly Item[],
  name: string | undefined,
  at: string | undefined,
): Item {
  if (at !== undefined) {
    const time = parseTime(at);
    const before = findNewest(backups, time);
    if (before) return before;
    throw new Refusal(
      'backup.none_before',
      `There is no backup from before ${at}. See: npm run pegboard -- backup list`,
    );
  }
  if (name === undefined)
    throw new Refusal('backup.name_missing', 'Name a backup, or newest. See: npm run pegboard -- backup list');
  const found =
    name === 'newest'
      ? (findNewest(backups, Temporal.Now.instant()) ?? backups[0])
      : backups.find(({ id }) => id === name);
  if (found) return found;
  throw new Refusal('backup.not_found', `There is no backup '${name}'. See: npm run pegboard -- backup list`);
}

/** Copies that a command names: in a bucket, or in a folder. */
interface CopyAddress {
  readonly address: string;
  /** Undefined means all copies there, or the newest one. */
  readonly id: string | undefined;
}

/** Returns whether a folder has copies. A whole backup has a manifest beside its files. */
const isCopyFolder = (folder: string): boolean =>
  !existsSync(join(folder, MANIFEST_FILE)) && existsSync(join(folder, 'files'));

/** Parses the address of copies or of one of them; undefined if a text is no such address. */
function parseCopyAddress(text: string): CopyAddress | undefined {
  const isS3 = text.startsWith('s3://');
  const [folder, id] = [dirname(text), basename(text)];
  if (isBackupId(id) && text.includes('/') && (isS3 || isCopyFolder(folder)))
    return { address: isS3 ? folder : resolve(folder), id };
  if (isS3) return { address: text, id: undefined };
  return text.includes('/') && isCopyFolder(text) ? { address: resolve(text), id: undefined } : undefined;
}

/** A backup that a command names, which may have to be fetched first. */
interface FoundBackup {
  readonly info: BackupInfo;
  readonly fetch: () => Promise<Backup>;
  readonly check: () => Promise<void>;
}

async function openCopies(config: Config, address: string): Promise<CopyPlace> {
  // Loaded only for copies, because of the libraries for encryption and S3.
  const { createCopyStore, openCopyPlace } = await import('#platform/server/backup/backupCopies.ts');
  return openCopyPlace(createCopyStore(toCopyTarget(config, address)), config.BACKUP_PASSPHRASE);
}

async function findBackup(config: Config, name: string | undefined, at: string | undefined): Promise<FoundBackup> {
  const { DATA_DIR: dataDir, BACKUP_COPY_TO: copyTo } = config;
  const copies = name === undefined ? undefined : parseCopyAddress(name);
  if (copies) {
    const { checkCopy, fetchCopy, listCopies } = await import('#platform/server/backup/backupCopies.ts');
    const place = await openCopies(config, copies.address);
    const info = selectBackup(await listCopies(place), copies.id ?? 'newest', at);
    return {
      info,
      fetch: () => fetchCopy(place, info, dataDir),
      check: () => checkCopy(place, info, dataDir),
    };
  }
  const backups = await listBackups(dataDir);
  if (backups.length === 0 && copyTo !== undefined)
    throw new Refusal(
      'backup.only_copies',
      `This data folder has no backups. To use a copy, name it: npm run pegboard -- restore ${copyTo}`,
    );
  const isFolder = name !== undefined && !isBackupId(name) && name.includes('/') && existsSync(name);
  const backup = isFolder ? await readBackup(name) : selectBackup(backups, name, at);
  return { info: backup, fetch: async () => backup, check: () => checkBackup(backup) };
}

/** Asks in the terminal. @throws Refusal unless the answer is yes. */
async function confirmRestore(backup: BackupInfo, dataDir: string): Promise<void> {
  const summary = `This replaces all data in ${dataDir} by the backup of ${backup.created.toString()}. What is there now is kept in a folder beside it.`;
  if (!process.stdin.isTTY) throw new Refusal('restore.unconfirmed', `${summary} Add --yes to confirm`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${summary}\nType yes to continue: `);
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new Refusal('restore.cancelled', 'Nothing was changed');
}

/** @throws Refusal if a newer version made a backup, so that this one could not start with it. */
function assertKnownVersion({ id, version, database }: BackupInfo): void {
  const isNewer = listMigrationSets().some(
    ({ name, migrations }) => (database.rows[name + MIGRATION_TABLE_SUFFIX] ?? 0) > migrations.length,
  );
  if (isNewer)
    throw new Refusal(
      'restore.newer_version',
      `The backup ${id} is of version ${version}, which is newer than this one (${ownVersion}). Install that version, and restore it there`,
    );
}

async function restore(config: Config, command: BackupCommand): Promise<string> {
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = config;
  const found = await findBackup(config, command.words[1], command.at);
  assertKnownVersion(found.info);
  // A server that runs would continue with the old data.
  await using _lock = await lockDatabase({ dataDir, databaseUrl });
  if (!command.yes) await confirmRestore(found.info, dataDir);
  const target = { dataDir, databaseUrl, changingFolders: listChangingFolders() };
  const backup = await found.fetch();
  const replaced = await restoreBackup(backup, target, { now: Temporal.Now.instant() });
  const lines = [`Restored the backup ${backup.id}. Start the server`];
  if (replaced !== undefined)
    lines.push(`What was there before is in ${replaced}. Delete that folder when all is well`);
  lines.push(...(await compareWithBucket(backup.path, toFilesBucket(config))));
  return lines.join('\n');
}

async function listAddressCopies(config: Config, address: string): Promise<readonly BackupInfo[]> {
  const { listCopies } = await import('#platform/server/backup/backupCopies.ts');
  return listCopies(await openCopies(config, parseCopyAddress(address)?.address ?? resolve(address)));
}

async function list(config: Config, address: string | undefined): Promise<string> {
  const backups = address === undefined ? await listBackups(config.DATA_DIR) : await listAddressCopies(config, address);
  return backups.length === 0 ? 'There are no backups' : backups.map(describeBackup).join('\n');
}

async function check(config: Config, command: BackupCommand): Promise<string> {
  const found = await findBackup(config, command.words[2], command.at);
  await found.check();
  return `ok   the backup ${found.info.id} is complete`;
}

/** Runs a command about backups, and returns the text to print; undefined if it is another command. */
export async function runBackupCommand(config: Config, command: BackupCommand): Promise<string | undefined> {
  const [first, second, third] = command.words;
  if (first === 'restore') return restore(config, command);
  if (first !== 'backup') return undefined;
  if (second === 'list') return list(config, third);
  return second === 'check' ? check(config, command) : undefined;
}
