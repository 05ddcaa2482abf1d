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

/** Whether this page came over the server's own https, which a program or phone takes only once it trusts it. */
const isOwnHttps = (https: OwnHttps | undefined): boolean =>
  window.location.protocol === 'https:' && https?.port === Number(window.location.port || 443);

/**
 * The origin under which other devices find this server: this page's own, or, where that is this computer's name for itself or
 * the server's own https, the best one that the server knows. `isLocalOnly` where there is none but loopback.
 */
export function useAddresses(): { readonly origin: string; readonly isLocalOnly: boolean } {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const own = window.location.origin;
  if (!isLoopback(own) && !isOwnHttps(data?.https)) return { origin: own, isLocalOnly: false };
  const known = (data?.addresses ?? [])
    .map((address) => address.replace(/\/$/, ''))
    .filter((address) => !isLoopback(address));
  const best = known.find((address) => new URL(address).hostname === window.location.hostname) ?? known[0];
  return { origin: best ?? own, isLocalOnly: best === undefined };
}

const DETAILS = ['devicedetails'] as const;

/** The account's devices as they are now, and what may be done with them. */
export function useDevices() {
  const queries = useQueryClient();
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: DETAILS,
    queryFn: async () => (await call(devicedetails, {})).devices,
  });
  useEffect(() => {
    const again = () => {
      void queries.invalidateQueries({ queryKey: DETAILS });
      void queries.invalidateQueries({ queryKey: ['checkdevices'] });
    };
    // Also when the line goes down: where that is because the session has ended, the answer says so.
    const stops = [realtime.on(deviceChanged, again), realtime.onConnectionStateChange(again)];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: DETAILS }),
      queries.invalidateQueries({ queryKey: ['checkdevices'] }),
    ]);
  const rename = useMutation({
    mutationFn: (wish: { readonly id: number; readonly name: string }) => call(renamedevice, wish),
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
