import { IconDownload, IconPencil, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, type KeyboardEvent, type TouchEvent } from 'react';
import { formatSize } from '#platform/web/browser/formats.ts';
import { useSwipe } from '#platform/web/browser/useSwipe.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { formatFileName, formatMoment, getVideoName, getPictureAddress, getVideoAddress } from './texts.ts';
import type { GalleryActions, Video } from './useGallery.ts';
import styles from './GalleryPage.module.css';

/** Height of the browser's controls, where a touch is not a swipe. */
const CONTROLS_HEIGHT_PX = 64;
const MAX_TITLE_LENGTH = 200;

interface PlayerProps {
  readonly video: Video;
  /** Undefined if the recording belongs to another account. */
  readonly actions: GalleryActions | undefined;
  readonly onClose: () => void;
  /** Plays the next or the previous recording. */
  readonly onStep: (by: 1 | -1) => void;
}

const STEP_BY_KEY: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function togglePlayback(video: HTMLVideoElement | null): void {
  if (video?.paused) video.play().catch(() => undefined);
  else video?.pause();
}

const isField = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('input, form') !== null;

interface BarProps extends Omit<PlayerProps, 'onStep'> {
  /** Moves the focus to the player, because the focused element was removed. */
  readonly onRefocus: () => void;
}

/** The name and actions of a video, below it. */
function Bar({ video, actions, onClose, onRefocus }: BarProps) {
  const [isRenaming, setIsRenaming] = useState(false);
  const name = getVideoName(video);
  if (isRenaming && actions)
    return (
      <div className={styles['bar']}>
        <NameForm
          name={video.title}
          accessibleName={name}
          maxLength={MAX_TITLE_LENGTH}
          onRename={(title) => actions.rename(video.file, title)}
          onClose={() => {
            setIsRenaming(false);
            onRefocus();
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
          {formatMoment(video.start)}
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
        href={getVideoAddress(video)}
        download={formatFileName(video)}
        title={`Download, ${formatSize(video.bytes)}`}
        aria-label={`Download, ${formatSize(video.bytes)}`}
      >
        <IconDownload size={18} stroke={1.75} />
      </a>
      <IconButton label="Close" onClick={onClose}>
        <IconX size={18} stroke={1.75} />
      </IconButton>
    </div>
  );
}

/** Keeps the address while it is valid: a new signature, which changes every few hours, would restart the video. */
function useAddress(video: Video): string {
  const newest = getVideoAddress(video);
  const [address, setAddress] = useState(newest);
  const needsSignature = video.signature !== '' && !address.includes('?');
  if (needsSignature) setAddress(newest);
  return needsSignature ? newest : address;
}

/** The player of a recording, in the place of its picture. It plays immediately, with the browser's own controls. */
export function Player({ video, actions, onClose, onStep }: PlayerProps) {
  const group = useRef<HTMLDivElement>(null);
  const player = useRef<HTMLVideoElement>(null);
  const address = useAddress(video);
  const [hasProblem, setHasProblem] = useState(false);
  const swipe = useSwipe(onStep);
  useEffect(() => {
    group.current?.focus({ preventScroll: true });
    group.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  function handleKeyDown(event: KeyboardEvent): void {
    const { key, target } = event;
    if (isField(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') onClose();
    // Elsewhere keys keep their meaning, such as seeking in the browser's controls.
    else if (target !== group.current) return;
    else if (STEP_BY_KEY[key] !== undefined) onStep(STEP_BY_KEY[key]);
    else if (key === ' ') togglePlayback(player.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  function handleTouchStart(event: TouchEvent): void {
    const { bottom = 0 } = player.current?.getBoundingClientRect() ?? {};
    const touch = event.touches[0];
    if (touch && touch.clientY > bottom - CONTROLS_HEIGHT_PX) swipe.onTouchCancel();
    else swipe.onTouchStart(event);
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of its content
    <div
      ref={group}
      className={styles['player']}
      role="group"
      tabIndex={-1}
      aria-label={`Video ${formatMoment(video.start)}`}
      onKeyDown={handleKeyDown}
    >
      {hasProblem ? (
        <p className={styles['problem']} role="alert">
          This video can't be played here. It may have been deleted, or this browser does not support it. You can
          download it
        </p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a recording of a screen has none
        <video
          ref={player}
          src={address}
          poster={getPictureAddress(video)}
          controls
          autoPlay
          playsInline
          onError={() => setHasProblem(true)}
          {...swipe}
          onTouchStart={handleTouchStart}
        />
      )}
      <Bar
        video={video}
        actions={actions}
        onClose={onClose}
        onRefocus={() => group.current?.focus({ preventScroll: true })}
      />
    </div>
  );
}
