import { useEffect, useState } from 'react';
import { realtime } from '#platform/web/app/socket.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { messageArrived } from '../contract.ts';
import { conversationOf } from '../domain/message.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const KEY = 'messages.notify';

/** `none`: this browser has none. `insecure`: it has them for https pages only. */
export type NotifyingState = 'on' | 'off' | 'blocked' | 'none' | 'insecure';

const stateOf = (wanted: boolean): NotifyingState => {
  if (!isSecureContext()) return 'insecure';
  if (!('Notification' in window)) return 'none';
  if (Notification.permission === 'denied') return 'blocked';
  return wanted && Notification.permission === 'granted' ? 'on' : 'off';
};

/** Where the browser shows none from a page (Chrome on Android), it throws: then there are none here. */
const show = (title: string, body: string, clicked: () => void): boolean => {
  try {
    const notification = new Notification(title, { body, tag: 'messages' });
    notification.addEventListener('click', () => {
      window.focus();
      clicked();
      notification.close();
    });
    return true;
  } catch {
    return false;
  }
};

interface NotifyingOptions {
  readonly own: OwnBrowser | undefined;
  readonly isBrowser: (device: string) => boolean;
  readonly open: (target: string) => void;
}

/** Notifications of this browser for messages that come while the page is not seen. Asked for by a click only. */
export function useNotifying({ own, isBrowser, open }: NotifyingOptions) {
  const [kept] = useBrowserStorage(KEY);
  const [lacks, setLacks] = useState(false);
  const state = lacks ? 'none' : stateOf(kept === 'on');
  useEffect(() => {
    if (state !== 'on') return undefined;
    return realtime.on(messageArrived, ({ target: device, text, sentby, details: { from } }) => {
      if (document.visibilityState === 'visible' || from === own?.id) return;
      const found = conversationOf({ device, from }, own?.id, isBrowser);
      // What another browser of the same person wrote to a computer is no news here.
      if (found === undefined || (found === device && from !== device && !isBrowser(device))) return;
      if (!show(sentby, text, () => open(found))) setLacks(true);
    });
  }, [state, own, isBrowser, open]);
  const toggle = async (): Promise<void> => {
    if (state === 'on') browserStorage.set(KEY, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(KEY, 'on');
    else browserStorage.set(KEY, `refused ${Date.now()}`);
  };
  return { state, toggle };
}
