import { Button } from '@mantine/core';
import { useState } from 'react';
import styles from './DevicesPanel.module.css';

interface NameFormProps {
  readonly name: string;
  readonly save: (name: string) => void;
  readonly cancel: () => void;
}

/** A device's name in the place where it stands. */
export function NameForm({ name, save, cancel }: NameFormProps) {
  const [next, setNext] = useState(name);
  return (
    <form
      className={styles['rename']}
      onSubmit={(event) => {
        event.preventDefault();
        save(next.trim());
      }}
    >
      <input
        className={styles['name']}
        aria-label={`New name of ${name}`}
        value={next}
        // The click on Rename asked for it.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setNext(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') cancel();
        }}
      />
      <Button type="submit" size="compact-md" variant="primary">
        Save
      </Button>
      <Button size="compact-md" onClick={cancel}>
        Cancel
      </Button>
    </form>
  );
}
