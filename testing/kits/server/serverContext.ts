import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loneCluster, type Cluster } from '#platform/server/cluster/cluster.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { type DeviceLinkService, createDeviceLink } from '#platform/server/devices/createDeviceLink.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { createRateLimiter } from '#platform/server/http/rateLimiter.ts';
import { createIdentity } from '#platform/server/identity/createIdentity.ts';
import type { Identity } from '#platform/server/identity/identity.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { createLogger } from '#platform/server/operations/logger.ts';
import { type RealtimeService, createRealtime } from '#platform/server/realtime/createRealtime.ts';
import { createSeal } from '#platform/server/storage/seal.ts';
import type { JoinableRoom, Listener } from '#platform/server/tool.ts';
import { type ManualTimers, createManualTimers } from './manualTimers.ts';
import { prepareDatabase } from './postgres.ts';
import { TEST_PASSWORD } from './server.ts';

/** Sockets and devices on a real database and port, without pages and calls, and with manual timers. */
export interface TestPlatform extends AsyncDisposable {
  readonly origin: string;
  readonly identity: Identity;
  readonly cluster: Cluster;
  readonly realtime: RealtimeService;
  readonly devices: DeviceLinkService;
  readonly timers: ManualTimers;
  readonly log: readonly string[];
  readonly createAccount: (name: string) => Promise<{ readonly id: number; readonly token: string }>;
  readonly pairDevice: (account: number, name: string) => Promise<{ readonly device: Device; readonly token: string }>;
}

export interface TestPlatformOptions {
  readonly listeners?: readonly Listener[];
  readonly rooms?: readonly JoinableRoom[];
  readonly databaseUrl?: string | undefined;
  readonly now?: () => Temporal.Instant;
}

export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
  const { now = Temporal.Now.instant } = options;
  const timers = createManualTimers();
  await prepareDatabase(options.databaseUrl);
  const database = await openDatabase({ dataDir, databaseUrl: options.databaseUrl, log });
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'device', migrations: deviceMigrations },
  ]);
  const seal = createSeal(randomBytes(32));
  const identity = await createIdentity({
    database,
    now,
    log,
    passwordHash: 'test',
    rateLimits: true,
    seal,
    secondFactorSeal: createSeal(randomBytes(32)),
  });
  const http = createServer();
  const realtime = createRealtime({
    http,
    identity,
    rateLimiter: createRateLimiter({ isOn: true }),
    log,
    now,
    timers,
    isAllowedOrigin: () => true,
    // The test sets the peer address of a socket in a header.
    resolvePeer: ({ headers }) => {
      const from = headers['x-from'];
      const address = typeof from === 'string' ? from : '127.0.0.1';
      return { address, isLocal: typeof from !== 'string', isHttps: false };
    },
  });
  const devices = createDeviceLink({ database, identity, realtime, now, log, timers, getAgentDigest: () => 'digest' });
  await devices.start();
  realtime.addListeners([...devices.listeners, ...(options.listeners ?? [])]);
  realtime.addRooms(options.rooms ?? []);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    identity,
    cluster: loneCluster,
    realtime,
    devices,
    timers,
    log: lines,
    createAccount: async (name) => {
      const { token, account } = await identity.signUp({
        username: name,
        password: TEST_PASSWORD,
        sessionDays: undefined,
        client: { address: '127.0.0.1', browser: 'test' },
        knownBrowser: undefined,
        setupCode: undefined,
        isLocal: true,
      });
      return { id: account.id, token };
    },
    pairDevice: async (account, name) =>
      database.transaction(async ({ tx }) => {
        const device = await devices.add(tx, { account, kind: 'computer', name });
        return { device, token: await identity.openDeviceSession(tx, account, device.id) };
      }),
    [Symbol.asyncDispose]: async () => {
      await realtime.stop();
      await devices.stop();
      await new Promise((resolve) => http.close(resolve));
      await identity[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true });
    },
  };
}
