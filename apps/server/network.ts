import { hostname, networkInterfaces } from 'node:os';
import { isLoopbackHost } from '#platform/contract/privateAddress.ts';
import type { OwnHttps } from '#platform/contract/session.ts';
import type { HostIdentity } from '#platform/server/https/nameConstraints.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Origins under which a proxy serves this server; they go before all others. */
  readonly publicOrigins: readonly string[];
}

const EVERY_ADDRESS = ['::', '0.0.0.0', ''];
/** Names of interfaces that lead to containers and virtual machines of this computer, and not to a phone. */
const VIRTUAL_INTERFACES = /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman)/;

const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}${port === 80 ? '' : `:${port}`}`;
const secureOriginOf = (host: string, port: number): string => `https://${host}${port === 443 ? '' : `:${port}`}`;

const rank = (address: string): number => (/^(192\.168\.|10\.)/.test(address) ? 0 : 1);

const found = (kind: 'IPv4' | 'IPv6'): readonly string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    VIRTUAL_INTERFACES.test(name)
      ? []
      : addresses.filter(({ family, internal }) => family === kind && !internal).map(({ address }) => address),
  );

/** IPv4 addresses of this computer on its networks, home networks first. */
const listNetworkAddresses = (): readonly string[] =>
  found('IPv4')
    .filter((address) => !address.startsWith('169.254.'))
    .toSorted((one, other) => rank(one) - rank(other));

/** Origins under which other machines find this server, best first. Empty where it listens to this computer alone. */
export const listNetworkOrigins = ({ host, port, publicOrigins }: ListenAddress): readonly string[] => {
  if (publicOrigins.length > 0) return publicOrigins;
  if (EVERY_ADDRESS.includes(host)) return listNetworkAddresses().map((address) => originOf(address, port));
  return isLoopbackHost(host) ? [] : [originOf(host, port)];
};

/** All origins to open, this computer's own first. */
export const listOrigins = (listening: ListenAddress): readonly string[] => {
  const { host, port } = listening;
  const own = EVERY_ADDRESS.includes(host) || isLoopbackHost(host) ? [originOf('localhost', port)] : [];
  return [...own, ...listNetworkOrigins(listening)];
};

/** What a certificate of this computer is to stand for at present. */
export const getHostIdentity = ({ host, publicOrigins }: Omit<ListenAddress, 'port'>): HostIdentity => {
  const own = isLoopbackHost(host) ? [] : [host];
  return {
    hostname: hostname(),
    addresses: EVERY_ADDRESS.includes(host) ? [...listNetworkAddresses(), ...found('IPv6')] : own,
    publicHosts: publicOrigins.map((origin) => new URL(origin).hostname),
  };
};

const isAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host);

/** Origins to open over https: addresses before names, of which only some may lead here; this computer's own where there is nothing else. */
export const listSecureOrigins = ({ port, hosts }: OwnHttps, publicOrigins: readonly string[]): readonly string[] => {
  const others = hosts.filter((host) => !isLoopbackHost(host));
  const sure = publicOrigins.length > 0 ? others : others.filter(isAddress);
  return (sure.length > 0 ? sure : ['localhost']).map((host) => secureOriginOf(host, port));
};
