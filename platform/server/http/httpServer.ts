import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { getHeapStatistics } from 'node:v8';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { type KeyCertificatePair, createSecureServer } from '../https/secureServer.ts';
import type { Identity } from '../identity/identity.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { type PeerResolver, createPeerResolver } from './address.ts';
import { isRootUrl, isWithoutSlash, stripBasePath } from './basePath.ts';
import { sendBadAddressError, sendBrokenRequestError, registerErrorHandler } from './errorResponses.ts';
import { MAX_CONNECTIONS, createConnectionLimiter, registerGuard, createOriginRules } from './guard.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { MAX_BODY_BYTES, acceptOnlyJson } from './requestBody.ts';

/** Time between two measurements of the event loop's delay. Each one wakes an idle server. */
const SAMPLE_INTERVAL_MS = 1000;
/** Share of V8's heap limit above which requests are refused. */
const MAX_HEAP_SHARE = 0.85;

/** Detects a blocked event loop and a full heap. */
export interface OverloadMonitor extends Disposable {
  /** Whether the event loop was recently delayed for longer than allowed, or the heap is nearly full. */
  readonly isOverloaded: () => boolean;
  /** How late the event loop ran the last timer, or how late it is now. */
  readonly getEventLoopDelayMs: () => number;
}

/** Creates a monitor that measures how late timers run. A `maxDelayMs` of 0 allows any delay. */
export function createOverloadMonitor({
  maxDelayMs,
  timers = realTimers,
}: {
  readonly maxDelayMs: number;
  readonly timers?: Timers;
}): OverloadMonitor {
  let dueAt = timers.now() + SAMPLE_INTERVAL_MS;
  let lastDelayMs = 0;
  function sample(): void {
    lastDelayMs = timers.now() - dueAt;
    dueAt = timers.now() + SAMPLE_INTERVAL_MS;
    cancel = timers.schedule(SAMPLE_INTERVAL_MS, sample);
  }
  let cancel = timers.schedule(SAMPLE_INTERVAL_MS, sample);

  // A timer that is overdue now has not reported its delay yet.
  const getEventLoopDelayMs = (): number => Math.max(lastDelayMs, timers.now() - dueAt);

  function isOverloaded(): boolean {
    if (maxDelayMs > 0 && getEventLoopDelayMs() > maxDelayMs) return true;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used > MAX_HEAP_SHARE * limit;
  }

  return { isOverloaded, getEventLoopDelayMs, [Symbol.dispose]: () => cancel() };
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Path below which everything is served, such as `/pegboard`; '' for none. */
    basePath: string;
    isOverloaded: OverloadMonitor['isOverloaded'];
    getEventLoopDelayMs: OverloadMonitor['getEventLoopDelayMs'];
  }
  interface FastifyRequest {
    /** Session of the token that came with the call, for the log. */
    session: number | undefined;
  }
  interface FastifyContextConfig {
    /** See `Endpoint.anyOrigin`. */
    anyOrigin?: boolean;
  }
}

export interface HttpServerOptions {
  readonly log: FastifyBaseLogger;
  readonly rateLimiter: RateLimiter;
  readonly identity: Pick<Identity, 'hasOwner'>;
  /** Origins under which a proxy serves this server: `https://name`. */
  readonly publicOrigins?: readonly string[];
  /** Path below which everything is served, such as `/pegboard`. */
  readonly basePath?: string | undefined;
  /** Addresses, CIDR ranges or `loopback`. */
  readonly trustProxy?: readonly string[];
  /** Port of the HTTPS listener; undefined if there is none. */
  readonly httpsPort?: () => number | undefined;
  /** False removes the limit on connections per address (`RATE_LIMITS=off`). */
  readonly rateLimits?: boolean;
  /** Event loop delay in milliseconds above which visitors are refused; 0 never does, for tests on a busy machine. */
  readonly busyAfterMs?: number | undefined;
  /** Overrides the timeouts, for tests. */
  readonly timeouts?: Partial<typeof TIMEOUTS>;
}

