import { IconFocusCentered, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { Slider } from '#platform/web/ui/Slider.tsx';
import { SENSITIVITY } from '../../contract.ts';
import type { Motion, Tilt } from './useMotion.ts';
import styles from './MouseSettings.module.css';

/** How the phone controls the mouse. */
export type Mode = 'tilt' | 'touchpad';

const clampSpeed = (speed: number): number =>
  Number.isFinite(speed) ? Math.min(SENSITIVITY.most, Math.max(SENSITIVITY.least, speed)) : 1;

/** Mouse settings that this browser stores. */
export interface MouseChoice {
  /** `undefined` if the user has not chosen one. */
  readonly mode: Mode | undefined;
  readonly setMode: (mode: Mode) => void;
  /** Factor for the pointer speed; 1 is unchanged. */
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
}

const parseMode = (value: string | undefined): Mode | undefined =>
  value === 'tilt' || value === 'touchpad' ? value : undefined;

export function useMouseSettings(): MouseChoice {
  const [mode, setMode] = useBrowserStorage('mouse.mode');
  const [speed, setSpeed] = useBrowserStorage('mouse.speed');
  return {
    mode: parseMode(mode),
    setMode,
    speed: clampSpeed(speed === undefined ? 1 : Number(speed)),
    setSpeed: (next) => setSpeed(String(clampSpeed(next))),
  };
}

const sentenceByTilt: Readonly<Record<Tilt, ReactNode>> = {
  off: 'Tilt the phone to move the pointer',
  asking: 'Waiting for the motion sensors',
  running: 'Tilt the phone to move the pointer',
  insecure: <HttpsHint>Tilt needs https, so this is a touchpad</HttpsHint>,
  refused: 'The motion sensors are blocked, so this is a touchpad',
  'no sensors': 'This device has no motion sensors, so this is a touchpad',
};

/** The state of the tilted phone in one line, with buttons to change it. */
export function MouseState({ motion, chosen }: { readonly motion: Motion; readonly chosen: Mode }) {
  const { tilt, start, stop, recenter } = motion;
  if (chosen === 'touchpad') return <p className={styles['line']}>One finger moves, two scroll, a tap clicks</p>;
  return (
    <>
      <p className={styles['line']} role="status">
        {sentenceByTilt[tilt]}
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
  readonly settings: MouseChoice;
  readonly mode: Mode;
}

/** Steps from 25 to 400 percent on a logarithmic scale; the middle of the slider is 1. */
const STEPS = 8;
const toSpeed = (step: number): number => 4 ** (step / STEPS);
const toStep = (speed: number): number => Math.round(STEPS * (Math.log(speed) / Math.log(4)));

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
          min={-STEPS}
          max={STEPS}
          value={toStep(speed)}
          aria-valuetext={`${Math.round(speed * 100)} percent`}
          onChange={(step) => setSpeed(toSpeed(step))}
        />
        <span className="num">{percent}</span>
      </label>
    </div>
  );
}
