import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { testOnPostgres, testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import {
  ALL_APPLICATIONS_KEY,
  createUsageModel,
  type ModelInterval,
  type UsageModel,
} from '#testing/kits/usage/usageModel.ts';
import { STATUSES } from '../../contract/limits.ts';
import { migrations } from '../../server/migrations.ts';
import { ALL_APPLICATIONS } from '../domain/track.ts';
import { createApplicationIds } from './applicationIds.ts';
import { checkUsage } from './checkUsage.ts';
import { createUsageCorrector } from './corrections.ts';
import { createHomeZone } from './homeZone.ts';
import { createUsageRecorder } from './recording.ts';
import { createUsageStore } from './store/usageStores.ts';
import { createUsageChanges } from './usageChanges.ts';
import { createUsageIngest } from './usageIngest.ts';

/** Zones with days of 23 and 25 hours, whole and fractional offsets, east and west. */
const ZONES = ['Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Tongatapu', 'America/St_Johns', 'Australia/Lord_Howe'];
/** Starts of three days: around clock changes in Berlin, St John's and Lord Howe, and a New Year. */
const STARTS = ['2026-03-28', '2026-10-24', '2026-03-07', '2026-10-31', '2026-04-04', '2026-10-03', '2026-12-31'];
const LENGTH = 3 * 86_400;
const APPS = ['Firefox', 'total', 'x;term'];
const DEVICES = [1, 2];
const ACCOUNT = 1;

/** Any moment, often around a start of day in the home zone, where the rules meet. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: LENGTH }),
  fc.record({ midnight: fc.nat(3), off: fc.constantFrom(-700, -61, -30, -29, -1, 0, 1, 20, 30, 31) }),
);
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;
const length = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 60, max: 4000 }), fc.constant(40_000));
const device = fc.constantFrom(...DEVICES);
const interval = fc.record({ app: fc.constantFrom(...APPS), status: fc.constantFrom(...STATUSES), at: moment, length });
/** Mostly in order, as computers report. */
const nextInterval = fc.record({
  at: moment,
  pieces: fc.array(
    fc.record({ app: fc.constantFrom(...APPS), gap: fc.constantFrom(0, 0, 10, 29, 30, 31, 900), length }),
  ),
});
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('follow' as const), device, following: nextInterval }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('report' as const), device, pieces: fc.array(interval, { maxLength: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again' as const), device, back: fc.nat(5), more: length }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('correct' as const), device, remove: interval, add: interval }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      device,
      pick: fc.nat(),
      keep: fc.constantFrom('none', 'begin', 'end', 'both'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), zone: fc.constantFrom(...ZONES) }) },
);
const history = fc.record({
  start: fc.constantFrom(...STARTS),
  zone: fc.constantFrom(...ZONES),
  actions: fc.array(action, { minLength: 1, maxLength: 12 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;
type HistoryAction = History['actions'][number];

/** A late report ends shortly before midnight, so that the first interval of the next day is no opening any more. */
const LATE_BEFORE_MIDNIGHT: History = {
  start: '2026-12-31',
  zone: 'Asia/Kathmandu',
  actions: [
    { do: 'report', device: 1, pieces: [{ app: 'Firefox', status: 'on', at: { midnight: 1, off: 1 }, length: 60 }] },
    { do: 'report', device: 1, pieces: [{ app: 'Firefox', status: 'on', at: { midnight: 1, off: -29 }, length: 10 }] },
  ],
};

const toIso = (day: number): string => Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString();
const sorted = (map: ReadonlyMap<string, unknown>): readonly unknown[] =>
  [...map].map(([key, value]) => `${key}: ${String(value)}`).toSorted();

const onWire = ({ app, status, from: begins, until }: ModelInterval) => ({
  application: app === 'total' ? 'total (app)' : app,
  status,
  from: begins * 1000,
  until: until * 1000,
});

/** Applies a correction atomically; returns whether it is valid. */
function correctModel(model: UsageModel, remove: readonly ModelInterval[], add: readonly ModelInterval[]): boolean {
  if (!remove.every(model.has)) return false;
  for (const one of remove) model.set(one, false);
  const isFree = add.every(model.isFree);
  for (const one of isFree ? add : remove) model.set(one, true);
  return isFree;
}

/** Starts the usage services on an empty database, with a home zone that the test changes, and the model. */
async function startBoth(database: Database, { start, zone }: History) {
  const from = Temporal.Instant.from(`${start}T00:00:00Z`).epochMilliseconds / 1000 - 86_400;
  const window = { from: from - 86_400, until: from + LENGTH + 86_400 };
  const model: UsageModel = createUsageModel(window, DEVICES, APPS);
  let home = zone;
  const context = {
    database,
    identity: {
      resolveZone: async () => home,
      findAccount: async () => ({ created: Temporal.Instant.from('2026-01-01T00:00Z') }),
    },
    devices: { getOwned: async (_account: number, id: string) => ({ name: `Computer ${id}` }) },
    now: () => Temporal.Instant.fromEpochMilliseconds((from + LENGTH) * 1000),
    log: { error: (what: unknown) => expect(what).toBe('no error') },
  } as never;
  const store = createUsageStore(database);
  const recording = createUsageRecorder(store);
  const parts = {
    context,
    store,
    recording,
    ids: createApplicationIds(store, async () => new Map()),
    changes: createUsageChanges(),
    onNewApplications: () => undefined,
  };
  const homeZone = createHomeZone({ context, store });
  const ingest = createUsageIngest({ ...parts, onHomeZoneMismatch: () => undefined });
  const correct = createUsageCorrector(parts);

  /** Everything that computers reported, in order. */
  const sent = new Map<number, ModelInterval[]>(DEVICES.map((id) => [id, []]));
  const take = async (id: number, seq: number, intervals: readonly ModelInterval[]) =>
    ingest.ingest({
      account: ACCOUNT,
      device: id,
      boot: 'boot-0001',
      seq,
      dropped: false,
      segments: intervals.map(({ app, status, from: begins, until }) => ({
        app,
        status,
        from: begins * 1000,
        until: until * 1000,
      })),
    });
  async function report(id: number, intervals: readonly ModelInterval[]): Promise<void> {
    const all = sent.get(id) ?? [];
    const { taken } = await take(id, all.length + 1, intervals);
    all.push(...intervals);
    expect(taken).toBe(all.length);
    for (const one of intervals) model.report(one);
  }
  /** Seconds since the start of the history. */
  function resolve(at: Moment): number {
    if (typeof at === 'number') return at;
    const date = Temporal.PlainDate.from(start).add({ days: at.midnight - 1 });
    const midnight = date.toZonedDateTime(home).epochMilliseconds / 1000;
    return Math.max(0, Math.min(LENGTH, midnight - from + at.off));
  }
  const toInterval = (
    id: number,
    { app, status, at, length: size }: { app: string; status: ModelInterval['status']; at: Moment; length: number },
  ): ModelInterval => ({
    device: id,
    app,
    status,
    from: from + resolve(at),
    until: Math.min(from + resolve(at) + size, from + LENGTH),
  });
  /** Atomic, as in the model. */
  async function correctBoth(id: number, removed: readonly ModelInterval[], add: readonly ModelInterval[]) {
    const all = [...removed, ...add];
    if (all.some(({ from: begins, until }) => begins >= until)) return;
    // A computer that never reported has nothing to correct.
    const isRight = (sent.get(id)?.length ?? 0) > 0 && correctModel(model, removed, add);
    const done = await correct({
      account: ACCOUNT,
      device: id,
      remove: removed.map(onWire),
      add: add.map(onWire),
    }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refusal) return false;
        throw error;
      },
    );
    expect(done).toBe(isRight);
  }

  /** The last one has grown meanwhile, and some before it are sent again. */
  async function sendAgain(one: HistoryAction & { readonly do: 'again' }): Promise<void> {
    const all = sent.get(one.device) ?? [];
    const last = all.at(-1);
    if (!last) return;
    const until = Math.min(last.until + one.more, from + LENGTH, last.from + 86_400);
    const grown = { ...last, until: Math.max(last.until, until) };
    model.report({ ...grown, from: Math.max(last.from, last.until) });
    all.splice(-1, 1, grown);
    const back = Math.min(one.back, all.length - 1);
    const { taken } = await take(one.device, all.length - back, all.slice(all.length - 1 - back));
    expect(taken).toBe(all.length);
  }
  /** Removes a reported interval, or part of one. */
  async function remove(one: HistoryAction & { readonly do: 'delete' }): Promise<void> {
    const all = sent.get(one.device) ?? [];
    const picked = all[one.pick % Math.max(1, all.length)];
    if (!picked) return;
    const third = Math.floor((picked.until - picked.from) / 3);
    const begins = picked.from + (one.keep === 'begin' || one.keep === 'both' ? third : 0);
    const until = picked.until - (one.keep === 'end' || one.keep === 'both' ? third : 0);
    await correctBoth(one.device, [{ ...picked, from: begins, until }], []);
  }

  async function perform(one: HistoryAction): Promise<void> {
    switch (one.do) {
      case 'follow': {
        let at = resolve(one.following.at);
        const intervals: ModelInterval[] = [];
        for (const { app, gap, length: size } of one.following.pieces) {
          intervals.push(toInterval(one.device, { app, status: 'on', at: Math.min(at + gap, LENGTH), length: size }));
          at = Math.min(at + gap + size, LENGTH);
        }
        return report(one.device, intervals);
      }
      case 'report':
        return report(
          one.device,
          one.pieces.map((each) => toInterval(one.device, each)),
        );
      case 'again':
        return sendAgain(one);
      case 'correct':
        return correctBoth(one.device, [toInterval(one.device, one.remove)], [toInterval(one.device, one.add)]);
      case 'delete':
        return remove(one);
      case 'move': {
        home = one.zone;
        // A report arrives while the days are rebuilt.
        await Promise.all([
          homeZone.follow(ACCOUNT),
          report(1, [toInterval(1, { app: 'Firefox', status: 'on', at: 500, length: 700 })]),
        ]);
        return undefined;
      }
    }
  }

  async function check(): Promise<void> {
    await homeZone.follow(ACCOUNT);
    const names = new Map((await store.applications.list(ACCOUNT)).map(({ id, name }) => [id, name]));
    const getName = (id: number): string => (id === ALL_APPLICATIONS ? ALL_APPLICATIONS_KEY : (names.get(id) ?? '?'));
    const slots = await store.slots.listBetween(ACCOUNT, { ...window, statuses: STATUSES });
    const stored = new Map(
      slots.flatMap((series) =>
        series.slots.map((slot, index) => [
          `${series.device} ${getName(series.application)} ${series.status} ${slot}`,
          series.seconds[index],
        ]),
      ),
    );
    expect(sorted(stored)).toEqual(sorted(model.getSlots()));
    const revision = await store.revisions.find(ACCOUNT);
    expect(revision?.zone ?? home).toBe(home);
    const days = await store.days.listBetween(ACCOUNT, {
      generation: revision?.generation ?? 0,
      from: 0,
      until: 30_000,
    });
    const keptDays = new Map(
      days.flatMap((series) =>
        series.days.map((day, index) => [
          `${series.device} ${getName(series.application)} ${toIso(day)}`,
          `${series.seconds[index]} ${series.opened[index]} ${series.longest[index]}`,
        ]),
      ),
    );
    expect(sorted(keptDays)).toEqual(sorted(model.getDays(home)));
    const totals = new Map(
      (await store.totals.list(ACCOUNT)).map(({ device: id, application, seconds, first, last }) => [
        `${id} ${getName(application)}`,
        `${seconds} ${first} ${last}`,
      ]),
    );
    expect(sorted(totals)).toEqual(sorted(model.getTotals()));
    // The operator's check agrees.
    expect(await checkUsage({ database, store, changes: parts.changes }, false)).toEqual([]);
  }
  return { perform, check };
}

async function prepare(database: Database): Promise<void> {
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'device', migrations: deviceMigrations },
    { name: 'screentime', migrations },
  ]);
}

