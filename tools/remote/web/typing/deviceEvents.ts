import { CallError } from '#platform/contract/client.ts';
import type { ClientEvent, EventInputOf } from '#platform/contract/event.ts';
import { call } from '#platform/web/app/call.ts';
import { useAccountComputers } from '#platform/web/app/computers.ts';
import { showRepeatingError } from '#platform/web/app/failure.ts';
import { session } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { checkdevices } from '#tools/devices/contract.ts';

/** The account's computers with their live state. */
export function useComputers() {
  return useAccountComputers(() => call(checkdevices, {}));
}

/** The token, as the specification has it in these events. */
export function withToken(): { readonly token?: string } {
  const current = session.getCurrent();
  return current ? { token: current.token } : {};
}

/**
 * Tells the server something that will soon be told again: what cannot be said now is not said later, and a refusal that comes
 * thirty times a second is shown once.
 */
export async function tellAgain<E extends ClientEvent>(event: E, data: EventInputOf<E>): Promise<void> {
  if (realtime.getConnectionState() !== 'connected') return;
  try {
    await realtime.request(event, data);
  } catch (error) {
    // The line shows by itself that it is down, and the platform that the session has ended.
    if (error instanceof CallError) return;
    showRepeatingError(error);
  }
}
