import { useEffect, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { browserBye, browserHello, deviceChanged } from '#platform/contract/device.ts';
import { showError } from '#platform/web/app/failure.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const KEY = 'browser';
const KEY_BYTES = 16;

/** Returns the key that identifies this browser, generated once. `crypto.randomUUID` only works in secure contexts. */
const getOwnKey = (): string => {
  const stored = browserStorage.get(KEY);
  if (stored !== undefined) return stored;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const created = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  browserStorage.set(KEY, created);
  return created;
};

/** This browser as a device of the account. */
export interface OwnBrowser {
  /** Target id of the wire. */
  readonly id: string;
  readonly name: string;
}

/**
 * Registers this browser as a device while the page is open, again on each new connection. `isKnown` becomes true once
 * the server has answered, even with a refusal: messages can be read and sent anyway.
 */
export function useOwnBrowser(): { readonly own: OwnBrowser | undefined; readonly isKnown: boolean } {
  const [own, setOwn] = useState<OwnBrowser>();
  const [isKnown, setIsKnown] = useState(false);
  useEffect(() => {
    let isMounted = true;
    let ownId: string | undefined;
    const hello = async (mayCome = true): Promise<void> => {
      try {
        const { id, name } = await realtime.request(browserHello, { key: getOwnKey() });
        if (!isMounted) return;
        ownId = String(id);
        setOwn((before) => (before && before.id === ownId && before.name === name ? before : { id: String(id), name }));
      } catch (error) {
        if (!isMounted) return;
        // The status strip shows that the connection is down; hello is sent again when it is back.
        if (!(error instanceof CallError)) showError(error);
        // If only the socket can't connect although calls work, the page continues without a device after one retry.
        else if (realtime.getConnectionState() !== 'connected' && (mayCome || !reachability.isReachable()))
          return hello(false);
      }
      if (isMounted) setIsKnown(true);
    };
    void hello();
    const stops = [
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') void hello();
      }),
      realtime.on(deviceChanged, ({ id, name, state }) => {
        if (String(id) !== ownId) return;
        // It was removed in the settings: while the page is open, it registers again.
        if (state === 'Disconnected') void hello();
        else setOwn({ id: ownId, name });
      }),
    ];
    return () => {
      isMounted = false;
      for (const stop of stops) stop();
      realtime.emit(browserBye, {});
    };
  }, []);
  return { own, isKnown };
}
