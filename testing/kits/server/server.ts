import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createClient, type Client } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { assembleServer, type ServerOptions } from '../../../apps/server/assemble.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import { prepareDatabase } from './postgres.ts';
import { createTables } from './tables.ts';

export interface TestServer extends AsyncDisposable {
  /** With the base path, if there is one. */
  readonly origin: string;
  readonly dataDir: string;
  /** Lines of the log as written. */
  readonly log: readonly string[];
  /** Answers a request without a connection, at half the cost. */
  readonly inject: FastifyInstance['inject'];
  /** Calls without a token. */
  readonly call: Client;
  /** Creates an account and calls as it; the first account of a server is the owner. */
  readonly createAccount: (name: string) => Promise<TestAccount>;
}

export interface TestAccount {
  readonly name: string;
  readonly password: string;
  readonly token: string;
  readonly call: Client;
}

/** No test accesses the internet. */
const NOWHERE = 'http://127.0.0.1:1';

/** Subsets of the product's tools need only some of its tables. */
function hasAllTables({ tools = serverTools }: Partial<ServerOptions>): boolean {
  const names = new Set(tools.map(({ name }) => name));
  return serverTools.every(({ name }) => names.has(name));
}

export const TEST_PASSWORD = 'correct horse staple';

/** Starts one instance of a server, and returns how to reach and stop it. */
async function startInstance(
  options: Partial<ServerOptions> & { readonly dataDir: string },
  port: number,
  log: string[] = [],
) {
  const server = await assembleServer({
    passwordHash: 'test',
    logLevel: 'info',
    busyAfterMs: 0,
    disk: { reserveBytes: 0 }, // 32 MiB per test would be too much writing.
    ytdlpReleases: { stable: NOWHERE, nightly: NOWHERE, key: '' },
    logTo: { write: (line: string) => void log.push(line) },
    ...options,
  });
  const origin = await server.listen({ port, host: '127.0.0.1' });
  return { server, origin, port: Number(new URL(origin).port), log };
}

/** Whether each server consists of two instances (`npm run test:cluster`). */
const isClusterRun = process.env['TEST_CLUSTER'] === 'true';

/** Whether songs and recordings of each server are in a bucket (`--bucket`). */
const isBucketRun = process.env['TEST_BUCKET'] === 'true';

/** Starts a bucket for a server, in a run with buckets. A server that is started again finds its files. */
async function startBucket(dataDir: string, { filesBucket }: Partial<ServerOptions>) {
  if (!isBucketRun || filesBucket) return { bucketOptions: {}, stopBucket: async () => undefined };
  const { startS3Server, TEST_BUCKET } = await import('./s3Server.ts');
  const server = await startS3Server(join(dataDir, 'work', 's3'));
  return {
    bucketOptions: { filesBucket: { ...server.access, bucket: TEST_BUCKET, prefix: 'files' } },
    stopBucket: () => server[Symbol.asyncDispose](),
  };
}

export interface TestServerOptions extends Partial<ServerOptions> {
  readonly port?: number;
  /** Starts two instances behind a proxy. */
  readonly isCluster?: boolean;
}

/** Starts the whole server on a free or given port and data folder. `await using` closes it and removes the data. */
export async function startServer({
  port = 0,
  isCluster = isClusterRun,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  // A test that names SQLite gets one instance.
  const namesSqlite = 'databaseUrl' in options && options.databaseUrl === undefined;
  if (isCluster && !namesSqlite) return startCluster({ port, ...options });
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'pegboard-')));
  await (hasAllTables(options) ? createTables(dataDir, options.databaseUrl) : prepareDatabase(options.databaseUrl));
  const { bucketOptions, stopBucket } = await startBucket(dataDir, options);
  const { server, origin, log } = await startInstance({ ...options, ...bucketOptions, dataDir }, port);
  return toTestServer({
    origin: origin + (options.basePath ?? ''),
    dataDir,
    log,
    inject: server.http.inject.bind(server.http),
    stop: async () => {
      await server.stop();
      await stopBucket();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true });
    },
  });
}

function toTestServer({
  stop,
  ...parts
}: Pick<TestServer, 'origin' | 'dataDir' | 'log' | 'inject'> & { readonly stop: () => Promise<void> }): TestServer {
  const { origin } = parts;
  return {
    ...parts,
    call: createClient({ origin }),
    createAccount: async (name) => {
      const { token } = await createClient({ origin })(signup, { username: name, password: TEST_PASSWORD });
      return { name, password: TEST_PASSWORD, token, call: createClient({ origin, token: () => token }) };
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Several instances of one server, on PostgreSQL and Redis. */
export interface TestCluster extends TestServer {
  /** The instances themselves, past the proxy. */
  readonly instances: readonly TestServer[];
  readonly stopInstance: (index: number) => Promise<void>;
}

const databasesByFolder = new Map<string, string>();

/** Starts two instances behind a proxy without sticky sessions, which is the server's origin. */
export async function startCluster({
  port = 0,
  ...options
}: Omit<TestServerOptions, 'isCluster'> = {}): Promise<TestCluster> {
  const { createSharedDatabase } = await import('./database.ts');
  const { getSharedRedis } = await import('./redis.ts');
  const { startRoundRobinProxy } = await import('./roundRobinProxy.ts');
  await using resources = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'pegboard-')));
  if (options.dataDir === undefined) resources.defer(() => rm(dataDir, { recursive: true }));
  const databaseUrl = options.databaseUrl ?? databasesByFolder.get(dataDir) ?? (await createSharedDatabase());
  // A test that starts a server again finds its data.
  databasesByFolder.set(dataDir, databaseUrl);
  await (hasAllTables(options) ? createTables(dataDir, databaseUrl) : prepareDatabase(databaseUrl));
  const redisUrl = options.redisUrl ?? (await getSharedRedis()).url;
  const log: string[] = [];
  const running: Awaited<ReturnType<typeof startInstance>>[] = [];
  for (const instanceName of ['first', 'second']) {
    const instance = await startInstance({ instanceName, ...options, dataDir, databaseUrl, redisUrl }, 0, log);
    running.push(instance);
    resources.defer(() => (running.includes(instance) ? instance.server.stop() : undefined));
  }
  const all = [...running];
  const proxy = resources.use(await startRoundRobinProxy(() => running.map((instance) => instance.port), port));
  let count = 0;
  const basePath = options.basePath ?? '';
  const moved = resources.move();
  return {
    ...toTestServer({
      origin: proxy.origin + basePath,
      dataDir,
      log,
      inject: ((...args: Parameters<TestServer['inject']>) =>
        running[(count += 1) % running.length]?.server.http.inject(...args)) as TestServer['inject'],
      stop: () => moved.disposeAsync(),
    }),
    instances: all.map(({ server, origin }) =>
      toTestServer({
        origin: origin + basePath,
        dataDir,
        log,
        inject: server.http.inject.bind(server.http),
        stop: async () => undefined,
      }),
    ),
    stopInstance: async (index) => {
      const [stopped] = running.splice(index, 1);
      await stopped?.server.stop();
    },
  };
}
