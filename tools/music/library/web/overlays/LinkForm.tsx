import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LINK_TEXT_LIMIT } from '#tools/music/contract/limits.ts';
import { pastedLines } from '#tools/music/downloads/web/pastedLines.ts';
import styles from './Overlays.module.css';

interface LinkFormProps {
  readonly label: string;
  readonly button: string;
  /** What comes of it. */
  readonly hint: string;
  readonly onTyped: (isTyped: boolean) => void;
  readonly onDone: (url: string) => void;
}

/** One address or several, which may not be blank. Whether it leads to anything the downloads panel tells. */
export function LinkForm({ label, button, hint, onTyped, onDone }: LinkFormProps) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() === '') setProblem('Give an address');
        else onDone(typed.trim());
      }}
    >
      <TextInput
        label={label}
        description={hint}
        error={problem}
        type="text"
        inputMode="url"
        placeholder="https://"
        autoComplete="off"
        spellCheck={false}
        maxLength={LINK_TEXT_LIMIT}
        data-autofocus
        onPaste={(event) => setTyped(pastedLines(event) ?? typed)}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setProblem(undefined);
          onTyped(event.currentTarget.value.trim() !== '');
        }}
      />
      <Button type="submit" variant="primary">
        {button}
      </Button>
    </form>
  );
}
