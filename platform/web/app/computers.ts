import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deviceChanged } from '#platform/contract/device.ts';
import { useBrowserStorage } from '../browser/browserStorage.ts';
import { useConnectionStateChange, useRealtimeEvent } from './useRealtimeEvent.ts';

/** Colour of the dot beside a state: green, hollow, or orange for anything in progress. */
export function getStateDot(state: string): string {
  if (state === 'Connected') return 'var(--green)';
  return state === 'Disconnected' ? 'hollow' : 'var(--orange)';
}

export interface Computer {
  /** Target id on the wire. */
  readonly id: string;
  readonly name: string;
  /** Connected or Disconnected; any other state is in progress. */
  readonly state: string;
}

/** The parts of the answer of `checkdevices` that are used here. */
interface DeviceList {
  readonly status: readonly (readonly [id: string, name: string, state: string])[];
  readonly kinds: Readonly<Record<string, string>>;
}

const DEVICES_QUERY_KEY = ['checkdevices'] as const;

/**
 * Returns the account's computers with their live state, without browsers. `fetchDevices` is a call of the devices
 * tool.
 */
export function useAccountComputers(fetchDevices: () => Promise<DeviceList>) {
  const queryClient = useQueryClient();
  const { data, error, isPending } = useQuery({ queryKey: DEVICES_QUERY_KEY, queryFn: fetchDevices });
  const refetch = () => void queryClient.invalidateQueries({ queryKey: DEVICES_QUERY_KEY });
  useRealtimeEvent(deviceChanged, refetch);
  // Also refetch when the connection is lost: if the session ended, the answer says so.
  useConnectionStateChange(refetch);
  const computers: readonly Computer[] | undefined = data?.status
    .filter(([id]) => data.kinds[id] !== 'browser')
    .map(([id, name, state]) => ({ id, name, state }));
  return { computers, error, isPending };
}

/**
 * Returns the selected computer, which is the same on every page: the last selection in this browser, or the only
 * connected computer. A Disconnected one is never selected automatically, but stays selected.
 */
export function useSelectedComputer(computers: readonly Computer[] | undefined) {
  const [selectedId, setSelectedId] = useState<string>();
  const [storedId, storeId] = useBrowserStorage('dashboard.device');
  const connected = computers?.filter(({ state }) => state !== 'Disconnected') ?? [];
  const selectedComputer =
    (selectedId === undefined ? undefined : computers?.find(({ id }) => id === selectedId)) ??
    connected.find(({ id }) => id === storedId) ??
    (connected.length === 1 ? connected[0] : undefined);
  const id = selectedComputer?.id;
  // An automatic selection stays even if other computers connect later.
  if (id !== undefined && id !== selectedId) setSelectedId(id);
  function selectComputer(computerId: string) {
    storeId(computerId);
    setSelectedId(computerId);
  }
  return { selectedComputer, selectComputer };
}
