import { Button } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconDeviceDesktop, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { useSelectedComputer, type Computer, getStateDot } from '#platform/web/app/computers.ts';
import { showRepeatingError } from '#platform/web/app/failure.ts';
import { useDelayed } from '#platform/web/app/lazyPart.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { useIsReconnecting } from '#platform/web/app/socket.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { FaderStrip } from './FaderStrip.tsx';
import type { Board, Group } from './mixerBoard.ts';
import { useComputers, useMixer, type MixerProblem } from './useMixer.ts';
import styles from './MixerPage.module.css';

const NO_TOKEN =
  'no token found, and not logged in also. Log in and either: click go to mixer, or save token. then come back :)';
const NO_SESSIONS =
  'No audio sessions found (or a very rare error, might fix itself in a few seconds, if not, restart)';

/** A level that could not be sent is sent after a reconnection, but not later than this: it would be a surprise. */
const WORTH_SENDING_MS = 10_000;
const GHOSTS = [1, 2, 3, 4];
const PAGE_PATH = '/mixer';
const DEVICES_PATH = '/dashboard/settings?tab=devices';

function NoToken() {
  const go = useNavigateTo();
  return (
    <EmptyState icon={IconAdjustmentsHorizontal} text={NO_TOKEN}>
      <Button variant="primary" onClick={() => go('/login', { from: PAGE_PATH })}>
        Log in
      </Button>
    </EmptyState>
  );
}

/** Empty strips at the place of the real ones. */
function Loading() {
  if (!useDelayed(true)) return null;
  return (
    <div className={styles['desk']} role="status" aria-label="Loading">
      {GHOSTS.map((ghost) => (
        <div key={ghost} className={`${styles['strip']} ${styles['ghost']}`} />
      ))}
    </div>
  );
}

interface MessageProps {
  readonly message: string;
  readonly computers: readonly Computer[];
  readonly onRetry: () => void;
}

/** The reason why there is no mixer, with what to do about it. */
function Message({ message, computers, onRetry }: MessageProps) {
  const go = useNavigateTo();
  const isUnpaired = computers.length === 0;
  const button = isUnpaired ? (
    <Button variant="primary" onClick={() => go('/dashboard/settings/pair')}>
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
        <Button onClick={() => go(DEVICES_PATH)}>Devices Settings</Button>
      </span>
    </EmptyState>
  );
}

interface DeskProps {
  readonly board: Board;
  readonly upright: boolean;
  readonly why: string | undefined;
}

const names: Readonly<Record<Group, string>> = { outputs: 'Outputs', sessions: 'Audio sessions' };

/** All strips: the outputs, and separately the sessions. */
function Desk({ board, upright, why }: DeskProps) {
  const go = useNavigateTo();
  const views = useSyncExternalStore(board.subscribe, board.views);
  const group = (which: Group): ReactNode => {
    const own = views.filter((view) => view.group === which);
    if (own.length === 0) return null;
    return (
      <section className={styles['group']} aria-label={names[which]}>
        {own.map((view) => (
          <FaderStrip key={view.key} view={view} board={board} upright={upright} why={why} />
        ))}
      </section>
    );
  };
  return (
    <div className={styles['desk']}>
      {group('outputs')}
      {group('sessions') ?? (
        <div className={styles['empty']}>
          <EmptyState icon={IconAdjustmentsHorizontal} text={NO_SESSIONS}>
            <Button onClick={() => go(DEVICES_PATH)}>Devices Settings</Button>
          </EmptyState>
        </div>
      )}
    </div>
  );
}

/** Shows the refusal of a poll, and opens the login if the token is invalid (docs/specification/mixer.md section 5). */
const useProblemNotice = (problem: MixerProblem | undefined, hasComputers: boolean): void => {
  const go = useNavigateTo();
  const toLogin = useEffectEvent(() => go('/login', { replace: true, from: PAGE_PATH }));
  const message = problem?.isLost ? undefined : problem?.message;
  useEffect(() => {
    if (message?.includes('invalid token')) toLogin();
    else if (message !== undefined && hasComputers) return showRepeatingError(new Error(message));
    return undefined;
  }, [message, hasComputers]);
};

