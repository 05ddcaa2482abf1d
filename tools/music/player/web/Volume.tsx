import { IconVolume, IconVolume2, IconVolumeOff } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { sound, useSound } from './soundInstance.ts';
import styles from './PlayerBar.module.css';

const QUIET = 50;

/** How loud it is, and a button that silences it. */
export function Volume() {
  const { volume, isMuted } = useSound();
  const isSilent = isMuted || volume === 0;
  const shown = isMuted ? 0 : volume;
  const Icon = isSilent ? IconVolumeOff : volume < QUIET ? IconVolume2 : IconVolume;
  return (
    <div className={styles['volume']}>
      <IconButton label={isSilent ? 'Unmute' : 'Mute'} onClick={() => sound.setMuted(!isMuted)} disabled={volume === 0}>
        <Icon size={20} stroke={1.75} />
      </IconButton>
      <input
        className={styles['slider']}
        type="range"
        min={0}
        max={100}
        value={shown}
        style={{ '--p': `${shown}%` } as CSSProperties}
        aria-label="Volume"
        aria-valuetext={`${shown} percent`}
        onChange={(event) => sound.setVolume(event.currentTarget.valueAsNumber)}
      />
    </div>
  );
}
