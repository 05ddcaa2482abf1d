import { useEffect, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { browserBye, browserHello, deviceChanged } from '#platform/contract/device.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { showError } from '#platform/web/app/showError.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const STORAGE_KEY = 'browser';
const KEY_BYTES = 16;

/** Returns the key that identifies this browser. `crypto.randomUUID` only works in secure contexts. */
function getOrCreateKey(): string {
  const stored = browserStorage.get(STORAGE_KEY);
  if (stored !== undefined) return stored;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  browserStorage.set(STORAGE_KEY, key);
  return key;
}

/** This browser as a device of the account. */
export interface OwnBrowser {
  /** Target id of the wire. */
  readonly id: string;
  readonly name: string;
}

/**
 * Registers this browser as a device while the page is open, again on each new connection. `isReady` becomes true once
 * the server has answered, even with a refusal: messages can be read and sent anyway.
 */
export function useOwnBrowser(): { readonly ownBrowser: OwnBrowser | undefined; readonly isReady: boolean } {
  const [ownBrowser, setOwn] = useState<OwnBrowser>();
  const [isReady, setIsKnown] = useState(false);
  useEffect(() => {
    let isMounted = true;
    let ownId: string | undefined;
    async function register(canRetry = true): Promise<void> {
      try {
        const { id, name } = await realtime.request(browserHello, { key: getOrCreateKey() });
        if (!isMounted) return;
        ownId = String(id);
        setOwn((current) =>
          current && current.id === ownId && current.name === name ? current : { id: String(id), name },
        );
      } catch (error) {
        if (!isMounted) return;
        // The status strip shows that the connection is down. The browser registers again when it is back.
        if (!(error instanceof CallError)) showError(error);
        // If only the socket can't connect although calls work, the page continues without a device after one retry.
        else if (realtime.getConnectionState() !== 'connected' && (canRetry || !reachability.isReachable()))
          return register(false);
      }
      if (isMounted) setIsKnown(true);
    }
    void register();
    const unsubscribers = [
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') void register();
      }),
      realtime.on(deviceChanged, ({ id, name, state }) => {
        if (String(id) !== ownId) return;
        // It was removed in the settings, and registers again while the page is open.
        if (state === 'Disconnected') void register();
        else setOwn({ id: ownId, name });
      }),
    ];
    return () => {
      isMounted = false;
      for (const unsubscribe of unsubscribers) unsubscribe();
      realtime.emit(browserBye, {});
    };
  }, []);
  return { ownBrowser, isReady };
}
