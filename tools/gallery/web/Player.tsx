import { IconDownload, IconPencil, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, type KeyboardEvent, type TouchEvent } from 'react';
import { formatSize } from '#platform/web/browser/formats.ts';
import { useSwipe } from '#platform/web/browser/useSwipe.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { fileNameOf, momentText, nameOf, pictureAddress, videoAddress } from './texts.ts';
import type { GalleryActions, Video } from './useGallery.ts';
import styles from './GalleryPage.module.css';

/** A finger there moves the position of the video, and turns no page. */
const CONTROLS_PX = 64;
const MAX_TITLE_LENGTH = 200;

interface PlayerProps {
  readonly video: Video;
  /** Undefined where it is not the viewer's own. */
  readonly acts: GalleryActions | undefined;
  readonly stop: () => void;
  /** Plays the next one, or the one before it. */
  readonly turn: (by: 1 | -1) => void;
}

const TURNS: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const pauseOrPlay = (video: HTMLVideoElement | null): void => {
  if (video?.paused) video.play().catch(() => undefined);
  else video?.pause();
};

const isField = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('input, form') !== null;

interface BarProps extends Omit<PlayerProps, 'turn'> {
  /** Brings the focus back to the player: what had it is gone. */
  readonly refocus: () => void;
}

/** What can be done with the video, below it. */
function Bar({ video, acts, stop, refocus }: BarProps) {
  const [isRenaming, setIsRenaming] = useState(false);
  const name = nameOf(video);
  if (isRenaming && acts)
    return (
      <div className={styles['bar']}>
        <NameForm
          name={video.title}
          called={name}
          maxLength={MAX_TITLE_LENGTH}
          onRename={(title) => acts.rename(video.file, title)}
          onClose={() => {
            setIsRenaming(false);
            refocus();
          }}
        />
      </div>
    );
  return (
    <div className={styles['bar']}>
      <span className={styles['about']}>
        <b className="ellipsis" dir="auto">
          {name}
        </b>
        <small className="num ellipsis">
          {momentText(video.start)}
          {video.cut ? '. Recording was cut; saved as far as it goes' : ''}
        </small>
      </span>
      {acts ? (
        <>
          <IconButton label={`Rename ${name}`} onClick={() => setIsRenaming(true)}>
            <IconPencil size={18} stroke={1.75} />
          </IconButton>
          <ConfirmButton
            size="compact-md"
            confirmLabel="Confirm Delete"
            aria-label={`Delete ${name}`}
            onConfirm={() => acts.remove(video.file)}
          >
            Delete
          </ConfirmButton>
        </>
      ) : null}
      <a
        className={styles['link']}
        href={videoAddress(video)}
        download={fileNameOf(video)}
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

/** The same as long as it holds: another one, as every few hours has, would begin the video anew. */
const useAddress = (video: Video): string => {
  const newest = videoAddress(video);
  const [address, setAddress] = useState(newest);
  const isShut = video.signature !== '' && !address.includes('?');
  if (isShut) setAddress(newest);
  return isShut ? newest : address;
};

/** The recording in the place of its picture: it plays at once, with the browser's own controls. */
export function Player({ video, acts, stop, turn }: PlayerProps) {
  const group = useRef<HTMLDivElement>(null);
  const player = useRef<HTMLVideoElement>(null);
  const address = useAddress(video);
  const [trouble, setTrouble] = useState(false);
  const swipe = useSwipe(turn);
  useEffect(() => {
    group.current?.focus({ preventScroll: true });
    group.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    if (isField(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') stop();
    // Elsewhere in it keys mean what they mean there: the browser's controls seek by the arrows.
    else if (target !== group.current) return;
    else if (TURNS[key] !== undefined) turn(TURNS[key]);
    else if (key === ' ') pauseOrPlay(player.current);
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
      {trouble ? (
        <p className={styles['trouble']} role="alert">
          This video does not play here. It may be gone, or this browser lacks what it needs; it can be downloaded.
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
      <Bar video={video} acts={acts} stop={stop} refocus={() => group.current?.focus({ preventScroll: true })} />
    </div>
  );
}
