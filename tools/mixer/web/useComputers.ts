import { call } from '#platform/web/call.ts';
import { useComputersOf } from '#platform/web/devices/computers.ts';
import { checkdevices } from '#tools/devices/contract.ts';

/** The account's computers with their live state. */
export const useComputers = () => useComputersOf(() => call(checkdevices, {}));
