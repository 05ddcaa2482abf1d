import type { CSSProperties } from 'react';
import type { CountdownView } from '../domain/countdown.ts';
import { leftText, spokenLeft } from '../domain/timeDisplay.ts';
import styles from './Digits.module.css';

/** As wide as `mm:ss`: longer times are drawn smaller. */
const USUAL = 5;

interface DigitsProps {
  /** What is read where it is asked for. */
  readonly label: string;
  readonly text: string;
  /** Behind the text, smaller. */
  readonly fraction?: string;
}

/** The time, as large as the window allows. It is never read out by itself. */
export function Digits({ label, text, fraction = '' }: DigitsProps) {
  const scale = Math.min(1, USUAL / (text.length + fraction.length * 0.6));
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

/** What is left of a round: digits and the bar that shrinks. */
export function TimeLeft({ shown }: { readonly shown: CountdownView }) {
  return (
    <>
      <Digits label={spokenLeft(shown.left)} text={leftText(shown.left)} />
      <div
        className={styles['bar']}
        role="progressbar"
        aria-label="Time left"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(shown.progress * 100)}
      >
        <span style={{ transform: `scaleX(${shown.progress})` }} />
      </div>
    </>
  );
}
