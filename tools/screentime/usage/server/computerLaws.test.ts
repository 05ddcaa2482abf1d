import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { testOnPostgres, testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import { migrations } from '../../server/migrations.ts';
import { createApplicationIds } from './applicationIds.ts';
import { checkUsage } from './checkUsage.ts';
import { createComputers } from './computers.ts';
import { createUsageRecorder } from './recording.ts';
import { createUsageStore } from './store/usageStores.ts';
import { createUsageChanges } from './usageChanges.ts';
import { createUsageImporter } from './usageImporter.ts';
import { createUsageIngest } from './usageIngest.ts';

const ACCOUNT = 1;
const PAIRED = [1, 2] as const;
const HOSTS = ['desk', 'thinkpad'] as const;
const APPS = ['Firefox', 'Code'] as const;
const START = Temporal.Instant.from('2026-03-27T00:00:00Z').epochMilliseconds;
const DAYS = 4;

const interval = fc.record({
  app: fc.constantFrom(...APPS),
  at: fc.integer({ min: 0, max: DAYS * 86_400 }),
  length: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 600, max: 40_000 })),
});
const intervals = fc.array(interval, { minLength: 1, maxLength: 5 });
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('report' as const), device: fc.constantFrom(...PAIRED), pieces: intervals }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('import' as const), host: fc.constantFrom(...HOSTS), pieces: intervals }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const), from: fc.nat(), into: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), pick: fc.nat() }) },
);
type HistoryAction = typeof action extends fc.Arbitrary<infer T> ? T : never;
type Intervals = typeof intervals extends fc.Arbitrary<infer T> ? T : never;

const pick = <Item>(all: readonly Item[], at: number): Item | undefined => all[at % Math.max(1, all.length)];

