import { Button } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconDeviceDesktop, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { useSelectedComputer, type Computer, getStateDot } from '#platform/web/app/computers.ts';
import { showRepeatingError } from '#platform/web/app/failure.ts';
import { useDelayed } from '#platform/web/app/latePart.ts';
import { useIsReconnecting } from '#platform/web/app/line.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { FaderStrip } from './FaderStrip.tsx';
import type { Board, Group } from './mixerBoard.ts';
import { useComputers, useMixer, type Trouble } from './useMixer.ts';
import styles from './MixerPage.module.css';

const NO_TOKEN =
  'no token found, and not logged in also. Log in and either: click go to mixer, or save token. then come back :)';
const NO_SESSIONS =
  'No audio sessions found (or a very rare error, might fix itself in a few seconds, if not, restart)';

/** A level that could not be sent is sent when the line is back; after this it would come as a surprise. */
const WORTH_SENDING_MS = 10_000;
const GHOSTS = [1, 2, 3, 4];
const HERE = '/mixer';
const DEVICES = '/dashboard/settings?tab=devices';

function NoToken() {
  const go = useNavigateTo();
  return (
    <EmptyState icon={IconAdjustmentsHorizontal} text={NO_TOKEN}>
      <Button variant="primary" onClick={() => go('/login', { from: HERE })}>
        Log in
      </Button>
    </EmptyState>
  );
}

/** Strips without anything in them, where the real ones will stand. */
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
  readonly again: () => void;
}

/** The message that came instead of a mixer, and what to do about it. */
function Message({ message, computers, again }: MessageProps) {
  const go = useNavigateTo();
  const first = computers.length === 0;
  const button = first ? (
    <Button variant="primary" onClick={() => go('/dashboard/settings/pair')}>
      Pair your computer
    </Button>
  ) : (
    <Button variant="primary" leftSection={<IconRefresh size={16} stroke={1.75} />} onClick={again}>
      Try again
    </Button>
  );
  return (
    <EmptyState
      icon={first ? IconDeviceDesktop : IconPlugConnectedX}
      text={
        <>
          <span role="status">{message}</span>
          {first ? (
            <small className={styles['hint']}>Apps that play sound on a paired computer appear here</small>
          ) : null}
        </>
      }
    >
      <span className={styles['buttons']}>
        {button}
        <Button onClick={() => go(DEVICES)}>Devices Settings</Button>
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

/** All strips: the outputs, and apart from them the sessions. */
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
        <div className={styles['nothing']}>
          <EmptyState icon={IconAdjustmentsHorizontal} text={NO_SESSIONS}>
            <Button onClick={() => go(DEVICES)}>Devices Settings</Button>
          </EmptyState>
        </div>
      )}
    </div>
  );
}

/** Tells what the poll was answered with, and leads to the login where the token is none (specification 1, section 8). */
const useTelling = (trouble: Trouble | undefined, hasComputers: boolean): void => {
  const go = useNavigateTo();
  const toLogin = useEffectEvent(() => go('/login', { replace: true, from: HERE }));
  const message = trouble?.isLost ? undefined : trouble?.message;
  useEffect(() => {
    if (message?.includes('invalid token')) toLogin();
    else if (message !== undefined && hasComputers) return showRepeatingError(new Error(message));
    return undefined;
  }, [message, hasComputers]);
};

/** Why nothing can be moved now, if so. */
const useWhyNot = (trouble: Trouble | undefined): string | undefined => {
  const reached = useIsReachable();
  const reconnecting = useIsReconnecting();
  if (!reached) return 'Offline';
  return reconnecting ? 'Reconnecting' : trouble?.message;
};

const muteFocused = (board: Board): void => {
  const key = document.activeElement?.closest<HTMLElement>('[data-strip]')?.dataset['strip'];
  if (key !== undefined) board.toggle(key);
};

interface WhichProps {
  readonly computers: readonly Computer[];
  readonly chosen: Computer | undefined;
  readonly choose: (id: string) => void;
}

/** Which computer it is; a choice where there are several (contract.md section 4). */
function Which(props: WhichProps) {
  const { computers, chosen } = props;
  if (computers.length > 1)
    return (
      <div className={styles['picker']}>
        <DevicePicker computers={computers} selected={chosen} onSelect={props.choose} brief />
      </div>
    );
  if (!chosen) return null;
  const dot = getStateDot(chosen.state);
  return (
    <span className={styles['only']}>
      <span className={styles['dot']} data-hollow={dot === 'hollow' || undefined} style={{ color: dot }} />
      <span className="ellipsis" dir="auto">
        {chosen.name}
      </span>
      {chosen.state === 'Connected' ? null : <small>{chosen.state}</small>}
    </span>
  );
}

/** Levels that were here stay in sight while the line or the computer is away for a moment. */
const isStillShown = (trouble: Trouble | undefined, computer: Computer | undefined): boolean =>
  trouble === undefined || trouble.isLost || computer?.state === 'Reconnecting';

const NONE: readonly Computer[] = [];

function Mixer() {
  const narrow = useIsNarrow();
  const { computers = NONE, isPending } = useComputers();
  const { chosen, choose } = useSelectedComputer(computers);
  const { board, target, trouble, again } = useMixer(chosen?.id, !isPending);
  const computer =
    chosen ?? computers.find(({ id }) => id === target) ?? (computers.length === 1 ? computers[0] : undefined);
  const why = useWhyNot(trouble);
  useTelling(trouble, computers.length > 0);
  useEffect(() => {
    if (why === undefined) return undefined;
    board.pause();
    const giveUp = setTimeout(board.giveUp, WORTH_SENDING_MS);
    return () => clearTimeout(giveUp);
  }, [board, why]);
  useCommands([{ id: 'mute', name: 'Mute the focused strip', keys: 'm', run: () => muteFocused(board) }]);

  const isShown = target !== undefined && isStillShown(trouble, computer);
  const instead = trouble ? <Message message={trouble.message} computers={computers} again={again} /> : <Loading />;
  return (
    <>
      <PageHeader beside={<Which computers={computers} chosen={computer} choose={choose} />} />
      {isShown ? <Desk board={board} upright={!narrow} why={why} /> : instead}
    </>
  );
}

/** Where the session ends while the page is open the way leads to the login; a visitor is told what to do. */
export default function MixerPage() {
  const go = useNavigateTo();
  const signedIn = useSession() !== undefined;
  const [wasSignedIn, setWasSignedIn] = useState(signedIn);
  if (signedIn && !wasSignedIn) setWasSignedIn(true);
  const hasEnded = wasSignedIn && !signedIn;
  const toLogin = useEffectEvent(() => go('/login', { replace: true, from: HERE }));
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
