import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { realTimers, type Timers } from '../schedule/timers.ts';
import {
  type AddressPolicy,
  resolveAllowedAddresses,
  createFixedLookup,
  getBareHostname,
  getPort,
  type ResolveName,
} from './addressPolicy.ts';
import { type EgressProxy, EgressRefusal, type ProxyLimits, type ProxyFault } from './egress.ts';

const CONNECT_TIMEOUT_MS = 15_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Headers for one connection only, which a proxy must not forward (RFC 9110, section 7.6.1). */
const HOP_BY_HOP_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'upgrade',
  'transfer-encoding',
];

export interface JobProxyDeps {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveName;
  readonly timers?: Timers;
}

const removeHopHeaders = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.includes(name)));

/** Parses the target of a proxy request; undefined if it is not an absolute HTTP address. */
function parseHttpTarget(text = ''): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' && url.hostname !== '' ? url : undefined;
}
/** Parses the `host:port` of a CONNECT request; undefined if it is invalid. */
const parseConnectTarget = (text = ''): URL | undefined =>
  /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`https://${text}`)
    ? new URL(`https://${text}`)
    : undefined;

const endWithStatus = (socket: Duplex, status: string): void =>
  void socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

/** Opens the proxy of one job, which is the only network access of its programs. */
export async function openJobProxy(
  { policy, resolve, timers = realTimers }: JobProxyDeps,
  limits: ProxyLimits,
): Promise<EgressProxy> {
  const faults: ProxyFault[] = [];
  const sockets = new Set<Duplex>();
  let receivedBytes = 0;
  let pendingCount = 0;
  let cancelIdleTimer: (() => void) | undefined;

  function trackSocket(socket: Duplex): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // `close` then also destroys the other end
    socket.once('close', () => sockets.delete(socket));
  }
  function abortAll(fault: ProxyFault): void {
    faults.push(fault);
    for (const socket of sockets) socket.destroy();
    limits.onLimitExceeded?.(fault);
  }
  /** Restarts the idle timer while a response is pending. */
  function restartIdleTimer(): void {
    cancelIdleTimer?.();
    if (pendingCount === 0 || limits.maxIdleMs === undefined) return;
    cancelIdleTimer = timers.schedule(limits.maxIdleMs, () => abortAll({ fault: 'silent', host: '' }));
  }
  function trackPending(upstream: Duplex): void {
    pendingCount += 1;
    restartIdleTimer();
    upstream.once('close', () => {
      pendingCount -= 1;
      restartIdleTimer();
    });
  }
  function trackUpstream(upstream: Socket): void {
    trackSocket(upstream);
    trackPending(upstream);
    upstream.setTimeout(CONNECT_TIMEOUT_MS, () => {
      if (upstream.connecting) upstream.destroy();
    });
    upstream.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      restartIdleTimer();
      if (receivedBytes > limits.maxBytes) abortAll({ fault: 'bytes', host: '' });
    });
  }

  /** Resolves the host of an address. If it is not allowed, records a fault and returns undefined. */
  async function resolveAllowed(url: URL): Promise<readonly LookupAddress[] | undefined> {
    try {
      return await resolveAllowedAddresses(url, { policy, resolve, allowsOnlyWebPorts: true });
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      const { fault } = error;
      faults.push({ fault: fault === 'inner' || fault === 'port' ? fault : 'unreached', host: url.hostname });
      return undefined;
    }
  }

  function forward(
    url: URL,
    addresses: readonly LookupAddress[],
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const upstream = httpRequest(
      {
        method: request.method,
        hostname: getBareHostname(url),
        port: getPort(url),
        path: `${url.pathname}${url.search}`,
        headers: { ...removeHopHeaders(request.headers), host: url.host },
        lookup: createFixedLookup(addresses),
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 502, removeHopHeaders(upstreamResponse.headers));
        upstreamResponse.pipe(response);
        upstreamResponse.on('error', () => response.destroy()); // half a response must not look complete
      },
    );
    upstream.on('socket', trackUpstream);
    upstream.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => upstream.destroy());
    request.on('error', () => upstream.destroy());
    request.pipe(upstream);
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = parseHttpTarget(request.url);
    if (url === undefined) {
      response.writeHead(400).end();
      return;
    }
    const addresses = await resolveAllowed(url);
    if (addresses) forward(url, addresses, request, response);
    else response.writeHead(403).end();
  }
  async function openTunnel(url: URL | undefined, client: Duplex, head: Buffer): Promise<void> {
    if (url === undefined) {
      endWithStatus(client, '400 Bad Request');
      return;
    }
    const addresses = await resolveAllowed(url);
    if (addresses === undefined) {
      endWithStatus(client, '403 Forbidden');
      return;
    }
    const upstream = connect({ host: getBareHostname(url), port: getPort(url), lookup: createFixedLookup(addresses) });
    trackUpstream(upstream);
    let isConnected = false;
    upstream.once('connect', () => {
      isConnected = true;
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      if (isConnected) client.destroy();
      else endWithStatus(client, '502 Bad Gateway');
    });
  }

  const server = createServer({ keepAlive: false, maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    handleRequest(request, response).catch(() => response.destroy());
  });
  server.on('connection', trackSocket);
  server.on('connect', (request, client, head) => {
    trackSocket(client);
    openTunnel(parseConnectTarget(request.url), client, head).catch(() => client.destroy());
  });
  await new Promise<void>((onListening, onError) => {
    server.once('error', onError);
    server.listen(0, '127.0.0.1', onListening);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    getFaults: () => faults,
    getReceivedBytes: () => receivedBytes,
    [Symbol.asyncDispose]: async () => {
      cancelIdleTimer?.();
      const closed = new Promise((onClosed) => server.close(onClosed));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
