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
import { sendmessage } from '../contract.ts';
import type { useOwnBrowser } from './useOwnBrowser.ts';

/** A message of this browser that the server has not confirmed, or only just. */
export interface OutboxMessage {
  readonly target: string;
  readonly text: string;
  /** Seconds since the epoch to the millisecond: names the message, so that it stands once however often it is sent. */
  readonly timesent: number;
  /** The own browser's id, null where it was none: fixed at the first sending, for it is part of what names the message. */
  readonly from?: string | null;
  /** `waiting` is sent by itself when the server can be reached again; `failed` was refused. */
  readonly state: 'sending' | 'waiting' | 'failed' | 'sent';
  readonly why?: string;
}

const KEY = 'messages.outbox';
const RETRY_INTERVAL_MS = 3000;

const isUnsent = (kept: unknown): kept is OutboxMessage => {
  if (typeof kept !== 'object' || kept === null) return false;
  const { target, text, timesent } = kept as Partial<Record<keyof OutboxMessage, unknown>>;
  return typeof target === 'string' && typeof text === 'string' && typeof timesent === 'number';
};

/** What an earlier visit could not send. Whether it came to it is not known: the same message again is the same one. */
const parseUnsent = (stored: string | undefined): readonly OutboxMessage[] => {
  try {
    const kept: unknown = JSON.parse(stored ?? '[]');
    const all = Array.isArray(kept) ? kept.filter(isUnsent) : [];
    return all.map((each) => (each.state === 'failed' ? each : { ...each, state: 'waiting' }));
  } catch {
    return []; // Written by nobody of ours.
  }
};
/** As this browser stores it now: what another tab has sent or deleted does not come back from this page's memory. */
const restore = (key: string): readonly OutboxMessage[] => parseUnsent(browserStorage.getLatest(key));
const timesOf = (messages: readonly OutboxMessage[]): ReadonlySet<number> =>
  new Set(messages.map(({ timesent }) => timesent));

const ownerNow = (): string => draftOwner.getCurrent() ?? draftOwner.getUnknownOwner();
/** Who wrote what is here: no other account sends it, and it leaves this browser when that account logs out. */
let owner = ownerNow();
let all: readonly OutboxMessage[] = restore(getPersistentKey(owner, KEY));
let isSending = false;
/** Who writes, once the server has said which device this browser is: before that nothing is sent, or it would stand under the account. */
let writer: { readonly id: string | undefined } | undefined;
let last = 0;
const listeners = new Set<() => void>();

/** What this tab has had, by the times that name it: what else is stored is another tab's. */
const knownTimes = new Set(timesOf(all));
const readOtherTabs = (key: string): readonly OutboxMessage[] =>
  parseUnsent(browserStorage.getStored(key)).filter(({ timesent }) => !knownTimes.has(timesent));

const change = (next: readonly OutboxMessage[]): void => {
  all = next;
  for (const { timesent } of all) knownTimes.add(timesent);
  const key = getPersistentKey(owner, KEY);
  const unsent = all.filter(({ state }) => state !== 'sent');
  browserStorage.set(key, JSON.stringify([...readOtherTabs(key), ...unsent]));
  for (const tell of listeners) tell();
};
// What another tab found and no longer stores it has sent or deleted. What it never found is stored again.
browserStorage.onChangeInOtherTab((key, value, before) => {
  if (key !== getPersistentKey(owner, KEY)) return;
  const [found, stored] = [timesOf(parseUnsent(before)), timesOf(parseUnsent(value))];
  const isRemoved = ({ timesent }: OutboxMessage): boolean => found.has(timesent) && !stored.has(timesent);
  const isMissing = ({ state, timesent }: OutboxMessage): boolean =>
    state !== 'sent' && !found.has(timesent) && !stored.has(timesent);
  const rest = all.filter((each) => each.state === 'sending' || each.state === 'sent' || !isRemoved(each));
  if (rest.length < all.length || rest.some(isMissing)) change(rest);
});
const mark = (unsent: OutboxMessage, more: Partial<OutboxMessage>): void =>
  change(all.map((each) => (each.timesent === unsent.timesent ? { ...each, ...more } : each)));

const now = (): number => {
  last = Math.max(Date.now(), last + 1);
  return last / 1000;
};

