import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { parseTrusted } from '../address.ts';

/** Says of addresses whether this server may connect to them on behalf of somebody who wrote one down. */
export interface Targets {
  readonly mayDial: (address: string) => boolean;
}

type Ranges = ReturnType<typeof parseTrusted>;
type Ip = ReturnType<typeof ipaddr.process>;

/** Networks of houses and companies. Loopback and link-local are not among them: who wants those names them. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
/** All that is given out to the internet lies here; what is set aside in it, `range` knows. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IPv6 networks reach IPv4 servers under this (RFC 6052). The local form 64:ff9b:1::/48 is not meant for the internet. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** An entry of EGRESS_ALLOW: an address, a CIDR range, `loopback` or `private`. @throws Error saying what is wrong with it. */
export const parseAllowed = (text: string): Ranges => {
  if (text === 'private') return PRIVATE.flatMap(parseTrusted);
  try {
    return parseTrusted(text);
  } catch {
    throw new Error(`'${text}' is no address, no range such as 10.0.0.0/8, and neither 'private' nor 'loopback'`);
  }
};

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
export const makeTargets = (allow: readonly string[], own = ownAddresses): Targets => {
  const allowed = allow.flatMap(parseAllowed);
  const mayDial = (address: Ip): boolean => {
    if (isIn(allowed, address)) return true;
    const behind = behindNat64(address);
    if (behind) return mayDial(behind);
    return isPublic(address) && !own().has(address.toString());
  };
  return { mayDial: (text) => ipaddr.isValid(text) && mayDial(ipaddr.process(text)) };
};
