import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import type { DatabaseAddress } from '#platform/server/database/readDatabase.ts';
import { createEventDrafts } from '../bench/calendar.ts';
import { compareDatabases, readTargetState, runMove } from '../durability/killedMoves.ts';
import { fillLibrary } from '../kits/media/songs.ts';
import { fillCalendar } from '../kits/planning/manyEvents.ts';
import { startPostgres, type TestPostgres } from '../kits/server/postgres.ts';
import { startServer } from '../kits/server/server.ts';
import { fillUsage, planFiveYears } from '../kits/usage/usage.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const EVENTS = 100_000;
const SONGS = 20_000;
const KILLS = 50;
const MAX_MS = 180_000;
const MAX_PEAK_MIB = 512;

/** Fills a data folder as a large household does in five years. */
async function fillHousehold(dataDir: string): Promise<void> {
  {
    await using server = await startServer({ dataDir });
    await server.createAccount('Ada');
  }
  await using database = await openDatabase({ dataDir, log: pino({ level: 'silent' }) });
  await fillCalendar(database, 1, createEventDrafts(EVENTS));
  await fillLibrary(database, 1, { songs: SONGS, playlists: 300 });
  const plan = planFiveYears(Math.floor(Date.now() / 1000));
  const devices = Array.from({ length: plan.devices }, (_, index) => index + 1);
  await fillUsage(database, { account: 1, devices, zone: 'Europe/Berlin' }, plan);
}

/** A place to move to, new for each move. */
type CreateTarget = () => Promise<DatabaseAddress>;

/** Moves once, and returns what is wrong and how long it took. */
async function moveOnce(
  source: DatabaseAddress,
  target: DatabaseAddress,
): Promise<{ failures: string[]; ms: number; text: string }> {
  const { ms, peakKib = 0 } = await runMove(source.dataDir, source, target);
  const peakMib = Math.round(peakKib / 1024);
  const differing = await compareDatabases(source, target);
  const text = `${(ms / 1000).toFixed(1)} s, ${peakMib} MiB at most`;
  return {
    ms,
    text,
    failures: [
      ...(differing.length > 0 ? [`not equal: ${differing.join(', ')}`] : []),
      ...(ms > MAX_MS ? [`it took ${text}`] : []),
      ...(peakMib > MAX_PEAK_MIB ? [`it used ${text}`] : []),
    ],
  };
}

/** Kills moves at random moments; each continues what the killed ones began. */
async function killMoves(source: DatabaseAddress, createTarget: CreateTarget, maxMs: number, kills: number) {
  const failures: string[] = [];
  const states = { empty: 0, marked: 0, complete: 0 };
  let target = await createTarget();
  for (let killed = 0; killed < kills;) {
    const killAfterMs = Math.random() * maxMs;
    const { isKilled } = await runMove(source.dataDir, source, target, killAfterMs);
    const state = await readTargetState(target);
    if (isKilled) {
      killed += 1;
      states[state] += 1;
    }
    if (state !== 'complete') continue;
    const differing = await compareDatabases(source, target);
    if (differing.length > 0) failures.push(`complete, but not equal: ${differing.join(', ')}`);
    target = await createTarget();
  }
  await runMove(source.dataDir, source, target);
  const differing = await compareDatabases(source, target);
  if (differing.length > 0) failures.push(`not equal at the end: ${differing.join(', ')}`);
  return { failures, states };
}

async function runDirection(
  what: string,
  source: DatabaseAddress,
  createTarget: CreateTarget,
  say: (line: string) => void,
): Promise<readonly SuiteResult[]> {
  const whole = await moveOnce(source, await createTarget());
  say(`${what}: ${whole.text}`);
  const { failures, states } = await killMoves(source, createTarget, whole.ms, KILLS / 2);
  say(`${what}: ${KILLS / 2} killed; then ${states.empty} empty, ${states.marked} marked, ${states.complete} complete`);
  return [
    { what: `${what} in ${whole.text}`, caseCount: 1, failures: whole.failures },
    { what: `${what}, killed`, caseCount: KILLS / 2, failures },
  ];
}

async function runAll(
  root: string,
  postgres: TestPostgres,
  say: (line: string) => void,
): Promise<readonly SuiteResult[]> {
  const sqlite: DatabaseAddress = { dataDir: join(root, 'source'), databaseUrl: undefined };
  await fillHousehold(sqlite.dataDir);
  say(`filled ${EVENTS} events, ${SONGS} songs, 5 years of usage`);
  const createDatabase: CreateTarget = async () => ({
    dataDir: sqlite.dataDir,
    databaseUrl: await postgres.createDatabase(),
  });
  let folderCount = 0;
  async function createFolder(): Promise<DatabaseAddress> {
    await rm(join(root, `target-${folderCount}`), { recursive: true, force: true });
    folderCount += 1;
    return { dataDir: join(root, `target-${folderCount}`), databaseUrl: undefined };
  }
  const there = await runDirection('move to PostgreSQL', sqlite, createDatabase, say);
  const source = await createDatabase();
  await runMove(sqlite.dataDir, sqlite, source);
  const back = await runDirection('move to SQLite', source, createFolder, say);
  return [...there, ...back];
}

/** A large household's database is moved in both directions, and moves are killed at random moments. */
export const movesSuite: FaultSuite = {
  name: 'moves',
  run: async (say) => {
    const root = await mkdtemp(join(tmpdir(), 'pegboard-moves-'));
    try {
      await using postgres = await startPostgres();
      return await runAll(root, postgres, say);
    } finally {
      await rm(root, { recursive: true });
    }
  },
};
