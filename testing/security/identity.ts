import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { makeHasher, type Hasher } from '#platform/server/identity/hashing.ts';
import type { Entry, FrontDoor, Identity } from '#platform/server/identity/identity.ts';
import { makeIdentity } from '#platform/server/identity/make.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { makeSeal } from '#platform/server/seal.ts';
import { TEST_PASSWORD } from '../server.ts';

/** Accounts without a server around them, on clocks that a test turns. */
export interface TestIdentity extends Identity, FrontDoor, AsyncDisposable {
  readonly hasher: Hasher;
  /** Turns both clocks forward. */
  readonly pass: (time: Temporal.DurationLike) => void;
  /** Turns the wall clock alone, as an administrator does. */
  readonly turnWallClock: (time: Temporal.DurationLike) => void;
  readonly now: () => Temporal.Instant;
  readonly logged: readonly string[];
}

export const START = Temporal.Instant.from('2026-11-21T12:00:00Z');

/** Of one test file. */
const KEY = randomBytes(32);

export const startIdentity = async (
  database: Database,
  options: {
    readonly hasher?: Hasher;
    readonly now?: Temporal.Instant;
    readonly rateLimits?: boolean;
    readonly key?: Uint8Array;
  } = {},
): Promise<TestIdentity> => {
  await migrate(database, [{ name: 'identity', migrations: identityMigrations }]);
  const { hasher = makeHasher('test'), rateLimits = true } = options;
  let wall = options.now ?? START;
  let steady = 0;
  const logged: string[] = [];
  const turnWallClock = (time: Temporal.DurationLike): void => {
    // An instant knows no days, a day here is 24 hours.
    wall = wall.add({ milliseconds: Temporal.Duration.from(time).total({ unit: 'milliseconds' }) });
  };
  const now = (): Temporal.Instant => wall;
  const identity = await makeIdentity({
    database,
    now,
    clock: () => steady,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    passwordHash: 'test',
    hasher,
    rateLimits,
    seal: makeSeal(options.key ?? KEY),
  });
  return {
    ...identity,
    hasher,
    now,
    logged,
    turnWallClock,
    pass: (time) => {
      turnWallClock(time);
      steady += Temporal.Duration.from(time).total({ unit: 'milliseconds' });
    },
  };
};

export const ADDRESS = '192.0.2.7';

/** A try from an address of the network, with the tests' own password. */
export const entry = (username: string, more: Partial<Entry> = {}): Entry => ({
  username,
  password: TEST_PASSWORD,
  days: undefined,
  origin: { address: ADDRESS, browser: 'Test browser' },
  knownBrowser: undefined,
  ...more,
});

/** A sign-up from this computer. */
export const here = (username: string, more: Partial<Entry> = {}) => ({
  ...entry(username, { origin: { address: '127.0.0.1', browser: 'Test browser' }, ...more }),
  setupCode: undefined,
  isLocal: true,
});
