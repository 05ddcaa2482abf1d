import { hostname, networkInterfaces } from 'node:os';
import { renderUnicodeCompact } from 'uqr';
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
export function listNetworkOrigins({ host, port, publicOrigins }: ListenAddress): readonly string[] {
  if (publicOrigins.length > 0) return publicOrigins;
  if (EVERY_ADDRESS.includes(host)) return listNetworkAddresses().map((address) => originOf(address, port));
  return isLoopbackHost(host) ? [] : [originOf(host, port)];
}

/** All origins to open, this computer's own first. */
export function listOrigins(listening: ListenAddress): readonly string[] {
  const { host, port } = listening;
  const own = EVERY_ADDRESS.includes(host) || isLoopbackHost(host) ? [originOf('localhost', port)] : [];
  return [...own, ...listNetworkOrigins(listening)];
}

/** What a certificate of this computer is to stand for at present. */
export function getHostIdentity({ host, publicOrigins }: Omit<ListenAddress, 'port'>): HostIdentity {
  const own = isLoopbackHost(host) ? [] : [host];
  return {
    hostname: hostname(),
    addresses: EVERY_ADDRESS.includes(host) ? [...listNetworkAddresses(), ...found('IPv6')] : own,
    publicHosts: publicOrigins.map((origin) => new URL(origin).hostname),
  };
}

const isAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host);

/** Origins to open over https: addresses before names, of which only some may lead here; this computer's own where there is nothing else. */
export function listSecureOrigins({ port, hosts }: OwnHttps, publicOrigins: readonly string[]): readonly string[] {
  const others = hosts.filter((host) => !isLoopbackHost(host));
  const sure = publicOrigins.length > 0 ? others : others.filter(isAddress);
  return (sure.length > 0 ? sure : ['localhost']).map((host) => secureOriginOf(host, port));
}

export interface StartupMessage {
  /** Origins to open, this computer's own first. */
  readonly origins: readonly string[];
  /** Origins that other machines reach, best first. */
  readonly networkOrigins: readonly string[];
  /** https by this server itself; undefined where it is off. */
  readonly https?:
    | { readonly origins: readonly string[]; readonly name: string; readonly fingerprint: string }
    | undefined;
  /** While there is no owner. */
  readonly setupCode: string | undefined;
}

/** The code stands behind `#`: browsers keep that part to themselves, so it is in no log. */
const setupLink = (origin: string, code: string): string => `${origin}/signup#setup=${encodeURIComponent(code)}`;

const indented = (text: string): string => text.replace(/^/gm, '  ');

/** Shown so that a person can hold it against what the phone shows: a page over http may have been changed on the way. */
const formatHttps = ({ https, networkOrigins, origins }: StartupMessage): readonly string[] => {
  if (https === undefined) return [];
  const page = `${networkOrigins[0] ?? origins[0] ?? ''}/trust`;
  return [
    `Over https, once a phone or computer trusts this server (${page} says how):`,
    ...https.origins.map((origin) => `  ${origin}`),
    `The certificate to trust is named '${https.name}', its SHA-256 fingerprint is`,
    `  ${https.fingerprint}`,
    '',
  ];
};

/** What the starting server says to the person in front of it: where to open it and, while it has no owner, the set-up link and its QR code. */
export function formatStartupMessage(all: StartupMessage): string {
  const { origins, networkOrigins, setupCode } = all;
  const lines = ['', 'Pegboard is ready. Open', ...origins.map((origin) => `  ${origin}`), '', ...formatHttps(all)];
  if (setupCode !== undefined) {
    const link = setupLink(networkOrigins[0] ?? origins[0] ?? '', setupCode);
    lines.push(
      'Nobody has an account yet, and the first one owns this server. Make it on this computer, or with this link:',
    );
    lines.push(`  ${link}`, '');
    if (networkOrigins.length > 0) lines.push(indented(renderUnicodeCompact(link)), '');
  }
  return `${lines.join('\n')}\n`;
}
