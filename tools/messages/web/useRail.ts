import {
  IconDeviceDesktop,
  IconDeviceLaptop,
  IconDeviceMobile,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { call } from '#platform/web/app/call.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { Icon } from '#platform/web/tool.ts';
import { checkaccounts } from '#tools/accounts/contract.ts';
import { conversations, messageArrived, messagesDeleted } from '../contract.ts';
import { getConversation } from '../domain/message.ts';
import { getDisplayText } from './conversation.ts';
import type { RailRow } from './DeviceRail.tsx';
import { useReadMarks, readMarks } from './readMarks.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';
import { useVisitorMessages } from './useVisitorMessages.ts';

export type ConversationSummary = AnswerOf<typeof conversations>['conversations'][number];

const getQueryKey = (ownBrowser: OwnBrowser | undefined) => ['conversations', ownBrowser?.id] as const;

/** Adds a message that has arrived. */
function addMessage(
  summaries: readonly ConversationSummary[],
  target: string,
  { text, sentby, details }: EventDataOf<typeof messageArrived>,
  isUnread: boolean,
): readonly ConversationSummary[] {
  const previous = summaries.find((summary) => summary.target === target);
  // The list may already contain the message.
  if (previous && previous.details.id >= details.id) return summaries;
  // The other messages may have been read here since the request.
  const previousUnread = previous && previous.details.id > readMarks.get(target) ? previous.unread : 0;
  const unread = previousUnread + (isUnread ? 1 : 0);
  return [...summaries.filter((summary) => summary !== previous), { target, text, sentby, details, unread }];
}

interface ConversationSummariesOptions {
  readonly ownBrowser: OwnBrowser | undefined;
  readonly isReady: boolean;
  readonly isBrowser: (device: string) => boolean;
}

/** Returns the last message of each conversation, and the unread count of this browser, by target. */
export function useConversationSummaries({
  ownBrowser,
  isReady,
  isBrowser,
}: ConversationSummariesOptions): ReadonlyMap<string, ConversationSummary> {
  const queryClient = useQueryClient();
  const lastReadIds = useReadMarks();
  const { data } = useQuery({
    queryKey: getQueryKey(ownBrowser),
    enabled: isReady,
    queryFn: async (): Promise<readonly ConversationSummary[]> => {
      const from = ownBrowser === undefined ? {} : { from: ownBrowser.id };
      const answer = await call(conversations, { read: readMarks.getAll(), ...from });
      readMarks.initialize(Object.fromEntries(answer.conversations.map(({ target, details }) => [target, details.id])));
      return answer.conversations;
    },
  });
  const reload = () => void queryClient.invalidateQueries({ queryKey: ['conversations'] });
  useRealtimeEvent(messageArrived, (message) => {
    const device = getConversation({ device: message.target, from: message.details.from }, ownBrowser?.id, isBrowser);
    // A pending list may be older than this message, so it is requested again.
    if (queryClient.isFetching({ queryKey: ['conversations'] }) > 0) reload();
    if (device === undefined) return;
    const isUnread = message.details.from !== ownBrowser?.id && (isBrowser(device) || message.details.from === device);
    queryClient.setQueryData<readonly ConversationSummary[]>(
      getQueryKey(ownBrowser),
      (summaries) => summaries && addMessage(summaries, device, message, isUnread),
    );
  });
  useRealtimeEvent(messagesDeleted, reload);
  useConnectionStateChange((state) => state === 'connected' && reload());
  return new Map(
    (data ?? []).map((summary) => [
      summary.target,
      // The message may have been read here since the request.
      summary.details.id <= (lastReadIds[summary.target] ?? 0) ? { ...summary, unread: 0 } : summary,
    ]),
  );
}

/** Id of the row for visitors' messages. */
export const VISITORS = 'visitors';

function getIcon({ name, isBrowser }: MessageDevice): Icon {
  if (isBrowser) return /Android|iOS|phone/i.test(name) ? IconDeviceMobile : IconWorld;
  return /laptop|book/i.test(name) ? IconDeviceLaptop : IconDeviceDesktop;
}

const toLastMessage = (summary: ConversationSummary): NonNullable<RailRow['lastMessage']> => ({
  text: getDisplayText({ inputtype: summary.details.inputtype, text: summary.text }),
  timeMs: getReceivedMs(summary.details),
});

/** Returns the row for visitors' messages, for the owner. */
function useVisitorsRow(): RailRow | undefined {
  const { data } = useQuery({ queryKey: ['checkaccounts'], queryFn: () => call(checkaccounts, {}) });
  const isOwner = data?.isOwner === true;
  const { visitors } = useVisitorMessages(isOwner);
  const lastReadId = useReadMarks()[VISITORS] ?? 0;
  if (!isOwner || visitors === undefined) return undefined;
  const lastMessage = visitors.at(-1);
  return {
    id: VISITORS,
    name: 'Visitors',
    icon: IconUsers,
    state: undefined,
    lastMessage: lastMessage && { text: lastMessage.text, timeMs: Date.parse(lastMessage.received) },
    unread: visitors.filter(({ id }) => id > lastReadId).length,
  };
}

interface RailOptions {
  readonly ownBrowser: OwnBrowser | undefined;
  readonly isReady: boolean;
  readonly devices: readonly MessageDevice[];
  readonly isBrowser: (device: string) => boolean;
  readonly accountName: string;
}

/** Returns the rows of the rail: visitors (for the owner), all devices except this browser, and the account. */
export function useRail({ ownBrowser, isReady, devices, isBrowser, accountName }: RailOptions) {
  const summaries = useConversationSummaries({ ownBrowser, isReady, isBrowser });
  const visitorsRow = useVisitorsRow();
  function toRow(device: MessageDevice): RailRow {
    const summary = summaries.get(device.id);
    return {
      id: device.id,
      name: device.name,
      icon: getIcon(device),
      state: device.state,
      lastMessage: summary && toLastMessage(summary),
      unread: summary?.unread ?? 0,
    };
  }
  const rows = devices.filter(({ id }) => id !== ownBrowser?.id).map(toRow);
  const isHidden = ({ id, state, lastMessage }: RailRow): boolean =>
    state === 'Disconnected' &&
    lastMessage === undefined &&
    devices.some((device) => device.id === id && device.isBrowser);
  // Messages of programs with the account's token have no device, so they appear under the account.
  const ownSummary = ownBrowser && summaries.get(ownBrowser.id);
  const accountRow: RailRow | undefined = ownSummary && {
    id: ownSummary.target,
    name: accountName,
    icon: IconUserCircle,
    state: undefined,
    lastMessage: toLastMessage(ownSummary),
    unread: ownSummary.unread,
  };
  return {
    rows: [visitorsRow, ...rows.filter((row) => !isHidden(row)), accountRow].filter((row) => row !== undefined),
    hiddenRows: rows.filter(isHidden),
  };
}
