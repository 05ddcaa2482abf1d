import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deviceChanged } from '#platform/contract/device.ts';
import { isLoopbackHost } from '#platform/contract/privateAddress.ts';
import { type OwnHttps, serverinfo } from '#platform/contract/session.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { devicedetails, renamedevice, revokedevice } from '../contract.ts';

const isLoopback = (origin: string): boolean => isLoopbackHost(new URL(origin).hostname);

/** Returns whether this page uses the server's own HTTPS, which other programs and phones may not trust yet. */
const isOwnHttps = (https: OwnHttps | undefined): boolean =>
  window.location.protocol === 'https:' && https?.port === Number(window.location.port || 443);

/**
 * Returns the origin for other devices: the origin of this page, or the best address of the server if the page uses a
 * loopback name or the server's own HTTPS. `isLocalOnly` is set if there are only loopback addresses.
 */
export function useAddresses(): { readonly origin: string; readonly isLocalOnly: boolean } {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const pageOrigin = window.location.origin;
  if (!isLoopback(pageOrigin) && !isOwnHttps(data?.https)) return { origin: pageOrigin, isLocalOnly: false };
  const addresses = (data?.addresses ?? [])
    .map((address) => address.replace(/\/$/, ''))
    .filter((address) => !isLoopback(address));
  const best = addresses.find((address) => new URL(address).hostname === window.location.hostname) ?? addresses[0];
  return { origin: best ?? pageOrigin, isLocalOnly: best === undefined };
}

const DETAILS = ['devicedetails'] as const;

/** Loads the devices of the account, keeps them up to date, and renames or revokes them. */
export function useDevices() {
  const queries = useQueryClient();
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: DETAILS,
    queryFn: async () => (await call(devicedetails, {})).devices,
  });
  useEffect(() => {
    const refetchDevices = () => {
      void queries.invalidateQueries({ queryKey: DETAILS });
      void queries.invalidateQueries({ queryKey: ['checkdevices'] });
    };
    // Also refetch when the connection is lost: if the session ended, the answer says so.
    const stops = [realtime.on(deviceChanged, refetchDevices), realtime.onConnectionStateChange(refetchDevices)];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: DETAILS }),
      queries.invalidateQueries({ queryKey: ['checkdevices'] }),
    ]);
  const rename = useMutation({
    mutationFn: (request: { readonly id: number; readonly name: string }) => call(renamedevice, request),
    onError: showError,
    onSettled: changed,
  });
  const revoke = useMutation({
    mutationFn: async (ids: readonly number[]) => {
      for (const id of ids) await call(revokedevice, { id });
    },
    onError: showError,
    onSettled: changed,
  });
  return { devices: data, error, isPending, isFetching, refetch, rename, revoke, changed };
}
