import type { IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { logSecurityEvent } from '../operations/logger.ts';
import { type PeerResolver, getAddressKey, isLoopback } from './address.ts';
import { scaleRate, LOCAL_RATE_FACTOR } from './callRoutes.ts';
import { anyOriginHeaders, commonHeaders, HSTS } from './headers.ts';
import type { RateLimiter, Rate } from './rateLimiter.ts';

/** Host and Origin rules (reliability.md section 3): against DNS rebinding and against other sites' pages. */
export interface OriginRules {
  /** Whether this server answers under the name asked for. */
  readonly isAllowedHost: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** The name and the `Origin` of a call or a socket's handshake; agents send no Origin. Answers from what is known of the owner so far. */
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  /** Whether a call comes from another site's page, and not by opening its address. */
  readonly isCrossSite: (headers: IncomingHttpHeaders) => boolean;
}

const withoutPort = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

/** Names that no stranger's DNS can point here: IP literals, `localhost`, single labels, `.local`. */
export function isLocalName(host: string): boolean {
  const name = withoutPort(host);
  if (name.startsWith('[')) return ipaddr.IPv6.isValid(name.slice(1, -1));
  if (ipaddr.IPv4.isValidFourPartDecimal(name)) return true;
  return /^[a-z0-9_-]+$/.test(name) || /^[a-z0-9_.-]+\.(local|localhost)$/.test(name);
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

export async function createOriginRules(options: {
  readonly publicOrigins: readonly string[];
  readonly hasOwner: () => Promise<boolean>;
  /** Port under which this server serves https itself: under the names of `publicOrigins` too. */
  readonly httpsPort?: (() => number | undefined) | undefined;
}): Promise<OriginRules> {
  const publicHosts = new Set(options.publicOrigins.map((origin) => new URL(origin).host));
  const publicOrigins = new Set(options.publicOrigins.map((origin) => new URL(origin).origin));
  let isOwned = await options.hasOwner();

  const publicNames = options.publicOrigins.map((origin) => new URL(origin).hostname);
  /** Origins of the own https listener under public names: its port may not be known before it listens. */
  const isOwnHttps = (host: string): boolean => {
    const port = options.httpsPort?.();
    if (port === undefined) return false;
    return publicNames.some((name) => new URL(`https://${name}:${port}`).host === host);
  };

  const isKnownHost = (host: string): boolean =>
    publicHosts.size > 0
      ? publicHosts.has(host.toLowerCase()) || isOwnHttps(host.toLowerCase())
      : isOwned || isLocalName(host);

  return {
    isAllowedHost: async ({ host = '' }) => {
      // Asked again each time: the owner's account may be deleted, and the next stranger must not find the server open.
      if (publicHosts.size === 0 && !isLocalName(host)) isOwned = await options.hasOwner();
      return isKnownHost(host);
    },
    isAllowedOrigin: ({ host = '', origin }) => {
      if (!isKnownHost(host)) return false;
      return origin === undefined || hostOf(origin) === host.toLowerCase() || publicOrigins.has(origin);
    },
    isCrossSite: (headers) =>
      headers['sec-fetch-site'] === 'cross-site' &&
      !(headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'),
  };
}

const ADDRESS_RATE: Rate = { times: 6000, seconds: 60 };
const MAX_CONNECTIONS_PER_ADDRESS = 200;
export const MAX_CONNECTIONS = 2000;

/** Asked by the machine itself under whatever name it has. */
const HEALTH = new Set(['/healthz', '/readyz', '/metrics']);

/** Also where a client put its own slash before, `//api/paste`, or wrote the folder alone. */
export function isApiPath(url: string): boolean {
  return /^\/+api(?:\/|$|\?)/.test(url);
}

interface GuardDeps {
  readonly addresses: PeerResolver;
  readonly rules: OriginRules;
  readonly limits: RateLimiter;
  /** The server's own: Fastify's is a child of it. */
  readonly log: FastifyBaseLogger;
}

/** What every request passes before anything of it is read: headers of the answer, Host, Origin, other sites, rate of the address. */
export function registerGuard(http: FastifyInstance, { addresses, rules, limits, log }: GuardDeps): void {
  const refuse = (request: FastifyRequest, reply: FastifyReply, event: 'host.refused' | 'origin.refused') => {
    logSecurityEvent(log, event, { id: request.id, address: request.peer.address });
    const message =
      event === 'host.refused'
        ? 'host: this server does not answer under that name; its operator names it in PUBLIC_ORIGIN'
        : 'origin: pages of other sites may not call this server';
    return reply.code(400).header('cache-control', 'no-store').send({ message });
  };

  http.addHook('onRequest', async (request, reply) => {
    request.peer = addresses.resolvePeer(request.raw);
    reply.headers(commonHeaders);
    if (request.peer.isHttps) reply.header('strict-transport-security', HSTS);
    const { headers } = request;
    // No cookie counts there, and browsers send none to an answer that is everybody's.
    const isForAll = request.routeOptions.config.anyOrigin === true;
    if (isForAll) reply.headers(anyOriginHeaders);
    const allowed = await rules.isAllowedHost(headers);
    if (!allowed && !HEALTH.has(request.url)) return refuse(request, reply, 'host.refused');
    // Pages and their files are everybody's; all else is called.
    if (!isApiPath(request.url) && (request.method === 'GET' || request.method === 'HEAD')) return undefined;
    const isOurs = isForAll || (rules.isAllowedOrigin(headers) && !rules.isCrossSite(headers));
    if (!isOurs) return refuse(request, reply, 'origin.refused');
    await limits.consume('address', getAddressKey(request.peer.address), scaleRate(ADDRESS_RATE, request.peer.isLocal));
    return undefined;
  });

  http.addHook('onResponse', async (request, reply) => {
    http.log.info(
      {
        id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none', // never the address: it may hold a token
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        session: request.session,
        address: request.peer.address,
      },
      'request',
    );
  });
}

export interface ConnectionLimits {
  readonly isTrustedProxy: (address: string) => boolean;
  /** From one address; ten times as many from this computer. `Infinity` lifts it. */
  readonly most?: number;
  /** From all addresses. */
  readonly total?: number;
}

/** Closes connections over the count of one address, and over that of all. A trusted proxy's are everybody's, so they count for all alone. Gives what puts a server under the counts: servers share them. */
export function createConnectionLimiter({
  isTrustedProxy,
  most = MAX_CONNECTIONS_PER_ADDRESS,
  total = MAX_CONNECTIONS,
}: ConnectionLimits): (server: Server) => void {
  const open = new Map<string, number>();
  let all = 0;
  const take = (socket: Socket): void => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const key = getAddressKey(address);
    const count = (open.get(key) ?? 0) + 1;
    const isOver = !isTrustedProxy(address) && count > most * (isLoopback(address) ? LOCAL_RATE_FACTOR : 1);
    if (isOver || all >= total) {
      socket.destroy();
      return;
    }
    all += 1;
    open.set(key, count);
    socket.once('close', () => {
      all -= 1;
      const left = (open.get(key) ?? 1) - 1;
      if (left === 0) open.delete(key);
      else open.set(key, left);
    });
  };
  return (server) => void server.on('connection', take);
}
