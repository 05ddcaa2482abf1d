import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconMaximize, IconFlag, IconRefresh } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore, memo } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { useOfflineState } from '#platform/web/app/useOfflineState.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { getCountdownView, type Milliseconds } from '../domain/countdown.ts';
import { getElapsed, getCurrentLapDuration, listLaps, MAX_LAPS, type Stopwatch } from '../domain/stopwatch.ts';
import { formatElapsed, formatTitle, formatHundredths, formatSpokenLength } from '../domain/timeDisplay.ts';
import { getSelectedTimer } from '../domain/timers.ts';
import { timerHelpPage } from '../page.ts';
import { alarms } from './alarms.ts';
import { useAnnouncement } from './announcements.ts';
import { Digits } from './Digits.tsx';
import { endReports } from './endReports.ts';
import { countdownActions, stopwatchActions } from './timerActions.ts';
import { TimerList } from './TimerList.tsx';
import { isAnythingRunning, hasJustEnded, useTimerSnapshot, type TimerSnapshot } from './timerStore.ts';
import { TimerView, StartPause, StateBadge } from './TimerView.tsx';
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

function subscribeToFullScreen(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}

export const fullScreenMode = {
  /** iPhones don't support it. */
  isSupported: (): boolean => document.fullscreenEnabled,
  toggle: (): Promise<void> =>
    isFullScreen() ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
};

/** Returns whether the timer is shown without the rest of the site: in a low window or in full screen. */
export function useIsAlone(): boolean {
  const isLow = useMediaQuery(LOW_WINDOW_QUERY, undefined, { getInitialValueInEffect: false }) ?? false;
  return useSyncExternalStore(subscribeToFullScreen, isFullScreen) || isLow;
}

export type View = 'timer' | 'stopwatch';

/** Returns whether a control has the focus, which the space bar presses. */
const isOnControl = (): boolean =>
  document.activeElement?.matches('button, a[href], summary, [role=menuitem], [role=option]') ?? false;

/** Registers the commands and keys of the page. */
export function useTimerCommands(view: View): void {
  const actions = view === 'timer' ? countdownActions : stopwatchActions;
  useCommands([
    { id: 'timer-toggle', name: 'Start or pause', keys: ' ', when: () => !isOnControl(), run: actions.toggle },
    { id: 'timer-reset', name: 'Reset', keys: 'r', run: actions.reset },
    { id: 'timer-test', name: 'Test audio', keys: 't', run: () => void alarms.test() },
    ...(fullScreenMode.isSupported()
      ? [{ id: 'timer-full', name: 'Full screen', keys: 'f', run: () => void fullScreenMode.toggle() }]
      : []),
    { id: 'timer-lap', name: 'Lap', keys: 'l', when: () => view === 'stopwatch', run: stopwatchActions.lap },
  ]);
}

const Laps = memo(function Laps({ stopwatch }: { readonly stopwatch: Stopwatch }) {
  return (
    <table className={`${styles['laps']} num`}>
      <thead>
        <tr>
          <th scope="col">Lap</th>
          <th scope="col">Lap time</th>
          <th scope="col">Total time</th>
        </tr>
      </thead>
      <tbody>
        {listLaps(stopwatch).map(({ number, duration, total }) => (
          <tr key={number}>
            <th scope="row">{number}</th>
            <td>{formatHundredths(duration)}</td>
            <td>{formatHundredths(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});

/** The stopwatch, with laps. */
export function StopwatchView({ stopwatch, now }: { readonly stopwatch: Stopwatch; readonly now: Milliseconds }) {
  const isRunning = stopwatch.since !== undefined;
  const elapsed = getElapsed(stopwatch, now);
  const text = formatElapsed(elapsed);
  const isFull = stopwatch.laps.length >= MAX_LAPS;
  return (
    <>
      <div className={styles['middle']}>
        <Digits
          label={`${formatSpokenLength(Math.floor(elapsed / 1000))} elapsed`}
          text={text}
          fraction={formatHundredths(elapsed).slice(text.length, text.length + 2)}
        />
        <div className={styles['state']}>
          <StateBadge isRunning={isRunning} />
          {stopwatch.laps.length > 0 && (
            <span className="num">
              lap {stopwatch.laps.length + 1}, {formatElapsed(getCurrentLapDuration(stopwatch, now))}
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
          onClick={stopwatchActions.reset}
        >
          Reset
        </Button>
        <StartPause isRunning={isRunning} onToggle={stopwatchActions.toggle} />
        <Button
          className={styles['aux'] ?? ''}
          leftSection={<IconFlag size={20} stroke={1.75} />}
          disabled={!isRunning || isFull}
          onClick={stopwatchActions.lap}
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

function formatPageTitle({ state, now, endedAt }: TimerSnapshot, view: View): string {
  const timer = getSelectedTimer(state);
  if (view === 'stopwatch' || !timer) return `${formatElapsed(getElapsed(state.stopwatch, now))} · Stopwatch`;
  const { remaining } = getCountdownView(timer.countdown, now);
  return formatTitle({
    remaining,
    hasEnded: endedAt !== undefined,
    ...(state.timers.length > 1 && { name: timer.name }),
  });
}

function Announcements() {
  const { text, number } = useAnnouncement();
  return (
    <div className="unseen" role="status">
      <span key={number}>{text}</span>
    </div>
  );
}

/** The page of the timer: the time left as large as possible, and the controls below it. */
export default function TimerPage() {
  useOfflineState();
  const snapshot = useTimerSnapshot();
  const { state, now } = snapshot;
  const [storedView, setView] = useBrowserStorage('timer.view');
  const view: View = storedView === 'stopwatch' ? 'stopwatch' : 'timer';
  const isAlone = useIsAlone();
  const timer = getSelectedTimer(state);

  useEffect(() => endReports.start(), []);
  useDocumentTitle(formatPageTitle(snapshot, view));
  useWakeLock(isAnythingRunning(state));
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
        data-timer-up={hasJustEnded(snapshot) || undefined}
      >
        <Announcements />
        <div className={styles['top']}>
          <SegmentedControl label="View" options={VIEWS} value={view} isSingleLine onSelect={setView} />
          {view === 'timer' && <TimerList state={state} now={now} />}
        </div>
        {view === 'timer' && timer ? (
          <TimerView timer={timer} now={now} />
        ) : (
          <StopwatchView stopwatch={state.stopwatch} now={now} />
        )}
      </div>
    </>
  );
}
