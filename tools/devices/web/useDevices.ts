import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deviceChanged } from '#platform/contract/device.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { devicedetails, renamedevice, revokedevice } from '../contract.ts';

const DETAILS = ['devicedetails'] as const;

/** The account's devices as they are now, and what may be done with them. */
export const useDevices = () => {
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
};
