import { Button } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconDeviceDesktop, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { useSelectedComputer, type Computer, getStateDot } from '#platform/web/app/computers.ts';
import { useDelayed } from '#platform/web/app/lazyPart.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { useIsReconnecting } from '#platform/web/app/realtime.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { showRepeatingError } from '#platform/web/app/showError.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import type { LevelGroup } from '../domain/levels.ts';
import { FaderStrip } from './FaderStrip.tsx';
import type { Board } from './mixerBoard.ts';
import { useComputers, useMixer, type MixerProblem } from './useMixer.ts';
import styles from './MixerPage.module.css';

const NO_TOKEN_MESSAGE =
  'no token found, and not logged in also. Log in and either: click go to mixer, or save token. then come back :)';
const NO_SESSIONS_MESSAGE =
  'No audio sessions found (or a very rare error, might fix itself in a few seconds, if not, restart)';

/** After this long without a connection, unsent changes are discarded, because they would surprise the user. */
const UNSENT_CHANGE_TTL_MS = 10_000;
const PLACEHOLDER_KEYS = [1, 2, 3, 4];
const PAGE_PATH = '/mixer';
const DEVICES_PATH = '/dashboard/settings?tab=devices';

function NoToken() {
  const navigateTo = useNavigateTo();
  return (
    <EmptyState icon={IconAdjustmentsHorizontal} text={NO_TOKEN_MESSAGE}>
      <Button variant="primary" onClick={() => navigateTo('/login', { from: PAGE_PATH })}>
        Log in
      </Button>
    </EmptyState>
  );
}

/** Empty strips in place of the real ones. */
function Loading() {
  if (!useDelayed(true)) return null;
  return (
    <div className={styles['desk']} role="status" aria-label="Loading">
      {PLACEHOLDER_KEYS.map((key) => (
        <div key={key} className={`${styles['strip']} ${styles['ghost']}`} />
      ))}
    </div>
  );
}

interface ProblemMessageProps {
  readonly message: string;
  readonly computers: readonly Computer[];
  readonly onRetry: () => void;
}

/** The reason why there is no mixer, and what to do about it. */
function ProblemMessage({ message, computers, onRetry }: ProblemMessageProps) {
  const navigateTo = useNavigateTo();
  const isUnpaired = computers.length === 0;
  const button = isUnpaired ? (
    <Button variant="primary" onClick={() => navigateTo('/dashboard/settings/pair')}>
      Pair your computer
    </Button>
  ) : (
    <Button variant="primary" leftSection={<IconRefresh size={16} stroke={1.75} />} onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <EmptyState
      icon={isUnpaired ? IconDeviceDesktop : IconPlugConnectedX}
      text={
        <>
          <span role="status">{message}</span>
          {isUnpaired ? (
            <small className={styles['hint']}>Apps that play sound on a paired computer appear here</small>
          ) : null}
        </>
      }
    >
      <span className={styles['buttons']}>
        {button}
        <Button onClick={() => navigateTo(DEVICES_PATH)}>Devices Settings</Button>
      </span>
    </EmptyState>
  );
}

interface DeskProps {
  readonly board: Board;
  readonly isVertical: boolean;
  readonly disabledReason: string | undefined;
}

const labelByGroup: Readonly<Record<LevelGroup, string>> = { outputs: 'Outputs', sessions: 'Audio sessions' };

/** All strips, grouped into outputs and sessions. */
function Desk({ board, isVertical, disabledReason }: DeskProps) {
  const navigateTo = useNavigateTo();
  const views = useSyncExternalStore(board.subscribe, board.getViews);
  function renderGroup(group: LevelGroup): ReactNode {
    const groupViews = views.filter((view) => view.group === group);
    if (groupViews.length === 0) return null;
    return (
      <section className={styles['group']} aria-label={labelByGroup[group]}>
        {groupViews.map((view) => (
          <FaderStrip
            key={view.key}
            view={view}
            board={board}
            isVertical={isVertical}
            disabledReason={disabledReason}
          />
        ))}
      </section>
    );
  }
  return (
    <div className={styles['desk']}>
      {renderGroup('outputs')}
      {renderGroup('sessions') ?? (
        <div className={styles['empty']}>
          <EmptyState icon={IconAdjustmentsHorizontal} text={NO_SESSIONS_MESSAGE}>
            <Button onClick={() => navigateTo(DEVICES_PATH)}>Devices Settings</Button>
          </EmptyState>
        </div>
      )}
    </div>
  );
}

