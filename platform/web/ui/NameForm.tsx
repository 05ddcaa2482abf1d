import { Button } from '@mantine/core';
import { useState } from 'react';
import styles from './NameForm.module.css';

interface NameFormProps {
  readonly name: string;
  /** What it is called where it has no name. */
  readonly called?: string;
  /** In UTF-16 units. */
  readonly maxLength?: number;
  /** With what was typed, where it is another one; empty too: the server says why it is not taken. */
  readonly onRename: (name: string) => void;
  /** It is over, with or without another name. */
  readonly onClose: () => void;
}

/** Another name for what bears one, in the place where the name stands. */
export function NameForm({ name, called = name, maxLength, onRename, onClose }: NameFormProps) {
  const [next, setNext] = useState(name);
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        onClose();
        if (next.trim() !== name) onRename(next.trim());
      }}
    >
      <input
        className={styles['name']}
        aria-label={`New name of ${called}`}
        // Esc ends this, and not a dialog around.
        data-mantine-stop-propagation="true"
        maxLength={maxLength}
        value={next}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the click on Rename asked for it
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setNext(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
        }}
      />
      <Button type="submit" size="compact-md" variant="primary">
        Save
      </Button>
      <Button size="compact-md" onClick={onClose}>
        Cancel
      </Button>
    </form>
  );
}
