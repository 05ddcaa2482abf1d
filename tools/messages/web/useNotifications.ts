import { useEffect, useState } from 'react';
import { realtime } from '#platform/web/app/realtime.ts';
import { useNotificationSetting } from '#platform/web/browser/useNotificationSetting.ts';
import { messageArrived } from '../contract.ts';
import { getConversation } from '../domain/message.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const STORAGE_KEY = 'messages.notify';

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
  const { state: setting, toggle } = useNotificationSetting(STORAGE_KEY);
  const [isUnsupported, setIsUnsupported] = useState(false);
  const state = isUnsupported ? 'unsupported' : setting;
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
  return { state, toggle };
}