/** Whether it is worth trying again by itself: nobody answered, or the login is over. */
const isPassing = (error: unknown): boolean =>
  error instanceof InvalidTokenRefusal || (error instanceof CallError && error.status === 0);

const wait = (): void => {
  if (all.some(({ state }) => state === 'sending'))
    change(all.map((each) => (each.state === 'sending' ? { ...each, state: 'waiting' } : each)));
};

const sendOne = async (unsent: OutboxMessage): Promise<boolean> => {
  const { target, text, timesent, from = writer?.id ?? null } = unsent;
  if (from !== unsent.from) mark(unsent, { from });
  const wish = { inputtype: getInputType(text), inputValue: text, target, timesent };
  try {
    await call(sendmessage, { content: { ...wish, ...(from === null ? {} : { from }) } });
    mark(unsent, { state: 'sent' });
  } catch (error) {
    if (isPassing(error)) {
      wait();
      return false;
    }
    mark(unsent, { state: 'failed', why: error instanceof Error ? error.message : String(error) });
  }
  return true;
};

/** Sends what is to be sent, one after another in the order it was written. Offline, before it is known who writes, it waits. */
const pump = async (): Promise<void> => {
  if (isSending) return;
  if (!writer) {
    if (!reachability.isReachable()) wait();
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

reachability.subscribe(() => void pump());

/** Takes over what earlier versions stored for all accounts. An entry without a name goes to the first account. */
const takeFormer = (): void => {
  if (draftOwner.getCurrent() === undefined || owner === '') return;
  const former = restore(KEY);
  const isOwn = ({ who = owner }: OutboxMessage & { readonly who?: string }): boolean => who === owner;
  if (!former.some(isOwn)) return;
  change([...former.filter(isOwn), ...all]);
  browserStorage.set(KEY, JSON.stringify(former.filter((each) => !isOwn(each))));
};

const follow = (): void => {
  const next = ownerNow();
  if (next !== owner) {
    // What was written before it was known by whom is the account's.
    const early = owner === draftOwner.getUnknownOwner() ? all : [];
    if (early.length > 0) change([]);
    owner = next;
    const kept = restore(getPersistentKey(owner, KEY));
    if (kept.length + early.length + all.length > 0) change([...kept, ...early]);
  }
  takeFormer();
};
draftOwner.subscribe(follow);
takeFormer();

const sendWaiting = (): void => {
  if (!all.some(({ state }) => state === 'waiting')) return;
  change(all.map((each) => (each.state === 'waiting' ? { ...each, state: 'sending' } : each)));
  void pump();
};

const look = (): void => {
  if (reachability.isReachable()) sendWaiting();
};

/** Messages under way. They outlive the page being left, reloaded or offline. */
export const outbox = {
  all: (): readonly OutboxMessage[] => all,
  add: (target: string, text: string): void => {
    change([...all, { target, text, timesent: now(), state: 'sending' }]);
    void pump();
  },
  /** Sends again, as the same message. */
  again: (unsent: OutboxMessage): void => {
    mark(unsent, { state: 'sending' });
    void pump();
  },
  remove: (gone: readonly OutboxMessage[]): void => {
    if (gone.length > 0) change(all.filter((each) => !gone.some(({ timesent }) => timesent === each.timesent)));
  },
  /** Sends what there is and what will be, as this device; what waits whenever the server can be reached. Gives back how to stop looking. */
  watch: (own: string | undefined): (() => void) => {
    writer = { id: own };
    void pump();
    look();
    const stops = [reachability.subscribe(look), realtime.onConnectionStateChange(look)];
    // The server may refuse a connection for a moment without having been away.
    const clock = setInterval(look, RETRY_INTERVAL_MS);
    return () => {
      clearInterval(clock);
      for (const stop of stops) stop();
    };
  },
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export function useOutbox(): readonly OutboxMessage[] {
  return useSyncExternalStore(outbox.subscribe, outbox.all);
}

/** Sends for as long as the screen is open, as this browser. */
export function useSending({ own, isKnown }: ReturnType<typeof useOwnBrowser>): void {
  const id = own?.id;
  useEffect(() => (isKnown ? outbox.watch(id) : undefined), [isKnown, id]);
}
