import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { testOnBothDatabases, type TestStorage } from '../kits/server/database.ts';
import { prepareDatabase } from '../kits/server/postgres.ts';

const ACKNOWLEDGED = 500;

type PrintedNumbers = Record<'single' | 'pair', number[]>;

/** Runs a writer until it has printed this many numbers, then kills it at an arbitrary moment. */
async function runAndKill(
  { dataDir, databaseUrl }: TestStorage,
  acknowledged: PrintedNumbers,
  after: number,
): Promise<void> {
  await prepareDatabase(databaseUrl);
  const args = [
    fileURLToPath(new URL('./writer.ts', import.meta.url)),
    dataDir,
    ...(databaseUrl === undefined ? [] : [databaseUrl]),
  ];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(writer, 'close');
  let count = 0;
  createInterface(writer.stdout).on('line', (line) => {
    const [, kind, number] = /^(single|pair) (\d+)$/.exec(line) ?? [];
    if (kind !== 'single' && kind !== 'pair') return;
    acknowledged[kind].push(Number(number));
    count += 1;
    if (count === after) writer.kill('SIGKILL');
  });
  const [code, signal] = await closed;
  expect([code, signal]).toEqual([null, 'SIGKILL']);
}

/** A process is started and killed for every few rows. */
const MANY_PROGRAMS = { timeout: 180_000 };

testOnBothDatabases(
  'acknowledged writes survive SIGKILL, and nothing is half written',
  async (storage) => {
    const acknowledged: PrintedNumbers = { single: [], pair: [] };
    let kills = 0;
    while (acknowledged.single.length + acknowledged.pair.length < ACKNOWLEDGED) {
      await runAndKill(storage, acknowledged, randomInt(1, 150));
      kills += 1;
    }

    await using database = await storage.open();
    async function listNumbers(table: string): Promise<Set<number>> {
      const { rows } = await sql<{ number: number }>`select number from ${sql.table(table)}`.execute(database.db);
      return new Set(rows.map(({ number }) => number));
    }
    const [single, left, right] = [
      await listNumbers('single'),
      await listNumbers('pair_left'),
      await listNumbers('pair_right'),
    ];
    const figures = {
      acknowledged: acknowledged.single.length + acknowledged.pair.length,
      kills,
      lost: [
        ...acknowledged.single.filter((value) => !single.has(value)),
        ...acknowledged.pair.filter((value) => !left.has(value)),
      ].length,
      halves:
        [...left].filter((value) => !right.has(value)).length + [...right].filter((value) => !left.has(value)).length,
    };
    mkdirSync('reports', { recursive: true });
    writeFileSync(`reports/durability-kill9-${storage.dialect}.json`, `${JSON.stringify(figures)}\n`);
    expect(figures).toMatchObject({ lost: 0, halves: 0 });
  },
  MANY_PROGRAMS,
);
