import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#platform/contract/client.ts';
import { deviceHello } from '#platform/contract/device.ts';
import { signup } from '#platform/contract/session.ts';
import { motion } from '#tools/remote/contract.ts';
import { modifyshoplist, NEW_LIST } from '#tools/shopping/contract.ts';
import { type BenchOwner, pairComputer, signUpOwner } from '../bench/account.ts';
import { formatPostRequest, measureRequestsPerSecond } from '../bench/load.ts';
import { formatP50P99, getResidentMib, percentile, type RunningServer, runPegboard } from '../bench/measure.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { startRedis } from '../kits/server/redis.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';
import { type LightSocket, openLightSocket } from '../load/lightSocket.ts';
import { getSkipReason } from '../machine.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const MAX_RELAY_P50_MS = 4;
const MAX_CROWD_P99_MS = 25;
const MAX_SOCKET_KIB = 64;
const LOAD_SECONDS = 8;
const WARM_UP_SECONDS = 3;
const IDLE_SOCKETS = 2000;
const PAIRS = 200;
/** An account can have 50 sockets at an instance. */
const ACCOUNTS = 50;
const RELAY_MS = 15_000;

/** Starts instances on one database. */
async function startInstances(count: number, resources: AsyncDisposableStack): Promise<readonly RunningServer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-instances-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = resources.use(await startPostgres());
  const redis = resources.use(await startRedis());
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: await postgres.createDatabase(),
    REDIS_URL: redis.url,
    RATE_LIMITS: 'off',
    BACKUP_EVERY: 'off',
  };
  const servers: RunningServer[] = [];
  for (let index = 0; index < count; index += 1) servers.push(resources.use(await runPegboard(env)));
  return servers;
}

/** A phone at one instance, and a computer at another. */
interface Pair {
  readonly phone: LightSocket;
  readonly target: string;
  readonly times: number[];
  readonly sentAt: Map<number, number>;
}

async function openPair(origins: { readonly phone: string; readonly computer: string }, owner: BenchOwner) {
  const { token, target } = await pairComputer(origins.phone, owner);
  const sentAt = new Map<number, number>();
  const times: number[] = [];
  const computer = await openLightSocket(origins.computer, token, (json) => {
    const number = Number(/"alpha":([\d.]+)/.exec(json)?.[1]);
    const at = sentAt.get(number);
    if (at !== undefined) times.push(performance.now() - at);
    sentAt.delete(number);
  });
  await computer.request(deviceHello.name, { version: '0', system: 'load', abilities: { mouse: { able: true } } });
  return { phone: await openLightSocket(origins.phone, owner.token), target, times, sentAt } satisfies Pair;
}

/** Moves all mice; returns the milliseconds of each event from the phone to the computer. */
async function measureRelay(pairs: readonly Pair[], intervalMs: number): Promise<readonly number[]> {
  const reset = { lmb: false, lift: false, scroll: false };
  const timers: NodeJS.Timeout[] = [];
  for (const [index, { phone, target, sentAt }] of pairs.entries()) {
    let number = 0;
    function move(): void {
      number += 1;
      const alpha = (number % 3600) / 10;
      sentAt.set(alpha, performance.now());
      phone.send(motion.name, { orientation: { alpha, beta: 0, gamma: 0 }, reset, target });
    }
    setTimeout(() => timers.push(setInterval(move, intervalMs)), (index * intervalMs) / pairs.length);
  }
  // The first events look up the computers.
  await sleep(RELAY_MS / 3);
  for (const { times } of pairs) times.length = 0;
  await sleep(RELAY_MS);
  for (const timer of timers) clearInterval(timer);
  return pairs.flatMap(({ times }) => times);
}

/** Returns answers per second of all instances together. */
async function measureThroughput(servers: readonly RunningServer[], request: string | (() => string)): Promise<number> {
  const measure = (seconds: number) =>
    Promise.all(servers.map(({ origin }) => measureRequestsPerSecond(origin, request, seconds)));
  await measure(WARM_UP_SECONDS);
  return (await measure(LOAD_SECONDS)).reduce((sum, rate) => sum + rate, 0);
}

