import { isUnreachableError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from './notices.ts';
import { reachability } from './reachability.ts';
import { realtime } from './socket.ts';

/** A notice can be read, however quickly the line is back. */
const MIN_NOTICE_MS = 1000;

/** Notices that say that the server cannot be reached, with the time at which each may go. */
const unreachableNotices = new Map<number, number>();

const dismissUnreachable = (): void => {
  for (const [id, readableAt] of unreachableNotices)
    setTimeout(() => notices.dismiss(id), Math.max(0, readableAt - Date.now()));
  unreachableNotices.clear();
};
reachability.subscribe(() => reachability.isReachable() && dismissUnreachable());
realtime.onConnectionStateChange(() => realtime.getConnectionState() === 'connected' && dismissUnreachable());

const show = (error: unknown, add: typeof notices.add): (() => void) => {
  if (error instanceof InvalidTokenRefusal) return () => undefined;
  const id = add('bad', error instanceof Error ? error.message : String(error));
  // Where nothing is away, nothing would come back and take the notice along: it stays until it is dismissed.
  const isAway = !reachability.isReachable() || realtime.getConnectionState() === 'reconnecting';
  if (isUnreachableError(error) && isAway) unreachableNotices.set(id, Date.now() + MIN_NOTICE_MS);
  return () => notices.dismiss(id);
};

/**
 * Shows why something was not done; that the server cannot be reached is shown until it is reached.
 * For a token that has ended the platform shows its own notice and the login.
 */
export function showError(error: unknown): void {
  show(error, notices.add);
}

/** The same for what repeats by itself, such as a poll: it keeps its one notice. Returns how to dismiss it. */
export function showRepeatingError(error: unknown): () => void {
  return show(error, notices.addOnce);
}
