import { Button } from '@mantine/core';
import { useState } from 'react';
import { Form } from './Form.tsx';
import styles from './NameForm.module.css';

interface NameFormProps {
  readonly name: string;
  /** Name for screen readers if `name` is empty. */
  readonly accessibleName?: string;
  /** Max length in UTF-16 units. */
  readonly maxLength?: number;
  /** Called with changed text, even if it is empty: the server explains what is invalid. */
  readonly onRename: (name: string) => void;
  /** Called when the form closes, with or without a change. */
  readonly onClose: () => void;
}

/** A form that renames something in place. */
export function NameForm({ name, accessibleName = name, maxLength, onRename, onClose }: NameFormProps) {
  const [newName, setNewName] = useState(name);
  return (
    <Form
      className={styles['form']}
      onSubmit={() => {
        onClose();
        if (newName.trim() !== name) onRename(newName.trim());
      }}
    >
      <input
        className={styles['name']}
        aria-label={`New name for ${accessibleName}`}
        // Esc closes only this form, not the dialog around it.
        data-mantine-stop-propagation="true"
        maxLength={maxLength}
        value={newName}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user clicked Rename
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setNewName(event.currentTarget.value)}
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
    </Form>
  );
}
