import { useEffect, useState } from 'react';
import { realtime } from '#platform/web/app/socket.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { messageArrived } from '../contract.ts';
import { getConversation } from '../domain/message.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const KEY = 'messages.notify';

/** `none`: this browser has no notifications. `insecure`: it has them for https pages only. */
export type NotifyingState = 'on' | 'off' | 'blocked' | 'none' | 'insecure';

const getState = (isEnabled: boolean): NotifyingState => {
  if (!isSecureContext()) return 'insecure';
  if (!('Notification' in window)) return 'none';
  if (Notification.permission === 'denied') return 'blocked';
  return isEnabled && Notification.permission === 'granted' ? 'on' : 'off';
};

/** Chrome on Android does not show notifications of a page and throws; they count as missing then. */
const show = (title: string, body: string, onClick: () => void): boolean => {
  try {
    const notification = new Notification(title, { body, tag: 'messages' });
    notification.addEventListener('click', () => {
      window.focus();
      onClick();
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

/**
 * Notifications of this browser for messages that arrive while the page is hidden. Permission is only requested on a
 * click.
 */
export function useNotifying({ own, isBrowser, open }: NotifyingOptions) {
  const [storedChoice] = useBrowserStorage(KEY);
  const [isUnsupported, setIsUnsupported] = useState(false);
  const state = isUnsupported ? 'none' : getState(storedChoice === 'on');
  useEffect(() => {
    if (state !== 'on') return undefined;
    return realtime.on(messageArrived, ({ target: device, text, sentby, details: { from } }) => {
      if (document.visibilityState === 'visible' || from === own?.id) return;
      const conversation = getConversation({ device, from }, own?.id, isBrowser);
      // A message from another browser of the same person to a computer is not new to the reader.
      if (conversation === undefined || (conversation === device && from !== device && !isBrowser(device))) return;
      if (!show(sentby, text, () => open(conversation))) setIsUnsupported(true);
    });
  }, [state, own, isBrowser, open]);
  const toggle = async (): Promise<void> => {
    if (state === 'on') browserStorage.set(KEY, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(KEY, 'on');
    else browserStorage.set(KEY, `refused ${Date.now()}`);
  };
  return { state, toggle };
}