async function measureInstances(count: number) {
  await using resources = new AsyncDisposableStack();
  const servers = await startInstances(count, resources);
  const [first = '', last = first] = servers.map(({ origin }) => origin);
  const owner = await signUpOwner(first);
  const { token } = owner;
  const relay = await measureRelay([await openPair({ phone: first, computer: last }, owner)], 30);
  const lists: number[] = [];
  for (let list = 0; list < 32; list += 1)
    lists.push((await owner.call(modifyshoplist, { id: NEW_LIST, changes: { name: 'x' }, timesent: 0 })).id ?? 0);
  let changeCount = 0;
  const tokenconv = await measureThroughput(servers, formatPostRequest('/api/tokenconv', { token }));
  const changes = await measureThroughput(servers, () => {
    changeCount += 1;
    const id = lists[changeCount % lists.length];
    return formatPostRequest(modifyshoplist.path, {
      token,
      id,
      changes: { name: `List ${changeCount}` },
      timesent: Date.now() / 1000,
    });
  });
  return { relay, tokenconv, changes };
}

async function compareInstances(say: (line: string) => void): Promise<SuiteResult> {
  const one = await measureInstances(1);
  const two = await measureInstances(2);
  say(`relay, one instance: ${formatP50P99(one.relay)}; across two: ${formatP50P99(two.relay)}`);
  for (const name of ['tokenconv', 'changes'] as const) {
    const [before, after] = [one[name], two[name]];
    say(`${name}: ${Math.round(before)}/s, with two ${Math.round(after)}/s: ${(after / before).toFixed(2)} times`);
  }
  const p50 = percentile(two.relay, 0.5);
  return {
    what: `relay across two instances under ${MAX_RELAY_P50_MS} ms`,
    caseCount: two.relay.length,
    failures: p50 < MAX_RELAY_P50_MS ? [] : [`p50 is ${p50.toFixed(1)} ms`],
  };
}

const sumResidentKib = (servers: readonly RunningServer[]): number =>
  servers.reduce((sum, { child }) => sum + getResidentMib(child.pid ?? 0) * 1024, 0);

async function measureCrowd(say: (line: string) => void): Promise<SuiteResult> {
  await using resources = new AsyncDisposableStack();
  const servers = await startInstances(2, resources);
  const origins = servers.map(({ origin }) => origin);
  const getOrigin = (index: number): string => origins[index % origins.length] ?? '';
  const owners: BenchOwner[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const origin = getOrigin(index);
    const { token } = await createClient({ origin })(signup, { username: `user${index}`, password: TEST_PASSWORD });
    owners.push({ token, call: createClient({ origin, token: () => token }) });
  }
  const pairs: Pair[] = [];
  for (let index = 0; index < PAIRS; index += 1) {
    const owner = owners[index % ACCOUNTS];
    if (owner) pairs.push(await openPair({ phone: getOrigin(index), computer: getOrigin(index + 1) }, owner));
  }
  const before = sumResidentKib(servers);
  for (let index = 0; index < IDLE_SOCKETS; index += 1)
    await openLightSocket(getOrigin(index), owners[index % ACCOUNTS]?.token ?? '');
  const socketKib = (sumResidentKib(servers) - before) / IDLE_SOCKETS;
  say(`${socketKib.toFixed(1)} KiB per idle socket`);
  const failures = socketKib < MAX_SOCKET_KIB ? [] : [`${socketKib.toFixed(1)} KiB per socket`];
  for (const intervalMs of [100, 30]) {
    const times = await measureRelay(pairs, intervalMs);
    const rate = Math.round(times.length / (RELAY_MS / 1000));
    say(`each phone sends every ${intervalMs} ms: ${formatP50P99(times)}, ${rate} events/s`);
    const p99 = percentile(times, 0.99);
    if (intervalMs === 100 && !(p99 < MAX_CROWD_P99_MS)) failures.push(`p99 is ${p99.toFixed(1)} ms`);
  }
  return {
    what: `${IDLE_SOCKETS} idle sockets and ${PAIRS} pairs on two instances`,
    caseCount: IDLE_SOCKETS + 2 * PAIRS,
    failures,
  };
}

/** Two instances compared with one, and with many sockets. The load comes from the same computer. */
export const instancesSuite: FaultSuite = {
  name: 'instances',
  run: async (say) => {
    const skipReason = getSkipReason('initdb', 'redis-server');
    if (skipReason !== undefined) return [{ what: `two instances (${skipReason})`, caseCount: 0, failures: [] }];
    return [await compareInstances(say), await measureCrowd(say)];
  },
};
