import { useEffect, useSyncExternalStore } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { getInputType } from '#platform/contract/message.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { draftOwner } from '#platform/web/app/draftOwner.ts';
import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { createListeners } from '#platform/web/store.ts';
import { sendmessage } from '../contract.ts';
import type { useOwnBrowser } from './useOwnBrowser.ts';

/** A message of this browser that the server has not confirmed, or has just confirmed. */
export interface OutboxMessage {
  readonly target: string;
  readonly text: string;
  /** Seconds since the epoch with milliseconds. It identifies the message, so that repeated sending stores it once. */
  readonly timesent: number;
  /**
   * Id of this browser, or null if it has none.
   * It is fixed at the first sending, because it is part of the message's identity.
   */
  readonly from?: string | null;
  /** `waiting` is sent automatically when the server is reachable again; `failed` was refused. */
  readonly state: 'sending' | 'waiting' | 'failed' | 'sent';
  readonly why?: string;
}

const STORAGE_KEY = 'messages.outbox';
const RETRY_INTERVAL_MS = 3000;

function isOutboxMessage(value: unknown): value is OutboxMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { target, text, timesent } = value as Partial<Record<keyof OutboxMessage, unknown>>;
  return typeof target === 'string' && typeof text === 'string' && typeof timesent === 'number';
}

/**
 * Parses messages that an earlier visit could not send.
 * They may have arrived, but sending one again stores it only once.
 */
function parseMessages(json: string | undefined): readonly OutboxMessage[] {
  try {
    const parsed: unknown = JSON.parse(json ?? '[]');
    const stored = Array.isArray(parsed) ? parsed.filter(isOutboxMessage) : [];
    return stored.map((message) => (message.state === 'failed' ? message : { ...message, state: 'waiting' }));
  } catch {
    return []; // not valid JSON
  }
}
/** Reads the latest stored value, so that messages which another tab has sent or deleted do not reappear. */
const loadMessages = (key: string): readonly OutboxMessage[] => parseMessages(browserStorage.getLatest(key));
const getTimes = (list: readonly OutboxMessage[]): ReadonlySet<number> => new Set(list.map(({ timesent }) => timesent));

const getOwner = (): string => draftOwner.getCurrent() ?? draftOwner.getUnknownOwner();
/** The account that wrote the messages: no other account sends them, and they are removed when it logs out. */
let owner = getOwner();
let messages: readonly OutboxMessage[] = loadMessages(getPersistentKey(owner, STORAGE_KEY));
let isSending = false;
/** Set once the server has reported which device this browser is. Nothing is sent before: it would have no sender. */
let ownDevice: { readonly id: string | undefined } | undefined;
let lastTimeMs = 0;
const listeners = createListeners();

/** Times of the messages that this tab wrote or read. Other stored messages belong to other tabs. */
const knownTimes = new Set(getTimes(messages));
const listMessagesOfOtherTabs = (key: string): readonly OutboxMessage[] =>
  parseMessages(browserStorage.getStored(key)).filter(({ timesent }) => !knownTimes.has(timesent));

function setMessages(newMessages: readonly OutboxMessage[]): void {
  messages = newMessages;
  for (const { timesent } of messages) knownTimes.add(timesent);
  const key = getPersistentKey(owner, STORAGE_KEY);
  const unsent = messages.filter(({ state }) => state !== 'sent');
  browserStorage.set(key, JSON.stringify([...listMessagesOfOtherTabs(key), ...unsent]));
  listeners.notify();
}
// A message that another tab read and no longer stores was sent or deleted. One that it never read is stored again.
browserStorage.onChangeInOtherTab((key, value, oldValue) => {
  if (key !== getPersistentKey(owner, STORAGE_KEY)) return;
  const [previousTimes, currentTimes] = [getTimes(parseMessages(oldValue)), getTimes(parseMessages(value))];
  const isRemoved = ({ timesent }: OutboxMessage): boolean =>
    previousTimes.has(timesent) && !currentTimes.has(timesent);
  const isMissing = ({ state, timesent }: OutboxMessage): boolean =>
    state !== 'sent' && !previousTimes.has(timesent) && !currentTimes.has(timesent);
  const remaining = messages.filter(
    (message) => message.state === 'sending' || message.state === 'sent' || !isRemoved(message),
  );
  if (remaining.length < messages.length || remaining.some(isMissing)) setMessages(remaining);
});
const updateMessage = (unsent: OutboxMessage, changes: Partial<OutboxMessage>): void =>
  setMessages(messages.map((message) => (message.timesent === unsent.timesent ? { ...message, ...changes } : message)));

function createTimestamp(): number {
  lastTimeMs = Math.max(Date.now(), lastTimeMs + 1);
  return lastTimeMs / 1000;
}

/** Returns whether to retry automatically: there was no answer, or the login has ended. */
const isTemporaryError = (error: unknown): boolean =>
  error instanceof InvalidTokenRefusal || (error instanceof CallError && error.status === 0);