/** The parts of the server that change usage, on an empty account with two paired computers. */
function start(database: Database) {
  const listed = new Map<number, string>(PAIRED.map((id) => [id, `Computer ${id}`]));
  let lastId = 100;
  const devices = {
    list: async () => [...listed].map(([id, name]) => ({ id, name, kind: 'computer' })),
    getOwned: async (_account: number, id: string) => ({ id: Number(id), name: `Computer ${id}` }),
    add: async (_tx: unknown, { name }: { readonly name: string }) => {
      listed.set((lastId += 1), name);
      return { id: lastId, name };
    },
    remove: async (_account: number, id: number) => void listed.delete(id),
  };
  const context = {
    database,
    devices,
    identity: { resolveZone: async () => 'Europe/Berlin', findAccount: async () => undefined },
    now: () => Temporal.Instant.fromEpochMilliseconds(START + (DAYS + 2) * 86_400_000),
  } as never;
  const store = createUsageStore(database);
  const parts = {
    context,
    store,
    recording: createUsageRecorder(store),
    ids: createApplicationIds(store, async () => new Map()),
    changes: createUsageChanges(),
    onNewApplications: () => undefined,
  };
  const ingest = createUsageIngest({ ...parts, onHomeZoneMismatch: () => undefined });
  const imports = createUsageImporter(parts);
  const computers = createComputers({
    ...parts,
    onMerge: async () => undefined,
    onPastChange: async () => undefined,
    onApplicationsRemoved: () => undefined,
  });
  const sent = new Map<number, number>();
  async function importUsage(hostname: string, all: Intervals): Promise<number | undefined> {
    const window = all.map(({ app, at, length }) => ({
      timestamp: Temporal.Instant.fromEpochMilliseconds(START + at * 1000).toString(),
      duration: length,
      app,
    }));
    return (await imports({ account: ACCOUNT, hostname, window, away: [], importid: undefined })).importid;
  }
  async function merge(one: HistoryAction & { readonly do: 'merge' }): Promise<void> {
    const all = await computers.list(ACCOUNT);
    const from = pick(
      all.filter(({ origin }) => origin !== 'paired'),
      one.from,
    );
    const into = pick(
      all.filter(({ id }) => id !== from?.id),
      one.into,
    );
    if (!from || !into) return;
    const before = from.seconds + into.seconds;
    const { moved, overlapping } = await computers.merge(ACCOUNT, from.id, into.id);
    const after = (await computers.list(ACCOUNT)).find(({ id }) => id === into.id);
    expect([moved + overlapping, after?.seconds]).toEqual([from.seconds, before - overlapping]);
  }

  async function report(one: HistoryAction & { readonly do: 'report' }): Promise<void> {
    const seq = (sent.get(one.device) ?? 0) + 1;
    const segments = one.pieces.map(({ app, at, length }) => ({
      app,
      status: 'on' as const,
      from: START + at * 1000,
      until: START + (at + length) * 1000,
    }));
    sent.set(one.device, seq + segments.length - 1);
    await ingest.ingest({ account: ACCOUNT, device: one.device, boot: 'boot-0001', seq, dropped: false, segments });
  }

  async function perform(one: HistoryAction): Promise<void> {
    switch (one.do) {
      case 'report': {
        await report(one);
        return;
      }
      case 'import':
        await importUsage(one.host, one.pieces);
        return;
      case 'undo': {
        const entry = pick(await store.imports.list(ACCOUNT), one.pick);
        if (entry) await computers.undoImport(ACCOUNT, entry.id);
        return;
      }
      case 'merge': {
        await merge(one);
        return;
      }
      case 'delete': {
        const computer = pick(await computers.list(ACCOUNT), one.pick);
        if (computer && (computer.seconds > 0 || computer.origin !== 'paired'))
          await computers.remove(ACCOUNT, computer.id);
        return;
      }
    }
  }

  /** Lists all recorded usage, by computer. */
  async function listAllData() {
    const bounds = { from: START / 1000 - 86_400, until: START / 1000 + (DAYS + 2) * 86_400 };
    const names = new Map((await store.applications.list(ACCOUNT)).map(({ id, name }) => [id, name]));
    const recorded = await store.segments.listBetween(ACCOUNT, bounds);
    return recorded
      .flatMap(({ device, tracks }) =>
        tracks.flatMap(({ application, ranges }) =>
          ranges.map(({ from, until }) => `${device} ${names.get(application)} ${from} ${until}`),
        ),
      )
      .toSorted();
  }
  async function check(): Promise<void> {
    expect(await checkUsage({ database, store, changes: parts.changes }, false)).toEqual([]);
  }
  return { perform, check, listAllData, importUsage, undo: async (id: number) => computers.undoImport(ACCOUNT, id) };
}

type NamedComputer = {
  screentime_device: { device: number };
  screentime_account: { account: number };
  screentime_application: { account: number };
};

async function clear(database: Database): Promise<void> {
  const db = database.db.$extendTables<NamedComputer>();
  for (const table of ['screentime_device', 'screentime_account', 'screentime_application'] as const)
    await db.deleteFrom(table).execute();
}

async function expectInvariants({ open }: TestStorage, runs: number): Promise<void> {
  await using database = await open();
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'device', migrations: deviceMigrations },
    { name: 'screentime', migrations },
  ]);
  const account = { name: 'a', folded: 'a', password: '', is_owner: 0, created: 0 };
  await database.db.$extendTables<{ account: typeof account }>().insertInto('account').values(account).execute();
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 1, maxLength: 10 }),
      fc.constantFrom(...HOSTS),
      intervals,
      async (actions, host, last) => {
        await clear(database);
        const { perform, check, listAllData, importUsage, undo } = start(database);
        for (const each of actions) await perform(each);
        await check();
        const before = await listAllData();
        const id = await importUsage(host, last);
        if (id !== undefined) await undo(id);
        await check();
        expect(await listAllData()).toEqual(before);
      },
    ),
    { numRuns: Number(process.env['HISTORIES'] ?? runs), endOnFailure: true },
  );
}

describe('after any imports, merges, deletions and undos the sums match a recount, and an undone import leaves no trace', () => {
  testOnSqlite('random histories', async (storage) => expectInvariants(storage, 25));
  testOnPostgres('random histories', async (storage) => expectInvariants(storage, 5));
});
