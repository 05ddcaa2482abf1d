import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { deviceChanged } from '#platform/contract/device.ts';
import { isLoopbackHost } from '#platform/contract/privateAddress.ts';
import { type OwnHttps, serverinfo } from '#platform/contract/session.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { getSiteAddress } from '#platform/web/browser/siteAddress.ts';
import { devicedetails, renamedevice, revokedevice } from '../contract.ts';

const isLoopback = (origin: string): boolean => isLoopbackHost(new URL(origin).hostname);

/** Returns whether this page uses the server's own HTTPS, which phones and other programs may not trust yet. */
const isOwnHttps = (https: OwnHttps | undefined): boolean =>
  window.location.protocol === 'https:' && https?.port === Number(window.location.port || 443);

/**
 * Returns the address of this site for other devices: that of this page, or the best address of the server if this
 * page uses a loopback name or the server's own HTTPS. `isLocalOnly` is true if the server has only loopback addresses.
 */
export function useAddresses(): { readonly siteAddress: string; readonly isLocalOnly: boolean } {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const pageAddress = getSiteAddress();
  if (!isLoopback(pageAddress) && !isOwnHttps(data?.https)) return { siteAddress: pageAddress, isLocalOnly: false };
  const addresses = (data?.addresses ?? [])
    .map((address) => address.replace(/\/$/, ''))
    .filter((address) => !isLoopback(address));
  const bestAddress =
    addresses.find((address) => new URL(address).hostname === window.location.hostname) ?? addresses[0];
  return { siteAddress: bestAddress ?? pageAddress, isLocalOnly: bestAddress === undefined };
}

const DETAILS_QUERY_KEY = ['devicedetails'] as const;

/** Loads the devices of the account, keeps them up to date, and renames or revokes them. */
export function useDevices() {
  const queryClient = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: DETAILS_QUERY_KEY,
    queryFn: async () => (await call(devicedetails, {})).devices,
  });
  const reload = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: DETAILS_QUERY_KEY }),
      queryClient.invalidateQueries({ queryKey: ['checkdevices'] }),
    ]);
  useRealtimeEvent(deviceChanged, () => void reload());
  // Also reloads when the connection is lost, to notice the end of the session.
  useConnectionStateChange(() => void reload());
  const rename = useMutation({
    mutationFn: (request: { readonly id: number; readonly name: string }) => call(renamedevice, request),
    onError: showError,
    onSettled: reload,
  });
  const revoke = useMutation({
    mutationFn: async (ids: readonly number[]) => {
      for (const id of ids) await call(revokedevice, { id });
    },
    onError: showError,
    onSettled: reload,
  });
  return { devices: data, error, isFetching, refetch, rename, revoke, reload };
}
