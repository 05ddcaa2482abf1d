import { useQuery, useQueryClient } from '@tanstack/react-query';
import { deviceChanged } from '#platform/contract/device.ts';
import { call } from '#platform/web/app/call.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { checkdevices } from '#tools/devices/contract.ts';

export interface MessageDevice {
  /** Target id of the wire. */
  readonly id: string;
  readonly name: string;
  /** Connected, Disconnected, or something in between. */
  readonly state: string;
  readonly isBrowser: boolean;
}

const DEVICES_QUERY_KEY = ['checkdevices'] as const;

/** All devices of the account with their live state: computers first, then browsers. */
export function useDevices() {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: DEVICES_QUERY_KEY, queryFn: () => call(checkdevices, {}) });
  const reload = () => void queryClient.invalidateQueries({ queryKey: DEVICES_QUERY_KEY });
  useRealtimeEvent(deviceChanged, reload);
  // Also reloads when the connection is lost: if the session has ended, the answer reveals it.
  useConnectionStateChange(reload);
  const devices = data?.status
    .map(([id, name, state]): MessageDevice => ({ id, name, state, isBrowser: data.kinds[id] === 'browser' }))
    .toSorted((a, b) => Number(a.isBrowser) - Number(b.isBrowser));
  return { devices, error, refetch };
}
