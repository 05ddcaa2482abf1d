import {
  IconDeviceDesktop,
  IconDeviceLaptop,
  IconDeviceMobile,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { Icon } from '#platform/web/tool.ts';
import { checkaccounts } from '#tools/accounts/contract.ts';
import type { RailRow } from './DeviceRail.tsx';
import { useMarks } from './readMarks.ts';
import { shownText } from './thread.ts';
import type { MessageDevice } from './useDevices.ts';
import { useOverview, type Overview } from './useOverview.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';
import { useVisitors } from './useVisitors.ts';

/** The rail's entry of what visitors wrote. */
export const VISITORS = 'visitors';

const iconOf = ({ name, isBrowser }: MessageDevice): Icon => {
  if (isBrowser) return /Android|iOS|phone/i.test(name) ? IconDeviceMobile : IconWorld;
  return /laptop|book/i.test(name) ? IconDeviceLaptop : IconDeviceDesktop;
};

const lastOf = (overview: Overview): NonNullable<RailRow['last']> => ({
  text: shownText({ inputtype: overview.details.inputtype, text: overview.text }),
  when: getReceivedMs(overview.details),
});

/** Visitors' entry, for the owner alone. */
const useVisitorsRow = (): RailRow | undefined => {
  const { data } = useQuery({ queryKey: ['checkaccounts'], queryFn: () => call(checkaccounts, {}) });
  const isOwner = data?.isOwner === true;
  const { visitors } = useVisitors(isOwner);
  const read = useMarks()[VISITORS] ?? 0;
  if (!isOwner || visitors === undefined) return undefined;
  const last = visitors.at(-1);
  return {
    id: VISITORS,
    name: 'Visitors',
    icon: IconUsers,
    state: undefined,
    last: last && { text: last.text, when: Date.parse(last.received) },
    unread: visitors.filter(({ id }) => id > read).length,
  };
};

interface RailOptions {
  readonly own: OwnBrowser | undefined;
  readonly isKnown: boolean;
  readonly devices: readonly MessageDevice[];
  readonly isBrowser: (device: string) => boolean;
  /** The account's name. */
  readonly person: string;
}

/** The rail's rows: visitors (the owner's), then the devices but this browser itself. */
export const useRail = ({ own, isKnown, devices, isBrowser, person }: RailOptions) => {
  const overview = useOverview({ own, isKnown, isBrowser });
  const visitors = useVisitorsRow();
  const rowOf = (device: MessageDevice): RailRow => {
    const known = overview.get(device.id);
    return {
      id: device.id,
      name: device.name,
      icon: iconOf(device),
      state: device.state,
      last: known && lastOf(known),
      unread: known?.unread ?? 0,
    };
  };
  const rows = devices.filter(({ id }) => id !== own?.id).map(rowOf);
  const isOther = ({ id, state, last }: RailRow): boolean =>
    state === 'Disconnected' && last === undefined && devices.some((device) => device.id === id && device.isBrowser);
  // What programs sent here with the account's token: no device wrote it, so it stands under the account.
  const toSelf = own && overview.get(own.id);
  const account: RailRow | undefined = toSelf && {
    id: toSelf.target,
    name: person,
    icon: IconUserCircle,
    state: undefined,
    last: lastOf(toSelf),
    unread: toSelf.unread,
  };
  return {
    rows: [visitors, ...rows.filter((row) => !isOther(row)), account].filter((row) => row !== undefined),
    others: rows.filter(isOther),
  };
};
