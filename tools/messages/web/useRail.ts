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
import { getConversation } from '../domain/message.ts';
import type { RailRow } from './DeviceRail.tsx';
import { useMarks, marks } from './readMarks.ts';
import { getDisplayText } from './thread.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';
import { useVisitors } from './useVisitors.ts';

export type Overview = AnswerOf<typeof conversations>['conversations'][number];

const getQueryKey = (own: OwnBrowser | undefined) => ['conversations', own?.id] as const;

/** Adds a message that has arrived; `isNews` if the other side wrote it. */
const addArrived = (
  known: readonly Overview[],
  target: string,
  { text, sentby, details }: EventDataOf<typeof messageArrived>,
  isNews: boolean,
): readonly Overview[] => {
  const previous = known.find((each) => each.target === target);
  // The message arrived while the list was being loaded.
  if (previous && previous.details.id >= details.id) return known;
  // Messages that were read here since the request do not count.
  const rest = previous && previous.details.id > marks.get(target) ? previous.unread : 0;
  const unread = rest + (isNews ? 1 : 0);
  return [...known.filter((each) => each !== previous), { target, text, sentby, details, unread }];
};

interface OverviewOptions {
  readonly own: OwnBrowser | undefined;
  readonly isKnown: boolean;
  readonly isBrowser: (device: string) => boolean;
}

/** Returns the last message of each conversation, and the unread count of this browser, by target. */
export function useOverview({ own, isKnown, isBrowser }: OverviewOptions): ReadonlyMap<string, Overview> {
  const queries = useQueryClient();
  const read = useMarks();
  const { data } = useQuery({
    queryKey: getQueryKey(own),
    enabled: isKnown,
    queryFn: async (): Promise<readonly Overview[]> => {
      const from = own === undefined ? {} : { from: own.id };
      const answer = await call(conversations, { read: marks.getAll(), ...from });
      marks.begin(Object.fromEntries(answer.conversations.map(({ target, details }) => [target, details.id])));
      return answer.conversations;
    },
  });
  useEffect(() => {
    const reload = () => void queries.invalidateQueries({ queryKey: ['conversations'] });
    const stops = [
      realtime.on(messageArrived, (arrived) => {
        const device = getConversation({ device: arrived.target, from: arrived.details.from }, own?.id, isBrowser);
        // A pending list may be older than this message, so it is requested again.
        if (queries.isFetching({ queryKey: ['conversations'] }) > 0) reload();
        if (device === undefined) return;
        const isNews = arrived.details.from !== own?.id && (isBrowser(device) || arrived.details.from === device);
        queries.setQueryData<readonly Overview[]>(
          getQueryKey(own),
          (known) => known && addArrived(known, device, arrived, isNews),
        );
      }),
      realtime.on(messagesDeleted, reload),
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') reload();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, own, isBrowser]);
  return new Map(
    (data ?? []).map((each) => [
      each.target,
      // The message was read here since the request.
      each.details.id <= (read[each.target] ?? 0) ? { ...each, unread: 0 } : each,
    ]),
  );
}

/** Id of the rail's entry for visitors' messages. */
export const VISITORS = 'visitors';

const getIcon = ({ name, isBrowser }: MessageDevice): Icon => {
  if (isBrowser) return /Android|iOS|phone/i.test(name) ? IconDeviceMobile : IconWorld;
  return /laptop|book/i.test(name) ? IconDeviceLaptop : IconDeviceDesktop;
};

const toLastMessage = (overview: Overview): NonNullable<RailRow['last']> => ({
  text: getDisplayText({ inputtype: overview.details.inputtype, text: overview.text }),
  when: getReceivedMs(overview.details),
});

/** The entry for visitors' messages; only for the owner. */
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

/** Returns the rows of the rail: visitors (for the owner), then all devices except this browser. */
export function useRail({ own, isKnown, devices, isBrowser, person }: RailOptions) {
  const overview = useOverview({ own, isKnown, isBrowser });
  const visitors = useVisitorsRow();
  const toRow = (device: MessageDevice): RailRow => {
    const conversation = overview.get(device.id);
    return {
      id: device.id,
      name: device.name,
      icon: getIcon(device),
      state: device.state,
      last: conversation && toLastMessage(conversation),
      unread: conversation?.unread ?? 0,
    };
  };
  const rows = devices.filter(({ id }) => id !== own?.id).map(toRow);
  const isOther = ({ id, state, last }: RailRow): boolean =>
    state === 'Disconnected' && last === undefined && devices.some((device) => device.id === id && device.isBrowser);
  // Messages of programs with the account's token have no device, so they appear under the account.
  const ownOverview = own && overview.get(own.id);
  const account: RailRow | undefined = ownOverview && {
    id: ownOverview.target,
    name: person,
    icon: IconUserCircle,
    state: undefined,
    last: toLastMessage(ownOverview),
    unread: ownOverview.unread,
  };
  return {
    rows: [visitors, ...rows.filter((row) => !isOther(row)), account].filter((row) => row !== undefined),
    others: rows.filter(isOther),
  };
}
