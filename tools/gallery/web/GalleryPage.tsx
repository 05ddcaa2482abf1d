import { Button, Menu } from '@mantine/core';
import {
  IconMovie,
  IconLock,
  IconPlayerRecord,
  IconWorld,
  IconAlertTriangle,
  IconPlayerRecordFilled,
} from '@tabler/icons-react';
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
  type ReactNode,
} from 'react';
import { useLocation } from 'react-router';
import { notices } from '#platform/web/app/notices.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { PageHeader, PageMenu } from '#platform/web/page/PageHeader.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { galleryPage } from '../page.ts';
import { SessionSection } from './SessionSection.tsx';
import { findRemainingNeighbour, findGridNeighbour } from './texts.ts';
import {
  useGalleryActions,
  useGallery,
  useRecordableComputers,
  type OwnRecordings,
  type Session,
  type GalleryActions,
  type RecordableComputer,
  useRecordCommands,
  useRecordScreen,
} from './useGallery.ts';
import styles from './GalleryPage.module.css';

interface OwnerProps {
  readonly own: OwnRecordings;
  readonly computers: readonly RecordableComputer[];
  readonly actions: GalleryActions;
}

/** Actions of the owner: record a screen, and set the default for new recordings. */
export function PageActions({ own, computers, actions }: OwnerProps) {
  const recordCommands = useRecordCommands(computers, own);
  const availableCommands = recordCommands.filter(({ problem }) => problem === undefined);
  const [onlyCommand] = availableCommands.length === 1 && own.recording.length === 0 ? availableCommands : [];
  return (
    <>
      {onlyCommand ? (
        <Button
          className={styles['record'] ?? ''}
          leftSection={<IconPlayerRecord size={16} stroke={1.75} />}
          aria-label={onlyCommand.name}
          onClick={onlyCommand.run}
        >
          Record
        </Button>
      ) : null}
      <PageMenu label="Recording menu" width={300}>
        {recordCommands.map(({ target, name, problem, run }) => (
          <Menu.Item
            key={target}
            leftSection={<IconPlayerRecord size={18} stroke={1.75} />}
            disabled={problem !== undefined}
            onClick={run}
          >
            <span dir="auto">{name}</span>
            {problem === undefined ? null : <small className={styles['reason']}>{problem}</small>}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={own.newPublic ? <IconLock size={18} stroke={1.75} /> : <IconWorld size={18} stroke={1.75} />}
          onClick={() => actions.publish('new', !own.newPublic)}
        >
          {own.newPublic ? 'Make new recordings private' : 'Make new recordings public'}
        </Menu.Item>
      </PageMenu>
    </>
  );
}

/** Screens that are being recorded. */
function Recordings({ own, computers }: Omit<OwnerProps, 'actions'>) {
  const { record, isPending } = useRecordScreen();
  return own.recording.map(({ target, since }) => (
    <p key={target} className={`${styles['strip']} ${styles['running']}`} role="status">
      <IconPlayerRecordFilled size={16} />
      <span>
        Recording the screen of{' '}
        <b dir="auto">{computers.find((computer) => computer.target === target)?.name ?? 'a computer'}</b> since{' '}
        <span className="num">{formatClockTime(since * 1000)}</span>
      </span>
      <Button size="compact-md" disabled={isPending} onClick={() => record(target, 'stop')}>
        Stop recording
      </Button>
    </p>
  ));
}

function WaitingItem({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className={styles['status']}>
      <b className="ellipsis" dir="auto">
        {name}
      </b>
      <small>{children}</small>
    </span>
  );
}

/** Recordings that are being processed, and those that could not be read. */
export function Incoming({ own, computers, actions }: OwnerProps) {
  const { waiting, broken, hindrance, inbox } = own;
  return (
    <>
      {hindrance === '' ? null : (
        <p className={`${styles['strip']} ${styles['setupProblem']}`} role="status">
          <IconAlertTriangle size={18} stroke={1.75} />
          <span>{hindrance}</span>
        </p>
      )}
      <Recordings own={own} computers={computers} />
      {waiting.length + broken.length === 0 ? null : (
        <section className={styles['incoming']} aria-label="Pending recordings">
          <ul>
            {waiting.map(({ id, name, state }) => (
              <li key={`w${id}`}>
                <WaitingItem name={name}>{state}</WaitingItem>
              </li>
            ))}
            {broken.map(({ id, name, reason }) => (
              <li key={`b${id}`} data-broken>
                <WaitingItem name={name}>
                  {reason}
                  {inbox === '' ? null : '. It was moved to gallery/broken'}
                </WaitingItem>
                <ConfirmButton
                  size="compact-md"
                  confirmLabel="Confirm Delete"
                  aria-label={`Delete ${name}`}
                  onConfirm={() => actions.removeBroken(id)}
                >
                  Delete
                </ConfirmButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const NO_SESSIONS: readonly Session[] = [];
const PLACEHOLDER_KEYS = [1, 2, 3, 4, 5];

function focusThumb(file: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-video="${file}"]`)?.focus());
}

/**
 * Tracks which video plays, and moves to the next one.
 * @param page the element that contains the videos
 */
function usePlayback(sessions: readonly Session[], page: RefObject<HTMLElement | null>) {
  const [selected, setSelected] = useState<string>();
  const order = useMemo(() => sessions.flatMap(({ files }) => files), [sessions]);
  // A video that was deleted or became private stops playing.
  const playing = selected !== undefined && order.includes(selected) ? selected : undefined;
  const previousOrder = useRef(order);
  useEffect(() => {
    const previous = previousOrder.current;
    previousOrder.current = order;
    if (selected === undefined || !previous.includes(selected) || order.includes(selected)) return;
    if (document.activeElement !== document.body) return;
    // The focused element was removed together with the video.
    const neighbour = findRemainingNeighbour(selected, previous, order);
    if (neighbour === undefined) page.current?.closest('main')?.focus({ preventScroll: true });
    else focusThumb(neighbour);
  }, [order, selected, page]);
  const stop = useCallback(() => {
    if (playing === undefined) return;
    setSelected(undefined);
    focusThumb(playing);
  }, [playing]);
  const step = useCallback(
    (by: 1 | -1) => {
      const next = playing === undefined ? undefined : order[order.indexOf(playing) + by];
      if (next !== undefined) setSelected(next);
    },
    [order, playing],
  );
  return { playing, play: setSelected, stop, step };
}

/** Scrolls to the session of a link (`/cw#<its first recording>`), once the sessions are loaded. */
function useLinkedSession(sessions: readonly Session[], isLoaded: boolean): void {
  const { hash } = useLocation();
  const linkedFile = hash.slice(1);
  const show = useEffectEvent(() => {
    const session = sessions.find(({ files }) => files.includes(linkedFile));
    if (!session) notices.add('info', 'This session is no longer public or was deleted');
    else document.querySelector(`[data-session="${session.files[0]}"]`)?.scrollIntoView({ block: 'start' });
  });
  useEffect(() => {
    if (isLoaded && linkedFile !== '') show();
  }, [isLoaded, linkedFile]);
}

function handleArrowKey(event: KeyboardEvent): void {
  const focusedThumb = event.target;
  if (!(focusedThumb instanceof HTMLElement) || focusedThumb.dataset['video'] === undefined) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const thumbs = [...document.querySelectorAll<HTMLElement>('[data-video]')];
  const next = findGridNeighbour(
    thumbs.map((thumb) => thumb.getBoundingClientRect()),
    thumbs.indexOf(focusedThumb),
    event.key,
  );
  if (next === undefined) return;
  event.preventDefault();
  thumbs[next]?.focus();
}

function LoadingGrid() {
  return (
    <div className={styles['grid']} role="status" aria-label="Loading">
      {PLACEHOLDER_KEYS.map((key) => (
        <div key={key} className={`${styles['thumb']} ${styles['ghost']}`} />
      ))}
    </div>
  );
}

function EmptyGallery({ own }: { readonly own: OwnRecordings | undefined }) {
  if (!own) return <EmptyState icon={IconMovie} text="There are no public sessions" />;
  return (
    <EmptyState
      icon={IconMovie}
      text={
        <>
          Recordings appear here, grouped by session.
          <br />
          {own.inbox === '' ? 'Record the screen of a paired computer' : 'Put videos into '}
          {own.inbox === '' ? null : <code className={styles['inbox']}>{own.inbox}</code>}
          {own.inbox === '' ? null : ' on the server, or record the screen of a paired computer'}
        </>
      }
    />
  );
}

/** Sessions of recordings, newest first. A thumbnail is replaced by its player. */
export default function GalleryPage() {
  const { gallery, error, retry } = useGallery();
  const computers = useRecordableComputers();
  const actions = useGalleryActions();
  const sessions = gallery?.files ?? NO_SESSIONS;
  const page = useRef<HTMLDivElement>(null);
  const { playing, play, stop, step } = usePlayback(sessions, page);
  useLinkedSession(sessions, gallery !== undefined);
  const own = gallery?.own;
  return (
    <>
      <PageHeader title={<span className={styles['red']}>{galleryPage.title}</span>}>
        {own ? <PageActions own={own} computers={computers} actions={actions} /> : undefined}
      </PageHeader>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move between its buttons */}
      <div ref={page} className={styles['page']} onKeyDown={handleArrowKey}>
        {own ? <Incoming own={own} computers={computers} actions={actions} /> : null}
        {sessions.map((session) => (
          <SessionSection
            key={session.files[0]}
            session={session}
            playing={session.files.includes(playing ?? '') ? playing : undefined}
            actions={actions}
            onPlay={play}
            onClose={stop}
            onStep={step}
          />
        ))}
        {gallery && sessions.length === 0 ? <EmptyGallery own={own} /> : null}
        {gallery === undefined && error === null ? <LoadingGrid /> : null}
        {gallery === undefined && error !== null ? (
          <QueryError icon={IconMovie} message={error.message} onRetry={retry} />
        ) : null}
      </div>
    </>
  );
}
