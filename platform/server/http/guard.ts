import type { IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { logSecurityEvent } from '../operations/logger.ts';
import { type PeerResolver, getAddressKey, isLoopback } from './address.ts';
import { scaleRate, LOCAL_RATE_FACTOR } from './callRoutes.ts';
import { anyOriginHeaders, commonHeaders, HSTS } from './headers.ts';
import type { RateLimiter, Rate } from './rateLimiter.ts';
import { createTally } from './tally.ts';

/** Host and Origin rules against DNS rebinding and requests from other sites (docs/security.md). */
export interface OriginRules {
  /** Whether this server answers under the requested host name. */
  readonly isAllowedHost: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /**
   * Whether Host and Origin of a call or a socket's handshake are allowed. Agents send no Origin.
   * Whether there is an owner is only queried by `isAllowedHost`.
   */
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  /** Whether a call comes from a page of another site, except when a user opens its address. */
  readonly isCrossSite: (headers: IncomingHttpHeaders) => boolean;
}

const removePort = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

/** Returns whether foreign DNS cannot point the name here: IP literals, `localhost`, single labels and `.local`. */
export function isLocalName(host: string): boolean {
  const name = removePort(host);
  if (name.startsWith('[')) return ipaddr.IPv6.isValid(name.slice(1, -1));
  if (ipaddr.IPv4.isValidFourPartDecimal(name)) return true;
  return /^[a-z0-9_-]+$/.test(name) || /^[a-z0-9_.-]+\.(local|localhost)$/.test(name);
}

const parseHost = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/** Creates the rules. Without `publicOrigins` and an owner, only requests to local names are allowed. */
export async function createOriginRules(options: {
  readonly publicOrigins: readonly string[];
  readonly hasOwner: () => Promise<boolean>;
  /** Port of the server's own HTTPS listener, which also answers under the names of `publicOrigins`. */
  readonly httpsPort?: (() => number | undefined) | undefined;
}): Promise<OriginRules> {
  const publicHosts = new Set(options.publicOrigins.map((origin) => new URL(origin).host));
  const publicOrigins = new Set(options.publicOrigins.map((origin) => new URL(origin).origin));
  let hasOwner = await options.hasOwner();

  const publicNames = options.publicOrigins.map((origin) => new URL(origin).hostname);
  /** Returns whether a host is a public name with the port of our HTTPS listener, which is unknown until it listens. */
  function isOwnHttpsHost(host: string): boolean {
    const port = options.httpsPort?.();
    if (port === undefined) return false;
    return publicNames.some((name) => new URL(`https://${name}:${port}`).host === host);
  }

  const isKnownHost = (host: string): boolean =>
    publicHosts.size > 0
      ? publicHosts.has(host.toLowerCase()) || isOwnHttpsHost(host.toLowerCase())
      : hasOwner || isLocalName(host);

  return {
    isAllowedHost: async ({ host = '' }) => {
      // The owner's account may have been deleted, and then the server must only be reachable under local names.
      if (publicHosts.size === 0 && !isLocalName(host)) hasOwner = await options.hasOwner();
      return isKnownHost(host);
    },
    isAllowedOrigin: ({ host = '', origin }) => {
      if (!isKnownHost(host)) return false;
      return origin === undefined || parseHost(origin) === host.toLowerCase() || publicOrigins.has(origin);
    },
    isCrossSite: (headers) =>
      headers['sec-fetch-site'] === 'cross-site' &&
      !(headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'),
  };
}

const ADDRESS_RATE: Rate = { times: 6000, seconds: 60 };
const MAX_CONNECTIONS_PER_ADDRESS = 200;
export const MAX_CONNECTIONS = 2000;

/** Paths of health checks, which may use any name of the machine. */
const HEALTH_PATHS = new Set(['/healthz', '/readyz', '/metrics']);

/** Returns whether an address is below `/api`, also with extra leading slashes (`//api/log`) or without a path. */
export function isApiPath(url: string): boolean {
  return /^\/+api(?:\/|$|\?)/.test(url);
}

interface GuardDeps {
  readonly peerResolver: PeerResolver;
  readonly rules: OriginRules;
  readonly rateLimiter: RateLimiter;
  /** The server's own log, not Fastify's child of it. */
  readonly log: FastifyBaseLogger;
}

/** Registers common headers, and the checks before a request is read: Host, Origin, cross-site, rate of the address. */
export function registerGuard(http: FastifyInstance, { peerResolver, rules, rateLimiter, log }: GuardDeps): void {
  function refuse(request: FastifyRequest, reply: FastifyReply, event: 'host.refused' | 'origin.refused') {
    logSecurityEvent(log, event, { id: request.id, address: request.peer.address });
    const message =
      event === 'host.refused'
        ? 'host: this server does not respond to that host name. Its owner can add it to PUBLIC_ORIGIN'
        : 'origin: pages of other sites cannot call this server';
    return reply.code(400).header('cache-control', 'no-store').send({ message });
  }

  http.addHook('onRequest', async (request, reply) => {
    request.peer = peerResolver.resolvePeer(request.raw);
    reply.headers(commonHeaders);
    // Below a path, the host name belongs to others as well, so they decide.
    if (request.peer.isHttps && http.basePath === '') reply.header('strict-transport-security', HSTS);
    const { headers } = request;
    // Any site may read such a response, so cookies are ignored, and browsers send none.
    const allowsAnyOrigin = request.routeOptions.config.anyOrigin === true;
    if (allowsAnyOrigin) reply.headers(anyOriginHeaders);
    const isAllowed = await rules.isAllowedHost(headers);
    if (!isAllowed && !HEALTH_PATHS.has(request.url)) return refuse(request, reply, 'host.refused');
    // Anyone may load pages and their files; everything else needs a valid origin.
    if (!isApiPath(request.url) && (request.method === 'GET' || request.method === 'HEAD')) return undefined;
    const isAllowedCaller = allowsAnyOrigin || (rules.isAllowedOrigin(headers) && !rules.isCrossSite(headers));
    if (!isAllowedCaller) return refuse(request, reply, 'origin.refused');
    await rateLimiter.consume(
      'address',
      getAddressKey(request.peer.address),
      scaleRate(ADDRESS_RATE, request.peer.isLocal),
    );
    return undefined;
  });

  http.addHook('onResponse', async (request, reply) => {
    http.log.info(
      {
        id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none', // never the address: it may contain a token
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        session: request.session,
        address: request.peer.address,
      },
      'http.request',
    );
  });
}

/** Limits on open connections. */
export interface ConnectionLimits {
  readonly isTrustedProxy: (address: string) => boolean;
  /** Maximum per address, and ten times as many for this computer. `Infinity` removes the limit. */
  readonly maxPerAddress?: number;
  /** Maximum of all addresses together. */
  readonly maxTotal?: number;
}

/**
 * Creates a limit on open connections per address and in total, to be shared by several servers.
 * Connections of a trusted proxy only count towards the total, because they belong to many users.
 */
export function createConnectionLimiter(limits: ConnectionLimits): (server: Server) => void {
  const { isTrustedProxy, maxPerAddress = MAX_CONNECTIONS_PER_ADDRESS, maxTotal = MAX_CONNECTIONS } = limits;
  const open = createTally();
  function admit(socket: Socket): void {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const key = getAddressKey(address);
    const limit = isTrustedProxy(address) ? Infinity : maxPerAddress * (isLoopback(address) ? LOCAL_RATE_FACTOR : 1);
    if (open.getCount(key) >= limit || open.getTotal() >= maxTotal) socket.destroy();
    else socket.once('close', open.add(key));
  }
  return (server) => void server.on('connection', admit);
}