/** Shows the refusal of a poll, and opens the login if the token is invalid (docs/specification/mixer.md section 5). */
function useProblemNotice(problem: MixerProblem | undefined, hasComputers: boolean): void {
  const navigateTo = useNavigateTo();
  const openLogin = useEffectEvent(() => navigateTo('/login', { replace: true, from: PAGE_PATH }));
  const message = problem?.isLost ? undefined : problem?.message;
  useEffect(() => {
    if (message?.includes('invalid token')) openLogin();
    else if (message !== undefined && hasComputers) return showRepeatingError(new Error(message));
    return undefined;
  }, [message, hasComputers]);
}

/** Returns why no level can be changed now; undefined if it can. */
function useDisabledReason(problem: MixerProblem | undefined): string | undefined {
  const isServerReachable = useIsReachable();
  const isReconnecting = useIsReconnecting();
  if (!isServerReachable) return 'Offline';
  return isReconnecting ? 'Reconnecting' : problem?.message;
}

function muteFocused(board: Board): void {
  const key = document.activeElement?.closest<HTMLElement>('[data-strip]')?.dataset['strip'];
  if (key !== undefined) board.toggle(key);
}

interface ComputerPickerProps {
  readonly computers: readonly Computer[];
  readonly selected: Computer | undefined;
  readonly onSelect: (id: string) => void;
}

/** The selected computer, or a picker if there are several (docs/specification/devices.md section 4.2). */
function SelectedComputer({ computers, selected, onSelect }: ComputerPickerProps) {
  if (computers.length > 1)
    return (
      <div className={styles['picker']}>
        <DevicePicker computers={computers} selected={selected} onSelect={onSelect} brief />
      </div>
    );
  if (!selected) return null;
  const dot = getStateDot(selected.state);
  return (
    <span className={styles['onlyDevice']}>
      <span className={`${styles['dot']} dot`} data-hollow={dot === 'hollow' || undefined} style={{ color: dot }} />
      <span className="ellipsis" dir="auto">
        {selected.name}
      </span>
      {selected.state === 'Connected' ? null : <small>{selected.state}</small>}
    </span>
  );
}

/** Returns whether levels are shown: also while the connection or the computer is lost for a moment. */
const areLevelsShown = (problem: MixerProblem | undefined, computer: Computer | undefined): boolean =>
  problem === undefined || problem.isLost || computer?.state === 'Reconnecting';

const NO_COMPUTERS: readonly Computer[] = [];

function Mixer() {
  const isNarrow = useIsNarrow();
  const { computers = NO_COMPUTERS, isPending } = useComputers();
  const { selectedComputer, selectComputer } = useSelectedComputer(computers);
  const { board, target, problem, retry } = useMixer(selectedComputer?.id, !isPending);
  const computer =
    selectedComputer ??
    computers.find(({ id }) => id === target) ??
    (computers.length === 1 ? computers[0] : undefined);
  const disabledReason = useDisabledReason(problem);
  useProblemNotice(problem, computers.length > 0);
  useEffect(() => {
    if (disabledReason === undefined) return undefined;
    board.pause();
    const timeout = setTimeout(board.discardUnsent, UNSENT_CHANGE_TTL_MS);
    return () => clearTimeout(timeout);
  }, [board, disabledReason]);
  useCommands([{ id: 'mute', name: 'Mute the focused strip', keys: 'm', run: () => muteFocused(board) }]);

  const isShown = target !== undefined && areLevelsShown(problem, computer);
  const placeholder = problem ? (
    <ProblemMessage message={problem.message} computers={computers} onRetry={retry} />
  ) : (
    <Loading />
  );
  return (
    <>
      <PageHeader beside={<SelectedComputer computers={computers} selected={computer} onSelect={selectComputer} />} />
      {isShown ? <Desk board={board} isVertical={!isNarrow} disabledReason={disabledReason} /> : placeholder}
    </>
  );
}

/** Opens the login if the session ends while the page is open; shows visitors what to do. */
export default function MixerPage() {
  const navigateTo = useNavigateTo();
  const isLoggedIn = useSession() !== undefined;
  const [wasLoggedIn, setWasLoggedIn] = useState(isLoggedIn);
  if (isLoggedIn && !wasLoggedIn) setWasLoggedIn(true);
  const hasEnded = wasLoggedIn && !isLoggedIn;
  const openLogin = useEffectEvent(() => navigateTo('/login', { replace: true, from: PAGE_PATH }));
  useEffect(() => {
    if (hasEnded && !session.hasLoggedOut()) openLogin();
  }, [hasEnded]);
  if (isLoggedIn) return <Mixer />;
  return (
    <>
      <PageHeader />
      {hasEnded ? null : <NoToken />}
    </>
  );
}
