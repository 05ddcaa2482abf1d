import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { type Backup, checkBackup, listBackups, readBackup } from '#platform/server/backup/backups.ts';
import { restoreBackup } from '#platform/server/backup/restoreBackup.ts';
import { lockDatabase } from '#platform/server/database/openDatabase.ts';
import { listChangingFolders } from './assemble.ts';
import type { Config } from './config.ts';

/** A command about backups that needs no server, such as `restore newest --yes`. */
export interface BackupCommand {
  readonly words: readonly string[];
  readonly yes: boolean;
  /** Local or zoned time. */
  readonly at: string | undefined;
}

const MEGABYTE = 1e6;

const describeBackup = ({ id, reason, bytes, version, database, files }: Backup): string =>
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
async function findBackup(dataDir: string, name: string | undefined, at: string | undefined): Promise<Backup> {
  const backups = await listBackups(dataDir);
  if (at !== undefined) {
    const time = parseTime(at);
    const before = backups.find(({ created }) => Temporal.Instant.compare(created, time) <= 0);
    if (before) return before;
    throw new Refusal(
      'backup.none_before',
      `There is no backup from before ${at}. See: npm run pegboard -- backup list`,
    );
  }
  if (name === undefined)
    throw new Refusal('backup.name_missing', 'Name a backup, or newest. See: npm run pegboard -- backup list');
  const found = name === 'newest' ? backups[0] : backups.find(({ id }) => id === name);
  if (found) return found;
  if (name.includes('/') && existsSync(name)) return readBackup(name);
  throw new Refusal('backup.not_found', `There is no backup '${name}'. See: npm run pegboard -- backup list`);
}

/** Asks in the terminal. @throws Refusal unless the answer is yes. */
async function confirmRestore(backup: Backup, dataDir: string): Promise<void> {
  const summary = `This replaces all data in ${dataDir} by the backup of ${backup.created.toString()}. What is there now is kept in a folder beside it.`;
  if (!process.stdin.isTTY) throw new Refusal('restore.unconfirmed', `${summary} Add --yes to confirm`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${summary}\nType yes to continue: `);
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new Refusal('restore.cancelled', 'Nothing was changed');
}

async function restore(
  { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }: Config,
  command: BackupCommand,
): Promise<string> {
  const backup = await findBackup(dataDir, command.words[1], command.at);
  // A server that runs would continue with the old data.
  await using _lock = await lockDatabase({ dataDir, databaseUrl });
  if (!command.yes) await confirmRestore(backup, dataDir);
  const target = { dataDir, databaseUrl, changingFolders: listChangingFolders() };
  const replaced = await restoreBackup(backup, target, { now: Temporal.Now.instant() });
  const lines = [`Restored the backup ${backup.id}. Start the server`];
  if (replaced !== undefined)
    lines.push(`What was there before is in ${replaced}. Delete that folder when all is well`);
  return lines.join('\n');
}

/** Runs a command about backups, and returns the text to print; undefined if it is another command. */
export async function runBackupCommand(config: Config, command: BackupCommand): Promise<string | undefined> {
  const [first, second, third] = command.words;
  if (first === 'restore') return restore(config, command);
  if (first !== 'backup' || second === undefined) return undefined;
  if (second === 'list') {
    const backups = await listBackups(config.DATA_DIR);
    return backups.length === 0 ? 'There are no backups' : backups.map(describeBackup).join('\n');
  }
  if (second !== 'check') return undefined;
  const backup = await findBackup(config.DATA_DIR, third, command.at);
  await checkBackup(backup);
  return `ok   the backup ${backup.id} is complete`;
}
