import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState, useRef } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { MAX_RETURNED_MESSAGES, messageArrived, messagesDeleted, retrievemessages } from '../contract.ts';
import { getConversation } from '../domain/message.ts';
import {
  applyAnswer,
  addLiveMessages,
  toEntries,
  removeEntries,
  type ConversationEntry,
  type ConversationState,
} from './conversation.ts';
import { readMarks } from './readMarks.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const isPageVisible = (): boolean => document.visibilityState === 'visible';

function usePageVisible(): boolean {
  const [isVisible, setIsVisible] = useState(isPageVisible);
  useEffect(() => {
    const update = (): void => setIsVisible(isPageVisible());
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return isVisible;
}

/**
 * Marks the open conversation as read while the page is visible. Returns the id of the last message that was read
 * before, for the 'New' line. Messages that arrive while the page is visible are not new.
 */
export function useLastReadId(
  target: string | undefined,
  entries: readonly ConversationEntry[],
  isLoaded: boolean,
): number | undefined {
  const isVisible = usePageVisible();
  const [openedConversation, setOpenedConversation] = useState<{
    readonly target: string;
    readonly lastReadId: number;
  }>();
  const lastId = entries.at(-1)?.id ?? 0;
  const wasVisible = useRef(isVisible);
  if (target !== undefined && isLoaded && openedConversation?.target !== target)
    setOpenedConversation({
      target,
      lastReadId: lastId > readMarks.get(target) ? readMarks.get(target) : Infinity,
    });
  useEffect(() => {
    if (target === undefined) return;
    if (wasVisible.current && !isVisible) setOpenedConversation({ target, lastReadId: lastId });
    wasVisible.current = isVisible;
    if (isVisible && lastId > 0) readMarks.set(target, lastId);
  }, [target, isVisible, lastId]);
  return openedConversation?.target === target ? openedConversation?.lastReadId : undefined;
}

/** docs/specification/messages.md section 6. */
const POLL_INTERVAL_MS = 1000;

const EMPTY_CONVERSATION: ConversationState = { entries: [], watermark: undefined };

const getQueryKey = (ownBrowser: OwnBrowser | undefined, target: string | undefined) =>
  ['conversation', ownBrowser?.id, target] as const;

/** Adds messages to a cached conversation. */
const addEntries = (
  queryClient: QueryClient,
  key: ReturnType<typeof getQueryKey>,
  received: readonly ConversationEntry[],
): void => void queryClient.setQueryData<ConversationState>(key, (state) => state && addLiveMessages(state, received));

/** Returns a function that loads the messages before the first loaded one; undefined if there are none. */
function useLoadEarlier(
  ownBrowser: OwnBrowser | undefined,
  target: string | undefined,
  entries: readonly ConversationEntry[],
) {
  const queryClient = useQueryClient();
  const [fullyLoadedTarget, setFullyLoadedTarget] = useState<string>();
  const firstId = entries[0]?.id;
  if (
    target === undefined ||
    firstId === undefined ||
    entries.length < MAX_RETURNED_MESSAGES ||
    fullyLoadedTarget === target
  )
    return undefined;
  return async (): Promise<void> => {
    try {
      const from = ownBrowser === undefined ? {} : { from: ownBrowser.id };
      const received = toEntries(await call(retrievemessages, { content: { target, ...from, before: firstId } }));
      addEntries(queryClient, getQueryKey(ownBrowser, target), received);
      if (received.length < MAX_RETURNED_MESSAGES) setFullyLoadedTarget(target);
    } catch (error) {
      showError(error);
    }
  };
}

interface ConversationOptions {
  readonly ownBrowser: OwnBrowser | undefined;
  readonly isReady: boolean;
  readonly target: string | undefined;
  readonly isBrowser: (device: string) => boolean;
}

/** The conversation with a device, oldest first: polled every second, and updated by live events. */
export function useConversation({ ownBrowser, isReady, target, isBrowser }: ConversationOptions) {
  const queryClient = useQueryClient();
  const key = getQueryKey(ownBrowser, target);
  const request = { target: target ?? '', ...(ownBrowser === undefined ? {} : { from: ownBrowser.id }) };
  const { data, error } = useQuery({
    queryKey: key,
    enabled: isReady && target !== undefined,
    refetchInterval: POLL_INTERVAL_MS,
    queryFn: async (): Promise<ConversationState> => {
      const requestState = queryClient.getQueryData<ConversationState>(key) ?? EMPTY_CONVERSATION;
      const { watermark, isStale = false } = requestState;
      const after = watermark === undefined || isStale ? {} : { after: watermark };
      const received = toEntries(await call(retrievemessages, { content: { ...request, ...after } }));
      return applyAnswer(
        queryClient.getQueryData<ConversationState>(key) ?? EMPTY_CONVERSATION,
        received,
        requestState,
      );
    },
  });

  useRealtimeEvent(messageArrived, ({ target: device, text, sentby, details }) => {
    const { id, inputtype, timesent, received, from } = details;
    const conversation = getConversation({ device, from }, ownBrowser?.id, isBrowser);
    if (conversation !== undefined)
      addEntries(queryClient, getQueryKey(ownBrowser, conversation), [
        { id, inputtype, timesent, received, from, text, sentby },
      ]);
  });
  useRealtimeEvent(messagesDeleted, ({ ids }) => {
    queryClient.setQueriesData<ConversationState>(
      { queryKey: ['conversation'] },
      (state) => state && removeEntries(state, ids),
    );
  });
  // Deletions while offline were not received, so the whole conversation is requested, not only new messages.
  useConnectionStateChange((connectionState) => {
    if (connectionState !== 'connected') return;
    queryClient.setQueriesData<ConversationState>(
      { queryKey: ['conversation'] },
      (state) => state && { ...state, isStale: true },
    );
  });

  const { entries } = data ?? EMPTY_CONVERSATION;
  const loadEarlier = useLoadEarlier(ownBrowser, target, entries);
  return {
    entries,
    isLoaded: data !== undefined,
    errorMessage: data === undefined ? error?.message : undefined,
    loadEarlier,
  };
}
