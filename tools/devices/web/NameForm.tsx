import { Button } from '@mantine/core';
import { useState } from 'react';
import styles from './DevicesPanel.module.css';

interface NameFormProps {
  readonly name: string;
  readonly rename: (name: string) => void;
  /** It is over, with or without another name. */
  readonly close: () => void;
}

/** A device's name in the place where it stands. */
export function NameForm({ name, rename, close }: NameFormProps) {
  const [next, setNext] = useState(name);
  return (
    <form
      className={styles['rename']}
      onSubmit={(event) => {
        event.preventDefault();
        close();
        if (next.trim() !== name) rename(next.trim());
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
          if (event.key === 'Escape') close();
        }}
      />
      <Button type="submit" size="compact-md" variant="primary">
        Save
      </Button>
      <Button size="compact-md" onClick={close}>
        Cancel
      </Button>
    </form>
  );
}
