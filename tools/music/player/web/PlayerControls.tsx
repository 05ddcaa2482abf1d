import {
  IconArrowsShuffle,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipBack,
  IconPlayerSkipForward,
  IconRepeat,
  IconRepeatOnce,
} from '@tabler/icons-react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { Repeat } from '../domain/queue.ts';
import { sound, useSound } from './soundInstance.ts';
import type { SoundState } from './soundState.ts';
import styles from './PlayerBar.module.css';

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

export function PlayButton({ doing }: Pick<SoundState, 'doing'>) {
  const label = doing === 'held' ? 'Play' : 'Pause';
  const Icon = doing === 'held' ? IconPlayerPlayFilled : IconPlayerPauseFilled;
  return (
    <button
      type="button"
      className={styles['play']}
      aria-label={label}
      title={label}
      data-waiting={doing === 'waiting' || undefined}
      onClick={sound.toggle}
    >
      <Icon size={20} />
    </button>
  );
}

const REPEATS: Readonly<Record<Repeat, string>> = {
  none: 'Repeat: nothing',
  all: 'Repeat: all',
  one: 'Repeat: this song',
};

/** In which order it plays. */
export function ShuffleButton() {
  const { queue } = useSound();
  return (
    <IconButton
      className={styles['turn']}
      label="Shuffle"
      aria-pressed={queue.isShuffled}
      onClick={() => sound.setShuffle(!queue.isShuffled)}
    >
      <IconArrowsShuffle size={20} stroke={1.75} />
    </IconButton>
  );
}

/** What comes behind the end: nothing, all once more, the same song. */
export function RepeatButton() {
  const { queue } = useSound();
  const Icon = queue.repeat === 'one' ? IconRepeatOnce : IconRepeat;
  return (
    <IconButton
      className={styles['turn']}
      label={REPEATS[queue.repeat]}
      data-on={queue.repeat !== 'none' || undefined}
      onClick={sound.turnRepeat}
    >
      <Icon size={20} stroke={1.75} />
    </IconButton>
  );
}
