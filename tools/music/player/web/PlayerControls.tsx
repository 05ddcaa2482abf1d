import {
  IconArrowsShuffle,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipBack,
  IconPlayerSkipForward,
  IconRepeat,
  IconRepeatOnce,
  IconVolume,
  IconVolume2,
  IconVolumeOff,
  IconMusic,
} from '@tabler/icons-react';
import { type CSSProperties, useEffect, useRef, type KeyboardEvent, useState } from 'react';
import { formatPlayTime } from '#platform/web/browser/formats.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Slider } from '#platform/web/ui/Slider.tsx';
import type { Song } from '../../web/musicTypes.ts';
import type { Repeat } from '../domain/queue.ts';
import { sound, useSound } from './sound.ts';
import type { SoundState } from './soundState.ts';
import styles from './PlayerBar.module.css';

const MAX_QUIET_VOLUME = 50;

/** The volume slider and a mute button. */
export function Volume() {
  const { volume, isMuted } = useSound();
  const isSilent = isMuted || volume === 0;
  const shownVolume = isMuted ? 0 : volume;
  const Icon = isSilent ? IconVolumeOff : volume < MAX_QUIET_VOLUME ? IconVolume2 : IconVolume;
  return (
    <div className={styles['volume']}>
      <IconButton label={isSilent ? 'Unmute' : 'Mute'} onClick={() => sound.setMuted(!isMuted)} disabled={volume === 0}>
        <Icon size={20} stroke={1.75} />
      </IconButton>
      <Slider label="Volume" value={shownVolume} aria-valuetext={`${shownVolume} percent`} onChange={sound.setVolume} />
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -30,
  PageUp: 30,
};

const formatPosition = (seconds: number): string => formatPlayTime(Math.floor(seconds));

function handleKeyDown(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  sound.seekBy(step);
}

/** Updates the elements without React, because the position changes several times a second. */
function showPosition(container: HTMLElement, seconds: number, duration: number): void {
  const slider = container.querySelector('input');
  const [at, length] = container.querySelectorAll('span');
  if (!slider || !at || !length) return;
  // A maximum below the value would limit the value.
  slider.max = String(Math.max(duration, 0.1));
  slider.value = String(seconds);
  slider.style.setProperty('--p', `${duration > 0 ? Math.min(100, (100 * seconds) / duration) : 0}%`);
  // Screen readers only hear the position on request.
  if (document.activeElement !== slider) updateValueText(slider);
  at.textContent = formatPosition(seconds);
  length.textContent = formatPosition(duration);
}

const updateValueText = (slider: HTMLInputElement): void =>
  slider.setAttribute(
    'aria-valuetext',
    `${formatPosition(slider.valueAsNumber)} of ${formatPosition(Number(slider.max))}`,
  );

/** The seek slider. */
export function Seek() {
  const container = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  useEffect(
    () =>
      sound.onTime((seconds, duration) => {
        if (container.current && !isPressed.current) showPosition(container.current, seconds, duration);
      }),
    [],
  );
  useEffect(() => {
    function release(): void {
      if (!isPressed.current) return;
      isPressed.current = false;
      const slider = container.current?.querySelector('input');
      if (slider) sound.seek(slider.valueAsNumber);
    }
    const events = ['pointerup', 'pointercancel'] as const;
    for (const name of events) window.addEventListener(name, release);
    return () => {
      for (const name of events) window.removeEventListener(name, release);
    };
  }, []);
  return (
    <div ref={container} className={styles['seek']}>
      <span className="num" aria-hidden />
      <Slider
        label="Position in the song"
        step={0.1}
        defaultValue={0}
        onPointerDown={() => {
          isPressed.current = true;
        }}
        onInput={(event) => {
          const slider = event.currentTarget;
          updateValueText(slider);
          // During a drag it shows the target. The song jumps when the slider is released.
          if (!isPressed.current) sound.seek(slider.valueAsNumber);
          else if (container.current) showPosition(container.current, slider.valueAsNumber, Number(slider.max));
        }}
        onKeyDown={(event) => {
          handleKeyDown(event);
          updateValueText(event.currentTarget);
        }}
      />
      <span className="num" aria-hidden />
    </div>
  );
}

/** The position as a line, in the bar of narrow windows. */
export function Progress() {
  const progress = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      sound.onTime((seconds, duration) => {
        progress.current?.style.setProperty('--p', `${duration > 0 ? (100 * seconds) / duration : 0}%`);
      }),
    [],
  );
  return <span ref={progress} className={styles['progress']} aria-hidden />;
}

/** The title, and below it the artist, the playlist, or a problem. */
export function SongInfo({ song, name, problem }: Pick<SoundState, 'name' | 'problem'> & { readonly song: Song }) {
  return (
    <span className={styles['details']}>
      <b className="ellipsis" dir="auto">
        {song.title}
      </b>
      <small className="ellipsis" dir="auto" data-problem={problem === '' ? undefined : true}>
        {problem || [song.artist, name].filter(Boolean).join(' · ')}
      </small>
    </span>
  );
}

/** The picture of the current song, or a tile in its colour. */
export function Cover({ song, size }: { readonly song: Song; readonly size: number }) {
  const [failedId, setFailedId] = useState<number>();
  return (
    <span className={styles['cover']} style={{ '--c': song.colour, width: size, height: size } as CSSProperties}>
      {!song.hasPicture || failedId === song.id ? (
        <IconMusic size={Math.round(size / 2.4)} stroke={1.75} />
      ) : (
        <img
          src={toSitePath(`/api/sendytthumb/${song.id}`)}
          alt=""
          width={size}
          height={size}
          onError={() => setFailedId(song.id)}
        />
      )}
    </span>
  );
}

export function PreviousButton() {
  return (
    <IconButton label="Previous" onClick={sound.previous}>
      <IconPlayerSkipBack size={20} stroke={1.75} />
    </IconButton>
  );
}

export function NextButton() {
  return (
    <IconButton label="Next" onClick={sound.next}>
      <IconPlayerSkipForward size={20} stroke={1.75} />
    </IconButton>
  );
}

export function PlayButton({ activity }: Pick<SoundState, 'activity'>) {
  const label = activity === 'paused' ? 'Play' : 'Pause';
  const Icon = activity === 'paused' ? IconPlayerPlayFilled : IconPlayerPauseFilled;
  return (
    <button
      type="button"
      className={styles['play']}
      aria-label={label}
      title={label}
      data-waiting={activity === 'waiting' || undefined}
      onClick={sound.toggle}
    >
      <Icon size={20} />
    </button>
  );
}

const REPEATS: Readonly<Record<Repeat, string>> = {
  none: 'Repeat: off',
  all: 'Repeat: all',
  one: 'Repeat: this song',
};

/** Switches shuffle. */
export function ShuffleButton() {
  const { queue } = useSound();
  return (
    <IconButton
      className={styles['toggle']}
      label="Shuffle"
      aria-pressed={queue.isShuffled}
      onClick={() => sound.setShuffle(!queue.isShuffled)}
    >
      <IconArrowsShuffle size={20} stroke={1.75} />
    </IconButton>
  );
}

/** Cycles through the repeat modes: nothing, the whole queue, the current song. */
export function RepeatButton() {
  const { queue } = useSound();
  const Icon = queue.repeat === 'one' ? IconRepeatOnce : IconRepeat;
  return (
    <IconButton
      className={styles['toggle']}
      label={REPEATS[queue.repeat]}
      data-on={queue.repeat !== 'none' || undefined}
      onClick={sound.cycleRepeat}
    >
      <Icon size={20} stroke={1.75} />
    </IconButton>
  );
}
