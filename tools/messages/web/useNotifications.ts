import { useEffect, useState } from 'react';
import { realtime } from '#platform/web/app/realtime.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { messageArrived } from '../contract.ts';
import { getConversation } from '../domain/message.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const STORAGE_KEY = 'messages.notify';

/** `unsupported`: this browser has no notifications. `insecure`: it has them only on https pages. */
export type NotificationState = 'on' | 'off' | 'blocked' | 'unsupported' | 'insecure';

function getState(isEnabled: boolean): NotificationState {
  if (!isSecureContext()) return 'insecure';
  if (!('Notification' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return isEnabled && Notification.permission === 'granted' ? 'on' : 'off';
}

/** Shows a notification. Returns false if the browser can't: Chrome on Android throws. */
function showNotification(title: string, body: string, onClick: () => void): boolean {
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
}

interface NotificationOptions {
  readonly ownBrowser: OwnBrowser | undefined;
  readonly isBrowser: (device: string) => boolean;
  readonly onOpen: (target: string) => void;
}

/** Shows messages that arrive while the page is hidden as notifications, after the user has turned them on. */
export function useNotifications({ ownBrowser, isBrowser, onOpen }: NotificationOptions) {
  const [storedChoice] = useBrowserStorage(STORAGE_KEY);
  const [isUnsupported, setIsUnsupported] = useState(false);
  const state = isUnsupported ? 'unsupported' : getState(storedChoice === 'on');
  useEffect(() => {
    if (state !== 'on') return undefined;
    return realtime.on(messageArrived, ({ target: device, text, sentby, details: { from } }) => {
      if (document.visibilityState === 'visible' || from === ownBrowser?.id) return;
      const conversation = getConversation({ device, from }, ownBrowser?.id, isBrowser);
      // The user wrote it: a message to a computer from another browser of the same account.
      if (conversation === undefined || (conversation === device && from !== device && !isBrowser(device))) return;
      if (!showNotification(sentby, text, () => onOpen(conversation))) setIsUnsupported(true);
    });
  }, [state, ownBrowser, isBrowser, onOpen]);
  async function toggle(): Promise<void> {
    if (state === 'on') browserStorage.set(STORAGE_KEY, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(STORAGE_KEY, 'on');
    else browserStorage.set(STORAGE_KEY, `refused ${Date.now()}`);
  }
  return { state, toggle };
}
