import { sql } from 'kysely';
import { pino } from 'pino';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import { fillUsage, planFiveYears, generateUsage, type GeneratedSegment } from '#testing/kits/usage/usage.ts';
import { getSkipReason } from '#testing/machine.ts';
import { migrations } from '#tools/screentime/server/migrations.ts';
import { pairComputer, signUpOwner } from './account.ts';
import { formatMs, percentile, runServer, createScratchFolder, type Bench, type BenchFigure } from './measure.ts';

/** Heartbeats per report. */
const HEARTBEATS_PER_REPORT = 200;
const DEVICES = 5;
const DAYS = 60;
const PULSE_MS = 30_000;
const TARGET = 20_000;
const TARGET_MB = 200;
const READS = 120;
const DAY = 86_400;

const midnight = (): number => Math.floor(Temporal.Now.instant().epochMilliseconds / 1000 / DAY) * DAY;

/** Splits a segment like a watcher does: focus is sent as one heartbeat per 30 s. */
function toHeartbeats(segment: GeneratedSegment): readonly GeneratedSegment[] {
  if (segment.status !== 'on') return [segment];
  const pulses: GeneratedSegment[] = [];
  for (let { from } = segment; from < segment.until; from += PULSE_MS)
    pulses.push({ ...segment, from, until: Math.min(from + PULSE_MS, segment.until) });
  return pulses;
}

/** Creates the reports of each device. */
function createReports(): readonly (readonly string[])[] {
  const devices = Array.from({ length: DEVICES }, (): GeneratedSegment[] => []);
  for (const { device, segments } of generateUsage({ ...planFiveYears(midnight()), days: DAYS }))
    devices[device - 1]?.push(...segments.flatMap(toHeartbeats));
  return devices.map((pulses) =>
    Array.from({ length: Math.floor(pulses.length / HEARTBEATS_PER_REPORT) }, (_, at) =>
      JSON.stringify({
        boot: 'benchmark',
        seq: at * HEARTBEATS_PER_REPORT + 1,
        segments: pulses.slice(at * HEARTBEATS_PER_REPORT, (at + 1) * HEARTBEATS_PER_REPORT),
      }),
    ),
  );
}

