import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { parseAddressRange } from '../http/address.ts';
import { EgressRefusal } from './egress.ts';

/** Gives all addresses of a name, as the machine's own resolver has them. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: ResolveName = async (name) => lookup(name, { all: true, order: 'verbatim' });

const PRIVATE_ADDRESS_MESSAGE =
  "That address lies in this server's own network; its operator can allow it with EGRESS_ALLOW";

const WEB_PORTS = [80, 443, 8080, 8443];
const BLOCKED_PORT_MESSAGE = 'This address names a port that downloads are not let through to';

interface ResolveOptions {
  readonly targets: AddressPolicy;
  readonly resolve: ResolveName;
  /** Ports of the web alone; what the operator allows may have any. */
  readonly isOfWeb?: boolean | undefined;
}

/**
 * The addresses of a host, looked up once: what is dialled afterwards is among them, however often the name changes its answer. A name that
 * has one inside this network among them is refused as a whole: no site of the web has.
 * @throws EgressRefusal
 */
export async function resolveAllowedAddresses(
  { hostname, port, protocol }: URL,
  { targets, resolve, isOfWeb = false }: ResolveOptions,
): Promise<readonly LookupAddress[]> {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await resolveName(host, resolve) : [{ address: host, family }];
  const dialled = Number(port || (protocol === 'https:' ? 443 : 80));
  if (targets.isAllowedName(host, dialled)) return found;
  if (!found.every(({ address }) => targets.canConnect(address, dialled)))
    throw new EgressRefusal('inner', PRIVATE_ADDRESS_MESSAGE);
  if (!isOfWeb || WEB_PORTS.includes(dialled)) return found;
  if (!found.every(({ address }) => targets.isAllowed(address, dialled)))
    throw new EgressRefusal('port', BLOCKED_PORT_MESSAGE);
  return found;
}

/** Gives the addresses that were checked, whatever the name says by now. */
export function createFixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, answer) => {
    const [first] = addresses;
    if (all === true) answer(null, [...addresses]);
    else if (first) answer(null, first.address, first.family);
    else answer(new Error('no address'), '');
  };
}

const resolveName = async (host: string, resolve: ResolveName): Promise<readonly LookupAddress[]> => {
  try {
    const found = await resolve(host);
    if (found.length > 0) return found;
  } catch (cause) {
    throw new EgressRefusal('unreached', 'No server was found under that name', { cause });
  }
  throw new EgressRefusal('unreached', 'No server was found under that name');
};

/** Says of addresses whether this server may connect to them on behalf of somebody who wrote one down. */
export interface AddressPolicy {
  readonly canConnect: (address: string, port: number) => boolean;
  /** The operator names it, whether it is public or not. */
  readonly isAllowed: (address: string, port: number) => boolean;
  /** The operator names it by this name, wherever that leads. */
  readonly isAllowedName: (host: string, port: number) => boolean;
}

type Ranges = ReturnType<typeof parseAddressRange>;
type Ip = ReturnType<typeof ipaddr.process>;

/** Networks of houses and companies. Loopback and link-local are not among them: who wants those names them. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
/** All that is given out to the internet lies here; what is set aside in it, `range` knows. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv6 networks reach IPv4 servers under this (RFC 6052). The local form 64:ff9b:1::/48 is not meant for the internet. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Addresses, and the one port of theirs that is meant; undefined for all. */
interface AllowedTarget {
  readonly ranges: Ranges;
  readonly port: number | undefined;
  /** `nas.home:8096`, as an address has it. */
  readonly name?: string;
}

/** `192.168.1.5:8080` and `[::1]:8080`; undefined where no port stands there. */
const withPort = (text: string): { readonly address: string; readonly port: number } | undefined => {
  const [, v6, v4, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const address = v6 ?? v4;
  return address !== undefined && Number(port) <= 65_535 ? { address, port: Number(port) } : undefined;
};

/** What stands for many addresses. */
const RANGE_NAMES = ['private', 'loopback'];

/** `nas.home:8096`; undefined for all else. */
const nameWithPort = (text: string): AllowedTarget | undefined => {
  const [, name, port] = /^([a-z\d_][a-z\d._-]*):(\d{1,5})$/i.exec(text) ?? [];
  if (name === undefined || !/[a-z]/i.test(name) || RANGE_NAMES.includes(name) || Number(port) > 65_535)
    return undefined;
  return { ranges: [], port: Number(port), name: name.toLowerCase() };
};

/** An entry of EGRESS_ALLOW: an address, one with a port, a name with a port, a CIDR range, `loopback` or `private`. @throws Error saying what is wrong with it. */
export function parseAllowedTarget(text: string): AllowedTarget {
  if (text === 'private') return { ranges: PRIVATE.flatMap(parseAddressRange), port: undefined };
  const named = nameWithPort(text);
  if (named) return named;
  const { address, port } = withPort(text) ?? { address: text, port: undefined };
  try {
    return { ranges: parseAddressRange(address), port };
  } catch {
    throw new Error(
      `'${text}' is no address, no name with its port such as nas.home:8096, no range such as 10.0.0.0/8, and neither 'private' nor 'loopback'`,
    );
  }
}

const isIn = (ranges: Ranges, address: Ip): boolean =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match([range, bits] as never));

/** The IPv4 address that a NAT64 one leads to. */
const behindNat64 = (address: Ip): Ip | undefined =>
  address instanceof ipaddr.IPv6 && address.match(NAT64)
    ? ipaddr.fromByteArray(address.toByteArray().slice(12))
    : undefined;

/** Given out to the internet: neither private nor special in any way (the IANA's registries of special-purpose addresses). */
const isPublic = (address: Ip): boolean =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6));

const ownAddresses = (): ReadonlySet<string> =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ address }) => ipaddr.isValid(address))
      .map(({ address }) => ipaddr.process(address).toString()),
  );

/** Public addresses that are not this machine's, and those that the operator allows. @throws Error for an entry that is wrong. */
export function createAddressPolicy(allow: readonly string[], own = ownAddresses): AddressPolicy {
  const allowed = allow.map(parseAllowedTarget);
  const isAllowed = (address: Ip, port: number): boolean =>
    allowed.some((one) => (one.port === undefined || one.port === port) && isIn(one.ranges, address));
  const mayDial = (address: Ip, port: number): boolean => {
    if (isAllowed(address, port)) return true;
    const behind = behindNat64(address);
    if (behind) return mayDial(behind, port);
    return isPublic(address) && !own().has(address.toString());
  };
  return {
    canConnect: (text, port) => ipaddr.isValid(text) && mayDial(ipaddr.process(text), port),
    isAllowed: (text, port) => ipaddr.isValid(text) && isAllowed(ipaddr.process(text), port),
    isAllowedName: (host, port) => allowed.some((one) => one.name === host.toLowerCase() && one.port === port),
  };
}
