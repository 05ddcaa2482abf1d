import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deviceChanged } from '#platform/contract/device.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { checkdevices } from '#tools/devices/contract.ts';

export interface MessageDevice {
  /** Target id of the wire. */
  readonly id: string;
  readonly name: string;
  /** Connected, Disconnected; any other is in progress. */
  readonly state: string;
  readonly isBrowser: boolean;
}

const DEVICES = ['checkdevices'] as const;

/** All of the account's devices with their live state: computers first, then browsers. */
export function useDevices() {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: DEVICES, queryFn: () => call(checkdevices, {}) });
  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: DEVICES });
    // Also when the line goes down: where that is because the session has ended, the answer says so.
    const stops = [realtime.on(deviceChanged, again), realtime.onConnectionStateChange(again)];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
  const devices = data?.status
    .map(([id, name, state]): MessageDevice => ({ id, name, state, isBrowser: data.kinds[id] === 'browser' }))
    .toSorted((one, other) => Number(one.isBrowser) - Number(other.isBrowser));
  return { devices, error, refetch };
}
