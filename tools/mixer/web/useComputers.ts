import { call } from '#platform/web/app/call.ts';
import { useAccountComputers } from '#platform/web/app/computers.ts';
import { checkdevices } from '#tools/devices/contract.ts';

/** The account's computers with their live state. */
export const useComputers = () => useAccountComputers(() => call(checkdevices, {}));
