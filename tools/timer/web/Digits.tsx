import type { CSSProperties } from 'react';
import type { CountdownView } from '../domain/countdown.ts';
import { formatRemaining, formatSpokenRemaining } from '../domain/timeDisplay.ts';
import styles from './Digits.module.css';

/** Characters of `mm:ss`. Longer times are drawn smaller. */
const FULL_SIZE_LENGTH = 5;

interface DigitsProps {
  /** Accessible name. */
  readonly label: string;
  readonly text: string;
  /** Shown smaller after the text. */
  readonly fraction?: string;
}

/** The time, as large as the window allows. Screen readers read it on request only. */
export function Digits({ label, text, fraction = '' }: DigitsProps) {
  const scale = Math.min(1, FULL_SIZE_LENGTH / (text.length + fraction.length * 0.6));
  return (
    <div
      className={styles['digits']}
      role="timer"
      aria-label={label}
      aria-live="off"
      style={{ '--scale': scale } as CSSProperties}
    >
      {text}
      {fraction !== '' && <small>{fraction}</small>}
    </div>
  );
}

/** The time left of a round: digits and a shrinking bar. */
export function TimeLeft({ view }: { readonly view: CountdownView }) {
  return (
    <>
      <Digits label={formatSpokenRemaining(view.remaining)} text={formatRemaining(view.remaining)} />
      <div
        className={styles['bar']}
        role="progressbar"
        aria-label="Time left"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(view.remainingShare * 100)}
      >
        <span style={{ transform: `scaleX(${view.remainingShare})` }} />
      </div>
    </>
  );
}
