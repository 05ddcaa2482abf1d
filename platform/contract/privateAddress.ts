// Decides which servers the agent may use over plain HTTP. The page with the agent's command applies the same rule.

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

/**
 * Canonicalizes an IPv6 address as browsers do: lower case, longest run of zeros as `::`, embedded IPv4 as two numbers.
 */
function canonicalizeIpv6(text: string): string | undefined {
  const url = `http://[${text.replace(/%.*$/, '')}]`;
  return text.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
}

/** Parses an IPv4 address, or the one that a canonical IPv6 address embeds. */
function parseAnyIpv4(address: string): readonly number[] | undefined {
  const embedded = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address);
  if (!embedded) return parseIpv4(address);
  const [high = 0, low = 0] = embedded.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255];
}

function isPrivateIpv6(canonicalAddress: string): boolean {
  const firstGroup = Number.parseInt(canonicalAddress, 16);
  return canonicalAddress === '::1' || (firstGroup & 0xfe_00) === 0xfc_00 || (firstGroup & 0xff_c0) === 0xfe_80;
}

/** Returns whether an IP address without brackets belongs to a private network or to this computer. */
export function isPrivateAddress(address: string): boolean {
  const ipv6 = canonicalizeIpv6(address);
  const ipv4 = parseAnyIpv4(ipv6 ?? address);
  if (ipv4) return isPrivateIpv4(ipv4);
  return ipv6 !== undefined && isPrivateIpv6(ipv6);
}

/** Removes the brackets of an IPv6 address in the host of a URL. */
export function removeBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Removes the final dot of a complete name: `nas.local.` becomes `nas.local`. */
function removeRootDot(hostname: string): string {
  return removeBrackets(hostname).replace(/\.$/, '');
}

/** Returns whether the host of a URL means this computer. */
export function isLoopbackHost(hostname: string): boolean {
  const host = removeRootDot(hostname);
  const address = canonicalizeIpv6(host) ?? host;
  return /^(.+\.)?localhost$/i.test(host) || address === '::1' || parseAnyIpv4(address)?.[0] === 127;
}

/** Names of local networks: RFC 6762, RFC 8375, the reserved `internal`, and common ones. */
const LOCAL_NAME = /^[^.]+$|\.(local|localdomain|localhost|lan|home|home\.arpa|internal|intranet|fritz\.box)$/i;

/**
 * Returns whether the agent accepts plain HTTP for the host of a URL. Names are not resolved here: a name is private if
 * it can only belong to a local network. The agent also resolves it.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = removeRootDot(hostname);
  const isAddress = parseIpv4(host) !== undefined || host.includes(':');
  return isAddress ? isPrivateAddress(host) : LOCAL_NAME.test(host);
}
