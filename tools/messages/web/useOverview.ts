import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/call.ts';
import { realtime } from '#platform/web/socket.ts';
import { conversations, messageArrived } from '../contract.ts';
import { marks, useMarks } from './marks.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

export type Overview = AnswerOf<typeof conversations>['conversations'][number];

/** What was said last in each conversation, and what is unread here; by target. */
export const useOverview = (own: OwnBrowser | undefined, isKnown: boolean): ReadonlyMap<string, Overview> => {
  const queries = useQueryClient();
  const read = useMarks();
  const { data } = useQuery({
    queryKey: ['conversations', own?.id],
    enabled: isKnown,
    queryFn: async () => {
      const asked = { read: { ...marks.all() }, ...(own === undefined ? {} : { from: own.id }) };
      delete asked.read['visitors'];
      const answer = await call(conversations, asked);
      marks.begin(Object.fromEntries(answer.conversations.map(({ target, details }) => [target, details.id])));
      return answer.conversations;
    },
  });
  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: ['conversations'] });
    const stops = [
      realtime.on(messageArrived, again),
      realtime.onLine(() => {
        if (realtime.line() === 'connected') again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
  return new Map(
    (data ?? []).map((each) => [
      each.target,
      // Read here since the server was asked.
      each.details.id <= (read[each.target] ?? 0) ? { ...each, unread: 0 } : each,
    ]),
  );
};
