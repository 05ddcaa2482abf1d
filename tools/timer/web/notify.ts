import { push, type PageNotification } from '#platform/web/app/push.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';

const KEY = 'timer.notify';

/** `none`: this browser has no notifications. `insecure`: it has them for https pages only. */
export type NotifyState = 'on' | 'off' | 'blocked' | 'none' | 'insecure';

const stateOf = (wanted: boolean): NotifyState => {
  if (!isSecureContext()) return 'insecure';
  if (!('Notification' in window)) return 'none';
  if (Notification.permission === 'denied') return 'blocked';
  return wanted && Notification.permission === 'granted' ? 'on' : 'off';
};

const showFromPage = ({ title, body, tag }: PageNotification): void => {
  try {
    const shown = new Notification(title, { body, tag });
    shown.addEventListener('click', () => {
      window.focus();
      shown.close();
    });
  } catch {
    // Chrome on Android shows none from a page: there the service worker's is the only one.
  }
};

/** Shows a notification where its user wants one and the page is not looked at. */
export const notify = async (notification: PageNotification): Promise<void> => {
  if (stateOf(browserStorage.get(KEY) === 'on') !== 'on' || document.hasFocus()) return;
  if (!(await push.show(notification))) showFromPage(notification);
};

/** Whether the end of a round is notified, and how to change that; to be called by a click only. */
export const useNotify = (): { readonly state: NotifyState; readonly toggle: () => Promise<void> } => {
  const [kept] = useBrowserStorage(KEY);
  const state = stateOf(kept === 'on');
  const toggle = async (): Promise<void> => {
    if (state === 'on') browserStorage.set(KEY, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(KEY, 'on');
    else browserStorage.set(KEY, `refused ${Date.now()}`);
  };
  return { state, toggle };
};
