import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Whom a connection comes from. */
export interface ClientPeer {
  /** The client's address: the socket's, or the one a trusted proxy says. IPv4 is never written as IPv6. */
  readonly address: string;
  /** From this computer itself, and not through a proxy. */
  readonly isLocal: boolean;
  /** A trusted proxy brought it by https. */
  readonly isHttps: boolean;
}

/** What is looked at of a request: Fastify's raw request and a socket's handshake both have it. */
export interface IncomingRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The origin under which a request reached this server, such as `http://pegboard.local:8300`. Whether it may was asked before (`origin.ts`). */
export function getRequestOrigin(
  { headers, socket }: IncomingRequest,
  { isHttps }: Pick<ClientPeer, 'isHttps'>,
): string {
  return `${isHttps || 'encrypted' in socket ? 'https' : 'http'}://${headers.host ?? ''}`;
}

type Address = ReturnType<typeof ipaddr.parse>;
type Range = readonly [Address, number];

const LOOPBACK: readonly Range[] = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host'] as const;

/** `loopback`, an address or a CIDR range. @throws Error saying what is wrong with the text. */
export function parseAddressRange(text: string): readonly Range[] {
  if (text === 'loopback') return LOOPBACK;
  if (ipaddr.isValidCIDR(text)) return [ipaddr.parseCIDR(text)];
  if (!ipaddr.isValid(text))
    throw new Error(`'${text}' is no address, no range such as 10.0.0.0/8, and not 'loopback'`);
  const address = ipaddr.process(text);
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
}

const unmapIpv4 = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address);

const isIn = (ranges: readonly Range[], text: string): boolean => {
  if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match([range, bits] as never));
};

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** What rates are counted by: an IPv4 address, or the /64 network of an IPv6 address (one household has 2^64 of them). */
export function getAddressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

const lastOf = (header: string | readonly string[] | undefined): readonly string[] =>
  String(header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export interface PeerResolver {
  readonly resolvePeer: (request: IncomingRequest) => ClientPeer;
  readonly isTrustedProxy: (address: string) => boolean;
}

/**
 * Reads whom requests come from. Forwarded headers count only from the proxies named in `trustProxy` (addresses, CIDR ranges, `loopback`);
 * from anybody else they are ignored and `onUntrusted` is told the sender's address.
 */
export function createPeerResolver(options: {
  readonly trustProxy: readonly string[];
  readonly onUntrusted: (address: string) => void;
}): PeerResolver {
  const trusted = options.trustProxy.flatMap(parseAddressRange);
  const isTrustedProxy = (address: string): boolean => isIn(trusted, address);
  /** The right-most address that is no trusted proxy: what stands left of it anybody may have written. */
  const forwardedFor = (headers: IncomingHttpHeaders, proxy: string): string => {
    const chain = lastOf(headers['x-forwarded-for']);
    const client = chain.findLast((address) => !isTrustedProxy(address)) ?? chain[0];
    return client !== undefined && ipaddr.isValid(client) ? unmapIpv4(client) : proxy;
  };
  return {
    isTrustedProxy,
    resolvePeer: ({ headers, socket }) => {
      const direct = unmapIpv4(socket.remoteAddress ?? '');
      const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
      if (!isForwarded) return { address: direct, isLocal: isLoopback(direct), isHttps: false };
      if (!isTrustedProxy(direct)) {
        options.onUntrusted(direct);
        return { address: direct, isLocal: false, isHttps: false };
      }
      const isHttps = lastOf(headers['x-forwarded-proto']).at(-1) === 'https';
      return { address: forwardedFor(headers, direct), isLocal: false, isHttps };
    },
  };
}
