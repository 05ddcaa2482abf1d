import { notices } from '#platform/web/app/notices.ts';
import { push, type PageNotification } from '#platform/web/app/push.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { announceEnds } from '../domain/timeDisplay.ts';
import { hasRunning } from '../domain/timers.ts';
import { timerPage } from '../page.ts';
import { say } from './announcements.ts';
import { ringing } from './ringing.ts';
import { sound } from './sound.ts';
import { keeper, type EndedTimer } from './timerState.ts';

const STORAGE_KEY = 'timer.notify';

/** `none`: this browser has no notifications. `insecure`: it has them on HTTPS pages only. */
export type NotifyState = 'on' | 'off' | 'blocked' | 'none' | 'insecure';

const getNotifyState = (isEnabled: boolean): NotifyState => {
  if (!isSecureContext()) return 'insecure';
  if (!('Notification' in window)) return 'none';
  if (Notification.permission === 'denied') return 'blocked';
  return isEnabled && Notification.permission === 'granted' ? 'on' : 'off';
};

const showFromPage = ({ title, body, tag }: PageNotification): void => {
  try {
    const shownNotification = new Notification(title, { body, tag });
    shownNotification.addEventListener('click', () => {
      window.focus();
      shownNotification.close();
    });
  } catch {
    // Chrome on Android only shows notifications of the service worker.
  }
};

/** Shows a notification if the user wants them and the page has no focus. */
export async function notify(notification: PageNotification): Promise<void> {
  if (getNotifyState(browserStorage.get(STORAGE_KEY) === 'on') !== 'on' || document.hasFocus()) return;
  if (!(await push.show(notification))) showFromPage(notification);
}

/** Returns whether ends of rounds are notified, and a function to change that. Call it from a click only. */
export function useNotify(): { readonly state: NotifyState; readonly toggle: () => Promise<void> } {
  const [setting] = useBrowserStorage(STORAGE_KEY);
  const state = getNotifyState(setting === 'on');
  const toggle = async (): Promise<void> => {
    if (state === 'on') browserStorage.set(STORAGE_KEY, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(STORAGE_KEY, 'on');
    else browserStorage.set(STORAGE_KEY, `refused ${Date.now()}`);
  };
  return { state, toggle };
}

const isPageOpen = (): boolean => window.location.pathname.replace(/\/$/, '') === timerPage.path;

const reportEnd = ({ timer, look }: EndedTimer): void => {
  const isOnlyTimer = keeper.current().all.timers.length === 1;
  const text = announceEnds(look, isOnlyTimer ? undefined : timer.name);
  if (text === undefined) return;
  say(text);
  if (!isPageOpen()) notices.add('info', text, { label: 'Timer', href: timerPage.path });
  void notify({ title: `${timer.name}: time is up`, body: text, path: timerPage.path, tag: `timer-${timer.id}` });
};

const listenFor = (target: Document): void => {
  // Browsers allow sound after a pointer was released, not when it is pressed.
  for (const type of ['pointerup', 'click', 'keydown'] as const)
    target.addEventListener(type, () => void (sound.state() === 'waiting' && sound.wake()), { capture: true });
  for (const type of ['pointerdown', 'keydown'] as const) target.addEventListener(type, keeper.seen, { capture: true });
};

let hasStarted = false;

export const ending = {
  /** From now on ends of rounds are played, announced and notified, until the site is left. */
  begin: (): void => {
    if (hasStarted) return;
    hasStarted = true;
    listenFor(document);
    document.addEventListener('visibilitychange', () => {
      keeper.settle();
    });
    keeper.onEnds((ended) => ended.forEach(reportEnd));
    ringing.begin();
    keeper.settle();
    // After a reload with a running timer: some browsers allow sound without a click.
    if (hasRunning(keeper.current().all)) void sound.wake();
  },
  /** Listens to another document of this page, such as the pinned window. */
  listenFor,
};
