import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { parseAddressRange } from '../http/address.ts';
import { EgressRefusal } from './egress.ts';

/** Resolves a name to all its addresses. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** Resolves names with the resolver of the system. */
export const resolveBySystem: ResolveName = async (name) => lookup(name, { all: true, order: 'verbatim' });

const PRIVATE_ADDRESS_MESSAGE = "That address is in the server's own network. Ask the owner of this server to allow it";

const WEB_PORTS = [80, 443, 8080, 8443];
const BLOCKED_PORT_MESSAGE = 'Downloads from the port in this address are blocked';

interface ResolveOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveName;
  /** Allows only `WEB_PORTS`, and targets that the operator allows. */
  readonly allowsOnlyWebPorts?: boolean | undefined;
}

/** Returns the host of an address, without the brackets of IPv6. */
export function getBareHostname({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

/** Returns the port of an address, or else the default port of its protocol. */
export function getPort({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/**
 * Resolves a host once and checks all its addresses, so that a later DNS change has no effect on the connection.
 * Refuses names with any private address, because no public site has one. @throws EgressRefusal
 */
export async function resolveAllowedAddresses(
  url: URL,
  { policy, resolve, allowsOnlyWebPorts = false }: ResolveOptions,
): Promise<readonly LookupAddress[]> {
  const host = getBareHostname(url);
  const family = isIP(host);
  const addresses = family === 0 ? await resolveName(host, resolve) : [{ address: host, family }];
  const port = getPort(url);
  if (policy.isAllowedName(host, port)) return addresses;
  if (!addresses.every(({ address }) => policy.canConnect(address, port)))
    throw new EgressRefusal('inner', PRIVATE_ADDRESS_MESSAGE);
  if (!allowsOnlyWebPorts || WEB_PORTS.includes(port)) return addresses;
  if (!addresses.every(({ address }) => policy.isAllowed(address, port)))
    throw new EgressRefusal('port', BLOCKED_PORT_MESSAGE);
  return addresses;
}

/** Creates a lookup that returns the checked addresses, whatever DNS says now. */
export function createFixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('no address'), '');
  };
}

async function resolveName(host: string, resolve: ResolveName): Promise<readonly LookupAddress[]> {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    throw new EgressRefusal('unreached', 'No server was found at that address. Check it for typos', { cause });
  }
  throw new EgressRefusal('unreached', 'No server was found at that address. Check it for typos');
}

/** Decides which addresses this server may connect to on behalf of users. */
export interface AddressPolicy {
  readonly canConnect: (address: string, port: number) => boolean;
  /** Whether the operator allows the address, public or not. */
  readonly isAllowed: (address: string, port: number) => boolean;
  /** Whether the operator allows the name, whatever its addresses are. */
  readonly isAllowedName: (host: string, port: number) => boolean;
}

type Ranges = ReturnType<typeof parseAddressRange>;
type Ip = ReturnType<typeof ipaddr.process>;

/** Private networks, without loopback and link-local, which the operator must allow by name. */
const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
/** Range of all global IPv6 addresses. `range()` detects the special ones among them. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Prefix under which IPv6 networks reach IPv4 servers (RFC 6052). The local prefix 64:ff9b:1::/48 is not global. */
const NAT64_PREFIX = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** A target that the operator allows. */
interface AllowedTarget {
  readonly ranges: Ranges;
  /** The allowed port; undefined allows all ports. */
  readonly port: number | undefined;
  /** Name as written in the address, such as `nas.home` of `nas.home:8096`. */
  readonly name?: string;
}

/** Parses `192.168.1.5:8080` and `[::1]:8080`; undefined without a port. */
function parseAddressWithPort(text: string): { readonly address: string; readonly port: number } | undefined {
  const [, ipv6, ipv4, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const address = ipv6 ?? ipv4;
  return address !== undefined && Number(port) <= 65_535 ? { address, port: Number(port) } : undefined;
}

/** Names for groups of addresses. */
const RANGE_NAMES = ['private', 'loopback'];

/** Parses `nas.home:8096`; undefined for anything else. */
function parseNameWithPort(text: string): AllowedTarget | undefined {
  const [, name, port] = /^([a-z\d_][a-z\d._-]*):(\d{1,5})$/i.exec(text) ?? [];
  if (name === undefined || !/[a-z]/i.test(name) || RANGE_NAMES.includes(name) || Number(port) > 65_535)
    return undefined;
  return { ranges: [], port: Number(port), name: name.toLowerCase() };
}

/**
 * Parses an entry of EGRESS_ALLOW: an address or name with port, an address, a CIDR range, `loopback` or `private`.
 * @throws Error with the reason.
 */
export function parseAllowedTarget(text: string): AllowedTarget {
  if (text === 'private') return { ranges: PRIVATE_RANGES.flatMap(parseAddressRange), port: undefined };
  const target = parseNameWithPort(text);
  if (target) return target;
  const { address, port } = parseAddressWithPort(text) ?? { address: text, port: undefined };
  try {
    return { ranges: parseAddressRange(address), port };
  } catch {
    throw new Error(
      `'${text}' is not an address, a name with a port such as nas.home:8096, a range such as 10.0.0.0/8, 'private' or 'loopback'`,
    );
  }
}

const isInRanges = (ranges: Ranges, address: Ip): boolean =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match([range, bits] as never));

/** Returns the IPv4 address of a NAT64 address; undefined for any other address. */
const unwrapNat64 = (address: Ip): Ip | undefined =>
  address instanceof ipaddr.IPv6 && address.match(NAT64_PREFIX)
    ? ipaddr.fromByteArray(address.toByteArray().slice(12))
    : undefined;

/** Returns whether the address is global: neither private nor special (IANA special-purpose address registries). */
const isPublic = (address: Ip): boolean =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6));

/** Lists the addresses of this computer. */
const listOwnAddresses = (): ReadonlySet<string> =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ address }) => ipaddr.isValid(address))
      .map(({ address }) => ipaddr.process(address).toString()),
  );

/**
 * Creates a policy that allows public addresses except this machine's, and targets of the operator.
 * @throws Error for an invalid entry.
 */
export function createAddressPolicy(allow: readonly string[], getOwnAddresses = listOwnAddresses): AddressPolicy {
  const allowedTargets = allow.map(parseAllowedTarget);
  const isAllowed = (address: Ip, port: number): boolean =>
    allowedTargets.some(
      (target) => (target.port === undefined || target.port === port) && isInRanges(target.ranges, address),
    );
  function canConnect(address: Ip, port: number): boolean {
    if (isAllowed(address, port)) return true;
    const ipv4 = unwrapNat64(address);
    if (ipv4) return canConnect(ipv4, port);
    return isPublic(address) && !getOwnAddresses().has(address.toString());
  }
  return {
    canConnect: (text, port) => ipaddr.isValid(text) && canConnect(ipaddr.process(text), port),
    isAllowed: (text, port) => ipaddr.isValid(text) && isAllowed(ipaddr.process(text), port),
    isAllowedName: (host, port) =>
      allowedTargets.some((target) => target.name === host.toLowerCase() && target.port === port),
  };
}