/** Returns why no level can be changed now; undefined if it can. */
const useDisabledReason = (problem: MixerProblem | undefined): string | undefined => {
  const isServerReachable = useIsReachable();
  const isReconnecting = useIsReconnecting();
  if (!isServerReachable) return 'Offline';
  return isReconnecting ? 'Reconnecting' : problem?.message;
};

const muteFocused = (board: Board): void => {
  const key = document.activeElement?.closest<HTMLElement>('[data-strip]')?.dataset['strip'];
  if (key !== undefined) board.toggle(key);
};

interface ComputerPickerProps {
  readonly computers: readonly Computer[];
  readonly selected: Computer | undefined;
  readonly choose: (id: string) => void;
}

/** The selected computer, or a picker if there are several (docs/specification/devices.md section 4.2). */
function Which(props: ComputerPickerProps) {
  const { computers, selected } = props;
  if (computers.length > 1)
    return (
      <div className={styles['picker']}>
        <DevicePicker computers={computers} selected={selected} onSelect={props.choose} brief />
      </div>
    );
  if (!selected) return null;
  const dot = getStateDot(selected.state);
  return (
    <span className={styles['onlyDevice']}>
      <span className={styles['dot']} data-hollow={dot === 'hollow' || undefined} style={{ color: dot }} />
      <span className="ellipsis" dir="auto">
        {selected.name}
      </span>
      {selected.state === 'Connected' ? null : <small>{selected.state}</small>}
    </span>
  );
}

/** Known levels stay visible while the connection or the computer is lost for a moment. */
const isStillShown = (problem: MixerProblem | undefined, computer: Computer | undefined): boolean =>
  problem === undefined || problem.isLost || computer?.state === 'Reconnecting';

const NONE: readonly Computer[] = [];

function Mixer() {
  const narrow = useIsNarrow();
  const { computers = NONE, isPending } = useComputers();
  const { chosen, choose } = useSelectedComputer(computers);
  const { board, target, problem, again } = useMixer(chosen?.id, !isPending);
  const computer =
    chosen ?? computers.find(({ id }) => id === target) ?? (computers.length === 1 ? computers[0] : undefined);
  const why = useDisabledReason(problem);
  useProblemNotice(problem, computers.length > 0);
  useEffect(() => {
    if (why === undefined) return undefined;
    board.pause();
    const timeout = setTimeout(board.giveUp, WORTH_SENDING_MS);
    return () => clearTimeout(timeout);
  }, [board, why]);
  useCommands([{ id: 'mute', name: 'Mute the focused strip', keys: 'm', run: () => muteFocused(board) }]);

  const isShown = target !== undefined && isStillShown(problem, computer);
  const placeholder = problem ? (
    <Message message={problem.message} computers={computers} onRetry={again} />
  ) : (
    <Loading />
  );
  return (
    <>
      <PageHeader beside={<Which computers={computers} selected={computer} choose={choose} />} />
      {isShown ? <Desk board={board} upright={!narrow} why={why} /> : placeholder}
    </>
  );
}

/** If the session ends while the page is open, the login opens; a visitor reads what to do. */
export default function MixerPage() {
  const go = useNavigateTo();
  const signedIn = useSession() !== undefined;
  const [wasSignedIn, setWasSignedIn] = useState(signedIn);
  if (signedIn && !wasSignedIn) setWasSignedIn(true);
  const hasEnded = wasSignedIn && !signedIn;
  const toLogin = useEffectEvent(() => go('/login', { replace: true, from: PAGE_PATH }));
  useEffect(() => {
    if (hasEnded && !session.hasLoggedOut()) toLogin();
  }, [hasEnded]);
  if (signedIn) return <Mixer />;
  return (
    <>
      <PageHeader />
      {hasEnded ? null : <NoToken />}
    </>
  );
}
