import { IconFocusCentered, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { Slider } from '#platform/web/ui/Slider.tsx';
import { SENSITIVITY } from '../../contract.ts';
import type { Motion, TiltState } from './useMotion.ts';
import styles from './MouseSettings.module.css';

/** How the phone controls the mouse. */
export type PointingMode = 'tilt' | 'touchpad';

const clampSpeed = (speed: number): number =>
  Number.isFinite(speed) ? Math.min(SENSITIVITY.max, Math.max(SENSITIVITY.min, speed)) : 1;

/** Mouse settings that this browser stores. */
export interface MousePreferences {
  /** `undefined` if the user has not chosen one. */
  readonly mode: PointingMode | undefined;
  readonly setMode: (mode: PointingMode) => void;
  /** Factor for the pointer speed; 1 is unchanged. */
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
}

const parseMode = (value: string | undefined): PointingMode | undefined =>
  value === 'tilt' || value === 'touchpad' ? value : undefined;

export function useMouseSettings(): MousePreferences {
  const [mode, setMode] = useBrowserStorage('mouse.mode');
  const [speed, setSpeed] = useBrowserStorage('mouse.speed');
  return {
    mode: parseMode(mode),
    setMode,
    speed: clampSpeed(speed === undefined ? 1 : Number(speed)),
    setSpeed: (next) => setSpeed(String(clampSpeed(next))),
  };
}

const messageByTilt: Readonly<Record<TiltState, ReactNode>> = {
  off: 'Tilt the phone to move the pointer',
  asking: 'Waiting for the motion sensors',
  running: 'Tilt the phone to move the pointer',
  insecure: <HttpsHint>Tilt needs https, so this is a touchpad</HttpsHint>,
  refused: 'The motion sensors are blocked, so this is a touchpad',
  'no sensors': 'This device has no motion sensors, so this is a touchpad',
};

/** Shows the state of tilting in one line, with buttons to change it. */
export function MouseStatus({
  motion,
  preferredMode,
}: {
  readonly motion: Motion;
  readonly preferredMode: PointingMode;
}) {
  const { tilt, start, stop, recenter } = motion;
  if (preferredMode === 'touchpad') return <p className={styles['line']}>One finger moves, two scroll, a tap clicks</p>;
  return (
    <>
      <p className={styles['line']} role="status">
        {messageByTilt[tilt]}
      </p>
      {tilt === 'off' ? (
        <button type="button" className={styles['button']} data-primary onClick={start}>
          <IconPlayerPlay size={16} stroke={1.75} />
          Start
        </button>
      ) : null}
      {tilt === 'running' ? (
        <>
          <button type="button" className={styles['button']} onClick={recenter}>
            <IconFocusCentered size={16} stroke={1.75} />
            Recenter
          </button>
          <button type="button" className={styles['button']} onClick={stop}>
            <IconPlayerStop size={16} stroke={1.75} />
            Stop
          </button>
        </>
      ) : null}
    </>
  );
}

interface MouseSettingsProps {
  readonly settings: MousePreferences;
  readonly mode: PointingMode;
}

/** The slider goes from -8 to 8, which is 25 to 400 percent on a logarithmic scale. */
const MAX_SPEED_STEP = 8;
const toSpeed = (step: number): number => 4 ** (step / MAX_SPEED_STEP);
const toStep = (speed: number): number => Math.round(MAX_SPEED_STEP * (Math.log(speed) / Math.log(4)));

/** The settings: tilt or touchpad, and the pointer speed. */
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
        <Slider
          min={-MAX_SPEED_STEP}
          max={MAX_SPEED_STEP}
          value={toStep(speed)}
          aria-valuetext={`${Math.round(speed * 100)} percent`}
          onChange={(step) => setSpeed(toSpeed(step))}
        />
        <span className="num">{percent}</span>
      </label>
    </div>
  );
}
