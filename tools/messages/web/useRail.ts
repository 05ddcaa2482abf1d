import {
  IconDeviceDesktop,
  IconDeviceLaptop,
  IconDeviceMobile,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { Icon } from '#platform/web/tool.ts';
import { checkaccounts } from '#tools/accounts/contract.ts';
import { conversations, messageArrived, messagesDeleted } from '../contract.ts';
import { conversationOf } from '../domain/message.ts';
import type { RailRow } from './DeviceRail.tsx';
import { useMarks, marks } from './readMarks.ts';
import { shownText } from './thread.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';
import { useVisitors } from './useVisitors.ts';

export type Overview = AnswerOf<typeof conversations>['conversations'][number];

const keyOf = (own: OwnBrowser | undefined) => ['conversations', own?.id] as const;

/** With a message that has just come; `isNews` where the other end wrote it. */
const withArrived = (
  known: readonly Overview[],
  target: string,
  { text, sentby, details }: EventDataOf<typeof messageArrived>,
  isNews: boolean,
): readonly Overview[] => {
  const before = known.find((each) => each.target === target);
  // It came while the list was on its way.
  if (before && before.details.id >= details.id) return known;
  // What was read here since the server was asked does not count.
  const rest = before && before.details.id > marks.of(target) ? before.unread : 0;
  const unread = rest + (isNews ? 1 : 0);
  return [...known.filter((each) => each !== before), { target, text, sentby, details, unread }];
};

interface OverviewOptions {
  readonly own: OwnBrowser | undefined;
  readonly isKnown: boolean;
  readonly isBrowser: (device: string) => boolean;
}

/** What was said last in each conversation, and what is unread here; by target. */
export function useOverview({ own, isKnown, isBrowser }: OverviewOptions): ReadonlyMap<string, Overview> {
  const queries = useQueryClient();
  const read = useMarks();
  const { data } = useQuery({
    queryKey: keyOf(own),
    enabled: isKnown,
    queryFn: async (): Promise<readonly Overview[]> => {
      const from = own === undefined ? {} : { from: own.id };
      const answer = await call(conversations, { read: marks.all(), ...from });
      marks.begin(Object.fromEntries(answer.conversations.map(({ target, details }) => [target, details.id])));
      return answer.conversations;
    },
  });
  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: ['conversations'] });
    const stops = [
      realtime.on(messageArrived, (arrived) => {
        const device = conversationOf({ device: arrived.target, from: arrived.details.from }, own?.id, isBrowser);
        // A list that is being asked for may be older than this: it is asked for again.
        if (queries.isFetching({ queryKey: ['conversations'] }) > 0) again();
        if (device === undefined) return;
        const isNews = arrived.details.from !== own?.id && (isBrowser(device) || arrived.details.from === device);
        queries.setQueryData<readonly Overview[]>(
          keyOf(own),
          (known) => known && withArrived(known, device, arrived, isNews),
        );
      }),
      realtime.on(messagesDeleted, again),
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, own, isBrowser]);
  return new Map(
    (data ?? []).map((each) => [
      each.target,
      // Read here since the server was asked.
      each.details.id <= (read[each.target] ?? 0) ? { ...each, unread: 0 } : each,
    ]),
  );
}

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
export function useRail({ own, isKnown, devices, isBrowser, person }: RailOptions) {
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
}
