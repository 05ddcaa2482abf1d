import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { SENSITIVITY } from '../../contract.ts';

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

export const useMouseSettings = (): MouseChoice => {
  const [mode, setMode] = useBrowserStorage('mouse.mode');
  const [speed, setSpeed] = useBrowserStorage('mouse.speed');
  return {
    mode: modeOf(mode),
    setMode,
    speed: within(speed === undefined ? 1 : Number(speed)),
    setSpeed: (next) => setSpeed(String(within(next))),
  };
};
