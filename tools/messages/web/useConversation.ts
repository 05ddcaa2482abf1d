import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState, useRef } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { messageArrived, messagesDeleted, retrievemessages } from '../contract.ts';
import { getConversation } from '../domain/message.ts';
import { marks } from './readMarks.ts';
import {
  applyAnswer,
  addLiveMessages,
  ANSWERED,
  toEntries,
  withoutDeleted,
  type Entry,
  type ConversationState,
} from './thread.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const isPageVisible = (): boolean => document.visibilityState === 'visible';

const usePageVisible = (): boolean => {
  const [isVisible, setIsVisible] = useState(isPageVisible);
  useEffect(() => {
    const update = (): void => setIsVisible(isPageVisible());
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return isVisible;
};

/**
 * Marks the open conversation as read while the page is visible. Returns the id of the last message that was read
 * before, for the 'New' line. Messages that arrive while the page is visible are not new.
 */
export function useReading(
  target: string | undefined,
  entries: readonly Entry[],
  isLoaded: boolean,
): number | undefined {
  const isVisible = usePageVisible();
  const [opened, setOpened] = useState<{ readonly target: string; readonly mark: number }>();
  const last = entries.at(-1)?.id ?? 0;
  const wasVisible = useRef(isVisible);
  if (target !== undefined && isLoaded && opened?.target !== target)
    setOpened({ target, mark: last > marks.get(target) ? marks.get(target) : Infinity });
  useEffect(() => {
    if (target === undefined) return;
    if (wasVisible.current && !isVisible) setOpened({ target, mark: last });
    wasVisible.current = isVisible;
    if (isVisible && last > 0) marks.set(target, last);
  }, [target, isVisible, last]);
  return opened?.target === target ? opened?.mark : undefined;
}

/** docs/specification/messages.md section 6. */
const POLL_MS = 1000;

const EMPTY_CONVERSATION: ConversationState = { entries: [], upTo: undefined };

const getQueryKey = (own: OwnBrowser | undefined, target: string | undefined) =>
  ['conversation', own?.id, target] as const;

/** Adds messages to a cached conversation. */
const addEntries = (queries: QueryClient, key: ReturnType<typeof getQueryKey>, more: readonly Entry[]): void =>
  void queries.setQueryData<ConversationState>(key, (known) => known && addLiveMessages(known, more));

/** Returns a function that loads messages before the first known one; undefined if there are none. */
const useEarlier = (own: OwnBrowser | undefined, target: string | undefined, known: readonly Entry[]) => {
  const queries = useQueryClient();
  const [fullyLoadedTarget, setFullyLoadedTarget] = useState<string>();
  const first = known[0]?.id;
  if (target === undefined || first === undefined || known.length < ANSWERED || fullyLoadedTarget === target)
    return undefined;
  return async (): Promise<void> => {
    try {
      const from = own === undefined ? {} : { from: own.id };
      const more = toEntries(await call(retrievemessages, { content: { target, ...from, before: first } }));
      addEntries(queries, getQueryKey(own, target), more);
      if (more.length < ANSWERED) setFullyLoadedTarget(target);
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

/** The conversation with a device, oldest first: polled every second, and updated by live events. */
export function useConversation({ own, isKnown, target, isBrowser }: ConversationOptions) {
  const queries = useQueryClient();
  const key = getQueryKey(own, target);
  const reading = { target: target ?? '', ...(own === undefined ? {} : { from: own.id }) };
  const { data, error } = useQuery({
    queryKey: key,
    enabled: isKnown && target !== undefined,
    refetchInterval: POLL_MS,
    queryFn: async (): Promise<ConversationState> => {
      const requestState = queries.getQueryData<ConversationState>(key) ?? EMPTY_CONVERSATION;
      const { upTo, isStale = false } = requestState;
      const after = upTo === undefined || isStale ? {} : { after: upTo };
      const fresh = toEntries(await call(retrievemessages, { content: { ...reading, ...after } }));
      return applyAnswer(queries.getQueryData<ConversationState>(key) ?? EMPTY_CONVERSATION, fresh, requestState);
    },
  });

  useEffect(
    () =>
      realtime.on(messageArrived, ({ target: device, text, sentby, details }) => {
        const { id, inputtype, timesent, received, from } = details;
        const conversation = getConversation({ device, from }, own?.id, isBrowser);
        if (conversation !== undefined)
          addEntries(queries, getQueryKey(own, conversation), [
            { id, inputtype, timesent, received, from, text, sentby },
          ]);
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
      // Deletions while offline were not received, so the whole conversation is requested instead of the news.
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

  const { entries } = data ?? EMPTY_CONVERSATION;
  const earlier = useEarlier(own, target, entries);
  return {
    entries,
    isLoaded: data !== undefined,
    failure: data === undefined ? error?.message : undefined,
    earlier,
  };
}
