import { IconMaximize } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useOfflineState } from '#platform/web/app/offlinePage.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { at } from '../domain/countdown.ts';
import { ranAt } from '../domain/stopwatch.ts';
import { ranText, titleText } from '../domain/timeDisplay.ts';
import { chosenTimer } from '../domain/timers.ts';
import { timerHelpPage } from '../page.ts';
import { useSaid } from './announcements.ts';
import { Countdown } from './CountdownView.tsx';
import { ending } from './ending.ts';
import { useAlone } from './fullScreen.ts';
import { StopwatchView } from './StopwatchView.tsx';
import { TimerList } from './TimerList.tsx';
import { isRunning, isUp, useKept, type StoredTimers } from './timerState.ts';
import { useDocumentTitle } from './useDocumentTitle.ts';
import { useTimerCommands, type View } from './useTimerCommands.ts';
import styles from './TimerPage.module.css';

const VIEWS = [
  { value: 'timer', label: 'Timer' },
  { value: 'stopwatch', label: 'Stopwatch' },
] as const;

const titleOf = ({ all, now, upAt }: StoredTimers, view: View): string => {
  const timer = chosenTimer(all);
  if (view === 'stopwatch' || !timer) return `${ranText(ranAt(all.stopwatch, now))} · Stopwatch`;
  const { left } = at(timer.countdown, now);
  return titleText({ left, ended: upAt !== undefined, ...(all.timers.length > 1 && { name: timer.name }) });
};

function Announcements() {
  const { text, number } = useSaid();
  return (
    <div className="unseen" role="status">
      <span key={number}>{text}</span>
    </div>
  );
}

/** The timer: what is left, as large as the window allows, and below it what can be done. */
export default function TimerPage() {
  useOfflineState();
  const kept = useKept();
  const { all, now } = kept;
  const [remembered, setView] = useBrowserStorage('timer.view');
  const view: View = remembered === 'stopwatch' ? 'stopwatch' : 'timer';
  const isAlone = useAlone();
  const timer = chosenTimer(all);

  useEffect(() => ending.begin(), []);
  useDocumentTitle(titleOf(kept, view));
  useWakeLock(isRunning(all));
  useTimerCommands(view);

  return (
    <>
      <PageHeader>
        <PageLink to={timerHelpPage.path} className={styles['minify'] ?? ''}>
          <IconMaximize size={16} stroke={1.75} aria-hidden />
          Full screen/minify
        </PageLink>
      </PageHeader>
      <div
        className={styles['page']}
        data-flush
        data-timer-alone={isAlone || undefined}
        data-timer-up={isUp(kept) || undefined}
      >
        <Announcements />
        <div className={styles['top']}>
          <SegmentedControl label="View" options={VIEWS} value={view} firm onSelect={setView} />
          {view === 'timer' && <TimerList all={all} now={now} />}
        </div>
        {view === 'timer' && timer ? (
          <Countdown timer={timer} now={now} />
        ) : (
          <StopwatchView stopwatch={all.stopwatch} now={now} />
        )}
      </div>
    </>
  );
}
