import type { Change } from '../../lists/domain/list.ts';

/** Interval of the sync loop and its resend delays (docs/specification/shopping.md section 4.5), in milliseconds. */
export const TICK_INTERVAL_MS = 500;
const FORCED_SEND_DELAYS_MS = { newName: 8_000, knownName: 1_000_000, other: 10_000_000 } as const;

/** Returns when an unacknowledged batch with this change is resent: soon, if the server does not know its name. */
export function getForcedSendTime(now: number, change: Change, known: ReadonlySet<string>): number {
  if (change.kind !== 'item' || change.field !== 'name') return now + FORCED_SEND_DELAYS_MS.other;
  return now + (known.has(String(change.value)) ? FORCED_SEND_DELAYS_MS.knownName : FORCED_SEND_DELAYS_MS.newName);
}

/** Returns the backoff in milliseconds after this many consecutive failures (at least 1). */
export function getBackoffMs(failures: number): number {
  return 1000 * 2 ** Math.min(3, Math.max(0, failures - 1));
}

/** Progress of sending the frozen batch. */
export interface SendState {
  readonly isInFlight: boolean;
  readonly forcedAt: number;
  /** Consecutive failures of the frozen batch. */
  readonly failures: number;
  readonly failedAt: number;
}

/** Decides what a tick does. A frozen batch is sent first and unchanged; pending changes wait for its answer. */
export function decideTick(
  now: number,
  sending: SendState & { readonly hasFrozen: boolean; readonly hasPending: boolean },
): 'send' | 'resend' | 'wait' {
  const { isInFlight, hasFrozen, hasPending, forcedAt, failures, failedAt } = sending;
  if (isInFlight) return 'wait';
  if (!hasFrozen) return hasPending ? 'send' : 'wait';
  const isDue = now >= forcedAt || (failures > 0 && now >= failedAt + getBackoffMs(failures));
  return isDue ? 'resend' : 'wait';
}
