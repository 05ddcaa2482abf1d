import { sql, type Kysely } from 'kysely';
import { pino } from 'pino';
import { createClient } from '#platform/contract/client.ts';
import type { Database } from '#platform/server/database/database.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
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
import { pairComputer, signUpOwner } from './account.ts';
import { measureAnswers } from './asking.ts';
import {
  formatMs,
  percentile,
  runServer,
  createScratchFolder,
  createServerProgram,
  type Bench,
  type BenchFigure,
  type RunningServer,
} from './measure.ts';

const ZONE = 'Europe/Berlin';
const HOME = `tz=${ZONE}`;
/** A zone that no account uses, so that no rollup applies. */
const FAR = 'tzoffset=9';
const ROUNDS = 60;
const WARM_UP = 5;
const DAY = 86_400;
const GOALS = 20;
const BATCH_SIZE = 20_000;

const planUntilToday = (): UsagePlan => planFiveYears((Math.floor(Date.now() / 1000 / DAY) + 1) * DAY);

interface Kind {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly databaseUrl: string | undefined;
}

/** Stores every focused interval as a row, with an index by time, like the simplest program. */
async function fillRaw({ db, dialect, transaction }: Database, plan: UsagePlan): Promise<void> {
  await sql`create table bench_raw (device integer, app text, from_time bigint, until_time bigint)`.execute(db);
  let rows: { readonly device: number; readonly app: string; readonly from: number; readonly until: number }[] = [];
  async function write(): Promise<void> {
    const some = JSON.stringify(rows);
    rows = [];
    await transaction(async ({ tx }) => {
      const values =
        dialect === 'postgres'
          ? sql`select (v->>'device')::int, v->>'app', (v->>'from')::bigint, (v->>'until')::bigint from json_array_elements(${some}::json) v`
          : sql`select value->>'device', value->>'app', value->>'from', value->>'until' from json_each(${some})`;
      await sql`insert into bench_raw ${values}`.execute(tx);
    });
  }
  for (const { device, segments } of generateUsage(plan)) {
    for (const { app, status, from, until } of segments) if (status === 'on') rows.push({ device, app, from, until });
    if (rows.length > BATCH_SIZE) await write();
  }
  await write();
  await sql`create index bench_raw_time on bench_raw (from_time)`.execute(db);
}

/** Reads the same two weeks by summing up the rows. */
async function naiveTimes(db: Kysely<unknown>, { until }: UsagePlan): Promise<readonly number[]> {
  const since = (until - 14 * DAY) * 1000;
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const startedAt = performance.now();
    await sql`select app, sum(until_time - from_time) from bench_raw where from_time >= ${since} group by app`.execute(
      db,
    );
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Starts our server with five years of five computers, and measures the simplest program on the same database. */
async function startFilled({ databaseUrl }: Kind, plan: UsagePlan) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createScratchFolder());
  const program = createServerProgram(folder.path, databaseUrl);
  const { token, devices } = await (async () => {
    await using first = await runServer(program);
    const owner = await signUpOwner(first.origin);
    const paired: number[] = [];
    while (paired.length < plan.devices) paired.push(Number((await pairComputer(first.origin, owner)).target));
    return { token: owner.token, devices: paired };
  })();
  const naive = await (async () => {
    await using database = await openDatabase({ dataDir: folder.path, databaseUrl, log: pino({ enabled: false }) });
    await fillUsage(database, { account: 1, devices, zone: ZONE }, plan);
    await fillRaw(database, plan);
    // Autovacuum would do this within a minute.
    if (database.dialect === 'postgres') await sql`analyze`.execute(database.db);
    return await naiveTimes(database.db, plan);
  })();
  const running = stack.use(await runServer(program));
  const all = stack.move();
  return { running, token, naive, [Symbol.asyncDispose]: async () => all.disposeAsync() };
}

interface TimedQuery {
  readonly what: string;
  readonly target: Readonly<Record<Kind['name'], number>>;
  readonly path: (round: number, place: string) => string;
}

const QUICK = { SQLite: 25, PostgreSQL: 60 };
const names = createApplicationNames(planFiveYears(0).applications).map(toWireName);
const QUESTIONS: readonly TimedQuery[] = [
  { what: 'returnapplications', target: QUICK, path: (_, place) => `returnapplications?${place}` },
  {
    // Another one each time, so that nothing is cached.
    what: 'returnspecificapplication, one after another',
    target: QUICK,
    path: (round, place) =>
      `returnspecificapplication?${place}&applicationname=${encodeURIComponent(names[round] ?? TOTAL)}`,
  },
  {
    what: 'returnspecificapplication, total',
    target: QUICK,
    path: (_, place) => `returnspecificapplication?${place}&applicationname=total&order=1`,
  },
  { what: 'gettimetrackergoals, 20 goals', target: QUICK, path: (_, place) => `gettimetrackergoals?${place}` },
  {
    what: 'getsoundinfo, all years',
    target: { SQLite: 120, PostgreSQL: 250 },
    path: (_, place) => `getsoundinfo?${place}`,
  },
];

async function answersTo(
  { origin }: RunningServer,
  token: string,
  path: (round: number) => string,
): Promise<{ readonly first: number; readonly times: readonly number[] }> {
  const addresses = Array.from({ length: WARM_UP + ROUNDS }, (_, round) => `${origin}/api/${path(round)}`);
  const took = await measureAnswers({ token, addresses });
  return { first: took[0] ?? Number.NaN, times: took.slice(WARM_UP) };
}

async function setGoals({ origin }: RunningServer, token: string): Promise<void> {
  const call = createClient({ origin, token: () => token });
  for (let at = 0; at < GOALS; at += 1)
    await call(settimetrackergoal, {
      goalid: '0',
      target: names[at] ?? TOTAL,
      type: 'app',
      goalseconds: '36000',
      deviceid: '-1',
      daysaffected: String(7 + at),
      daysaffectedtype: '1',
      goaltype: '0',
      tz: ZONE,
    });
}

const p95 = (times: readonly number[]): number => percentile(times, 0.95);

async function measure(kind: Kind, plan: UsagePlan): Promise<readonly BenchFigure[]> {
  await using filled = await startFilled(kind, plan);
  const { running, token, naive } = filled;
  await setGoals(running, token);
  const figures: BenchFigure[] = [];
  for (const { what, target, path } of QUESTIONS) {
    const home = await answersTo(running, token, (round) => path(round, HOME));
    const far = await answersTo(running, token, (round) => path(round, FAR));
    const max = target[kind.name];
    const named = `screen time: ${what}; 5 years, 5 computers, 200 applications (${kind.name})`;
    figures.push(
      {
        what: named,
        target: `p95 under ${max} ms`,
        ours: `p95 ${formatMs(p95(home.times))}, the first ${formatMs(home.first)}`,
        peer: `p95 ${formatMs(p95(naive))} (two weeks' seconds by application, added up from rows with an index by time, in the same database)`,
        isReached: p95(home.times) < max,
      },
      {
        what: `${named}, days of another zone than the home`,
        target: 'under 3x',
        ours: `${(p95(far.times) / p95(home.times)).toFixed(2)}x, p95 ${formatMs(p95(far.times))}, the first ${formatMs(far.first)}`,
        peer: 'as above: rows know no days',
        isReached: p95(far.times) / p95(home.times) < 3,
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
      const { createDatabase, stop } = await startPostgres();
      try {
        figures.push(...(await measure({ name: 'PostgreSQL', databaseUrl: await createDatabase() }, plan)));
      } finally {
        await stop();
      }
    }
    return figures;
  },
};