function markWaiting(): void {
  if (messages.some(({ state }) => state === 'sending'))
    setMessages(messages.map((message) => (message.state === 'sending' ? { ...message, state: 'waiting' } : message)));
}

/** Returns false if sending must wait. */
async function sendMessage(unsent: OutboxMessage): Promise<boolean> {
  const { target, text, timesent, from = ownDevice?.id ?? null } = unsent;
  if (from !== unsent.from) updateMessage(unsent, { from });
  const content = { inputtype: getInputType(text), inputValue: text, target, timesent };
  try {
    await call(sendmessage, { content: { ...content, ...(from === null ? {} : { from }) } });
    updateMessage(unsent, { state: 'sent' });
  } catch (error) {
    if (isTemporaryError(error)) {
      markWaiting();
      return false;
    }
    updateMessage(unsent, { state: 'failed', why: error instanceof Error ? error.message : String(error) });
  }
  return true;
}

/** Sends pending messages in order. They wait while offline, and while `ownDevice` is unknown. */
async function sendPending(): Promise<void> {
  if (isSending) return;
  if (!ownDevice) {
    if (!reachability.isReachable()) markWaiting();
    return;
  }
  isSending = true;
  try {
    for (;;) {
      const nextMessage = messages.find((message) => message.state === 'sending');
      if (!nextMessage || !(await sendMessage(nextMessage))) break;
    }
  } finally {
    isSending = false;
  }
}

reachability.subscribe(() => void sendPending());

/** Migrates messages that earlier versions stored for all accounts. Those without a name go to the first account. */
function migrateLegacyMessages(): void {
  if (draftOwner.getCurrent() === undefined || owner === '') return;
  const legacyMessages = loadMessages(STORAGE_KEY);
  const isOwn = ({ who = owner }: OutboxMessage & { readonly who?: string }): boolean => who === owner;
  if (!legacyMessages.some(isOwn)) return;
  setMessages([...legacyMessages.filter(isOwn), ...messages]);
  browserStorage.set(STORAGE_KEY, JSON.stringify(legacyMessages.filter((message) => !isOwn(message))));
}

function handleOwnerChange(): void {
  const newOwner = getOwner();
  if (newOwner !== owner) {
    // Messages that were written before the account was known belong to it.
    const unownedMessages = owner === draftOwner.getUnknownOwner() ? messages : [];
    if (unownedMessages.length > 0) setMessages([]);
    owner = newOwner;
    const stored = loadMessages(getPersistentKey(owner, STORAGE_KEY));
    if (stored.length + unownedMessages.length + messages.length > 0) setMessages([...stored, ...unownedMessages]);
  }
  migrateLegacyMessages();
}
draftOwner.subscribe(handleOwnerChange);
migrateLegacyMessages();

function sendWaiting(): void {
  if (!messages.some(({ state }) => state === 'waiting')) return;
  setMessages(messages.map((message) => (message.state === 'waiting' ? { ...message, state: 'sending' } : message)));
  void sendPending();
}

function sendWaitingIfReachable(): void {
  if (reachability.isReachable()) sendWaiting();
}

/** Messages that are being sent. They are stored, so they survive a reload and wait while offline. */
export const outbox = {
  list: (): readonly OutboxMessage[] => messages,
  add: (target: string, text: string): void => {
    setMessages([...messages, { target, text, timesent: createTimestamp(), state: 'sending' }]);
    void sendPending();
  },
  /** Sends a message again with the same identity. */
  retry: (unsent: OutboxMessage): void => {
    updateMessage(unsent, { state: 'sending' });
    void sendPending();
  },
  remove: (removed: readonly OutboxMessage[]): void => {
    if (removed.length > 0)
      setMessages(messages.filter((message) => !removed.some(({ timesent }) => timesent === message.timesent)));
  },
  /** Starts sending as this device, and retries whenever the server is reachable. Returns a function that stops. */
  start: (ownBrowserId: string | undefined): (() => void) => {
    ownDevice = { id: ownBrowserId };
    void sendPending();
    sendWaitingIfReachable();
    const unsubscribers = [
      reachability.subscribe(sendWaitingIfReachable),
      realtime.onConnectionStateChange(sendWaitingIfReachable),
    ];
    // The server may refuse a connection for a moment although it was reachable.
    const timer = setInterval(sendWaitingIfReachable, RETRY_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  },
  subscribe: listeners.subscribe,
};

export function useOutbox(): readonly OutboxMessage[] {
  return useSyncExternalStore(outbox.subscribe, outbox.list);
}

/** Sends the outbox as this browser, while the page is open. */
export function useSending({ ownBrowser, isReady }: ReturnType<typeof useOwnBrowser>): void {
  const id = ownBrowser?.id;
  useEffect(() => (isReady ? outbox.start(id) : undefined), [isReady, id]);
}
