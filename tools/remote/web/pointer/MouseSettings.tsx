import type { Mode, MouseChoice } from './mouseSettings.ts';
import styles from './MouseSettings.module.css';

interface MouseSettingsProps {
  readonly settings: MouseChoice;
  readonly mode: Mode;
}

/** 25 to 400 percent in even steps of the hand: the middle of the slider is as it comes. */
const STEPS = 8;
const speedAt = (step: number): number => 4 ** (step / STEPS);
const stepOf = (speed: number): number => Math.round(STEPS * (Math.log(speed) / Math.log(4)));

/** What the browser remembers: tilt or touchpad, and how fast the pointer goes. */
export function MouseSettings({ settings, mode }: MouseSettingsProps) {
  const { setMode, speed, setSpeed } = settings;
  const percent = `${Math.round(speed * 100)} %`;
  return (
    <div className={styles['settings']}>
      <div className={styles['modes']} role="group" aria-label="Mouse by">
        <button type="button" aria-pressed={mode === 'tilt'} onClick={() => setMode('tilt')}>
          Tilt
        </button>
        <button type="button" aria-pressed={mode === 'touchpad'} onClick={() => setMode('touchpad')}>
          Touchpad
        </button>
      </div>
      <label className={styles['speed']}>
        <span>Speed</span>
        <input
          type="range"
          min={-STEPS}
          max={STEPS}
          step={1}
          value={stepOf(speed)}
          aria-valuetext={`${Math.round(speed * 100)} percent`}
          onChange={(event) => setSpeed(speedAt(Number(event.currentTarget.value)))}
        />
        <span className="num">{percent}</span>
      </label>
    </div>
  );
}
