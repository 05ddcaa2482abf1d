import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import type { OwnHttps } from '#platform/contract/session.ts';
import { accountClient } from '../app/account.ts';

/** Whether the browser gives this page what it keeps for secure ones (https, or the computer's own loopback): sensors, clipboard, wake lock, `crypto.subtle`. */
export function isSecureContext(): boolean {
  return window.isSecureContext;
}

/** The server's own https. `undefined` until it is known, null where it is off. */
export function useOwnHttps(): OwnHttps | null | undefined {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  return data === undefined ? undefined : (data.https ?? null);
}

/** The origin `https://host:port`, without the port where it is the usual one. */
export function formatSecureOrigin(host: string, port: number): string {
  return `https://${host}${port === 443 ? '' : `:${port}`}`;
}

/** This very page's address over https, where this server serves it itself under a name that its certificate stands for. */
export function useSecureAddress(): string | undefined {
  const https = useOwnHttps();
  const { pathname, search, hash } = useLocation();
  const host = window.location.hostname;
  return https?.hosts.includes(host) ? `${formatSecureOrigin(host, https.port)}${pathname}${search}${hash}` : undefined;
}

/** The origin that programs on other machines are given: over https, where this server serves it under the name of the page. */
export function useExternalOrigin(): string {
  const https = useOwnHttps();
  const { protocol, origin, hostname } = window.location;
  return protocol !== 'https:' && https?.hosts.includes(hostname) ? formatSecureOrigin(hostname, https.port) : origin;
}
