import { useId, useState } from 'react';
import type { Milliseconds } from '../domain/countdown.ts';
import { readSeconds } from '../domain/lengthFields.ts';
import { leftText } from '../domain/timeDisplay.ts';
import styles from './SecondsField.module.css';

interface SecondsFieldProps {
  readonly label: string;
  /** Shown while nobody writes here. */
  readonly seconds: number;
  readonly onSet: (length: Milliseconds) => void;
}

/** What stands behind the field: its unit, or what the text comes to where it is no plain number. */
const unitOf = (draft: string | undefined): string => {
  if (draft === undefined || /^\s*\+?\d*\s*$/u.test(draft)) return 'seconds';
  const read = readSeconds(draft);
  return 'length' in read ? `= ${leftText(read.length)}` : '';
};

/** A length: seconds, or whatever `readSeconds` reads. What is written counts with Enter or when the field is left; what cannot be read changes nothing, stays, and the field says why. */
export function SecondsField({ label, seconds, onSet }: SecondsFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const [problem, setProblem] = useState<string>();

  const take = (): void => {
    if (draft === undefined) return;
    const read = readSeconds(draft);
    if ('problem' in read) return setProblem(read.problem);
    setProblem(undefined);
    setDraft(undefined);
    onSet(read.length);
  };
  const giveUp = (): void => {
    setProblem(undefined);
    setDraft(undefined);
  };

  return (
    <form
      className={styles['field']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <span className={styles['entry']} data-bad={problem !== undefined || undefined}>
        <input
          id={id}
          autoComplete="off"
          enterKeyHint="done"
          value={draft ?? String(seconds)}
          aria-describedby={problem === undefined ? `${id}u` : `${id}u ${id}p`}
          aria-invalid={problem !== undefined}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            setDraft(event.currentTarget.value);
            setProblem(undefined);
          }}
          onBlur={take}
          onKeyDown={(event) => {
            if (event.key === 'Escape') giveUp();
          }}
        />
        <span id={`${id}u`}>{unitOf(draft)}</span>
      </span>
      {problem !== undefined && (
        <span id={`${id}p`} className={styles['problem']} role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}
