import type { Change } from '../../lists/domain/list.ts';

/** The loop of sending (specification 1, section 3), in milliseconds of the browser's clock. */
export const TICK = 500;
const FORCED = { freshName: 8_000, knownName: 1_000_000, other: 10_000_000 } as const;

/** When an unanswered batch goes out again although nothing was added: soon after an item got a name that the server may not know yet. */
export const nextForcedSend = (now: number, change: Change, known: ReadonlySet<string>): number => {
  if (change.kind !== 'item' || change.field !== 'name') return now + FORCED.other;
  return now + (known.has(String(change.value)) ? FORCED.knownName : FORCED.freshName);
};

/** How long to wait after a batch has failed so many times, 1 or more, on end. */
export const pauseAfter = (failures: number): number => 1000 * 2 ** Math.min(3, Math.max(0, failures - 1));

export interface SendState {
  readonly isInFlight: boolean;
  readonly hasFrozen: boolean;
  readonly hasPending: boolean;
  readonly forcedAt: number;
  /** Of the frozen batch, on end. */
  readonly failures: number;
  readonly failedAt: number;
}

/** What a tick does: a frozen batch goes out first, word for word, and what is pending waits for its answer. */
export const atTick = (now: number, sending: SendState): 'send' | 'resend' | 'wait' => {
  const { isInFlight, hasFrozen, hasPending, forcedAt, failures, failedAt } = sending;
  if (isInFlight) return 'wait';
  if (!hasFrozen) return hasPending ? 'send' : 'wait';
  const isDue = now >= forcedAt || (failures > 0 && now >= failedAt + pauseAfter(failures));
  return isDue ? 'resend' : 'wait';
};
