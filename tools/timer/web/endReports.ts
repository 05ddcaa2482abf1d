import { notices } from '#platform/web/app/notices.ts';
import { push, type PageNotification } from '#platform/web/app/push.ts';
import { getPagePath } from '#platform/web/browser/siteAddress.ts';
import { getNotificationState, useNotificationSetting } from '#platform/web/browser/useNotificationSetting.ts';
import { describeEnds } from '../domain/timeDisplay.ts';
import { hasRunningTimer } from '../domain/timers.ts';
import { timerPage } from '../page.ts';
import { alarms } from './alarms.ts';
import { announce } from './announcements.ts';
import { sound } from './sound.ts';
import { timerStore, type EndedTimer } from './timerStore.ts';

const STORAGE_KEY = 'timer.notify';

function showPageNotification({ title, body, tag }: PageNotification): void {
  try {
    const notification = new Notification(title, { body, tag });
    notification.addEventListener('click', () => {
      window.focus();
      notification.close();
    });
  } catch {
    // Chrome on Android only shows notifications of the service worker.
  }
}

/** Shows a notification if the user wants them and the page has no focus. */
async function notify(notification: PageNotification): Promise<void> {
  if (getNotificationState(STORAGE_KEY) !== 'on' || document.hasFocus()) return;
  if (!(await push.show(notification))) showPageNotification(notification);
}

/** Returns whether ends of rounds are notified, and a function to change that, which needs a click. */
export function useNotifications() {
  return useNotificationSetting(STORAGE_KEY);
}

const isPageOpen = (): boolean => getPagePath().replace(/\/$/, '') === timerPage.path;

function reportEnd({ timer, update }: EndedTimer): void {
  const isOnlyTimer = timerStore.getSnapshot().state.timers.length === 1;
  const text = describeEnds(update, isOnlyTimer ? undefined : timer.name);
  if (text === undefined) return;
  announce(text);
  if (!isPageOpen()) notices.add('info', text, { label: 'Timer', href: timerPage.path });
  void notify({ title: `${timer.name}: time is up`, body: text, path: timerPage.path, tag: `timer-${timer.id}` });
}

/** Allows sound, and marks the end of a round as seen, at the next input of the user. */
function watchUserInput(target: Document): void {
  // Browsers allow sound after a pointer was released, not when it is pressed.
  for (const type of ['pointerup', 'click', 'keydown'] as const)
    target.addEventListener(type, () => void (sound.getState() === 'waiting' && sound.resume()), { capture: true });
  for (const type of ['pointerdown', 'keydown'] as const)
    target.addEventListener(type, timerStore.markSeen, { capture: true });
}

let hasStarted = false;

export const endReports = {
  /** Plays, announces and notifies ends of rounds, until the site is left. */
  start: (): void => {
    if (hasStarted) return;
    hasStarted = true;
    watchUserInput(document);
    document.addEventListener('visibilitychange', timerStore.updateTime);
    timerStore.onEnd((endedTimers) => endedTimers.forEach(reportEnd));
    alarms.start();
    timerStore.updateTime();
    // After a reload with a running timer: some browsers allow sound without a click.
    if (hasRunningTimer(timerStore.getSnapshot().state)) void sound.resume();
  },
  /** Watches another document of this page, such as the pinned window. */
  watchUserInput,
};
