import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Refusal } from '#platform/contract/refusal.ts';
import { type DatabaseAddress, openDatabaseReader } from '#platform/server/database/readDatabase.ts';
import { assertNoUnfinishedMove, moveDatabase } from '#platform/server/move/moveDatabase.ts';
import type { Table } from '#platform/server/move/tableAccess.ts';
import { listMigrationSets } from '../../apps/server/migrationSets.ts';
import { digestTables, listSampleTables, openTestTables } from '../kits/server/sampleRows.ts';
import { derivedTables } from './oldDatabases.ts';

/** What is found at the target of a move. */
export type TargetState = 'empty' | 'marked' | 'complete';

/** Returns what a server would find, without starting it. */
export async function readTargetState(address: DatabaseAddress): Promise<TargetState> {
  if (address.databaseUrl === undefined && !existsSync(join(address.dataDir, 'data.db'))) return 'empty';
  await using reader = await openDatabaseReader(address);
  if (!reader) return 'empty';
  try {
    await assertNoUnfinishedMove(reader.db);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'database.move_unfinished') return 'marked';
    throw error;
  }
  return (await reader.db.introspection.getTables()).length === 0 ? 'empty' : 'complete';
}

const selectColumns = (table: Table, names: readonly string[]): Table => ({
  ...table,
  columns: names.flatMap((name) => table.columns.filter((column) => column.name === name)),
});

/** Returns the tables that are not the same in two databases, in columns that both have. */
export async function compareDatabases(one: DatabaseAddress, other: DatabaseAddress): Promise<readonly string[]> {
  await using access = await openTestTables(one);
  await using otherAccess = await openTestTables(other);
  const others = await listSampleTables(otherAccess);
  const differing: string[] = [];
  for (const table of await listSampleTables(access)) {
    const same = others.find(({ name }) => name === table.name);
    const names = [...table.columns, ...(same?.columns ?? [])]
      .filter(({ kind }) => kind !== undefined)
      .map(({ name }) => name);
    const shared = names.filter((name, index) => names.indexOf(name) < index);
    const [digest, otherDigest] = [
      await digestTables(access, [selectColumns(table, shared)]),
      same && (await digestTables(otherAccess, [selectColumns(same, shared)])),
    ];
    if (digest[table.name] !== otherDigest?.[table.name]) differing.push(table.name);
  }
  return differing;
}

/** A move must not need more for a larger database. Its modules need half of this. */
const MAX_HEAP_MIB = 128;

/** How a move in a process of its own ended. */
export interface MoveOutcome {
  readonly isKilled: boolean;
  readonly ms: number;
  /** Largest use of memory; undefined if it was killed. */
  readonly peakKib: number | undefined;
}

/** Moves in a process of its own. @param killAfterMs Kills it that long after its start; undefined lets it end. */
export async function runMove(
  dataDir: string,
  source: DatabaseAddress,
  target: DatabaseAddress,
  killAfterMs?: number,
): Promise<MoveOutcome> {
  const args = [source, target].map(({ dataDir: folder, databaseUrl }) => databaseUrl ?? folder);
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${MAX_HEAP_MIB}`, import.meta.filename, dataDir, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  const cancelController = new AbortController();
  let startedAt = 0;
  let peakKib: number | undefined;
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('peak ')) peakKib = Number(line.slice('peak '.length));
    if (line !== 'started') return;
    startedAt = performance.now();
    if (killAfterMs !== undefined)
      sleep(killAfterMs, undefined, { signal: cancelController.signal }).then(
        () => child.kill('SIGKILL'),
        () => undefined,
      );
  });
  const [code, signal] = await closed;
  cancelController.abort();
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the move ended with ${code ?? signal}`);
  return { isKilled: signal === 'SIGKILL', ms: performance.now() - startedAt, peakKib };
}

/** The process of `runMove`. Prints when it starts, and its largest use of memory at the end. */
async function moveAsProgram([dataDir = '', source = '', target = '']: readonly string[]): Promise<void> {
  const toAddress = (text: string): DatabaseAddress =>
    text.startsWith('postgres:') ? { dataDir, databaseUrl: text } : { dataDir: text, databaseUrl: undefined };
  process.stdout.write('started\n');
  await moveDatabase({
    source: toAddress(source),
    target: toAddress(target),
    sets: listMigrationSets(),
    derivedTables,
    log: pino({ level: 'error' }, process.stderr),
  });
  process.stdout.write(`peak ${process.resourceUsage().maxRSS}\n`);
}

if (import.meta.main) await moveAsProgram(process.argv.slice(2));
