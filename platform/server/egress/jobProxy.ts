import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, request as overHttp, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { type AddressPolicy, resolveAllowedAddresses, createFixedLookup, type ResolveName } from './addressPolicy.ts';
import { type EgressProxy, EgressRefusal, type ProxyLimits, type ProxyFault } from './egress.ts';

const CONNECT_TIMEOUT_MS = 15_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Of a single line between two servers, not of what it carries (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'upgrade',
];

export interface ProxyDeps {
  readonly targets: AddressPolicy;
  readonly resolve: ResolveName;
  readonly timers?: Timers;
}

const removeHopHeaders = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name) && name !== 'transfer-encoding'),
  );

/** Where a request to a proxy wants to; undefined where it does not say it in a way that a proxy understands. */
const httpTarget = (text = ''): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' && url.hostname !== '' ? url : undefined;
};
const connectTarget = (text = ''): URL | undefined =>
  /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`https://${text}`)
    ? new URL(`https://${text}`)
    : undefined;

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

const endOf = (socket: Duplex, status: string): void =>
  void socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

/** Opens the proxy of one job: the only way from its programs to the network. */
export async function openProxy(
  { targets, resolve, timers = realTimers }: ProxyDeps,
  limits: ProxyLimits,
): Promise<EgressProxy> {
  const troubles: ProxyFault[] = [];
  const sockets = new Set<Duplex>();
  let bytes = 0;
  let waiting = 0;
  let endHush: (() => void) | undefined;

  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // one end breaks, the other follows
    socket.once('close', () => sockets.delete(socket));
  };
  const breakOff = (trouble: ProxyFault): void => {
    troubles.push(trouble);
    for (const socket of sockets) socket.destroy();
    limits.onBroken?.(trouble);
  };
  /** While somebody waits for an answer, something has to come. */
  const hush = (): void => {
    endHush?.();
    if (waiting === 0 || limits.silentMs === undefined) return;
    endHush = timers.schedule(limits.silentMs, () => breakOff({ fault: 'silent', host: '' }));
  };
  const waits = (upstream: Duplex): void => {
    waiting += 1;
    hush();
    upstream.once('close', () => {
      waiting -= 1;
      hush();
    });
  };
  const count = (upstream: Socket): void => {
    keep(upstream);
    waits(upstream);
    upstream.setTimeout(CONNECT_TIMEOUT_MS, () => {
      if (upstream.connecting) upstream.destroy();
    });
    upstream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hush();
      if (bytes > limits.maxBytes) breakOff({ fault: 'bytes', host: '' });
    });
  };

  /** Undefined, and noted, where it may not be dialled. */
  const check = async (url: URL): Promise<readonly LookupAddress[] | undefined> => {
    try {
      return await resolveAllowedAddresses(url, { targets, resolve, isOfWeb: true });
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      const { fault } = error;
      troubles.push({ fault: fault === 'inner' || fault === 'port' ? fault : 'unreached', host: url.hostname });
      return undefined;
    }
  };

  const pass = (url: URL, addresses: readonly LookupAddress[], from: IncomingMessage, to: ServerResponse): void => {
    const upstream = overHttp(
      {
        method: from.method,
        hostname: url.hostname.replaceAll(/^\[|\]$/g, ''),
        port: portOf(url),
        path: `${url.pathname}${url.search}`,
        headers: { ...removeHopHeaders(from.headers), host: url.host },
        lookup: createFixedLookup(addresses),
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (answer) => {
        to.writeHead(answer.statusCode ?? 502, removeHopHeaders(answer.headers));
        answer.pipe(to);
        answer.on('error', () => to.destroy()); // half an answer must not look whole
      },
    );
    upstream.on('socket', count);
    upstream.on('error', () => {
      if (to.headersSent) to.destroy();
      else to.writeHead(502).end();
    });
    to.on('close', () => upstream.destroy());
    from.on('error', () => upstream.destroy());
    from.pipe(upstream);
  };

  const serve = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const url = httpTarget(from.url);
    if (url === undefined) {
      to.writeHead(400).end();
      return;
    }
    const addresses = await check(url);
    if (addresses) pass(url, addresses, from, to);
    else to.writeHead(403).end();
  };
  const tunnel = async (url: URL | undefined, client: Duplex, head: Buffer): Promise<void> => {
    if (url === undefined) {
      endOf(client, '400 Bad Request');
      return;
    }
    const addresses = await check(url);
    if (addresses === undefined) {
      endOf(client, '403 Forbidden');
      return;
    }
    const host = url.hostname.replaceAll(/^\[|\]$/g, '');
    const upstream = connect({ host, port: portOf(url), lookup: createFixedLookup(addresses) });
    count(upstream);
    let isThrough = false;
    upstream.once('connect', () => {
      isThrough = true;
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      if (isThrough) client.destroy();
      else endOf(client, '502 Bad Gateway');
    });
  };

  const server = createServer({ keepAlive: false, maxHeaderSize: MAX_HEADER_BYTES }, (from, to) => {
    serve(from, to).catch(() => to.destroy());
  });
  server.on('connection', keep);
  server.on('connect', (request, client, head) => {
    keep(client);
    tunnel(connectTarget(request.url), client, head).catch(() => client.destroy());
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    getFaults: () => troubles,
    getReceivedBytes: () => bytes,
    [Symbol.asyncDispose]: async () => {
      endHush?.();
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