async function clear(database: Database): Promise<void> {
  const db = database.db.$extendTables<{
    account: { id: number; name: string; folded: string; password: string; is_owner: number; created: number };
    screentime_account: { account: number };
    screentime_device: { device: number };
    screentime_application: { account: number };
  }>();
  for (const table of ['screentime_device', 'screentime_account', 'screentime_application'] as const)
    await db.deleteFrom(table).execute();
  const account = { name: 'a', folded: 'a', password: '', is_owner: 0, created: 0 };
  const accounts = await db.selectFrom('account').select('id').execute();
  if (accounts.length === 0)
    await db
      .insertInto('account')
      .values(account as never)
      .execute();
}

async function expectEqual({ open }: TestStorage, runs: number): Promise<void> {
  await using database = await open();
  await prepare(database);
  await fc.assert(
    fc.asyncProperty(history, async (one) => {
      await clear(database);
      const { perform, check } = await startBoth(database, one);
      for (const each of one.actions) await perform(each);
      await check();
    }),
    { numRuns: Number(process.env['HISTORIES'] ?? runs), endOnFailure: true, examples: [[LATE_BEFORE_MIDNIGHT]] },
  );
}

/** The server and the model both count each history. */
const MANY = { timeout: 240_000 };

describe('after any late, repeated, overlapping or corrected reports, the sums match a recount second by second', () => {
  testOnSqlite('random histories in five zones', async (storage) => expectEqual(storage, 20), MANY);
  testOnPostgres('random histories in five zones', async (storage) => expectEqual(storage, 5), MANY);
});
