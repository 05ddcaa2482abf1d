import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { createIdentity } from '#platform/server/identity/createIdentity.ts';
import type { LoginRequest, LoginService, Identity } from '#platform/server/identity/identity.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { createPasswordHasher, type PasswordHasher } from '#platform/server/identity/passwords.ts';
import { createSeal } from '#platform/server/storage/seal.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';

/** Accounts without a server, on manual clocks. */
export interface TestIdentity extends Identity, LoginService, AsyncDisposable {
  readonly hasher: PasswordHasher;
  /** Advances both clocks. */
  readonly advance: (time: Temporal.DurationLike) => void;
  /** Advances only the wall clock, like an administrator. */
  readonly setWallClockForward: (time: Temporal.DurationLike) => void;
  readonly now: () => Temporal.Instant;
  readonly logLines: readonly string[];
}

export const START_TIME = Temporal.Instant.from('2026-11-21T12:00:00Z');

/** Key of one test file. */
const KEY = randomBytes(32);

export async function startIdentity(
  database: Database,
  options: {
    readonly hasher?: PasswordHasher;
    readonly now?: Temporal.Instant;
    readonly rateLimits?: boolean;
    readonly key?: Uint8Array;
  } = {},
): Promise<TestIdentity> {
  await migrate(database, [{ name: 'identity', migrations: identityMigrations }]);
  const { hasher = createPasswordHasher('test'), rateLimits = true } = options;
  let wall = options.now ?? START_TIME;
  let steady = 0;
  const logLines: string[] = [];
  function turnWallClock(time: Temporal.DurationLike): void {
    // An instant has no calendar days; a day here is 24 hours.
    wall = wall.add({ milliseconds: Temporal.Duration.from(time).total({ unit: 'milliseconds' }) });
  }
  const now = (): Temporal.Instant => wall;
  const identity = await createIdentity({
    database,
    now,
    clock: () => steady,
    log: pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) }),
    passwordHash: 'test',
    hasher,
    rateLimits,
    seal: createSeal(options.key ?? KEY),
    secondFactorSeal: createSeal(options.key ?? KEY),
    appPasswordKinds: [{ name: 'calendar' }, { name: 'music', acceptsDigests: true }],
  });
  return {
    ...identity,
    hasher,
    now,
    logLines,
    setWallClockForward: turnWallClock,
    advance: (time) => {
      turnWallClock(time);
      steady += Temporal.Duration.from(time).total({ unit: 'milliseconds' });
    },
  };
}

export const CLIENT_ADDRESS = '192.0.2.7';

/** A login request from an address of the network, with the tests' password. */
export function createLoginRequest(username: string, more: Partial<LoginRequest> = {}): LoginRequest {
  return {
    username,
    password: TEST_PASSWORD,
    sessionDays: undefined,
    client: { address: CLIENT_ADDRESS, browser: 'Test browser' },
    knownBrowser: undefined,
    ...more,
  };
}

/** A sign-up from this computer. */
export function createLocalSignUp(username: string, more: Partial<LoginRequest> = {}) {
  return {
    ...createLoginRequest(username, { client: { address: '127.0.0.1', browser: 'Test browser' }, ...more }),
    setupCode: undefined,
    isLocal: true,
  };
}
