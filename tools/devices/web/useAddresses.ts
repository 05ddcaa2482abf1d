import { useQuery } from '@tanstack/react-query';
import { isLoopbackHost } from '#platform/contract/privateAddress.ts';
import { type OwnHttps, serverinfo } from '#platform/contract/session.ts';
import { call } from '#platform/web/app/call.ts';

const isLoopback = (origin: string): boolean => isLoopbackHost(new URL(origin).hostname);

/** Whether this page came over the server's own https, which a program or phone takes only once it trusts it. */
const isOwnHttps = (https: OwnHttps | undefined): boolean =>
  window.location.protocol === 'https:' && https?.port === Number(window.location.port || 443);

/**
 * The origin under which other devices find this server: this page's own, or, where that is this computer's name for itself or
 * the server's own https, the best one that the server knows. `isLocalOnly` where there is none but loopback.
 */
export const useAddresses = (): { readonly origin: string; readonly isLocalOnly: boolean } => {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const own = window.location.origin;
  if (!isLoopback(own) && !isOwnHttps(data?.https)) return { origin: own, isLocalOnly: false };
  const known = (data?.addresses ?? [])
    .map((address) => address.replace(/\/$/, ''))
    .filter((address) => !isLoopback(address));
  const best = known.find((address) => new URL(address).hostname === window.location.hostname) ?? known[0];
  return { origin: best ?? own, isLocalOnly: best === undefined };
};
