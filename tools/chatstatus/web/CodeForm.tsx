import { Button, TextInput } from '@mantine/core';
import { useState, type ReactNode, type RefObject } from 'react';
import styles from './StatusPage.module.css';

/** As the call takes it. */
const MAX_CODE_LENGTH = 100;

interface CodeFormProps {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Whose days are shown. */
  readonly code: string | undefined;
  readonly submit: (typed: string) => void;
  readonly isAsking: boolean;
  /** What belongs beside it. */
  readonly children: ReactNode;
}

/** The code of the days, to be typed. */
export function CodeForm({ field, code = '', submit, isAsking, children }: CodeFormProps) {
  const [typed, setTyped] = useState(code);
  const [shown, setShown] = useState(code);
  if (code !== shown) {
    // A link was opened.
    setShown(code);
    setTyped(code);
  }
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        submit(typed);
      }}
    >
      <TextInput
        ref={field}
        className={styles['code'] ?? ''}
        aria-label="Code"
        placeholder="Code"
        maxLength={MAX_CODE_LENGTH}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="go"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" className={styles['submit'] ?? ''} loading={isAsking}>
        Submit
      </Button>
      {children}
    </form>
  );
}
