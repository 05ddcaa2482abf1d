import { useEffect, useSyncExternalStore } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { getInputType } from '#platform/contract/message.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { draftOwner } from '#platform/web/app/draftOwner.ts';
import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/socket.ts';
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
   * Id of this browser, or null if it has none. Fixed at the first sending, because it is part of the message's
   * identity.
   */
  readonly from?: string | null;
  /** `waiting` is sent automatically when the server is reachable again; `failed` was refused. */
  readonly state: 'sending' | 'waiting' | 'failed' | 'sent';
  readonly why?: string;
}

const KEY = 'messages.outbox';
const RETRY_INTERVAL_MS = 3000;

const isUnsent = (value: unknown): value is OutboxMessage => {
  if (typeof value !== 'object' || value === null) return false;
  const { target, text, timesent } = value as Partial<Record<keyof OutboxMessage, unknown>>;
  return typeof target === 'string' && typeof text === 'string' && typeof timesent === 'number';
};

/**
 * Parses messages that an earlier visit could not send. They may have arrived, but sending one again stores it only
 * once.
 */
const parseUnsent = (stored: string | undefined): readonly OutboxMessage[] => {
  try {
    const parsed: unknown = JSON.parse(stored ?? '[]');
    const all = Array.isArray(parsed) ? parsed.filter(isUnsent) : [];
    return all.map((each) => (each.state === 'failed' ? each : { ...each, state: 'waiting' }));
  } catch {
    return []; // not valid JSON
  }
};
/** Reads the latest stored value, so that messages which another tab has sent or deleted do not reappear. */
const loadUnsent = (key: string): readonly OutboxMessage[] => parseUnsent(browserStorage.getLatest(key));
const getTimes = (messages: readonly OutboxMessage[]): ReadonlySet<number> =>
  new Set(messages.map(({ timesent }) => timesent));

const getOwner = (): string => draftOwner.getCurrent() ?? draftOwner.getUnknownOwner();
/** The account that wrote the messages: no other account sends them, and they are removed when it logs out. */
let owner = getOwner();
let all: readonly OutboxMessage[] = loadUnsent(getPersistentKey(owner, KEY));
let isSending = false;
/**
 * Set once the server has reported which device this browser is. Nothing is sent before, or it would appear under the
 * account.
 */
let writer: { readonly id: string | undefined } | undefined;
let lastTime = 0;
const listeners = createListeners();

/** Times of the messages that this tab has had; other stored messages belong to other tabs. */
const knownTimes = new Set(getTimes(all));
const readOtherTabs = (key: string): readonly OutboxMessage[] =>
  parseUnsent(browserStorage.getStored(key)).filter(({ timesent }) => !knownTimes.has(timesent));

const change = (next: readonly OutboxMessage[]): void => {
  all = next;
  for (const { timesent } of all) knownTimes.add(timesent);
  const key = getPersistentKey(owner, KEY);
  const unsent = all.filter(({ state }) => state !== 'sent');
  browserStorage.set(key, JSON.stringify([...readOtherTabs(key), ...unsent]));
  listeners.notify();
};
// If another tab has read a message and no longer stores it, it has sent or deleted it. What it never read is stored
// again.
browserStorage.onChangeInOtherTab((key, value, before) => {
  if (key !== getPersistentKey(owner, KEY)) return;
  const [previousTimes, currentTimes] = [getTimes(parseUnsent(before)), getTimes(parseUnsent(value))];
  const isRemoved = ({ timesent }: OutboxMessage): boolean =>
    previousTimes.has(timesent) && !currentTimes.has(timesent);
  const isMissing = ({ state, timesent }: OutboxMessage): boolean =>
    state !== 'sent' && !previousTimes.has(timesent) && !currentTimes.has(timesent);
  const rest = all.filter((each) => each.state === 'sending' || each.state === 'sent' || !isRemoved(each));
  if (rest.length < all.length || rest.some(isMissing)) change(rest);
});
const mark = (unsent: OutboxMessage, more: Partial<OutboxMessage>): void =>
  change(all.map((each) => (each.timesent === unsent.timesent ? { ...each, ...more } : each)));

const now = (): number => {
  lastTime = Math.max(Date.now(), lastTime + 1);
  return lastTime / 1000;
};

/** Whether an automatic retry makes sense: there was no answer, or the login has ended. */
const isTemporaryError = (error: unknown): boolean =>
  error instanceof InvalidTokenRefusal || (error instanceof CallError && error.status === 0);

