import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { checkUsage } from '#tools/screentime/usage/server/checkUsage.ts';
import { createUsageStore } from '#tools/screentime/usage/server/store/usageStores.ts';
import { createUsageChanges } from '#tools/screentime/usage/server/usageChanges.ts';
import { testOnBothDatabases, type TestStorage } from '../kits/server/database.ts';
import { prepareDatabase } from '../kits/server/postgres.ts';
import { generateUsage } from '../kits/usage/usage.ts';
import { USAGE_PLAN } from './usagePlan.ts';

const KILLS = 3;

/** Runs a writer until it has printed this many numbers, then kills it. Returns the last number that it printed. */
async function runWriter({ dataDir, databaseUrl }: TestStorage, killAfter: number): Promise<number> {
  await prepareDatabase(databaseUrl);
  const args = [
    fileURLToPath(new URL('./usageWriter.ts', import.meta.url)),
    dataDir,
    ...(databaseUrl === undefined ? [] : [databaseUrl]),
  ];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(writer, 'close');
  let [count, last] = [0, 0];
  createInterface(writer.stdout).on('line', (line) => {
    count += 1;
    last = Number(line);
    if (count === killAfter) writer.kill('SIGKILL');
  });
  await closed;
  return last;
}

function sumUsage(segments: Iterable<{ readonly app: string; readonly status: string; from: number; until: number }>) {
  const secondsByApp: Record<string, number> = {};
  for (const { app, status, from, until } of segments)
    if (status === 'on') secondsByApp[app] = (secondsByApp[app] ?? 0) + (until - from) / 1000;
  return secondsByApp;
}

testOnBothDatabases(
  'acknowledged usage survives SIGKILL, and counts once however often it is sent',
  async (storage) => {
    const allSegments = [...generateUsage(USAGE_PLAN)].flatMap(({ segments }) => segments);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const acknowledged = await runWriter(storage, randomInt(1, 60));
      await using database = await storage.open();
      const store = createUsageStore(database);
      const readAccepted = async (): Promise<number> => (await store.cursors.get(database.db, 1, 'boot-0001')).taken;
      // PostgreSQL may still be finishing the last COMMIT of the killed writer.
      let [accepted, totals] = [await readAccepted(), await store.totals.list(1)];
      for (let latest = await readAccepted(); latest !== accepted; latest = await readAccepted())
        [accepted, totals] = [latest, await store.totals.list(1)];
      expect(accepted).toBeGreaterThanOrEqual(acknowledged);
      // Exactly what was accepted, and all counts agree.
      const names = new Map((await store.applications.list(1)).map(({ id, name }) => [id, name]));
      const secondsByName = Object.fromEntries(
        totals.flatMap(({ application, seconds }) => {
          const name = names.get(application);
          return name === undefined ? [] : [[name, seconds]];
        }),
      );
      expect(secondsByName).toEqual(sumUsage(allSegments.slice(0, accepted)));
      expect(await checkUsage({ database, store, changes: createUsageChanges() }, false)).toEqual([]);
    }
    expect(await runWriter(storage, Number.POSITIVE_INFINITY)).toBe(allSegments.length);
  },
  // A process is started and killed repeatedly.
  { timeout: 180_000 },
);
