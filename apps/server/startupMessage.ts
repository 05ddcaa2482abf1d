import { hostname, networkInterfaces } from 'node:os';
import { renderUnicodeCompact } from 'uqr';
import { isLoopbackHost } from '#platform/contract/privateAddress.ts';
import type { OwnHttps } from '#platform/contract/session.ts';
import type { HostIdentity } from '#platform/server/https/nameConstraints.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Origins under which a proxy serves this server. If there are any, no others are shown. */
  readonly publicOrigins: readonly string[];
}

/** Hosts that mean all addresses of this computer. */
export const WILDCARD_HOSTS = ['::', '0.0.0.0', ''];
/** Interfaces of containers and virtual machines, which phones cannot reach. */
const VIRTUAL_INTERFACES = /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman)/;

/** Formats the HTTP origin of an address. */
export function formatOrigin(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}${port === 80 ? '' : `:${port}`}`;
}
const formatSecureOrigin = (host: string, port: number): string => `https://${host}${port === 443 ? '' : `:${port}`}`;

const getRank = (address: string): number => (/^(192\.168\.|10\.)/.test(address) ? 0 : 1);

const listAddresses = (kind: 'IPv4' | 'IPv6'): readonly string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    VIRTUAL_INTERFACES.test(name)
      ? []
      : addresses.filter(({ family, internal }) => family === kind && !internal).map(({ address }) => address),
  );

/** Lists IPv4 addresses of this computer, home networks first. */
const listNetworkAddresses = (): readonly string[] =>
  listAddresses('IPv4')
    .filter((address) => !address.startsWith('169.254.'))
    .toSorted((one, other) => getRank(one) - getRank(other));

/** Lists origins that other machines can reach, best first. Empty if the server only listens to this computer. */
export function listNetworkOrigins({ host, port, publicOrigins }: ListenAddress): readonly string[] {
  if (publicOrigins.length > 0) return publicOrigins;
  if (WILDCARD_HOSTS.includes(host)) return listNetworkAddresses().map((address) => formatOrigin(address, port));
  return isLoopbackHost(host) ? [] : [formatOrigin(host, port)];
}

/** Lists all origins to open, this computer's own first. */
export function listOrigins(address: ListenAddress): readonly string[] {
  const { host, port } = address;
  const ownOrigins = WILDCARD_HOSTS.includes(host) || isLoopbackHost(host) ? [formatOrigin('localhost', port)] : [];
  return [...ownOrigins, ...listNetworkOrigins(address)];
}

/** Returns the current hosts for a certificate of this computer. */
export function getHostIdentity({ host, publicOrigins }: Omit<ListenAddress, 'port'>): HostIdentity {
  const ownHosts = isLoopbackHost(host) ? [] : [host];
  return {
    hostname: hostname(),
    addresses: WILDCARD_HOSTS.includes(host) ? [...listNetworkAddresses(), ...listAddresses('IPv6')] : ownHosts,
    publicHosts: publicOrigins.map((origin) => new URL(origin).hostname),
  };
}

const isIpAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host);

/**
 * Lists HTTPS origins to open: addresses rather than names, as only some may work; this computer's own if there
 * is nothing else.
 */
export function listSecureOrigins({ port, hosts }: OwnHttps, publicOrigins: readonly string[]): readonly string[] {
  const remoteHosts = hosts.filter((host) => !isLoopbackHost(host));
  const reliableHosts = publicOrigins.length > 0 ? remoteHosts : remoteHosts.filter(isIpAddress);
  return (reliableHosts.length > 0 ? reliableHosts : ['localhost']).map((host) => formatSecureOrigin(host, port));
}

export interface StartupMessage {
  /** Origins to open, this computer's own first. */
  readonly origins: readonly string[];
  /** Origins that other machines can reach, best first. */
  readonly networkOrigins: readonly string[];
  /** The server's own HTTPS; undefined if it is off. */
  readonly https?:
    | { readonly origins: readonly string[]; readonly name: string; readonly fingerprint: string }
    | undefined;
  /** Defined while there is no owner. */
  readonly setupCode: string | undefined;
}

/** The code is behind `#`, which browsers do not send, so it is in no log. */
const formatSetupLink = (origin: string, code: string): string => `${origin}/signup#setup=${encodeURIComponent(code)}`;

const indent = (text: string): string => text.replace(/^/gm, '  ');

/** The fingerprint lets users compare what the phone shows, because an HTTP page could be changed on its way. */
function formatHttps({ https, networkOrigins, origins }: StartupMessage): readonly string[] {
  if (https === undefined) return [];
  const page = `${networkOrigins[0] ?? origins[0] ?? ''}/trust`;
  return [
    `Over https, after a phone or computer trusts this server (${page} explains how):`,
    ...https.origins.map((origin) => `  ${origin}`),
    `The certificate to trust is '${https.name}' with the SHA-256 fingerprint`,
    `  ${https.fingerprint}`,
    '',
  ];
}

/** Formats the message of a starting server: its addresses and, without an owner, the setup link and its QR code. */
export function formatStartupMessage(message: StartupMessage): string {
  const { origins, networkOrigins, setupCode } = message;
  const lines = ['', 'Pegboard is ready. Open', ...origins.map((origin) => `  ${origin}`), '', ...formatHttps(message)];
  if (setupCode !== undefined) {
    const link = formatSetupLink(networkOrigins[0] ?? origins[0] ?? '', setupCode);
    lines.push(
      'There are no accounts yet. The first account becomes the owner. Create it on this computer or with this link:',
    );
    lines.push(`  ${link}`, '');
    if (networkOrigins.length > 0) lines.push(indent(renderUnicodeCompact(link)), '');
  }
  return `${lines.join('\n')}\n`;
}
