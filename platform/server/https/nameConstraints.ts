import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses that mean a private network, a link or the computer itself wherever one is: no stranger's server can be at one of them. */
const RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
  '::1/128',
];
/** Endings that are kept for networks at home: no stranger can own a name under them. */
const ENDINGS = ['local', 'lan', 'home.arpa', 'internal', 'localhost'];
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** An address or name in its one way of writing: lower case, IPv6 without brackets and at its shortest. */
const plain = (host: string): string => {
  const bare = host.replaceAll(/^\[|\]$/g, '').toLowerCase();
  return isIP(bare) !== 0 ? ipaddr.parse(bare).toString() : bare;
};

const isIn = (address: string, range: string): boolean => {
  const [network, bits] = ipaddr.parseCIDR(range);
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match([network, bits] as never);
};

/** What an authority may stand for: `ranges` and `endings` (a name, and all that end in it). */
export interface NameConstraints {
  readonly ranges: readonly string[];
  readonly endings: readonly string[];
}

const labelOf = (hostname: string): readonly string[] => {
  const label = hostname.split('.', 1)[0]?.toLowerCase() ?? '';
  return LABEL.test(label) && label !== 'localhost' ? [label] : [];
};

/** The private network, with what was asked for besides: `hosts` as addresses of a browser write them. */
export function createNameConstraints(hostname: string, hosts: readonly string[]): NameConstraints {
  const own = hosts.map(plain);
  const addresses = own.filter((host) => isIP(host) !== 0);
  return {
    ranges: [...new Set([...RANGES, ...addresses.map((one) => `${one}/${one.includes(':') ? 128 : 32}`)])],
    endings: [...new Set([...ENDINGS, ...labelOf(hostname), ...own.filter((host) => isIP(host) === 0)])],
  };
}

export function isHostPermitted({ ranges, endings }: NameConstraints, host: string): boolean {
  if (isIP(host) !== 0) return ranges.some((range) => isIn(host, range));
  return endings.some((ending) => host === ending || host.endsWith(`.${ending}`));
}

/** Of what is permitted, what lies outside every private network: for the person who is asked to trust it. */
export function listPublicConstraints({ ranges, endings }: NameConstraints): readonly string[] {
  const home = createNameConstraints('', []);
  const added = ranges.filter((range) => !RANGES.includes(range)).map((range) => range.replace(/\/\d+$/, ''));
  // A single label is a computer of one's own network.
  const names = endings.filter((ending) => ending.includes('.'));
  return [...added, ...names].filter((host) => !isHostPermitted(home, host));
}

/** This computer as it can be reached at present. */
export interface HostIdentity {
  readonly hostname: string;
  /** Addresses of its networks, best first. */
  readonly addresses: readonly string[];
  /** Hosts that an operator named; then they are all that the server answers under. */
  readonly publicHosts: readonly string[];
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];

/** Names and addresses that a certificate of this computer should hold, best first. */
export function listCertificateHosts({ hostname, addresses, publicHosts }: HostIdentity): readonly string[] {
  if (publicHosts.length > 0) return [...new Set(publicHosts.map(plain))];
  const names = labelOf(hostname).flatMap((label) => [`${label}.local`, label, `${label}.lan`, `${label}.home.arpa`]);
  // A link-local IPv6 address holds for one interface only, and browsers take none.
  const reachable = addresses.map(plain).filter((address) => !/^fe[89ab]/.test(address));
  return [...new Set([...reachable, ...names, ...LOOPBACK_HOSTS])];
}

/** As a browser writes it in an address: IPv6 in brackets. */
export function formatUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
