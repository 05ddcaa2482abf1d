import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The client address of a connection, and whether it is local or encrypted. */
export interface ClientPeer {
  /** The client's address, from the socket or a trusted proxy. IPv4-mapped IPv6 addresses are written as IPv4. */
  readonly address: string;
  /** Whether the connection came directly from this computer, not through a proxy. */
  readonly isLocal: boolean;
  /** Whether a trusted proxy received the request over HTTPS. */
  readonly isHttps: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    peer: ClientPeer;
  }
}

/** The part of a request that this file reads. Fastify's raw request and a socket's handshake both have it. */
export interface IncomingRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Returns the origin under which a request reached this server, such as `http://pegboard.local:8300`.
 * The guard has already checked the host.
 */
export function getRequestOrigin(
  { headers, socket }: IncomingRequest,
  { isHttps }: Pick<ClientPeer, 'isHttps'>,
): string {
  return `${isHttps || 'encrypted' in socket ? 'https' : 'http'}://${headers.host ?? ''}`;
}

type Address = ReturnType<typeof ipaddr.parse>;
type Range = readonly [Address, number];

const LOOPBACK_RANGES: readonly Range[] = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];
const FORWARDED_HEADERS = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-proto',
  'x-forwarded-host',
] as const;

/** Parses `loopback`, an address or a CIDR range. @throws Error with the reason. */
export function parseAddressRange(text: string): readonly Range[] {
  if (text === 'loopback') return LOOPBACK_RANGES;
  if (ipaddr.isValidCIDR(text)) return [ipaddr.parseCIDR(text)];
  if (!ipaddr.isValid(text)) throw new Error(`'${text}' is not an address, a range such as 10.0.0.0/8, or 'loopback'`);
  const address = ipaddr.process(text);
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
}

const unmapIpv4 = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address);

function isInRanges(ranges: readonly Range[], text: string): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match([range, bits] as never));
}

/** Returns whether the address is this computer's loopback address. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/**
 * Returns the rate limit key of an address: the IPv4 address, or the /64 network of an IPv6 address, since one
 * household has 2^64 of them.
 */
export function getAddressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

const splitHeader = (header: string | readonly string[] | undefined): readonly string[] =>
  String(header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Determines the client of a request, also behind trusted proxies. */
export interface PeerResolver {
  readonly resolvePeer: (request: IncomingRequest) => ClientPeer;
  readonly isTrustedProxy: (address: string) => boolean;
}

/**
 * Creates a resolver of client addresses. Only proxies in `trustProxy` (addresses, CIDR ranges, `loopback`) may send
 * forwarded headers. Those of others are ignored, and `onUntrusted` gets the sender's address.
 */
export function createPeerResolver(options: {
  readonly trustProxy: readonly string[];
  readonly onUntrusted: (address: string) => void;
}): PeerResolver {
  const trustedRanges = options.trustProxy.flatMap(parseAddressRange);
  const isTrustedProxy = (address: string): boolean => isInRanges(trustedRanges, address);
  /** Returns the right-most address that is not a trusted proxy. Clients can forge everything to the left of it. */
  function getForwardedAddress(headers: IncomingHttpHeaders, proxy: string): string {
    const chain = splitHeader(headers['x-forwarded-for']);
    const client = chain.findLast((address) => !isTrustedProxy(address)) ?? chain[0];
    return client !== undefined && ipaddr.isValid(client) ? unmapIpv4(client) : proxy;
  }
  return {
    isTrustedProxy,
    resolvePeer: ({ headers, socket }) => {
      const socketAddress = unmapIpv4(socket.remoteAddress ?? '');
      const isForwarded = FORWARDED_HEADERS.some((name) => headers[name] !== undefined);
      if (!isForwarded) return { address: socketAddress, isLocal: isLoopback(socketAddress), isHttps: false };
      if (!isTrustedProxy(socketAddress)) {
        options.onUntrusted(socketAddress);
        return { address: socketAddress, isLocal: false, isHttps: false };
      }
      const isHttps = splitHeader(headers['x-forwarded-proto']).at(-1) === 'https';
      return { address: getForwardedAddress(headers, socketAddress), isLocal: false, isHttps };
    },
  };
}
