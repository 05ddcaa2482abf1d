import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import type { OwnHttps } from '#platform/contract/session.ts';
import { accountClient } from '../app/accountClient.ts';
import { basePath, getSiteAddress } from './siteAddress.ts';

/** Returns whether the page may use sensors, clipboard, wake lock and `crypto.subtle` (HTTPS or loopback). */
export function isSecureContext(): boolean {
  return window.isSecureContext;
}

/** Returns the HTTPS listener of the server. `undefined` until it is known, null if it is off. */
export function useOwnHttps(): OwnHttps | null | undefined {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  return data === undefined ? undefined : (data.https ?? null);
}

/** Formats the address of this site at `https://host:port`, without the default port. */
export function formatSecureAddress(host: string, port: number): string {
  return `https://${host}${port === 443 ? '' : `:${port}`}${basePath}`;
}

/** Returns the HTTPS address of this page, if the server has a certificate for the current host. */
export function useSecureAddress(): string | undefined {
  const https = useOwnHttps();
  const { pathname, search, hash } = useLocation();
  const host = window.location.hostname;
  return https?.hosts.includes(host)
    ? `${formatSecureAddress(host, https.port)}${pathname}${search}${hash}`
    : undefined;
}

/** Returns the address for programs on other computers: HTTPS if the server has a certificate for the current host. */
export function useExternalAddress(): string {
  const https = useOwnHttps();
  const { protocol, hostname } = window.location;
  return protocol !== 'https:' && https?.hosts.includes(hostname)
    ? formatSecureAddress(hostname, https.port)
    : getSiteAddress();
}
