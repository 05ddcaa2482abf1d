import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { deviceChanged } from '#platform/contract/device.ts';
import { useBrowserStorage } from '../browser/browserStorage.ts';
import { realtime } from './socket.ts';

/** The dot beside a state's word: green, hollow, or orange for anything in progress. */
export function getStateDot(state: string): string {
  if (state === 'Connected') return 'var(--green)';
  return state === 'Disconnected' ? 'hollow' : 'var(--orange)';
}

export interface Computer {
  /** Target id of the wire. */
  readonly id: string;
  readonly name: string;
  /** Connected, Disconnected; any other is in progress. */
  readonly state: string;
}

/** What `checkdevices` answers, as far as it counts here. */
interface DeviceList {
  readonly status: readonly (readonly [id: string, name: string, state: string])[];
  readonly kinds: Readonly<Record<string, string>>;
}

const DEVICES_QUERY_KEY = ['checkdevices'] as const;

/** The account's computers with their live state; browsers take messages only and are left out. `ask` is the call of the devices tool. */
export function useAccountComputers(ask: () => Promise<DeviceList>) {
  const queries = useQueryClient();
  const { data, error, isPending } = useQuery({ queryKey: DEVICES_QUERY_KEY, queryFn: ask });
  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: DEVICES_QUERY_KEY });
    // Also when the line goes down: where that is because the session has ended, the answer says so.
    const stops = [realtime.on(deviceChanged, again), realtime.onConnectionStateChange(again)];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
  const computers: readonly Computer[] | undefined = data?.status
    .filter(([id]) => data.kinds[id] !== 'browser')
    .map(([id, name, state]) => ({ id, name, state }));
  return { computers, error, isPending };
}

/**
 * The chosen computer, the same on every page: the one chosen last on this browser, or the only one connected; a Disconnected one is
 * never chosen by itself, but stays chosen when it goes away.
 */
export function useSelectedComputer(computers: readonly Computer[] | undefined) {
  const [picked, setPicked] = useState<string>();
  const [remembered, remember] = useBrowserStorage('dashboard.device');
  const reachable = computers?.filter(({ state }) => state !== 'Disconnected') ?? [];
  const chosen =
    (picked === undefined ? undefined : computers?.find(({ id }) => id === picked)) ??
    reachable.find(({ id }) => id === remembered) ??
    (reachable.length === 1 ? reachable[0] : undefined);
  const id = chosen?.id;
  // What was chosen by itself stays chosen from then on.
  if (id !== undefined && id !== picked) setPicked(id);
  const choose = (target: string) => {
    remember(target);
    setPicked(target);
  };
  return { chosen, choose };
}
