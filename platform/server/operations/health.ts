import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A figure of another part of the server. */
export interface MetricsGauge {
  readonly name: string;
  readonly help: string;
  /** Undefined leaves it out. */
  readonly read: () => number | undefined | Promise<number | undefined>;
}

/** What the health routes report. */
export interface HealthOptions {
  /** Rejects if the server is not usable: the database does not respond, or the disk is full. */
  readonly assertReady: () => Promise<void>;
  /** True as soon as the server starts to stop. */
  readonly isStopping: () => boolean;
  readonly metricsToken?: string | undefined;
  readonly gauges?: readonly MetricsGauge[];
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

interface Metrics {
  readonly count: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly contentType: string;
  readonly format: () => Promise<string>;
}

/**
 * Starts the metrics of this process at the first request for them, to save time and memory before.
 * Labels only contain route patterns, because addresses may contain a token.
 */
async function startMetrics(http: FastifyInstance, gauges: readonly MetricsGauge[]): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'pegboard_requests_total',
    help: 'Number of requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'pegboard_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const addGauge = (name: string, help: string, read: MetricsGauge['read']): void => {
    void new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read();
        if (value === undefined) this.reset();
        else this.set(value);
      },
    });
  };
  addGauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  addGauge('nodejs_heap_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed);
  addGauge('process_start_time_seconds', 'Start of the process.', () => Math.floor(performance.timeOrigin / 1000));
  addGauge('process_cpu_seconds_total', 'CPU time used.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addGauge(
    'nodejs_eventloop_lag_seconds',
    'Lag of the event loop, last sample.',
    () => http.getEventLoopDelayMs() / 1000,
  );
  for (const { name, help, read } of gauges) addGauge(name, help, read);
  return {
    count: (request, reply) => {
      const route = request.routeOptions.url ?? 'none';
      requests.inc({ method: request.method, route, status: reply.statusCode });
      duration.observe({ route }, reply.elapsedTime / 1000);
    },
    contentType: registry.contentType,
    format: () => registry.metrics(),
  };
}

/** Registers `/healthz`, `/readyz` and `/metrics`. */
export function registerHealthRoutes(http: FastifyInstance, options: HealthOptions): void {
  let starting: Promise<Metrics> | undefined;
  let metrics: Metrics | undefined;
  http.addHook('onResponse', async (request, reply) => metrics?.count(request, reply));
  http.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
  http.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    if (options.isStopping()) return reply.code(503).send({ status: 'stopping' });
    try {
      await options.assertReady();
      return { status: 'ok' };
    } catch (error) {
      request.log.error({ err: error, id: request.id }, 'health.not_ready');
      return reply.code(503).send({ status: 'not ready' });
    }
  });
  function canReadMetrics(request: FastifyRequest): boolean {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (options.metricsToken !== undefined && bearer !== undefined) return isSameSecret(bearer, options.metricsToken);
    return request.peer.isLocal;
  }
  http.get('/metrics', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    if (!canReadMetrics(request))
      return reply.code(403).send({ message: 'Metrics are available only on this computer or with METRICS_TOKEN' });
    metrics = await (starting ??= startMetrics(http, options.gauges ?? []));
    return reply.type(metrics.contentType).send(await metrics.format());
  });
}
