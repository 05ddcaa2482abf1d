import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconMaximize, IconFlag, IconRefresh } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore, memo } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { useOfflineState } from '#platform/web/app/offlinePage.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { getCountdownView, type Milliseconds } from '../domain/countdown.ts';
import { getElapsed, getLapDuration, listLaps, MAX_LAPS, type Stopwatch } from '../domain/stopwatch.ts';
import { ranText, titleText, hundredthsText, spokenText } from '../domain/timeDisplay.ts';
import { getSelectedTimer } from '../domain/timers.ts';
import { timerHelpPage } from '../page.ts';
import { useSaid } from './announcements.ts';
import { Countdown, StartPause, StateBadge } from './CountdownView.tsx';
import { Digits } from './Digits.tsx';
import { ending } from './ending.ts';
import { ringing } from './ringing.ts';
import { countdownActs, stopwatchActs } from './timerActions.ts';
import { TimerList } from './TimerList.tsx';
import { isRunning, isUp, useStoredTimers, type StoredTimers } from './timerState.ts';
import styles from './TimerPage.module.css';

/** Sets the document's title while the component is mounted. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    // After the page's own title, which the shell sets in the same round of effects.
    queueMicrotask(() => {
      document.title = title;
    });
  }, [title]);
}

/** A lower window shows nothing but the timer. */
const LOW_WINDOW_QUERY = '(max-height: 319px)';

const isFullScreen = (): boolean => document.fullscreenElement !== null;

const subscribe = (listener: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
};

export const fullScreen = {
  /** iPhones don't support it. */
  isThere: (): boolean => document.fullscreenEnabled,
  toggle: (): Promise<void> =>
    isFullScreen() ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
};

/** Returns whether the timer is shown without the rest of the site: in a low window or in full screen. */
export function useAlone(): boolean {
  const isLow = useMediaQuery(LOW_WINDOW_QUERY, undefined, { getInitialValueInEffect: false }) ?? false;
  return useSyncExternalStore(subscribe, isFullScreen) || isLow;
}

export type View = 'timer' | 'stopwatch';

/** The space bar presses the focused control. */
const isOnControl = (): boolean =>
  document.activeElement?.matches('button, a[href], summary, [role=menuitem], [role=option]') ?? false;

/** Registers the commands and keys of the page. */
export function useTimerCommands(view: View): void {
  const actions = view === 'timer' ? countdownActs : stopwatchActs;
  useCommands([
    { id: 'timer-toggle', name: 'Start or pause', keys: ' ', when: () => !isOnControl(), run: actions.toggle },
    { id: 'timer-reset', name: 'Reset', keys: 'r', run: actions.reset },
    { id: 'timer-test', name: 'Test audio', keys: 't', run: () => void ringing.test() },
    ...(fullScreen.isThere()
      ? [{ id: 'timer-full', name: 'Full screen', keys: 'f', run: () => void fullScreen.toggle() }]
      : []),
    { id: 'timer-lap', name: 'Lap', keys: 'l', when: () => view === 'stopwatch', run: stopwatchActs.lap },
  ]);
}

const Laps = memo(function Laps({ stopwatch }: { readonly stopwatch: Stopwatch }) {
  return (
    <table className={styles['laps']}>
      <thead>
        <tr>
          <th scope="col">Lap</th>
          <th scope="col">Lap time</th>
          <th scope="col">Total time</th>
        </tr>
      </thead>
      <tbody>
        {listLaps(stopwatch).map(({ number, took, total }) => (
          <tr key={number}>
            <th scope="row">{number}</th>
            <td>{hundredthsText(took)}</td>
            <td>{hundredthsText(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});

/** The stopwatch, with laps. */
export function StopwatchView({ stopwatch, now }: { readonly stopwatch: Stopwatch; readonly now: Milliseconds }) {
  const running = stopwatch.since !== undefined;
  const ran = getElapsed(stopwatch, now);
  const text = ranText(ran);
  const isFull = stopwatch.laps.length >= MAX_LAPS;
  return (
    <>
      <div className={styles['middle']}>
        <Digits
          label={`${spokenText(Math.floor(ran / 1000))} elapsed`}
          text={text}
          fraction={hundredthsText(ran).slice(text.length, text.length + 2)}
        />
        <div className={styles['state']}>
          <StateBadge running={running} />
          {stopwatch.laps.length > 0 && (
            <span className="num">
              lap {stopwatch.laps.length + 1}, {ranText(getLapDuration(stopwatch, now))}
            </span>
          )}
          {isFull && <span>{MAX_LAPS} laps at most</span>}
        </div>
        {stopwatch.laps.length > 0 && (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboards must reach what scrolls
          <div className={styles['lapsContainer']} tabIndex={0} role="region" aria-label="Laps">
            <Laps stopwatch={stopwatch} />
          </div>
        )}
      </div>
      <div className={styles['controls']}>
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconRefresh size={20} stroke={1.75} />}
          onClick={stopwatchActs.reset}
        >
          Reset
        </Button>
        <StartPause running={running} toggle={stopwatchActs.toggle} />
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconFlag size={20} stroke={1.75} />}
          disabled={!running || isFull}
          onClick={stopwatchActs.lap}
        >
          Lap
        </Button>
      </div>
    </>
  );
}

const VIEWS = [
  { value: 'timer', label: 'Timer' },
  { value: 'stopwatch', label: 'Stopwatch' },
] as const;

const formatTitle = ({ all, now, upAt }: StoredTimers, view: View): string => {
  const timer = getSelectedTimer(all);
  if (view === 'stopwatch' || !timer) return `${ranText(getElapsed(all.stopwatch, now))} · Stopwatch`;
  const { left } = getCountdownView(timer.countdown, now);
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

/** The page of the timer: the time left as large as possible, and the controls below it. */
export default function TimerPage() {
  useOfflineState();
  const stored = useStoredTimers();
  const { all, now } = stored;
  const [remembered, setView] = useBrowserStorage('timer.view');
  const view: View = remembered === 'stopwatch' ? 'stopwatch' : 'timer';
  const isAlone = useAlone();
  const timer = getSelectedTimer(all);

  useEffect(() => ending.begin(), []);
  useDocumentTitle(formatTitle(stored, view));
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
        data-timer-up={isUp(stored) || undefined}
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
