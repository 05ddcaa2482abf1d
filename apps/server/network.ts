import { networkInterfaces } from 'node:os';

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Origins under which a proxy serves this server; they go before all others. */
  readonly publicOrigins: readonly string[];
}

const EVERY_ADDRESS = ['::', '0.0.0.0', ''];
/** Names of interfaces that lead to containers and virtual machines of this computer, and not to a phone. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman)/;

const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}${port === 80 ? '' : `:${port}`}`;

const rank = (address: string): number => (/^(192\.168\.|10\.)/.test(address) ? 0 : 1);

/** IPv4 addresses of this computer on its networks, home networks first. */
const networkAddresses = (): readonly string[] => {
  const found = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    INNER.test(name) ? [] : addresses.filter(({ family, internal }) => family === 'IPv4' && !internal),
  );
  return found
    .map(({ address }) => address)
    .filter((address) => !address.startsWith('169.254.'))
    .toSorted((one, other) => rank(one) - rank(other));
};

/** Origins under which other machines find this server, best first. Empty where it listens to this computer alone. */
export const outerOrigins = ({ host, port, publicOrigins }: Listening): readonly string[] => {
  if (publicOrigins.length > 0) return publicOrigins;
  if (EVERY_ADDRESS.includes(host)) return networkAddresses().map((address) => originOf(address, port));
  return isLoopbackHost(host) ? [] : [originOf(host, port)];
};

const isLoopbackHost = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** All origins to open, this computer's own first. */
export const originsToOpen = (listening: Listening): readonly string[] => {
  const { host, port } = listening;
  const own = EVERY_ADDRESS.includes(host) || isLoopbackHost(host) ? [originOf('localhost', port)] : [];
  return [...own, ...outerOrigins(listening)];
};
