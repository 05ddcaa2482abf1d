import { sql, type Kysely } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { Database } from '#platform/server/database/database.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import {
  createApplicationNames,
  fillUsage,
  planFiveYears,
  generateUsage,
  type UsagePlan,
} from '#testing/kits/usage/usage.ts';
import { getSkipReason } from '#testing/machine.ts';
import { settimetrackergoal } from '#tools/screentime/contract.ts';
import { TOTAL } from '#tools/screentime/contract/limits.ts';
import { toWireName } from '#tools/screentime/usage/domain/usageReport.ts';
import { pairComputer, type BenchOwner } from './account.ts';
import { startFilledServer } from './filledServer.ts';
import { formatMs, percentile, measureTimes, type Bench, type BenchFigure, type RunningServer } from './measure.ts';
import { measureResponses } from './measureResponses.ts';

const ZONE = 'Europe/Berlin';
const HOME_ZONE_QUERY = `tz=${ZONE}`;
/** A zone that no account uses, so that no rollup applies. */
const OTHER_ZONE_QUERY = 'tzoffset=9';
const ROUNDS = 60;
const WARM_UP = 5;
const GOALS = 20;
const BATCH_SIZE = 20_000;

const planUntilToday = (): UsagePlan => planFiveYears((Math.floor(Date.now() / 1000 / DAY_SECONDS) + 1) * DAY_SECONDS);

interface DatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly databaseUrl: string | undefined;
}

/** Stores every focused interval as a row, with an index by time, like the simplest program. */
async function fillRaw({ db, dialect, transaction }: Database, plan: UsagePlan): Promise<void> {
  await sql`create table bench_raw (device integer, app text, from_time bigint, until_time bigint)`.execute(db);
  let rows: { readonly device: number; readonly app: string; readonly from: number; readonly until: number }[] = [];
  async function write(): Promise<void> {
    const batch = JSON.stringify(rows);
    rows = [];
    await transaction(async ({ tx }) => {
      const values =
        dialect === 'postgres'
          ? sql`select (v->>'device')::int, v->>'app', (v->>'from')::bigint, (v->>'until')::bigint from json_array_elements(${batch}::json) v`
          : sql`select value->>'device', value->>'app', value->>'from', value->>'until' from json_each(${batch})`;
      await sql`insert into bench_raw ${values}`.execute(tx);
    });
  }
  for (const { device, segments } of generateUsage(plan)) {
    for (const { app, status, from, until } of segments) if (status === 'on') rows.push({ device, app, from, until });
    if (rows.length > BATCH_SIZE) await write();
  }
  await write();
  await sql`create index bench_raw_time on bench_raw (from_time)`.execute(db);
  // Without statistics, PostgreSQL reads the whole table.
  await sql`analyze bench_raw`.execute(db);
}

/** Reads the same two weeks by summing up the rows; returns milliseconds per query. */
function measureBaseline(db: Kysely<unknown>, { until }: UsagePlan): Promise<readonly number[]> {
  const since = (until - 14 * DAY_SECONDS) * 1000;
  const query = sql`select app, sum(until_time - from_time) from bench_raw where from_time >= ${since} group by app`;
  return measureTimes({ rounds: 20 }, () => query.execute(db));
}

/** Starts our server with five years of five computers, and measures the simplest program on the same database. */
function startWithUsage({ databaseUrl }: DatabaseKind, plan: UsagePlan) {
  const devices: number[] = [];
  return startFilledServer({
    databaseUrl,
    prepare: async (origin, owner) => {
      while (devices.length < plan.devices) devices.push(Number((await pairComputer(origin, owner)).target));
    },
    fill: async (database) => {
      await fillUsage(database, { account: 1, devices, zone: ZONE }, plan);
      await fillRaw(database, plan);
      return measureBaseline(database.db, plan);
    },
  });
}

interface TimedQuery {
  readonly name: string;
  readonly target: Readonly<Record<DatabaseKind['name'], number>>;
  readonly path: (round: number, zoneQuery: string) => string;
}

