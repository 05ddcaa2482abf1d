import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import { fillUsage, planFiveYears, generateUsage, type GeneratedSegment } from '#testing/kits/usage/usage.ts';
import { getSkipReason } from '#testing/machine.ts';
import { migrations } from '#tools/screentime/server/migrations.ts';
import { pairComputer, signUpOwner } from './account.ts';
import {
  formatMs,
  percentile,
  measureTimes,
  runBaseline,
  runPegboard,
  createScratchFolder,
  type Bench,
  type BenchFigure,
} from './measure.ts';

const HEARTBEATS_PER_REPORT = 200;
const DEVICES = 5;
const DAYS = 60;
const HEARTBEAT_MS = 30_000;
const TARGET_HEARTBEATS_PER_SECOND = 20_000;
const MAX_DATABASE_MB = 200;
const READS = 120;

/** Returns the last midnight in UTC, in seconds since the epoch. */
const getMidnight = (): number =>
  Math.floor(Temporal.Now.instant().epochMilliseconds / 1000 / DAY_SECONDS) * DAY_SECONDS;

/** Splits a segment like a watcher does: focus becomes one heartbeat per 30 s. Returns the heartbeats. */
function toHeartbeats(segment: GeneratedSegment): readonly GeneratedSegment[] {
  if (segment.status !== 'on') return [segment];
  const heartbeats: GeneratedSegment[] = [];
  for (let { from } = segment; from < segment.until; from += HEARTBEAT_MS)
    heartbeats.push({ ...segment, from, until: Math.min(from + HEARTBEAT_MS, segment.until) });
  return heartbeats;
}

/** Creates the reports of each device, as JSON. */
function createReports(): readonly (readonly string[])[] {
  const devices = Array.from({ length: DEVICES }, (): GeneratedSegment[] => []);
  for (const { device, segments } of generateUsage({ ...planFiveYears(getMidnight()), days: DAYS }))
    devices[device - 1]?.push(...segments.flatMap(toHeartbeats));
  return devices.map((heartbeats) =>
    Array.from({ length: Math.floor(heartbeats.length / HEARTBEATS_PER_REPORT) }, (_, index) =>
      JSON.stringify({
        boot: 'benchmark',
        seq: index * HEARTBEATS_PER_REPORT + 1,
        segments: heartbeats.slice(index * HEARTBEATS_PER_REPORT, (index + 1) * HEARTBEATS_PER_REPORT),
      }),
    ),
  );
}

