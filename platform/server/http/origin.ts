import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Host and Origin rules (reliability.md section 3): against DNS rebinding and against other sites' pages. */
export interface OriginRules {
  /** Whether this server answers under the name asked for. */
  readonly isAllowedHost: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** The name and the `Origin` of a call or a socket's handshake; agents send no Origin. Answers from what is known of the owner so far. */
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  /** Whether a call comes from another site's page, and not by opening its address. */
  readonly isCrossSite: (headers: IncomingHttpHeaders) => boolean;
}

const withoutPort = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

/** Names that no stranger's DNS can point here: IP literals, `localhost`, single labels, `.local`. */
export const isLocalName = (host: string): boolean => {
  const name = withoutPort(host);
  if (name.startsWith('[')) return ipaddr.IPv6.isValid(name.slice(1, -1));
  if (ipaddr.IPv4.isValidFourPartDecimal(name)) return true;
  return /^[a-z0-9_-]+$/.test(name) || /^[a-z0-9_.-]+\.(local|localhost)$/.test(name);
};

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

export const createOriginRules = async (options: {
  readonly publicOrigins: readonly string[];
  readonly hasOwner: () => Promise<boolean>;
  /** Port under which this server serves https itself: under the names of `publicOrigins` too. */
  readonly httpsPort?: (() => number | undefined) | undefined;
}): Promise<OriginRules> => {
  const publicHosts = new Set(options.publicOrigins.map((origin) => new URL(origin).host));
  const publicOrigins = new Set(options.publicOrigins.map((origin) => new URL(origin).origin));
  let isOwned = await options.hasOwner();

  const publicNames = options.publicOrigins.map((origin) => new URL(origin).hostname);
  /** Origins of the own https listener under public names: its port may not be known before it listens. */
  const isOwnHttps = (host: string): boolean => {
    const port = options.httpsPort?.();
    if (port === undefined) return false;
    return publicNames.some((name) => new URL(`https://${name}:${port}`).host === host);
  };

  const isKnownHost = (host: string): boolean =>
    publicHosts.size > 0
      ? publicHosts.has(host.toLowerCase()) || isOwnHttps(host.toLowerCase())
      : isOwned || isLocalName(host);

  return {
    isAllowedHost: async ({ host = '' }) => {
      // Asked again each time: the owner's account may be deleted, and the next stranger must not find the server open.
      if (publicHosts.size === 0 && !isLocalName(host)) isOwned = await options.hasOwner();
      return isKnownHost(host);
    },
    isAllowedOrigin: ({ host = '', origin }) => {
      if (!isKnownHost(host)) return false;
      return origin === undefined || hostOf(origin) === host.toLowerCase() || publicOrigins.has(origin);
    },
    isCrossSite: (headers) =>
      headers['sec-fetch-site'] === 'cross-site' &&
      !(headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'),
  };
};
