import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import {
  createCluster,
  createLoneCluster,
  type ClusterService,
  type Instance,
} from '#platform/server/cluster/cluster.ts';
import type { createRoomAdapter, Redis } from '#platform/server/cluster/redis.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { CounterStorage } from '#platform/server/identity/loginThrottle.ts';
import { realTimers, scheduleRepeating } from '#platform/server/schedule/timers.ts';
import type { LinkSigner } from '#platform/server/storage/linkSigner.ts';
import type { StartedServerTool } from '#platform/server/tool.ts';
import type { ServerOptions } from './assemble.ts';

const LEADER_CHECK_MS = 500;
/** How often an instance checks for the others whether it is ready. */
const READY_CHECK_MS = 3000;
/** Starts the work of tools that only the leader does, whenever this instance becomes the leader. */
export function startLeadership(
  backgroundTools: ReadonlyMap<string, StartedServerTool>,
  { log, isLeader }: { readonly log: FastifyBaseLogger; readonly isLeader: () => boolean },
): AsyncDisposable {
  let isLeading = false;
  let pending = Promise.resolve();
  async function apply(shouldLead: boolean): Promise<void> {
    if (isLeading === shouldLead) return;
    isLeading = shouldLead;
    for (const [tool, { lead }] of backgroundTools)
      try {
        await (shouldLead ? lead?.start() : lead?.stop());
      } catch (error) {
        log.error({ err: error, tool }, 'cluster.leadership.failed');
      }
  }
  function update(shouldLead: boolean): Promise<void> {
    return (pending = pending.then(() => apply(shouldLead)));
  }
  void update(isLeader());
  const cancel = scheduleRepeating(realTimers, LEADER_CHECK_MS, () => void update(isLeader()));
  return {
    [Symbol.asyncDispose]: async () => {
      cancel();
      await update(false);
    },
  };
}

export interface JoinDeps {
  readonly database: Database;
  readonly links: LinkSigner;
  readonly log: FastifyBaseLogger;
  readonly version: string;
  readonly startedAt: Temporal.Instant;
}

/** What this instance reports to the others. */
interface InstanceReports {
  readonly assertReady: () => Promise<void>;
  readonly countSockets: () => number;
}

/** This instance as a member of the cluster. A server that is alone has no Redis. */
export interface JoinedCluster {
  readonly cluster: ClusterService;
  readonly redis: Redis | undefined;
  readonly adapter: ReturnType<typeof createRoomAdapter> | undefined;
  readonly counters: CounterStorage | undefined;
  readonly setupCodeSeed: Uint8Array | undefined;
  /** @throws if Redis is set up and does not answer */
  readonly checkRedis: () => Promise<void>;
  readonly startReports: (reports: InstanceReports) => void;
  /** Leaves the cluster. The connections to Redis stay open until `disconnect`. */
  readonly leave: () => Promise<void>;
  readonly disconnect: () => Promise<void>;
}

/** Connects to Redis if it is set up. @throws Refusal if it can't be used */
export async function joinCluster(options: ServerOptions, deps: JoinDeps): Promise<JoinedCluster> {
  const { redisUrl, role = 'all', instanceName = hostname() } = options;
  const { database, links, log, version, startedAt } = deps;
  const id = randomUUID();
  let isReady = true;
  let instanceReports: InstanceReports | undefined;
  const getInstance = (): Instance => ({
    id,
    name: instanceName,
    version,
    role,
    startedAt: startedAt.epochMilliseconds,
    isLeader: database.coordination.isLeader(),
    isReady,
    sockets: instanceReports?.countSockets() ?? 0,
  });
  if (redisUrl === undefined)
    return {
      cluster: createLoneCluster(getInstance),
      redis: undefined,
      adapter: undefined,
      counters: undefined,
      setupCodeSeed: undefined,
      checkRedis: async () => undefined,
      startReports: (reports) => (instanceReports = reports),
      leave: async () => undefined,
      disconnect: async () => undefined,
    };
  // Imported lazily, because the clients take memory that most servers do not need.
  const {
    openRedis,
    createRedisChannel,
    createRoomAdapter: createAdapter,
  } = await import('#platform/server/cluster/redis.ts');
  const { createRedisEntries } = await import('#platform/server/cluster/sharedEntries.ts');
  const prefix = `pegboard:${links.deriveKey('cluster').toString('hex', 0, 8)}:`;
  const redis = await openRedis({ url: redisUrl, prefix, log });
  const cluster = createCluster({ channel: await createRedisChannel(redis), getInstance, log });
  let cancelChecks: (() => void) | undefined;
  async function updateReadiness(assertReady: () => Promise<void>): Promise<void> {
    try {
      await assertReady();
      isReady = true;
    } catch {
      isReady = false; // `/readyz` logs why
    }
  }
  return {
    cluster,
    redis,
    adapter: createAdapter(redis, log),
    counters: { createEntries: (name) => createRedisEntries(redis, name, log), clock: Date.now },
    setupCodeSeed: links.deriveKey('set-up code'),
    checkRedis: async () => void (await redis.run((client) => client.ping())),
    startReports: (reports) => {
      instanceReports = reports;
      cancelChecks = scheduleRepeating(realTimers, READY_CHECK_MS, () => void updateReadiness(reports.assertReady));
    },
    leave: async () => {
      cancelChecks?.();
      await cluster.stop();
    },
    disconnect: async () => redis[Symbol.asyncDispose](),
  };
}
