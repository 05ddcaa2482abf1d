import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState, useRef } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { messageArrived, messagesDeleted, retrievemessages } from '../contract.ts';
import { conversationOf } from '../domain/message.ts';
import { marks } from './readMarks.ts';
import {
  afterAsking,
  afterHearing,
  ANSWERED,
  entriesOf,
  withoutDeleted,
  type Entry,
  type ConversationState,
} from './thread.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const isSeen = (): boolean => document.visibilityState === 'visible';

const useSeen = (): boolean => {
  const [seen, setSeen] = useState(isSeen);
  useEffect(() => {
    const look = (): void => setSeen(isSeen());
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return seen;
};

/**
 * Marks the open conversation as read while the page is seen, and gives the id of the last message that was read before: the line 'New'
 * stands behind it. What arrives before one's eyes is not new.
 */
export function useReading(
  target: string | undefined,
  entries: readonly Entry[],
  isLoaded: boolean,
): number | undefined {
  const seen = useSeen();
  const [opened, setOpened] = useState<{ readonly target: string; readonly mark: number }>();
  const last = entries.at(-1)?.id ?? 0;
  const wasSeen = useRef(seen);
  if (target !== undefined && isLoaded && opened?.target !== target)
    setOpened({ target, mark: last > marks.of(target) ? marks.of(target) : Infinity });
  useEffect(() => {
    if (target === undefined) return;
    if (wasSeen.current && !seen) setOpened({ target, mark: last });
    wasSeen.current = seen;
    if (seen && last > 0) marks.set(target, last);
  }, [target, seen, last]);
  return opened?.target === target ? opened?.mark : undefined;
}

/** Specification 1, section 9. */
const POLL_MS = 1000;

const NOTHING: ConversationState = { entries: [], upTo: undefined };

const keyOf = (own: OwnBrowser | undefined, target: string | undefined) => ['conversation', own?.id, target] as const;

/** Puts messages into a conversation that is already there. */
const put = (queries: QueryClient, key: ReturnType<typeof keyOf>, more: readonly Entry[]): void =>
  void queries.setQueryData<ConversationState>(key, (known) => known && afterHearing(known, more));

/** Gives what asks for messages before the first one that is there; undefined where there are none. */
const useEarlier = (own: OwnBrowser | undefined, target: string | undefined, known: readonly Entry[]) => {
  const queries = useQueryClient();
  const [begins, setBegins] = useState<string>();
  const first = known[0]?.id;
  if (target === undefined || first === undefined || known.length < ANSWERED || begins === target) return undefined;
  return async (): Promise<void> => {
    try {
      const from = own === undefined ? {} : { from: own.id };
      const more = entriesOf(await call(retrievemessages, { content: { target, ...from, before: first } }));
      put(queries, keyOf(own, target), more);
      if (more.length < ANSWERED) setBegins(target);
    } catch (failure) {
      showError(failure);
    }
  };
};

interface ConversationOptions {
  readonly own: OwnBrowser | undefined;
  readonly isKnown: boolean;
  readonly target: string | undefined;
  readonly isBrowser: (device: string) => boolean;
}

/** The conversation with a device, oldest first: asked every second for what is new, and live by the socket. */
export function useConversation({ own, isKnown, target, isBrowser }: ConversationOptions) {
  const queries = useQueryClient();
  const key = keyOf(own, target);
  const reading = { target: target ?? '', ...(own === undefined ? {} : { from: own.id }) };
  const { data, error } = useQuery({
    queryKey: key,
    enabled: isKnown && target !== undefined,
    refetchInterval: POLL_MS,
    queryFn: async (): Promise<ConversationState> => {
      const asked = queries.getQueryData<ConversationState>(key) ?? NOTHING;
      const { upTo, isStale = false } = asked;
      const after = upTo === undefined || isStale ? {} : { after: upTo };
      const fresh = entriesOf(await call(retrievemessages, { content: { ...reading, ...after } }));
      return afterAsking(queries.getQueryData<ConversationState>(key) ?? NOTHING, fresh, asked);
    },
  });

  useEffect(
    () =>
      realtime.on(messageArrived, ({ target: device, text, sentby, details }) => {
        const { id, inputtype, timesent, received, from } = details;
        const found = conversationOf({ device, from }, own?.id, isBrowser);
        if (found !== undefined)
          put(queries, keyOf(own, found), [{ id, inputtype, timesent, received, from, text, sentby }]);
      }),
    [queries, own, isBrowser],
  );

  useEffect(() => {
    const stops = [
      realtime.on(messagesDeleted, ({ ids }) =>
        queries.setQueriesData<ConversationState>(
          { queryKey: ['conversation'] },
          (known) => known && withoutDeleted(known, ids),
        ),
      ),
      // What was deleted while the line was down was told to nobody: the conversation is asked for anew, not what is new of it.
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() !== 'connected') return;
        queries.setQueriesData<ConversationState>(
          { queryKey: ['conversation'] },
          (known) => known && { ...known, isStale: true },
        );
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);

  const { entries } = data ?? NOTHING;
  const earlier = useEarlier(own, target, entries);
  return {
    entries,
    isLoaded: data !== undefined,
    failure: data === undefined ? error?.message : undefined,
    earlier,
  };
}
