import { IconFocusCentered, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { SENSITIVITY } from '../../contract.ts';
import type { Motion, Tilt } from './useMotion.ts';
import styles from './MouseSettings.module.css';
import mouseStateStyles from './MouseState.module.css';

/** How the phone is a mouse. */
export type Mode = 'tilt' | 'touchpad';

const within = (speed: number): number =>
  Number.isFinite(speed) ? Math.min(SENSITIVITY.most, Math.max(SENSITIVITY.least, speed)) : 1;

/** What this browser remembers of the mouse. */
export interface MouseChoice {
  /** `undefined` where the person has chosen nothing. */
  readonly mode: Mode | undefined;
  readonly setMode: (mode: Mode) => void;
  /** 1 is as it comes. */
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
}

const modeOf = (said: string | undefined): Mode | undefined =>
  said === 'tilt' || said === 'touchpad' ? said : undefined;

export function useMouseSettings(): MouseChoice {
  const [mode, setMode] = useBrowserStorage('mouse.mode');
  const [speed, setSpeed] = useBrowserStorage('mouse.speed');
  return {
    mode: modeOf(mode),
    setMode,
    speed: within(speed === undefined ? 1 : Number(speed)),
    setSpeed: (next) => setSpeed(String(within(next))),
  };
}

const sentences: Readonly<Record<Tilt, ReactNode>> = {
  off: 'Tilt the phone to move the pointer.',
  asking: 'Waiting for the motion sensors',
  running: 'Tilt moves the pointer.',
  insecure: <HttpsHint>Tilt needs https, this is a touchpad</HttpsHint>,
  refused: 'The motion sensors were not allowed, so this is a touchpad.',
  'no sensors': 'This device has no motion sensors, so this is a touchpad.',
};

/** How the tilted phone does as a mouse, in a line, with what can be done about it. */
export function MouseState({ motion, chosen }: { readonly motion: Motion; readonly chosen: Mode }) {
  const { tilt, start, stop, recenter } = motion;
  if (chosen === 'touchpad')
    return <p className={mouseStateStyles['line']}>One finger moves, two scroll, a tap clicks.</p>;
  return (
    <>
      <p className={mouseStateStyles['line']} role="status">
        {sentences[tilt]}
      </p>
      {tilt === 'off' ? (
        <button type="button" className={mouseStateStyles['button']} data-primary onClick={start}>
          <IconPlayerPlay size={16} stroke={1.75} />
          Start
        </button>
      ) : null}
      {tilt === 'running' ? (
        <>
          <button type="button" className={mouseStateStyles['button']} onClick={recenter}>
            <IconFocusCentered size={16} stroke={1.75} />
            Recenter
          </button>
          <button type="button" className={mouseStateStyles['button']} onClick={stop}>
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
