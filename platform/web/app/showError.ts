import { isUnreachableError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from './notices.ts';
import { reachability } from './reachability.ts';
import { realtime } from './realtime.ts';

/** Keeps notices readable even if the connection returns immediately. */
const MIN_NOTICE_MS = 1000;

/** Ids of notices about an unreachable server, with the earliest time at which they may be dismissed. */
const unreachableNotices = new Map<number, number>();

function dismissUnreachable(): void {
  for (const [id, readableAt] of unreachableNotices)
    setTimeout(() => notices.dismiss(id), Math.max(0, readableAt - Date.now()));
  unreachableNotices.clear();
}
reachability.subscribe(() => reachability.isReachable() && dismissUnreachable());
realtime.onConnectionStateChange(() => realtime.getConnectionState() === 'connected' && dismissUnreachable());

function showNotice(error: unknown, add: typeof notices.add): () => void {
  if (error instanceof InvalidTokenRefusal) return () => undefined;
  const id = add('bad', error instanceof Error ? error.message : String(error));
  // Without a lost connection, no reconnection would dismiss the notice, so it stays until the user dismisses it.
  const isConnectionLost = !reachability.isReachable() || realtime.getConnectionState() === 'reconnecting';
  if (isUnreachableError(error) && isConnectionLost) unreachableNotices.set(id, Date.now() + MIN_NOTICE_MS);
  return () => notices.dismiss(id);
}

/**
 * Shows an error as a notice. If the server can't be reached, the notice disappears on reconnection. Invalid tokens are
 * ignored, because the platform shows its own notice and the login.
 */
export function showError(error: unknown): void {
  showNotice(error, notices.add);
}

/** Shows an error of repeated work, such as a poll, in one notice. Returns a function that dismisses it. */
export function showRepeatingError(error: unknown): () => void {
  return showNotice(error, notices.addOnce);
}