const markWaiting = (): void => {
  if (all.some(({ state }) => state === 'sending'))
    change(all.map((each) => (each.state === 'sending' ? { ...each, state: 'waiting' } : each)));
};

const sendOne = async (unsent: OutboxMessage): Promise<boolean> => {
  const { target, text, timesent, from = writer?.id ?? null } = unsent;
  if (from !== unsent.from) mark(unsent, { from });
  const content = { inputtype: getInputType(text), inputValue: text, target, timesent };
  try {
    await call(sendmessage, { content: { ...content, ...(from === null ? {} : { from }) } });
    mark(unsent, { state: 'sent' });
  } catch (error) {
    if (isTemporaryError(error)) {
      markWaiting();
      return false;
    }
    mark(unsent, { state: 'failed', why: error instanceof Error ? error.message : String(error) });
  }
  return true;
};

/**
 * Sends pending messages in the order in which they were written. They wait while offline, or while the writer is
 * unknown.
 */
const sendPending = async (): Promise<void> => {
  if (isSending) return;
  if (!writer) {
    if (!reachability.isReachable()) markWaiting();
    return;
  }
  isSending = true;
  try {
    for (;;) {
      const next = all.find((each) => each.state === 'sending');
      if (!next || !(await sendOne(next))) break;
    }
  } finally {
    isSending = false;
  }
};

reachability.subscribe(() => void sendPending());

/**
 * Takes over messages that earlier versions stored for all accounts. Entries without a name go to the first account.
 */
const takeOverLegacy = (): void => {
  if (draftOwner.getCurrent() === undefined || owner === '') return;
  const legacy = loadUnsent(KEY);
  const isOwn = ({ who = owner }: OutboxMessage & { readonly who?: string }): boolean => who === owner;
  if (!legacy.some(isOwn)) return;
  change([...legacy.filter(isOwn), ...all]);
  browserStorage.set(KEY, JSON.stringify(legacy.filter((each) => !isOwn(each))));
};

const followOwner = (): void => {
  const next = getOwner();
  if (next !== owner) {
    // Messages that were written before the account was known belong to it.
    const unowned = owner === draftOwner.getUnknownOwner() ? all : [];
    if (unowned.length > 0) change([]);
    owner = next;
    const stored = loadUnsent(getPersistentKey(owner, KEY));
    if (stored.length + unowned.length + all.length > 0) change([...stored, ...unowned]);
  }
  takeOverLegacy();
};
draftOwner.subscribe(followOwner);
takeOverLegacy();

const sendWaiting = (): void => {
  if (!all.some(({ state }) => state === 'waiting')) return;
  change(all.map((each) => (each.state === 'waiting' ? { ...each, state: 'sending' } : each)));
  void sendPending();
};

const sendWaitingIfReachable = (): void => {
  if (reachability.isReachable()) sendWaiting();
};

/** Messages that are being sent. They survive leaving the page, a reload and being offline. */
export const outbox = {
  list: (): readonly OutboxMessage[] => all,
  add: (target: string, text: string): void => {
    change([...all, { target, text, timesent: now(), state: 'sending' }]);
    void sendPending();
  },
  /** Sends a message again with the same identity. */
  again: (unsent: OutboxMessage): void => {
    mark(unsent, { state: 'sending' });
    void sendPending();
  },
  remove: (removed: readonly OutboxMessage[]): void => {
    if (removed.length > 0) change(all.filter((each) => !removed.some(({ timesent }) => timesent === each.timesent)));
  },
  /** Starts sending as this device, and retries whenever the server is reachable. Returns a function that stops it. */
  watch: (own: string | undefined): (() => void) => {
    writer = { id: own };
    void sendPending();
    sendWaitingIfReachable();
    const stops = [
      reachability.subscribe(sendWaitingIfReachable),
      realtime.onConnectionStateChange(sendWaitingIfReachable),
    ];
    // The server may refuse a connection for a moment although it was reachable.
    const clock = setInterval(sendWaitingIfReachable, RETRY_INTERVAL_MS);
    return () => {
      clearInterval(clock);
      for (const stop of stops) stop();
    };
  },
  subscribe: listeners.subscribe,
};

export function useOutbox(): readonly OutboxMessage[] {
  return useSyncExternalStore(outbox.subscribe, outbox.list);
}

/** Sends while the screen is open, as this browser. */
export function useSending({ own, isKnown }: ReturnType<typeof useOwnBrowser>): void {
  const id = own?.id;
  useEffect(() => (isKnown ? outbox.watch(id) : undefined), [isKnown, id]);
}
