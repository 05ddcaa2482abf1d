import { useEffect, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { browserBye, browserHello, deviceChanged } from '#platform/contract/device.ts';
import { showError } from '#platform/web/app/failure.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const KEY = 'browser';
const KEY_BYTES = 16;

/** What this browser calls itself to the server, made up once. `crypto.randomUUID` is for secure pages only. */
const ownKey = (): string => {
  const kept = browserStorage.get(KEY);
  if (kept !== undefined) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  browserStorage.set(KEY, made);
  return made;
};

/** This browser as a device of the account. */
export interface OwnBrowser {
  /** Target id of the wire. */
  readonly id: string;
  readonly name: string;
}

/**
 * Makes this browser a device for as long as the page stands, again on every new connection. `isKnown` is true once the server has
 * said which device it is, or why it is none: messages can be read and sent all the same.
 */
export function useOwnBrowser(): { readonly own: OwnBrowser | undefined; readonly isKnown: boolean } {
  const [own, setOwn] = useState<OwnBrowser>();
  const [isKnown, setIsKnown] = useState(false);
  useEffect(() => {
    let isHere = true;
    let said: string | undefined;
    const hello = async (mayCome = true): Promise<void> => {
      try {
        const { id, name } = await realtime.request(browserHello, { key: ownKey() });
        if (!isHere) return;
        said = String(id);
        setOwn((before) => (before && before.id === said && before.name === name ? before : { id: String(id), name }));
      } catch (error) {
        if (!isHere) return;
        // A line that is down is told by the frame; hello is said again when it is back.
        if (!(error instanceof CallError)) showError(error);
        // Where only the line does not come to stand, though calls are answered, it is done without after a while.
        else if (realtime.getConnectionState() !== 'connected' && (mayCome || !reachability.isReachable()))
          return hello(false);
      }
      if (isHere) setIsKnown(true);
    };
    void hello();
    const stops = [
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') void hello();
      }),
      realtime.on(deviceChanged, ({ id, name, state }) => {
        if (String(id) !== said) return;
        // Removed in the settings: as long as the page stands, it is one all the same.
        if (state === 'Disconnected') void hello();
        else setOwn({ id: said, name });
      }),
    ];
    return () => {
      isHere = false;
      for (const stop of stops) stop();
      realtime.emit(browserBye, {});
    };
  }, []);
  return { own, isKnown };
}
