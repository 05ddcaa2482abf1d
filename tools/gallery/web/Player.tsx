import { IconDownload, IconPencil, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, type KeyboardEvent, type TouchEvent } from 'react';
import { formatSize } from '#platform/web/browser/formats.ts';
import { useSwipe } from '#platform/web/browser/useSwipe.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { formatFileName, momentText, getName, pictureAddress, videoAddress } from './texts.ts';
import type { GalleryActions, Video } from './useGallery.ts';
import styles from './GalleryPage.module.css';

/** A touch in this area operates the browser's controls, so it is not a swipe. */
const CONTROLS_PX = 64;
const MAX_TITLE_LENGTH = 200;

interface PlayerProps {
  readonly video: Video;
  /** Undefined if the recording belongs to somebody else. */
  readonly actions: GalleryActions | undefined;
  readonly stop: () => void;
  /** Plays the next or the previous recording. */
  readonly turn: (by: 1 | -1) => void;
}

const STEP_BY_KEY: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const togglePlayback = (video: HTMLVideoElement | null): void => {
  if (video?.paused) video.play().catch(() => undefined);
  else video?.pause();
};

const isField = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('input, form') !== null;

interface BarProps extends Omit<PlayerProps, 'turn'> {
  /** Moves the focus to the player, because the focused element was removed. */
  readonly refocus: () => void;
}

/** The name of the video and its actions, below it. */
function Bar({ video, actions, stop, refocus }: BarProps) {
  const [isRenaming, setIsRenaming] = useState(false);
  const name = getName(video);
  if (isRenaming && actions)
    return (
      <div className={styles['bar']}>
        <NameForm
          name={video.title}
          called={name}
          maxLength={MAX_TITLE_LENGTH}
          onRename={(title) => actions.rename(video.file, title)}
          onClose={() => {
            setIsRenaming(false);
            refocus();
          }}
        />
      </div>
    );
  return (
    <div className={styles['bar']}>
      <span className={styles['details']}>
        <b className="ellipsis" dir="auto">
          {name}
        </b>
        <small className="num ellipsis">
          {momentText(video.start)}
          {video.cut ? '. The recording was cut off. The readable part was saved' : ''}
        </small>
      </span>
      {actions ? (
        <>
          <IconButton label={`Rename ${name}`} onClick={() => setIsRenaming(true)}>
            <IconPencil size={18} stroke={1.75} />
          </IconButton>
          <ConfirmButton
            size="compact-md"
            confirmLabel="Confirm Delete"
            aria-label={`Delete ${name}`}
            onConfirm={() => actions.remove(video.file)}
          >
            Delete
          </ConfirmButton>
        </>
      ) : null}
      <a
        className={styles['link']}
        href={videoAddress(video)}
        download={formatFileName(video)}
        title={`Download, ${formatSize(video.bytes)}`}
        aria-label={`Download, ${formatSize(video.bytes)}`}
      >
        <IconDownload size={18} stroke={1.75} />
      </a>
      <IconButton label="Close" onClick={stop}>
        <IconX size={18} stroke={1.75} />
      </IconButton>
    </div>
  );
}

/** Keeps the address while it is valid: a new signature, which changes every few hours, would restart the video. */
const useAddress = (video: Video): string => {
  const newest = videoAddress(video);
  const [address, setAddress] = useState(newest);
  const isExpired = video.signature !== '' && !address.includes('?');
  if (isExpired) setAddress(newest);
  return isExpired ? newest : address;
};

/** The recording in place of its picture; it plays immediately, with the browser's own controls. */
export function Player({ video, actions, stop, turn }: PlayerProps) {
  const group = useRef<HTMLDivElement>(null);
  const player = useRef<HTMLVideoElement>(null);
  const address = useAddress(video);
  const [problem, setTrouble] = useState(false);
  const swipe = useSwipe(turn);
  useEffect(() => {
    group.current?.focus({ preventScroll: true });
    group.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    if (isField(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') stop();
    // On other elements, keys keep their meaning: the arrows seek in the browser's controls.
    else if (target !== group.current) return;
    else if (STEP_BY_KEY[key] !== undefined) turn(STEP_BY_KEY[key]);
    else if (key === ' ') togglePlayback(player.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onTouchStart = (event: TouchEvent): void => {
    const { bottom = 0 } = player.current?.getBoundingClientRect() ?? {};
    const finger = event.touches[0];
    if (finger && finger.clientY > bottom - CONTROLS_PX) swipe.onTouchCancel();
    else swipe.onTouchStart(event);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of what is inside
    <div
      ref={group}
      className={styles['player']}
      role="group"
      tabIndex={-1}
      aria-label={`Video ${momentText(video.start)}`}
      onKeyDown={onKeyDown}
    >
      {problem ? (
        <p className={styles['problem']} role="alert">
          This video can't be played here. It may have been deleted, or this browser does not support it. You can
          download it
        </p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a recording of a screen has none
        <video
          ref={player}
          src={address}
          poster={pictureAddress(video)}
          controls
          autoPlay
          playsInline
          onError={() => setTrouble(true)}
          {...swipe}
          onTouchStart={onTouchStart}
        />
      )}
      <Bar video={video} actions={actions} stop={stop} refocus={() => group.current?.focus({ preventScroll: true })} />
    </div>
  );
}
