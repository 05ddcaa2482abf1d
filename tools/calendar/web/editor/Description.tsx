import { IconMaximize, IconMinimize } from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import styles from './Description.module.css';

interface DescriptionProps {
  readonly value: string;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

/**
 * The description, optionally over the whole window; Escape saves and restores (docs/specification/calendar.md section
 * 1.2). Both sizes use the same field, so that text, caret and undo stack stay.
 */
export function Description({ value, readOnly, onChange, onSave }: DescriptionProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isFull, setIsFull] = useState(false);

  function toggle(): void {
    setIsFull(!isFull);
    field.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent): void {
    const isMod = event.ctrlKey || event.metaKey;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      setIsFull(false);
      if (event.target === field.current && !readOnly) onSave();
    } else if (isFull && isMod && event.key.toLowerCase() === 's') {
      // Commands of the page are disabled behind a dialog.
      event.preventDefault();
      onSave();
    } else if (isFull && event.key === 'Tab') {
      event.preventDefault();
      const isInField = event.target === field.current;
      const button = event.currentTarget.querySelector('button');
      (isInField ? button : field.current)?.focus();
    }
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are the field's and the button's
    <div
      className={styles['description']}
      data-full={isFull || undefined}
      {...(isFull ? { role: 'dialog', 'aria-modal': true, 'aria-label': 'Description' } : {})}
      onKeyDown={onKeyDown}
    >
      <textarea
        ref={field}
        aria-label="Description"
        placeholder="Description"
        dir="auto"
        value={value}
        readOnly={readOnly}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <IconButton
        label={isFull ? 'Exit full screen' : 'Full screen'}
        size={isFull ? 36 : 28}
        bordered={isFull}
        onClick={toggle}
      >
        {isFull ? <IconMinimize size={18} stroke={1.75} /> : <IconMaximize size={16} stroke={1.75} />}
      </IconButton>
    </div>
  );
}