const QUICK_MS = { SQLite: 25, PostgreSQL: 60 };
const names = createApplicationNames(planFiveYears(0).applications).map(toWireName);
const QUERIES: readonly TimedQuery[] = [
  { name: 'returnapplications', target: QUICK_MS, path: (_, zoneQuery) => `returnapplications?${zoneQuery}` },
  {
    // Another one each time, so that nothing is cached.
    name: 'returnspecificapplication, one after another',
    target: QUICK_MS,
    path: (round, zoneQuery) =>
      `returnspecificapplication?${zoneQuery}&applicationname=${encodeURIComponent(names[round] ?? TOTAL)}`,
  },
  {
    name: 'returnspecificapplication, total',
    target: QUICK_MS,
    path: (_, zoneQuery) => `returnspecificapplication?${zoneQuery}&applicationname=total&order=1`,
  },
  {
    name: 'gettimetrackergoals, 20 goals',
    target: QUICK_MS,
    path: (_, zoneQuery) => `gettimetrackergoals?${zoneQuery}`,
  },
  {
    name: 'getsoundinfo, all years',
    target: { SQLite: 120, PostgreSQL: 250 },
    path: (_, zoneQuery) => `getsoundinfo?${zoneQuery}`,
  },
];

/** Returns milliseconds of the first response and of the later ones. */
async function measureQuery(
  { origin }: RunningServer,
  token: string,
  path: (round: number) => string,
): Promise<{ readonly first: number; readonly times: readonly number[] }> {
  const addresses = Array.from({ length: WARM_UP + ROUNDS }, (_, round) => `${origin}/api/${path(round)}`);
  const allTimes = await measureResponses({ token, addresses });
  return { first: allTimes[0] ?? Number.NaN, times: allTimes.slice(WARM_UP) };
}

async function setGoals({ call }: BenchOwner): Promise<void> {
  for (let index = 0; index < GOALS; index += 1)
    await call(settimetrackergoal, {
      goalid: '0',
      target: names[index] ?? TOTAL,
      type: 'app',
      goalseconds: '36000',
      deviceid: '-1',
      daysaffected: String(7 + index),
      daysaffectedtype: '1',
      goaltype: '0',
      tz: ZONE,
    });
}

const getP95 = (times: readonly number[]): number => percentile(times, 0.95);

async function measure(databaseKind: DatabaseKind, plan: UsagePlan): Promise<readonly BenchFigure[]> {
  await using filledServer = await startWithUsage(databaseKind, plan);
  const { server, owner, content: baseline } = filledServer;
  await setGoals(owner);
  const figures: BenchFigure[] = [];
  for (const { name, target, path } of QUERIES) {
    const homeZone = await measureQuery(server, owner.token, (round) => path(round, HOME_ZONE_QUERY));
    const otherZone = await measureQuery(server, owner.token, (round) => path(round, OTHER_ZONE_QUERY));
    const max = target[databaseKind.name];
    const figureName = `screen time: ${name}; 5 years, 5 computers, 200 applications (${databaseKind.name})`;
    figures.push(
      {
        name: figureName,
        target: `p95 under ${max} ms`,
        measured: `p95 ${formatMs(getP95(homeZone.times))}, the first ${formatMs(homeZone.first)}`,
        baseline: `p95 ${formatMs(getP95(baseline))} (two weeks' seconds by application, added up from rows with an index by time, in the same database)`,
        isTargetMet: getP95(homeZone.times) < max,
      },
      {
        name: `${figureName}, days of another zone than the home`,
        target: 'under 3x',
        measured: `${(getP95(otherZone.times) / getP95(homeZone.times)).toFixed(2)}x, p95 ${formatMs(getP95(otherZone.times))}, the first ${formatMs(otherZone.first)}`,
        baseline: 'as above: rows know no days',
        isTargetMet: getP95(otherZone.times) / getP95(homeZone.times) < 3,
      },
    );
  }
  return figures;
}

/** Requests of the screen time pages on five years of use. */
export const screenTimeBench: Bench = {
  name: 'screentime',
  run: async () => {
    const plan = planUntilToday();
    const figures = [...(await measure({ name: 'SQLite', databaseUrl: undefined }, plan))];
    if (getSkipReason('initdb') === undefined) {
      await using postgres = await startPostgres();
      figures.push(...(await measure({ name: 'PostgreSQL', databaseUrl: await postgres.createDatabase() }, plan)));
    }
    return figures;
  },
};
