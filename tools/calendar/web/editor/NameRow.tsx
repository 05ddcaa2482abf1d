import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { showError } from '#platform/web/app/failure.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { undo, useLastChange } from '../undo.ts';
import { NOT_ENTERED } from './placeholders.ts';
import type { EditorState } from './useEditing.ts';
import styles from './NameRow.module.css';

/** Takes the last save of this event back; there while nothing is typed since. */
function UndoSave({ editing }: { readonly editing: EditorState }) {
  const last = useLastChange();
  const { base, isDirty, label } = editing;
  if (base === undefined || last?.event !== base.id || isDirty || label === 'Saving') return null;
  return (
    <IconButton label={`Undo: ${last.what}`} onClick={() => void undo.run().catch(showError)}>
      <IconArrowBackUp size={18} stroke={1.75} />
    </IconButton>
  );
}

/** The name as a large plain field, and Save with its five labels. */
export function NameRow({ editing, readOnly }: { readonly editing: EditorState; readonly readOnly: boolean }) {
  const { form, base, label, problems, change, save } = editing;
  const field = useRef<HTMLInputElement>(null);
  const isNew = base === undefined;
  useEffect(() => {
    if (isNew) field.current?.focus();
  }, [isNew]);
  return (
    <div className={styles['row']}>
      <input
        ref={field}
        data-event-name
        className={styles['name']}
        aria-label="Event name"
        placeholder={NOT_ENTERED}
        dir="auto"
        autoComplete="off"
        value={form.name}
        readOnly={readOnly}
        aria-invalid={problems.includes('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing && !readOnly) save();
        }}
      />
      {!readOnly && (
        <>
          <UndoSave editing={editing} />
          <Button variant="primary" size="lg" className={styles['save'] ?? ''} onClick={save}>
            <span aria-live="polite">{label}</span>
          </Button>
        </>
      )}
    </div>
  );
}
