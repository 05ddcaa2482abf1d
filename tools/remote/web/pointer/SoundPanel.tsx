import {
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
  IconVolume,
  IconVolume2,
  IconVolumeOff,
} from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import type { KeyName } from '../../domain/keys.ts';
import { namesOf } from './names.ts';
import { buzz } from './pressAndHold.ts';
import { useSound } from './useSound.ts';
import styles from './SoundPanel.module.css';

const STEP = 5;

const tapped = (then: () => void) => () => {
  buzz();
  then();
};

interface SoundPanelProps {
  readonly target: string | undefined;
  /** Name of the computer. */
  readonly device: string | undefined;
  readonly press: (key: KeyName) => Promise<void>;
}

/** Media keys and the master volume of the computer; where it does not tell its volume, the volume keys alone. */
export function SoundPanel({ target, device, press }: SoundPanelProps) {
  const { master, playing, setMaster, muteAll } = useSound(target);
  const names = playing.map(({ name }) => name);
  const isMuted = playing.every(({ muted }) => muted);
  const who = namesOf(names);
  const key = (name: KeyName) => tapped(() => void press(name));
  const to = (level: number): void => setMaster({ level: Math.min(100, Math.max(0, level)), muted: level <= 0 });
  const step = (by: number, name: KeyName) => tapped(() => (master ? to(master.level + by) : void press(name)));
  const shown = master?.muted ? 0 : (master?.level ?? 0);
  return (
    <section className={styles['sound']} aria-label="Media keys">
      <div className={styles['row']}>
        <button type="button" aria-label="Previous" onClick={key('Previous')}>
          <IconPlayerTrackPrev size={20} stroke={1.75} />
        </button>
        <button type="button" className={styles['play']} aria-label="Play or pause" onClick={key('Play')}>
          <IconPlayerPlay size={20} stroke={1.75} />
        </button>
        <button type="button" aria-label="Next" onClick={key('Next')}>
          <IconPlayerTrackNext size={20} stroke={1.75} />
        </button>
        <span className={styles['what']} dir="auto">
          {playing.length > 0 ? (
            <>
              <b>{who}</b> on {device}
            </>
          ) : (
            device
          )}
        </span>
        {playing.length > 0 ? (
          <button
            type="button"
            aria-label={`${isMuted ? 'Unmute' : 'Mute'} ${who}`}
            data-on={isMuted || undefined}
            onClick={tapped(() => muteAll(!isMuted))}
          >
            <IconVolumeOff size={20} stroke={1.75} />
          </button>
        ) : (
          <button type="button" aria-label="Mute" onClick={key('Mute')}>
            <IconVolumeOff size={20} stroke={1.75} />
          </button>
        )}
      </div>
      <div className={styles['volume']}>
        <button type="button" aria-label="Quieter" onClick={step(-STEP, 'VolumeDown')}>
          <IconVolume2 size={20} stroke={1.75} />
        </button>
        <input
          type="range"
          className={styles['range']}
          min={0}
          max={100}
          step={1}
          value={shown}
          disabled={!master}
          aria-label="Master volume"
          title={master?.device}
          aria-valuetext={`${shown} percent`}
          style={{ '--p': `${shown}%` } as CSSProperties}
          onChange={(event) => to(Number(event.currentTarget.value))}
        />
        <span className={`${styles['level']} num`}>{master ? shown : ''}</span>
        <button type="button" aria-label="Louder" onClick={step(STEP, 'VolumeUp')}>
          <IconVolume size={20} stroke={1.75} />
        </button>
      </div>
    </section>
  );
}