async function post(origin: string, token: string, body: string): Promise<void> {
  const answer = await fetch(`${origin}/api/reportusage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body,
  });
  const { message, refused } = (await answer.json()) as { readonly message?: string; readonly refused?: number };
  if (message !== 'ok' || refused !== undefined) throw new Error(`a report was not taken: ${message} ${refused}`);
}

/** Sends from all devices concurrently, each report after the previous answer. Returns heartbeats per second. */
async function sendAll(
  origin: string,
  tokens: readonly string[],
  reports: readonly (readonly string[])[],
): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    reports.map(async (own, device) => {
      for (const body of own) await post(origin, tokens[device] ?? '', body);
    }),
  );
  const sent = reports.reduce((sum, own) => sum + own.length * HEARTBEATS_PER_REPORT, 0);
  return sent / ((performance.now() - startedAt) / 1000);
}

/**
 * Sends a report of 200 every 10 ms, from the devices in turn: 20,000 heartbeats per second, while `isOn` returns true.
 */
async function sendSteadily(
  origin: string,
  tokens: readonly string[],
  reports: readonly (readonly string[])[],
  isOn: () => boolean,
): Promise<void> {
  const turns = reports.map((own) => [...own]);
  const last = turns.map(async () => undefined as void);
  const startedAt = performance.now();
  for (let sent = 0; isOn(); sent += 1) {
    const device = sent % turns.length;
    const body = turns[device]?.shift();
    if (body === undefined) break;
    const before = last[device];
    last[device] = (async () => {
      await before;
      await post(origin, tokens[device] ?? '', body);
    })();
    const due = startedAt + ((sent + 1) * HEARTBEATS_PER_REPORT * 1000) / TARGET;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
  await Promise.all(last);
}

async function timeReads(url: string, token: string): Promise<readonly number[]> {
  const took: number[] = [];
  for (let round = 0; round < READS; round += 1) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await answer.text();
    took.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return took;
}

interface Measured {
  readonly rate: number;
  readonly quiet: number;
  readonly busy: number;
}

/** Returns each device's reports between two shares of them. */
const part = (reports: readonly (readonly string[])[], from: number, until: number): readonly (readonly string[])[] =>
  reports.map((own) => own.slice(Math.floor(own.length * from), Math.floor(own.length * until)));

async function measure(origin: string, tokens: readonly string[], read: string, reader: string): Promise<Measured> {
  const reports = createReports();
  // Warms the server up.
  await sendAll(origin, tokens, part(reports, 0, 0.3));
  const rate = await sendAll(origin, tokens, part(reports, 0.3, 0.6));
  await timeReads(read, reader);
  const quiet = percentile(await timeReads(read, reader), 0.5);
  let isOn = true;
  const sending = sendSteadily(origin, tokens, part(reports, 0.6, 1), () => isOn);
  const busy = percentile(await timeReads(read, reader), 0.5);
  isOn = false;
  await sending;
  return { rate, quiet, busy };
}

async function ours(databaseUrl: string | undefined): Promise<Measured> {
  await using server = await runServer({
    args: ['apps/server/start.ts'],
    env: {
      PASSWORD_HASH: 'light',
      RATE_LIMITS: 'off',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    ready: '/readyz',
    core: 0,
  });
  const owner = await signUpOwner(server.origin);
  const tokens: string[] = [];
  for (let device = 0; device < DEVICES; device += 1) tokens.push((await pairComputer(server.origin, owner)).token);
  const read = `${server.origin}/api/returnapplications?tz=UTC&deviceid=-1`;
  return await measure(server.origin, tokens, read, owner.token);
}

async function peer(): Promise<Measured> {
  await using server = await runServer({ args: ['testing/bench/peers/heartbeats.ts'], ready: '/', core: 0 });
  const tokens = Array.from({ length: DEVICES }, (_, at) => `${at}`);
  return await measure(server.origin, tokens, `${server.origin}/?from=${(midnight() - 14 * DAY) * 1000}`, '');
}

/** Stores five years in the database; returns its size and the number of heartbeats. */
async function fill(databaseUrl: string | undefined): Promise<{ readonly mb: number; readonly heartbeats: number }> {
  await using folder = await createScratchFolder();
  const log = pino({ level: 'error' }) as never;
  await using database = await openDatabase({ dataDir: folder.path, databaseUrl, log });
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'device', migrations: deviceMigrations },
    { name: 'screentime', migrations },
  ]);
  await sql`insert into account (name, folded, password, is_owner, created) values ('a', 'a', '', 0, 0)`.execute(
    database.db,
  );
  const empty = await database.getSizeBytes();
  const target = { account: 1, devices: Array.from({ length: DEVICES }, (_, at) => at + 1), zone: 'Europe/Berlin' };
  const { heartbeats } = await fillUsage(database, target, planFiveYears(midnight()));
  return { mb: ((await database.getSizeBytes()) - empty) / 1e6, heartbeats };
}

const format = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

const createFigures = (name: string, found: Measured, simple: Measured): readonly BenchFigure[] => [
  {
    what: `ingest: heartbeats a second, each kept before it is answered, on one core (${name})`,
    target: `over ${format(TARGET)}`,
    ours: format(found.rate),
    peer: `${format(simple.rate)} (node:http, a row of SQLite for each)`,
    isReached: found.rate > TARGET,
  },
  {
    what: `ingest: returnapplications while ${format(TARGET)} a second come in, p50 against a quiet server (${name})`,
    target: 'under 2x',
    ours: `${(found.busy / found.quiet).toFixed(1)}x (${formatMs(found.busy)} against ${formatMs(found.quiet)})`,
    peer: `${(simple.busy / simple.quiet).toFixed(1)}x (${formatMs(simple.busy)} against ${formatMs(simple.quiet)}; a sum over the rows of 14 days)`,
    isReached: found.busy < 2 * found.quiet,
  },
];

async function sizeFigure(name: string, databaseUrl: string | undefined): Promise<BenchFigure> {
  const { mb, heartbeats } = await fill(databaseUrl);
  return {
    what: `ingest: database of 5 years x 5 devices x 200 applications, ${format(heartbeats)} heartbeats (${name})`,
    target: `under ${TARGET_MB} MB`,
    ours: `${format(mb)} MB`,
    peer: 'a row for each: see the rate',
    isReached: mb < TARGET_MB,
  };
}

export const ingestBench: Bench = {
  name: 'ingest',
  run: async () => {
    const simple = await peer();
    const figures = [...createFigures('SQLite', await ours(undefined), simple), await sizeFigure('SQLite', undefined)];
    if (getSkipReason('initdb') !== undefined) return figures;
    const { createDatabase, stop } = await startPostgres();
    try {
      figures.push(...createFigures('PostgreSQL', await ours(await createDatabase()), simple));
      figures.push(await sizeFigure('PostgreSQL', await createDatabase()));
    } finally {
      await stop();
    }
    return figures;
  },
};
