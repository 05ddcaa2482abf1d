import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#platform/contract/client.ts';
import { serverTools } from '../../apps/server/tools.ts';
import { type Outage, OUTAGES, startOutageProxy } from '../kits/server/outageProxy.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { startRedis } from '../kits/server/redis.ts';
import { startCluster } from '../kits/server/server.ts';
import { createPairTool, storePair } from './fullDisk.ts';

const WRITER_COUNT = 4;
const OUTAGE_MS = 2500;
/** Load between two outages. */
const PAUSE_MS = 500;
const MAX_RECOVERY_MS = 60_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** What a series of outages did. Times are in milliseconds. */
export interface OutageResult {
  readonly acknowledged: number;
  /** Calls that failed, or were not answered. */
  readonly failed: number;
  /** What a person read then. */
  readonly messages: ReadonlySet<string>;
  /** Acknowledged writes that are missing. */
  readonly lost: number;
  /** Rows of one table without the other. */
  readonly torn: number;
  /** Time from the end of each outage until both instances were ready. */
  readonly recoveryMs: readonly number[];
  /** Connections to Redis at the end. */
  readonly redisConnections: number;
}

const SERVICES = ['postgres', 'redis'] as const;

const isReady = async ({ origin }: { readonly origin: string }): Promise<boolean> =>
  (await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).catch(() => undefined))?.ok ===
  true;

/** Two instances under load, while PostgreSQL and Redis are stopped, paused and cut off in turn. */
export async function playOutages(
  rounds: number,
  say: (line: string) => void = () => undefined,
): Promise<OutageResult> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-outages-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = resources.use(await startPostgres());
  const databaseUrl = await postgres.createDatabase();
  const redis = resources.use(await startRedis());
  const socketName = '.s.PGSQL.5432';
  const realFolder = new URL(databaseUrl.replace('@/', '@localhost/')).searchParams.get('host') ?? '';
  const proxies = {
    postgres: resources.use(await startOutageProxy(join(folder, socketName), join(realFolder, socketName))),
    redis: resources.use(await startOutageProxy(join(folder, 'redis.sock'), redis.url.slice('unix:'.length))),
  };
  const pair = createPairTool();
  const cluster = resources.use(
    await startCluster({
      databaseUrl: databaseUrl.replace(encodeURIComponent(realFolder), encodeURIComponent(folder)),
      redisUrl: `unix:${join(folder, 'redis.sock')}`,
      tools: [...serverTools, pair.tool],
      rateLimits: false,
    }),
  );
  const acknowledged: string[] = [];
  let failed = 0;
  const messages = new Set<string>();
  const stopController = new AbortController();
  async function write(writer: number): Promise<void> {
    const call = createClient({ origin: cluster.origin, signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    for (let number = 0; !stopController.signal.aborted; number += 1) {
      const text = `${writer} ${number}`;
      try {
        await call(storePair, { text });
        acknowledged.push(text);
      } catch (error) {
        failed += 1;
        messages.add(error instanceof Error ? error.message : String(error));
        await sleep(20);
      }
    }
  }
  async function measureRecovery(): Promise<number> {
    const start = performance.now();
    for (;;) {
      const states = await Promise.all(cluster.instances.map(isReady));
      const ms = performance.now() - start;
      if (states.every(Boolean) || ms > MAX_RECOVERY_MS) return ms;
      await sleep(50);
    }
  }
  const writers = Array.from({ length: WRITER_COUNT }, (_, writer) => write(writer));
  const recoveryMs: number[] = [];
  async function playOutage(service: (typeof SERVICES)[number], outage: Outage): Promise<void> {
    await sleep(PAUSE_MS);
    proxies[service].start(outage);
    await sleep(OUTAGE_MS);
    proxies[service].end();
    const ms = await measureRecovery();
    recoveryMs.push(ms);
    say(`${service} ${outage}: ready after ${Math.round(ms)} ms, ${acknowledged.length} writes acknowledged`);
  }
  for (let round = 0; round < rounds; round += 1)
    for (const service of SERVICES) for (const outage of OUTAGES) await playOutage(service, outage);
  stopController.abort();
  await Promise.all(writers);
  const redisConnections = proxies.redis.countConnections();
  return {
    acknowledged: acknowledged.length,
    failed,
    messages,
    ...(await pair.countFaults(acknowledged)),
    recoveryMs,
    redisConnections,
  };
}
