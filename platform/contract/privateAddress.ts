// Which servers the agent takes plain http to. The page that gives the agent's line asks the same rule.

function isPrivateIpv4([first = 0, second = 0]: readonly number[]): boolean {
  return (
    first === 10 ||
    first === 127 ||
    (first === 169 && second === 254) ||
    (first === 172 && second >= 16 && second <= 31) ||
    (first === 192 && second === 168)
  );
}

function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.map(Number);
}

/** As browsers write it: lower case, the longest row of zeros as `::`, an embedded IPv4 address as two numbers. */
function canonicalizeIpv6(text: string): string | undefined {
  const url = `http://[${text.replace(/%.*$/, '')}]`;
  return text.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
}

/** The IPv4 address that an address is, or that a canonical IPv6 address embeds. */
function parseAnyIpv4(address: string): readonly number[] | undefined {
  const embedded = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address);
  if (!embedded) return parseIpv4(address);
  const [high = 0, low = 0] = embedded.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255];
}

function isPrivateIpv6(canonical: string): boolean {
  const first = Number.parseInt(canonical, 16);
  return canonical === '::1' || (first & 0xfe_00) === 0xfc_00 || (first & 0xff_c0) === 0xfe_80;
}

/** Whether an IP address, written without brackets, is of a private network or of this computer alone. */
export function isPrivateAddress(address: string): boolean {
  const ipv6 = canonicalizeIpv6(address);
  const ipv4 = parseAnyIpv4(ipv6 ?? address);
  if (ipv4) return isPrivateIpv4(ipv4);
  return ipv6 !== undefined && isPrivateIpv6(ipv6);
}

/** The address in a host of a URL, without the brackets of IPv6. */
export function removeBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Without the dot that ends a complete name: `nas.local.` is `nas.local`. */
function withoutRootDot(hostname: string): string {
  return removeBrackets(hostname).replace(/\.$/, '');
}

/** Whether a host of a URL is a computer's name for itself. */
export function isLoopbackHost(hostname: string): boolean {
  const host = withoutRootDot(hostname);
  const address = canonicalizeIpv6(host) ?? host;
  return /^(.+\.)?localhost$/i.test(host) || address === '::1' || parseAnyIpv4(address)?.[0] === 127;
}

/** Endings of names within a network: RFC 6762, RFC 8375, the reserved `internal`, and usual ones. */
const LOCAL_NAME = /^[^.]+$|\.(local|localdomain|localhost|lan|home|home\.arpa|internal|intranet|fritz\.box)$/i;

/**
 * Whether the agent takes plain http to this host of a URL. The agent looks the address of a name up; without that, a
 * name counts as private where only one's own network gives such names.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = withoutRootDot(hostname);
  const isAddress = parseIpv4(host) !== undefined || host.includes(':');
  return isAddress ? isPrivateAddress(host) : LOCAL_NAME.test(host);
}
