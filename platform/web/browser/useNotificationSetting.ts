import { browserStorage, useBrowserStorage } from './browserStorage.ts';
import { isSecureContext } from './secureContext.ts';

/** `unsupported`: this browser has no notifications. `insecure`: it has them on HTTPS pages only. */
export type NotificationState = 'on' | 'off' | 'blocked' | 'unsupported' | 'insecure';

/** Returns whether notifications are on. `storageKey` is where the user's choice is stored. */
export function getNotificationState(storageKey: string): NotificationState {
  if (!isSecureContext()) return 'insecure';
  if (!('Notification' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return browserStorage.get(storageKey) === 'on' && Notification.permission === 'granted' ? 'on' : 'off';
}

/** Returns whether notifications are on, and a function to change that, which needs a click. */
export function useNotificationSetting(storageKey: string) {
  useBrowserStorage(storageKey);
  const state = getNotificationState(storageKey);
  async function toggle(): Promise<void> {
    if (state === 'on') browserStorage.set(storageKey, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(storageKey, 'on');
    else browserStorage.set(storageKey, `refused ${Date.now()}`);
  }
  return { state, toggle };
}
