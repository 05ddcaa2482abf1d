import type { DeviceDetails } from '../contract.ts';

type DeviceSummary = Pick<DeviceDetails, 'id' | 'kind'>;

/** The computer that was paired last since the devices were listed first, on this page or elsewhere. */
export function findNewComputer<Device extends DeviceSummary>(
  first: readonly DeviceSummary[] | undefined,
  now: readonly Device[] | undefined,
): Device | undefined {
  if (!first) return undefined;
  return now
    ?.filter(({ id, kind }) => kind === 'computer' && !first.some((before) => before.id === id))
    .toSorted((one, other) => other.id - one.id)[0];
}