async function post(origin: string, token: string, body: string): Promise<void> {
  const response = await fetch(`${origin}/api/reportusage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body,
  });
  const { message, refused } = (await response.json()) as { readonly message?: string; readonly refused?: number };
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
    reports.map(async (deviceReports, device) => {
      for (const body of deviceReports) await post(origin, tokens[device] ?? '', body);
    }),
  );
  const sent = reports.reduce((sum, deviceReports) => sum + deviceReports.length * HEARTBEATS_PER_REPORT, 0);
  return sent / ((performance.now() - startedAt) / 1000);
}

/**
 * Sends a report of 200 every 10 ms, from the devices in turn: 20,000 heartbeats per second, while `isOn` returns true.
 */
async function sendSteadily(
  origin: string,
  tokens: readonly string[],
  reports: readonly (readonly string[])[],
  isRunning: () => boolean,
): Promise<void> {
  const queues = reports.map((deviceReports) => [...deviceReports]);
  const pending = queues.map(async () => undefined as void);
  const startedAt = performance.now();
  for (let sent = 0; isRunning(); sent += 1) {
    const device = sent % queues.length;
    const body = queues[device]?.shift();
    if (body === undefined) break;
    const before = pending[device];
    pending[device] = (async () => {
      await before;
      await post(origin, tokens[device] ?? '', body);
    })();
    const dueAt = startedAt + ((sent + 1) * HEARTBEATS_PER_REPORT * 1000) / TARGET_HEARTBEATS_PER_SECOND;
    await sleep(Math.max(0, dueAt - performance.now()));
  }
  await Promise.all(pending);
}

/** Returns milliseconds per response. */
const measureReads = (url: string, token: string): Promise<readonly number[]> =>
  measureTimes({ rounds: READS, prepare: () => sleep(20) }, async () => {
    await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
  });

interface IngestTimes {
  /** Heartbeats per second. */
  readonly rate: number;
  /** Median of reads while nothing is sent, and while heartbeats arrive. */
  readonly quietMs: number;
  readonly busyMs: number;
}

/** Returns each device's reports between two shares of them. */
const sliceReports = (
  reports: readonly (readonly string[])[],
  from: number,
  until: number,
): readonly (readonly string[])[] =>
  reports.map((deviceReports) =>
    deviceReports.slice(Math.floor(deviceReports.length * from), Math.floor(deviceReports.length * until)),
  );

async function measure(
  origin: string,
  tokens: readonly string[],
  readUrl: string,
  readerToken: string,
): Promise<IngestTimes> {
  const reports = createReports();
  // Warms the server up.
  await sendAll(origin, tokens, sliceReports(reports, 0, 0.3));
  const rate = await sendAll(origin, tokens, sliceReports(reports, 0.3, 0.6));
  await measureReads(readUrl, readerToken);
  const quietMs = percentile(await measureReads(readUrl, readerToken), 0.5);
  let isRunning = true;
  const sending = sendSteadily(origin, tokens, sliceReports(reports, 0.6, 1), () => isRunning);
  const busyMs = percentile(await measureReads(readUrl, readerToken), 0.5);
  isRunning = false;
  await sending;
  return { rate, quietMs, busyMs };
}

async function measurePegboard(databaseUrl: string | undefined): Promise<IngestTimes> {
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  await using server = await runPegboard({ RATE_LIMITS: 'off', ...database }, 0);
  const owner = await signUpOwner(server.origin);
  const tokens: string[] = [];
  for (let device = 0; device < DEVICES; device += 1) tokens.push((await pairComputer(server.origin, owner)).token);
  const readUrl = `${server.origin}/api/returnapplications?tz=UTC&deviceid=-1`;
  return await measure(server.origin, tokens, readUrl, owner.token);
}

async function measureBaseline(): Promise<IngestTimes> {
  await using server = await runBaseline('heartbeats', {}, 0);
  const tokens = Array.from({ length: DEVICES }, (_, index) => `${index}`);
  return await measure(
    server.origin,
    tokens,
    `${server.origin}/?from=${(getMidnight() - 14 * DAY_SECONDS) * 1000}`,
    '',
  );
}

/** Stores five years in the database; returns its size and the number of heartbeats. */
async function fillDatabase(
  databaseUrl: string | undefined,
): Promise<{ readonly mb: number; readonly heartbeats: number }> {
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
  const target = {
    account: 1,
    devices: Array.from({ length: DEVICES }, (_, index) => index + 1),
    zone: 'Europe/Berlin',
  };
  const { heartbeats } = await fillUsage(database, target, planFiveYears(getMidnight()));
  return { mb: ((await database.getSizeBytes()) - empty) / 1e6, heartbeats };
}

const formatCount = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

const createFigures = (name: string, pegboard: IngestTimes, baseline: IngestTimes): readonly BenchFigure[] => [
  {
    name: `ingest: heartbeats a second, each kept before it is answered, on one core (${name})`,
    target: `over ${formatCount(TARGET_HEARTBEATS_PER_SECOND)}`,
    measured: formatCount(pegboard.rate),
    baseline: `${formatCount(baseline.rate)} (node:http, a row of SQLite for each)`,
    isTargetMet: pegboard.rate > TARGET_HEARTBEATS_PER_SECOND,
  },
  {
    name: `ingest: returnapplications while ${formatCount(TARGET_HEARTBEATS_PER_SECOND)} a second come in, p50 against a quiet server (${name})`,
    target: 'under 2x',
    measured: `${(pegboard.busyMs / pegboard.quietMs).toFixed(1)}x (${formatMs(pegboard.busyMs)} against ${formatMs(pegboard.quietMs)})`,
    baseline: `${(baseline.busyMs / baseline.quietMs).toFixed(1)}x (${formatMs(baseline.busyMs)} against ${formatMs(baseline.quietMs)}; a sum over the rows of 14 days)`,
    isTargetMet: pegboard.busyMs < 2 * pegboard.quietMs,
  },
];

async function measureSize(name: string, databaseUrl: string | undefined): Promise<BenchFigure> {
  const { mb, heartbeats } = await fillDatabase(databaseUrl);
  return {
    name: `ingest: database of 5 years x 5 devices x 200 applications, ${formatCount(heartbeats)} heartbeats (${name})`,
    target: `under ${MAX_DATABASE_MB} MB`,
    measured: `${formatCount(mb)} MB`,
    baseline: 'a row for each: see the rate',
    isTargetMet: mb < MAX_DATABASE_MB,
  };
}

export const ingestBench: Bench = {
  name: 'ingest',
  run: async () => {
    const baseline = await measureBaseline();
    const figures = [
      ...createFigures('SQLite', await measurePegboard(undefined), baseline),
      await measureSize('SQLite', undefined),
    ];
    if (getSkipReason('initdb') !== undefined) return figures;
    await using postgres = await startPostgres();
    figures.push(...createFigures('PostgreSQL', await measurePegboard(await postgres.createDatabase()), baseline));
    figures.push(await measureSize('PostgreSQL', await postgres.createDatabase()));
    return figures;
  },
};
