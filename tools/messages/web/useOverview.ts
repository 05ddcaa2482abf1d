import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { conversations, messageArrived, messagesDeleted } from '../contract.ts';
import { conversationOf } from '../domain/conversation.ts';
import { marks, useMarks } from './readMarks.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

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
export const useOverview = ({ own, isKnown, isBrowser }: OverviewOptions): ReadonlyMap<string, Overview> => {
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
};
