import { CallError } from '#platform/contract/client.ts';
import type { ClientEvent, EventInputOf } from '#platform/contract/event.ts';
import { call } from '#platform/web/app/call.ts';
import { useAccountComputers } from '#platform/web/app/computers.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { session } from '#platform/web/app/session.ts';
import { showRepeatingError } from '#platform/web/app/showError.ts';
import { checkdevices } from '#tools/devices/contract.ts';

/** Returns the account's computers with their live state. */
export function useComputers() {
  return useAccountComputers(() => call(checkdevices, {}));
}

/** Returns the token, which these events contain (docs/specification/remote.md section 2.3). */
export function withToken(): { readonly token?: string } {
  const current = session.getCurrent();
  return current ? { token: current.token } : {};
}

/** Sends an event that is repeated often: drops it without a connection, and shows a repeated refusal only once. */
export async function resend<E extends ClientEvent>(event: E, data: EventInputOf<E>): Promise<void> {
  if (realtime.getConnectionState() !== 'connected') return;
  try {
    await realtime.request(event, data);
  } catch (error) {
    // The status strip shows a lost connection, and the platform handles an ended session.
    if (error instanceof CallError) return;
    showRepeatingError(error);
  }
}
