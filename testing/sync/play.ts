import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { createSeededRandom } from '#testing/kits/random.ts';
import { createPatientClient } from '../kits/server/patientClient.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';
import { runHistory, type TestGroup, type TestPerson } from './history.ts';
import { openFaultyLine, type FaultyLine } from './line.ts';
import { startKillableServer, type KillableServer } from './server.ts';

/** Groups that play concurrently, each one history after the other. */
const COMPANIES = 8;
/** Minimum and maximum number of messages between two kills of the server. */
const LIFE = [100, 500] as const;

export interface PlayResult {
  readonly histories: number;
  /** Number of kills of the server. */
  readonly kills: number;
  /** Histories that ran during a kill. */
  readonly hit: number;
  /** Each with its seed. */
  readonly failures: readonly string[];
}

export interface PlayOptions {
  readonly histories: number;
  readonly seed: number;
  /** PostgreSQL instead of SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly onProgress?: (played: PlayResult) => void;
}

/** Kills the server at random messages, and counts the affected histories. */
function createKiller(server: KillableServer, seed: number) {
  const dice = createSeededRandom(seed);
  const [min, max] = LIFE;
  const running = new Set<number>();
  const hit = new Set<number>();
  let kills = 0;
  let left = min;
  let rising: Promise<void> | undefined;
  let failure: Error | undefined;
  return {
    running,
    onBeat: (): void => {
      // Messages to a dead server don't count.
      if (rising !== undefined || failure !== undefined) return;
      left -= 1;
      if (left > 0) return;
      left = min + dice.nextInt(max - min);
      kills += 1;
      for (const each of running) hit.add(each);
      rising = server
        .killAndStart()
        .catch((error: unknown) => void (failure = error instanceof Error ? error : new Error(String(error))))
        .finally(() => void (rising = undefined));
    },
    /** @throws if the server did not start again. */
    check: (): void => {
      if (failure !== undefined) throw failure;
    },
    isRisen: async (): Promise<void> => rising,
    figures: () => ({ kills, hit: hit.size }),
  };
}

const openLines = async (port: () => number): Promise<TestGroup['lines']> => [
  await openFaultyLine(port),
  await openFaultyLine(port),
  await openFaultyLine(port),
  await openFaultyLine(port),
];

/** Plays random histories of lists on a real server that is killed and restarted repeatedly. */
export async function playHistories({ histories, seed, databaseUrl, onProgress }: PlayOptions): Promise<PlayResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-sync-'));
  const lines: FaultyLine[] = [];
  try {
    await using server = await startKillableServer(dataDir, databaseUrl);
    const steady = await openFaultyLine(server.getPort);
    lines.push(steady);
    const person = async (name: string): Promise<TestPerson> => {
      const { origin } = steady;
      const { token } = await createPatientClient({ origin })(signup, { username: name, password: TEST_PASSWORD });
      return { name, token, call: createClient({ origin, token: () => token }) };
    };
    const company = async (at: number): Promise<Omit<TestGroup, 'onTraffic'>> => {
      const own = await openLines(server.getPort);
      lines.push(...own);
      const [owner, friend, plain] = await Promise.all([
        person(`owner${at}`),
        person(`friend${at}`),
        person(`plain${at}`),
      ]);
      return { owner, friend, plain, lines: own };
    };
    // The first account of a server needs no invitation, so it is created before the others.
    const first = await company(0);
    const others = Array.from({ length: Math.min(COMPANIES, histories) - 1 }, (_, at) => company(at + 1));
    const companies = [first, ...(await Promise.all(others))];

    const death = createKiller(server, seed);
    const failures: string[] = [];
    let started = 0;
    let over = 0;
    const figures = (): PlayResult => ({ histories: over, failures, ...death.figures() });
    const playOn = async (its: Omit<TestGroup, 'onTraffic'>): Promise<void> => {
      while (started < histories) {
        death.check();
        const own = seed + (started += 1);
        death.running.add(own);
        await runHistory(own, { ...its, onTraffic: death.onBeat }).catch((error: unknown) => {
          failures.push(`seed ${own}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        });
        death.running.delete(own);
        over += 1;
        onProgress?.(figures());
      }
    };
    await Promise.all(companies.map(playOn));
    await death.isRisen();
    death.check();
    return figures();
  } finally {
    for (const line of lines) await line[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  }
}