/** The HTTP server, with functions for sockets and HTTPS. */
export interface HttpServer extends Pick<PeerResolver, 'resolvePeer'> {
  readonly http: FastifyInstance;
  /** Whether Host and Origin of a socket's handshake are allowed. */
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  /** Creates a TLS server with the same calls, sockets, timeouts and limits. The caller starts and closes it. */
  readonly createHttpsServer: (pair: KeyCertificatePair) => HttpsServer;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Timeouts for slow clients (docs/design/reliability.md section 8.1). */
const TIMEOUTS = {
  headersTimeout: 10 * SECOND_MS,
  requestTimeout: 120 * SECOND_MS,
  connectionsCheckingInterval: SECOND_MS,
  keepAliveTimeout: 65 * SECOND_MS,
  connectionTimeout: 75 * SECOND_MS,
};

function createRequestIdGenerator(): () => string {
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

/** Serves everything below the base path. Routes and handlers see URLs without it. */
function registerBasePath(http: FastifyInstance, basePath: string): void {
  http.decorate('basePath', basePath);
  if (basePath === '') return;
  // Runs before the sockets' own listener, which expects its path at the root.
  http.server.prependListener('upgrade', (request, socket) => {
    const url = stripBasePath(request.url ?? '', basePath);
    if (url === undefined) socket.destroy();
    else request.url = url;
  });
  http.addHook('onRequest', async (request, reply) => {
    const { originalUrl, method } = request;
    if (isWithoutSlash(originalUrl, basePath) && (method === 'GET' || method === 'HEAD'))
      return reply.redirect(`${basePath}${request.url}`, 308);
    if (stripBasePath(originalUrl, basePath) !== undefined || isRootUrl(originalUrl)) return undefined;
    return reply
      .code(404)
      .header('cache-control', 'no-store')
      .send({ message: `This server is at ${basePath}/. A proxy in front of it must not remove that path` });
  });
}

/** Creates the HTTP server with everything that applies to all calls and pages, but without any call. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { log, identity, basePath = '' } = options;
  let warnedAt = -Infinity;
  const peerResolver = createPeerResolver({
    trustProxy: options.trustProxy ?? [],
    onUntrusted: (address) => {
      if (performance.now() - warnedAt < 60 * SECOND_MS) return;
      warnedAt = performance.now();
      logSecurityEvent(log, 'proxy.untrusted', { address });
    },
  });
  const rules = await createOriginRules({
    publicOrigins: options.publicOrigins ?? [],
    hasOwner: identity.hasOwner,
    httpsPort: options.httpsPort,
  });
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const http: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIdGenerator(),
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    clientErrorHandler: sendBrokenRequestError,
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack();
      sendBadAddressError(reply.raw);
    },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => stripBasePath(url, basePath) ?? url,
    ...timeouts,
    http: { maxHeaderSize: MAX_HEADER_BYTES, ...timeouts },
  });
  http.server.maxConnections = MAX_CONNECTIONS;
  http.decorateRequest('peer');
  http.decorateRequest('session', undefined);
  acceptOnlyJson(http);
  registerErrorHandler(http);
  const limitConnections = createConnectionLimiter({
    isTrustedProxy: peerResolver.isTrustedProxy,
    ...(options.rateLimits === false ? { maxPerAddress: Infinity } : {}),
  });
  limitConnections(http.server);
  registerGuard(http, { peerResolver, rules, rateLimiter: options.rateLimiter, log });
  registerBasePath(http, basePath);
  const overload = createOverloadMonitor({ maxDelayMs: options.busyAfterMs ?? SECOND_MS });
  http.decorate('isOverloaded', overload.isOverloaded);
  http.decorate('getEventLoopDelayMs', overload.getEventLoopDelayMs);
  http.addHook('onClose', async () => overload[Symbol.dispose]());
  return {
    http,
    resolvePeer: peerResolver.resolvePeer,
    isAllowedOrigin: rules.isAllowedOrigin,
    createHttpsServer: (pair) => {
      const server = createSecureServer(http, pair, { ...timeouts, maxHeaderSize: MAX_HEADER_BYTES });
      limitConnections(server);
      return server;
    },
  };
}

const closeServer = (server: HttpsServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });

/** Stops accepting connections. Calls that have not ended after `timeoutMs` are cut. `secure` is the HTTPS listener. */
export async function closeHttpServer(
  http: FastifyInstance,
  {
    timeoutMs = 3 * SECOND_MS,
    secure,
  }: { readonly timeoutMs?: number; readonly secure?: HttpsServer | undefined } = {},
): Promise<void> {
  const timeoutTimer = setTimeout(() => {
    http.server.closeAllConnections();
    secure?.closeAllConnections();
  }, timeoutMs);
  await Promise.all([http.close(), secure?.listening ? closeServer(secure) : undefined]);
  clearTimeout(timeoutTimer);
}
