import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { createSeededRandom } from '#testing/kits/random.ts';
import { createPatientClient } from '../kits/server/patientClient.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';
import { openFaultyLine, type FaultyLine } from './faultyLine.ts';
import { runHistory, type TestGroup, type TestPerson } from './history.ts';
import { startKillableServer, type KillableServer } from './killableServer.ts';

/** Groups that play concurrently, each one history after the other. */
const GROUP_COUNT = 8;
/** Minimum and maximum number of messages between two kills of the server. */
const MESSAGES_BETWEEN_KILLS = [100, 500] as const;

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
  const random = createSeededRandom(seed);
  const [min, max] = MESSAGES_BETWEEN_KILLS;
  const running = new Set<number>();
  const hit = new Set<number>();
  let kills = 0;
  let messagesLeft = min;
  let restart: Promise<void> | undefined;
  let failure: Error | undefined;
  return {
    running,
    onMessage: (): void => {
      // Messages to a dead server don't count.
      if (restart !== undefined || failure !== undefined) return;
      messagesLeft -= 1;
      if (messagesLeft > 0) return;
      messagesLeft = min + random.nextInt(max - min);
      kills += 1;
      for (const history of running) hit.add(history);
      restart = server
        .killAndStart()
        .catch((error: unknown) => void (failure = error instanceof Error ? error : new Error(String(error))))
        .finally(() => void (restart = undefined));
    },
    /** @throws if the server did not start again. */
    check: (): void => {
      if (failure !== undefined) throw failure;
    },
    waitForRestart: async (): Promise<void> => restart,
    getResult: () => ({ kills, hit: hit.size }),
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
    const reliableLine = await openFaultyLine(server.getPort);
    lines.push(reliableLine);
    const createPerson = async (name: string): Promise<TestPerson> => {
      const { origin } = reliableLine;
      const { token } = await createPatientClient({ origin })(signup, { username: name, password: TEST_PASSWORD });
      return { name, token, call: createClient({ origin, token: () => token }) };
    };
    const createGroup = async (index: number): Promise<Omit<TestGroup, 'onTraffic'>> => {
      const groupLines = await openLines(server.getPort);
      lines.push(...groupLines);
      const [owner, friend, plain] = await Promise.all([
        createPerson(`owner${index}`),
        createPerson(`friend${index}`),
        createPerson(`plain${index}`),
      ]);
      return { owner, friend, plain, lines: groupLines };
    };
    // The first account of a server needs no invitation, so it is created before the others.
    const first = await createGroup(0);
    const others = Array.from({ length: Math.min(GROUP_COUNT, histories) - 1 }, (_, index) => createGroup(index + 1));
    const groups = [first, ...(await Promise.all(others))];

    const killer = createKiller(server, seed);
    const failures: string[] = [];
    let startedCount = 0;
    let finishedCount = 0;
    const getResult = (): PlayResult => ({ histories: finishedCount, failures, ...killer.getResult() });
    const playInGroup = async (group: Omit<TestGroup, 'onTraffic'>): Promise<void> => {
      while (startedCount < histories) {
        killer.check();
        const historySeed = seed + (startedCount += 1);
        killer.running.add(historySeed);
        await runHistory(historySeed, { ...group, onTraffic: killer.onMessage }).catch((error: unknown) => {
          failures.push(
            `seed ${historySeed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          );
        });
        killer.running.delete(historySeed);
        finishedCount += 1;
        onProgress?.(getResult());
      }
    };
    await Promise.all(groups.map(playInGroup));
    await killer.waitForRestart();
    killer.check();
    return getResult();
  } finally {
    for (const line of lines) await line[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  }
}
