import { useQuery } from '@tanstack/react-query';
import { serverinfo } from '#platform/contract/session.ts';
import { call } from '#platform/web/call.ts';

const isLoopback = (origin: string): boolean =>
  /^(localhost|127\.|\[::1\])/.test(new URL(origin).hostname.replace(/^::1$/, '[::1]'));

/**
 * The origin under which other devices find this server: this page's own, or, where that is this computer's name for itself,
 * the best one that the server knows. `isLocalOnly` where there is none but loopback.
 */
export const useAddresses = (): { readonly origin: string; readonly isLocalOnly: boolean } => {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const own = window.location.origin;
  if (!isLoopback(own)) return { origin: own, isLocalOnly: false };
  const known = data?.addresses.map((address) => address.replace(/\/$/, '')).find((address) => !isLoopback(address));
  return { origin: known ?? own, isLocalOnly: known === undefined };
};
