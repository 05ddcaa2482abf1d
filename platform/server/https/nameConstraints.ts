import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Private, link-local and loopback ranges. No foreign server can have one of these addresses. */
const PRIVATE_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
  '::1/128',
];
/** Top-level names of home networks. No one can register a domain under them. */
const PRIVATE_DOMAIN_SUFFIXES = ['local', 'lan', 'home.arpa', 'internal', 'localhost'];
const LABEL_PATTERN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Normalizes a host: lower case, and IPv6 without brackets in its shortest form. */
function normalizeHost(host: string): string {
  const hostname = host.replaceAll(/^\[|\]$/g, '').toLowerCase();
  return isIP(hostname) !== 0 ? ipaddr.parse(hostname).toString() : hostname;
}

function isInRange(addressText: string, range: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(range);
  const address = ipaddr.parse(addressText);
  return address.kind() === network.kind() && address.match([network, bits] as never);
}

/** Hosts that an authority may sign for. */
export interface NameConstraints {
  /** CIDR ranges. */
  readonly ranges: readonly string[];
  /** Domain names. Each includes all names below it. */
  readonly domainSuffixes: readonly string[];
}

/** Returns the first label of a host name in a list; an empty list if it cannot be in a certificate. */
function getLabels(hostname: string): readonly string[] {
  const label = hostname.split('.', 1)[0]?.toLowerCase() ?? '';
  return LABEL_PATTERN.test(label) && label !== 'localhost' ? [label] : [];
}

/** Creates constraints that permit private networks, this computer, and `hosts` as browsers write them. */
export function createNameConstraints(hostname: string, hosts: readonly string[]): NameConstraints {
  const normalizedHosts = hosts.map(normalizeHost);
  const addresses = normalizedHosts.filter((host) => isIP(host) !== 0);
  return {
    ranges: [
      ...new Set([...PRIVATE_RANGES, ...addresses.map((address) => `${address}/${address.includes(':') ? 128 : 32}`)]),
    ],
    domainSuffixes: [
      ...new Set([
        ...PRIVATE_DOMAIN_SUFFIXES,
        ...getLabels(hostname),
        ...normalizedHosts.filter((host) => isIP(host) === 0),
      ]),
    ],
  };
}

/** Returns whether the constraints permit a host. */
export function isHostPermitted({ ranges, domainSuffixes }: NameConstraints, host: string): boolean {
  if (isIP(host) !== 0) return ranges.some((range) => isInRange(host, range));
  return domainSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Lists permitted hosts outside private networks, for the person who decides whether to trust the authority. */
export function listPublicConstraints({ ranges, domainSuffixes }: NameConstraints): readonly string[] {
  const privateConstraints = createNameConstraints('', []);
  const addedRanges = ranges
    .filter((range) => !PRIVATE_RANGES.includes(range))
    .map((range) => range.replace(/\/\d+$/, ''));
  // Single labels are computers of the local network.
  const names = domainSuffixes.filter((suffix) => suffix.includes('.'));
  return [...addedRanges, ...names].filter((host) => !isHostPermitted(privateConstraints, host));
}

/** Current names and addresses of this computer. */
export interface HostIdentity {
  readonly hostname: string;
  /** Addresses of this computer in its networks, best first. */
  readonly addresses: readonly string[];
  /** Hosts that the operator named. If there are any, the server answers under no others. */
  readonly publicHosts: readonly string[];
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];

/** Lists names and addresses for a certificate of this computer, best first. */
export function listCertificateHosts({ hostname, addresses, publicHosts }: HostIdentity): readonly string[] {
  if (publicHosts.length > 0) return [...new Set(publicHosts.map(normalizeHost))];
  const names = getLabels(hostname).flatMap((label) => [`${label}.local`, label, `${label}.lan`, `${label}.home.arpa`]);
  // Link-local IPv6 addresses depend on the interface, and browsers do not accept them.
  const reachable = addresses.map(normalizeHost).filter((address) => !/^fe[89ab]/.test(address));
  return [...new Set([...reachable, ...names, ...LOOPBACK_HOSTS])];
}

/** Formats a host as in a URL, with IPv6 in brackets. */
export function formatUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
