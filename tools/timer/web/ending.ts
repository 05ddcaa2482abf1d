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
export async function notify(notification: PageNotification): Promise<void> {
  if (stateOf(browserStorage.get(KEY) === 'on') !== 'on' || document.hasFocus()) return;
  if (!(await push.show(notification))) showFromPage(notification);
}

/** Whether the end of a round is notified, and how to change that; to be called by a click only. */
export function useNotify(): { readonly state: NotifyState; readonly toggle: () => Promise<void> } {
  const [kept] = useBrowserStorage(KEY);
  const state = stateOf(kept === 'on');
  const toggle = async (): Promise<void> => {
    if (state === 'on') browserStorage.set(KEY, 'off');
    else if ((await Notification.requestPermission()) === 'granted') browserStorage.set(KEY, 'on');
    else browserStorage.set(KEY, `refused ${Date.now()}`);
  };
  return { state, toggle };
}

const isShown = (): boolean => window.location.pathname.replace(/\/$/, '') === timerPage.path;

const tell = ({ timer, look }: EndedTimer): void => {
  const isOne = keeper.current().all.timers.length === 1;
  const text = announceEnds(look, isOne ? undefined : timer.name);
  if (text === undefined) return;
  say(text);
  if (!isShown()) notices.add('info', text, { label: 'Timer', href: timerPage.path });
  void notify({ title: `${timer.name}: time is up`, body: text, path: timerPage.path, tag: `timer-${timer.id}` });
};

const listenFor = (documentOf: Document): void => {
  // A finger that comes down gives no right to sound yet, one that is lifted does.
  for (const act of ['pointerup', 'click', 'keydown'] as const)
    documentOf.addEventListener(act, () => void (sound.state() === 'waiting' && sound.wake()), { capture: true });
  for (const act of ['pointerdown', 'keydown'] as const)
    documentOf.addEventListener(act, keeper.seen, { capture: true });
};

let begun = false;

export const ending = {
  /** From the first sight of the timer on, rounds that end are heard, said and notified until the site is left. */
  begin: (): void => {
    if (begun) return;
    begun = true;
    listenFor(document);
    document.addEventListener('visibilitychange', () => {
      keeper.settle();
    });
    keeper.onEnds((ended) => ended.forEach(tell));
    ringing.begin();
    keeper.settle();
    // A running timer after a reload: some browsers give sound without a click.
    if (hasRunning(keeper.current().all)) void sound.wake();
  },
  /** Another document of this page, such as the pinned window, in which its user clicks. */
  listenFor,
};
