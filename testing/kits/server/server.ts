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

/** Starts the whole server on a free or given port and data folder. `await using` closes it and removes the data. */
export async function startServer({
  port = 0,
  ...options
}: Partial<ServerOptions> & { readonly port?: number } = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'pegboard-')));
  await (hasAllTables(options) ? createTables(dataDir, options.databaseUrl) : prepareDatabase(options.databaseUrl));
  const log: string[] = [];
  const server = await assembleServer({
    passwordHash: 'test',
    logLevel: 'info',
    busyAfterMs: 0,
    disk: { reserveBytes: 0 }, // 32 MiB per test would be too much writing.
    ytdlpReleases: { stable: NOWHERE, nightly: NOWHERE, key: '' },
    logTo: { write: (line: string) => void log.push(line) },
    ...options,
    dataDir,
  });
  const origin = (await server.listen({ port, host: '127.0.0.1' })) + (options.basePath ?? '');
  return {
    origin,
    dataDir,
    log,
    inject: server.http.inject.bind(server.http),
    call: createClient({ origin }),
    createAccount: async (name) => {
      const { token } = await createClient({ origin })(signup, { username: name, password: TEST_PASSWORD });
      return { name, password: TEST_PASSWORD, token, call: createClient({ origin, token: () => token }) };
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true });
    },
  };
}
