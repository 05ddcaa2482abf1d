import { notices } from '#platform/web/app/notices.ts';
import { announceEnds } from '../domain/announce.ts';
import { hasRunning } from '../domain/timers.ts';
import { timerPage } from '../page.ts';
import { say } from './announcements.ts';
import { notify } from './notify.ts';
import { ringing } from './ringing.ts';
import { sound } from './sound.ts';
import { keeper, type EndedTimer } from './timerState.ts';

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
