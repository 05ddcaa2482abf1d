// `npm run compose`: runs the processes of deploy/compose.yaml on this computer without a container engine, and checks
// that the site works. With --stay it keeps running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { createClient } from '#platform/contract/client.ts';
import { log, serverinfo } from '#platform/contract/session.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import { startRedis } from '#testing/kits/server/redis.ts';
import { startRoundRobinProxy } from '#testing/kits/server/roundRobinProxy.ts';
import { findProgram } from '#testing/machine.ts';
import { serverstate } from '#tools/accounts/contract.ts';

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({ image: z.string(), environment: z.optional(z.record(z.string(), z.string())) }),
  ),
});

const READY_TIMEOUT_MS = 60_000;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

/** Replaces `${NAME:-default}` and `${NAME:?reason}` as compose does. */
const substitute = (value: string): string =>
  value.replaceAll(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_all, name: string, preset = '') => process.env[name] ?? preset,
  );

async function waitUntilReady(origin: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const response = await fetch(`${origin}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    if (Date.now() > deadline) throw new Error(`${origin} did not become ready`);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

process.env['POSTGRES_PASSWORD'] ??= 'only for this run';
const { values } = parseArgs({ options: { stay: { type: 'boolean', default: false } } });
const deploy = new URL('../deploy/', import.meta.url);
const { services } = composeSchema.parse(
  parse(await readFile(new URL('compose.yaml', deploy), 'utf8'), { merge: true }),
);
await using resources = new AsyncDisposableStack();
const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-compose-'));
resources.defer(() => rm(dataDir, { recursive: true, force: true }));
const postgres = resources.use(await startPostgres());
const redis = resources.use(await startRedis());
const databaseUrl = await postgres.createDatabase();

/** Ports of the instances by the name of their service. */
const ports = new Map<string, number>();
const children = new Map<string, ChildProcess>();
const proxyPort = await findFreePort();
const proxyOrigin = `http://127.0.0.1:${proxyPort}`;
for (const [name, { image, environment = {} }] of Object.entries(services)) {
  if (image !== 'pegboard') continue;
  const port = await findFreePort();
  ports.set(name, port);
  const settings = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, substitute(value)]));
  const child = spawn(process.execPath, ['apps/server/main.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...settings,
      // What the containers' network and volumes are there.
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_ORIGIN: proxyOrigin,
      TRUST_PROXY: 'loopback',
      BACKUP_EVERY: 'off',
    },
  });
  children.set(name, child);
  resources.defer(() => stopChild(child));
}
await Promise.all([...ports.values()].map((port) => waitUntilReady(`http://127.0.0.1:${port}`)));
print(`Running: ${[...ports].map(([name, port]) => `${name} on port ${port}`).join(', ')}`);

const caddy = findProgram('caddy');
if (caddy === undefined) {
  print('Caddy is not installed, so a proxy of the tests distributes the requests');
  resources.use(await startRoundRobinProxy(() => [...ports.values()], proxyPort));
} else {
  let config = (await readFile(new URL('compose.Caddyfile', deploy), 'utf8')).replace('{$SITE}', proxyOrigin);
  for (const [name, port] of ports) config = config.replaceAll(`${name}:8300`, `127.0.0.1:${port}`);
  const child = spawn(caddy, ['run', '--adapter', 'caddyfile', '--config', '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, HOME: dataDir, XDG_DATA_HOME: dataDir, XDG_CONFIG_HOME: dataDir },
  });
  child.stdin.end(`{\n\tadmin off\n}\n${config}`);
  resources.defer(() => stopChild(child));
}
await waitUntilReady(proxyOrigin);

/** Runs `pegboard`, which reaches an instance over the data folder. */
async function runPegboard(...words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['apps/server/cli.ts', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, REDIS_URL: redis.url },
  });
  const output = await text(child.stdout);
  if (child.exitCode === null) await once(child, 'exit');
  return output;
}

const OWNER = 'owner';
const password = /Password: (\S+)/.exec(await runPegboard('user', 'create', OWNER, '--owner'))?.[1] ?? '';
const { token } = await createClient({ origin: proxyOrigin })(log, { username: OWNER, password });
const call = createClient({ origin: proxyOrigin, token: () => token });
const { instances } = await call(serverstate, {});
for (const { name, role, isLeader, isReady } of instances)
  print(`${name}: role ${role}${isLeader ? ', leader' : ''}${isReady ? ', ready' : ', not ready'}`);
if (instances.length !== ports.size)
  throw new Error(`${ports.size} instances were started, but ${instances.length} are known`);

const [[first, firstChild] = []] = children;
if (!firstChild || first === undefined) throw new Error('compose.yaml has no instance');
await stopChild(firstChild);
ports.delete(first);
// Debian's Caddy 2.6 doesn't send a body to a second instance if the first is gone, but remembers that it is.
for (let request = 0; request < 4; request += 1) await call(serverinfo, {});
await call(serverstate, {});
print(`The site works without ${first}`);
if (values.stay) {
  print(`The site is at ${proxyOrigin}; the owner's password is ${password}`);
  await once(process, 'SIGINT');
}
