import { IconFocusCentered, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Mode } from './mouseSettings.ts';
import type { Motion, Tilt } from './useMotion.ts';
import styles from './MouseState.module.css';

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
  if (chosen === 'touchpad') return <p className={styles['line']}>One finger moves, two scroll, a tap clicks.</p>;
  return (
    <>
      <p className={styles['line']} role="status">
        {sentences[tilt]}
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
