import { dirname, resolve } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { parseBackupInterval } from '#platform/server/backup/backupPolicy.ts';
import { assertNoUnfinishedRestore } from '#platform/server/backup/restoreBackup.ts';
import { estimateFileBytes, findBackupsFolder } from '#platform/server/backup/writeBackup.ts';
import { readSchemaStates, type SchemaState } from '#platform/server/database/migrate.ts';
import { type DatabaseAddress, openDatabaseReader, readSizeBytes } from '#platform/server/database/readDatabase.ts';
import { assertNoUnfinishedMove, moveDatabase, type MovedTable } from '#platform/server/move/moveDatabase.ts';
import { createLogger } from '#platform/server/operations/logger.ts';
import { isDiskFullError } from '#platform/server/storage/diskFullError.ts';
import { readFreeBytes } from '#platform/server/storage/diskSpace.ts';
import { listChangingFolders, version } from './assemble.ts';
import type { Config } from './config.ts';
import { listMigrationSets } from './migrationSets.ts';
import { serverTools } from './tools.ts';

/** A command about the whole database, such as `move --to sqlite:`. */
export interface DatabaseCommand {
  readonly words: readonly string[];
  readonly to: string | undefined;
  readonly print: (text: string) => void;
}

/** Exit codes of `upgrade-check`. A refusal is 1, like that of every command. */
const UPGRADE_EXIT_CODES = { upToDate: 0, blocked: 1, upgrade: 3 } as const;

const getAddress = ({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }: Config): DatabaseAddress => ({
  dataDir,
  databaseUrl,
});

/** Parses the target of a move. @throws Refusal if it is neither. */
function parseTarget(text: string | undefined, dataDir: string): DatabaseAddress {
  if (text === undefined)
    throw new Refusal(
      'move.target_missing',
      'Name the new database: move --to postgres://user@host/name, or --to sqlite:',
    );
  if (/^postgres(ql)?:\/\/\S+$/.test(text)) return { dataDir, databaseUrl: text };
  const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : text;
  if (path !== text || path.includes('/')) {
    const folder = resolve(path.replace(/^\/\/(?=\/)/, '') || dataDir);
    return { dataDir: folder.endsWith('.db') ? dirname(folder) : folder, databaseUrl: undefined };
  }
  throw new Refusal(
    'move.target_invalid',
    'This is no database. Write postgres://user@host/name, or sqlite:<folder> for a data folder',
  );
}

const describeTable = ({ name, rows, checksum }: MovedTable): string =>
  `ok   ${[name, `${rows} rows`, checksum ?? 'filled again'].join('\t')}`;

function describeNextStep(source: DatabaseAddress, target: DatabaseAddress): string {
  if (target.databaseUrl !== undefined)
    return `Set DATABASE_URL to the new database and start the server. DATA_DIR stays the same, because it has the files. When all is well, delete ${source.dataDir}/data.db`;
  const start = 'start the server without DATABASE_URL. When all is well, delete the old database';
  return target.dataDir === source.dataDir
    ? `Now ${start}`
    : `Copy everything else of ${source.dataDir} to ${target.dataDir}, set DATA_DIR to it, and ${start}`;
}

async function move(config: Config, { to, print }: DatabaseCommand): Promise<number> {
  const source = getAddress(config);
  const target = parseTarget(to, source.dataDir);
  assertNoUnfinishedRestore(source.dataDir);
  try {
    const tables = await moveDatabase({
      source,
      target,
      sets: listMigrationSets(),
      derivedTables: serverTools.flatMap(({ derivedTables = [] }) => derivedTables),
      log: createLogger({ level: 'error' }),
    });
    print(tables.map(describeTable).join('\n'));
    const rowCount = tables.reduce((sum, { rows }) => sum + rows, 0);
    print(`Moved ${rowCount} rows. Both databases have the same rows and checksums in all ${tables.length} tables.`);
    print(describeNextStep(source, target));
    return 0;
  } catch (error) {
    if (!isDiskFullError(error)) throw error;
    throw new Refusal(
      'move.disk_full',
      'The disk of the new database is full. Free some space, and run the same command again. It continues',
      { cause: error },
    );
  }
}

function describeSchema({ set, applied, pending, unknown }: SchemaState): string {
  const last = applied.at(-1) ?? 'none';
  if (unknown !== undefined) return `LOOK ${set.name}\t${last}: written by a newer Pegboard`;
  return pending.length === 0 ? `ok   ${set.name}\t${last}` : `NEW  ${set.name}\t${last}, then ${pending.join(', ')}`;
}

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

/** Says whether a backup would be made before the upgrade. */
async function checkBackup(config: Config, databaseBytes: number): Promise<{ isOk: boolean; text: string }> {
  const { dataDir, databaseUrl } = getAddress(config);
  if (parseBackupInterval(config.BACKUP_EVERY) === undefined)
    return { isOk: true, text: 'LOOK no backup is made before, because of BACKUP_EVERY=off. Make one yourself' };
  if (databaseUrl !== undefined) {
    const { assertDumpProgram } = await import('#platform/server/database/postgresDump.ts');
    try {
      await assertDumpProgram();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { isOk: false, text: `LOOK no backup can be made before. ${error.message}` };
    }
  }
  const needed = databaseBytes + (await estimateFileBytes({ dataDir, changingFolders: listChangingFolders() }));
  const free = await readFreeBytes(await findBackupsFolder(dataDir));
  const sizes = `needs up to ${toMegabytes(needed)} MB, and ${Math.floor(free / 1e6)} MB are free`;
  return free < needed
    ? { isOk: false, text: `LOOK the backup before ${sizes}. Free some space first` }
    : { isOk: true, text: `ok   a backup is made before; it ${sizes}` };
}

async function checkUpgrade(config: Config, print: DatabaseCommand['print']): Promise<number> {
  const address = getAddress(config);
  assertNoUnfinishedRestore(address.dataDir);
  await using reader = await openDatabaseReader(address);
  const states = reader ? await readSchemaStates(reader.db, listMigrationSets()) : [];
  if (!reader || states.every(({ applied }) => applied.length === 0)) {
    print('There is no data yet. The first start creates the database');
    return UPGRADE_EXIT_CODES.upToDate;
  }
  await assertNoUnfinishedMove(reader.db);
  print(states.map(describeSchema).join('\n'));
  if (states.some(({ unknown }) => unknown !== undefined)) {
    print(
      `This is version ${version}, and the data is of a newer one. Start that version, or restore an earlier backup`,
    );
    return UPGRADE_EXIT_CODES.blocked;
  }
  const count = states.reduce((sum, { pending }) => sum + pending.length, 0);
  if (count === 0) {
    print(`The database is as version ${version} needs it. Nothing would be changed`);
    return UPGRADE_EXIT_CODES.upToDate;
  }
  const backup = await checkBackup(config, await readSizeBytes(reader, address));
  print(backup.text);
  print(
    backup.isOk
      ? `The start of version ${version} makes ${count} changes, and keeps all data. Nothing was changed now`
      : `Version ${version} would not start, because its ${count} changes need a backup`,
  );
  return backup.isOk ? UPGRADE_EXIT_CODES.upgrade : UPGRADE_EXIT_CODES.blocked;
}

/** Runs a command about the database, and returns its exit code; undefined if it is another command. */
export async function runDatabaseCommand(config: Config, command: DatabaseCommand): Promise<number | undefined> {
  const [first] = command.words;
  if (first === 'move') return move(config, command);
  return first === 'upgrade-check' ? checkUpgrade(config, command.print) : undefined;
}
