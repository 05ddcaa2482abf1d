import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '#platform/web/call.ts';
import { showFailure } from '#platform/web/failure.ts';
import { realtime } from '#platform/web/socket.ts';
import { messageArrived, retrievemessages } from '../contract.ts';
import { conversationOf } from '../domain/conversation.ts';
import { entriesOf, merged, type Entry } from './thread.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

/** Messages that one answer holds at most. */
const ANSWERED = 200;
/** Specification 1, section 9. */
const POLL_MS = 1000;

type Conversation = readonly Entry[];
const NONE: Conversation = [];

const keyOf = (own: OwnBrowser | undefined, target: string | undefined) => ['conversation', own?.id, target] as const;

/** Puts messages into a conversation that is already there. */
const put = (queries: QueryClient, key: ReturnType<typeof keyOf>, more: Conversation): Conversation => {
  const known = queries.getQueryData<Conversation>(key) ?? [];
  const next = merged(known, more);
  if (next !== known) queries.setQueryData<Conversation>(key, next);
  return next;
};

/** Gives what asks for messages before the first one that is there; undefined where there are none. */
const useEarlier = (own: OwnBrowser | undefined, target: string | undefined, known: Conversation) => {
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
      showFailure(failure);
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
export const useConversation = ({ own, isKnown, target, isBrowser }: ConversationOptions) => {
  const queries = useQueryClient();
  const key = keyOf(own, target);
  const reading = { target: target ?? '', ...(own === undefined ? {} : { from: own.id }) };
  const { data, error } = useQuery({
    queryKey: key,
    enabled: isKnown && target !== undefined,
    refetchInterval: POLL_MS,
    queryFn: async (): Promise<Conversation> => {
      const last = queries.getQueryData<Conversation>(key)?.at(-1)?.id;
      const after = last === undefined ? {} : { after: last };
      const fresh = entriesOf(await call(retrievemessages, { content: { ...reading, ...after } }));
      // So many that some between may be missing.
      if (fresh.length >= ANSWERED) return fresh;
      return merged(queries.getQueryData<Conversation>(key) ?? [], fresh);
    },
  });

  useEffect(
    () =>
      realtime.on(messageArrived, ({ target: device, text, sentby, details }) => {
        const { id, inputtype, timesent, from } = details;
        const found = conversationOf({ device, from }, own?.id, isBrowser);
        if (found === undefined || queries.getQueryData(keyOf(own, found)) === undefined) return;
        put(queries, keyOf(own, found), [{ id, inputtype, timesent, from, text, sentby }]);
      }),
    [queries, own, isBrowser],
  );

  const earlier = useEarlier(own, target, data ?? NONE);
  return {
    entries: data ?? NONE,
    isLoaded: data !== undefined,
    failure: data === undefined ? error?.message : undefined,
    earlier,
  };
};
