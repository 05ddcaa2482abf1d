import type { DeviceDetails } from '../contract.ts';

type DeviceSummary = Pick<DeviceDetails, 'id' | 'kind'>;

/** Returns the last computer that was paired since `first` was listed, on this page or elsewhere. */
export function findNewComputer<Device extends DeviceSummary>(
  first: readonly DeviceSummary[] | undefined,
  current: readonly Device[] | undefined,
): Device | undefined {
  if (!first) return undefined;
  return current
    ?.filter(({ id, kind }) => kind === 'computer' && !first.some((device) => device.id === id))
    .toSorted((a, b) => b.id - a.id)[0];
}
