import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { parseDay, toIso } from '../../events/domain/day.ts';
import type { PartProps } from '../parts.ts';
import { useDeleteEvent } from '../useEventMutations.ts';
import type { WireEvent } from './eventData.ts';
import type { EditorState } from './useEditing.ts';
import styles from './DeleteRow.module.css';

type DeleteRowProps = Pick<PartProps, 'onSelect'> & { readonly editing: EditorState; readonly event: WireEvent };

/** Deletes the event; of a repeat the day that was opened, or all. Undo stands in the notice. */
export function DeleteRow({ editing, event, onSelect }: DeleteRowProps) {
  const remove = useDeleteEvent();
  const [asks, setAsks] = useState(false);
  const only = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asks) only.current?.focus();
  }, [asks]);
  const { date } = editing.start;
  const go = (isOnly: boolean): void => {
    setAsks(false);
    const day = parseDay(date);
    remove.mutate(
      { id: event.id, revision: event.revision, ...(isOnly && day !== undefined ? { occurrence: toIso(day) } : {}) },
      {
        onSuccess: () => {
          editing.forget();
          onSelect({ kind: 'none' });
        },
      },
    );
  };
  return (
    <div className={styles['row']}>
      {asks ? (
        <>
          <span>Delete</span>
          <Button ref={only} onClick={() => go(true)}>{`only ${date}`}</Button>
          <Button onClick={() => go(false)}>all</Button>
          <Button variant="subtle" onClick={() => setAsks(false)}>
            Cancel
          </Button>
        </>
      ) : (
        <Button
          className={styles['delete'] ?? ''}
          variant="subtle"
          leftSection={<IconTrash size={16} stroke={1.75} />}
          aria-label={`Delete ${event.name}`}
          disabled={remove.isPending}
          onClick={() => (event.style === 'repeat' ? setAsks(true) : go(false))}
        >
          Delete
        </Button>
      )}
    </div>
  );
}
