import { IconArrowsVertical, IconHandStop, IconMouse } from '@tabler/icons-react';
import type { PointerEvent } from 'react';
import { useMotion, type Tilt } from './useMotion.ts';
import { useWakeLock } from './useWakeLock.ts';
import styles from './MousePanel.module.css';

const why: Readonly<Record<Tilt, string | undefined>> = {
  off: undefined,
  asking: undefined,
  running: 'Tilt moves the pointer.',
  insecure: 'Tilting the phone needs https: browsers give its sensors to secure pages only.',
  refused: 'This browser was not allowed to read the motion sensors, so tilting moves nothing.',
  'no sensors': 'This device has no motion sensors, so tilting moves nothing.',
};

/** Holding: from touch to letting go, wherever the finger has gone; by keyboard while Space or Enter is down. */
const holding = (down: () => void, up: () => void) => ({
  onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    down();
  },
  onPointerUp: up,
  onPointerCancel: up,
  onLostPointerCapture: up,
  onKeyDown: (event: { readonly key: string; readonly repeat: boolean }) => {
    if (!event.repeat && (event.key === ' ' || event.key === 'Enter')) down();
  },
  onKeyUp: up,
  onBlur: up,
});

/** Scroll, LMB and Lift: the phone as a mouse (specification 1, sections 2 and 4). */
export function MousePanel({ target }: { readonly target: string | undefined }) {
  const { held, tilt, act, start, stop } = useMotion(target);
  useWakeLock(tilt === 'running');
  const touched = (what: () => void) => () => {
    navigator.vibrate?.(8);
    if (tilt === 'off') void start();
    what();
  };
  const scroll = holding(
    touched(() => act('scroll down')),
    () => act('scroll up'),
  );
  const lmb = holding(
    touched(() => act('lmb down')),
    () => act('lmb up'),
  );
  return (
    <section className={styles['panel']} aria-label="Mouse panel">
      <button type="button" className={styles['button']} data-on={held.scroll || undefined} {...scroll}>
        <IconArrowsVertical size={22} stroke={1.75} />
        Scroll
      </button>
      <button type="button" className={styles['button']} data-on={held.lmb || undefined} {...lmb}>
        <IconMouse size={22} stroke={1.75} />
        LMB
      </button>
      <button
        type="button"
        className={styles['button']}
        data-lift={held.lift || undefined}
        aria-pressed={held.lift}
        onClick={touched(() => act('lift toggled'))}
      >
        <IconHandStop size={22} stroke={1.75} />
        Lift
      </button>
      <p className={styles['why']} role="status" hidden={why[tilt] === undefined}>
        {why[tilt]}
        {tilt === 'running' ? (
          <button type="button" className={styles['stop']} onClick={stop}>
            Stop
          </button>
        ) : null}
      </p>
    </section>
  );
}
