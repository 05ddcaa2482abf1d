import { Button } from '@mantine/core';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { EditorState } from './useEditing.ts';
import styles from './Dialogs.module.css';

/** Asks whether a new date applies to one day of a repeat or to all. */
export function MoveDialog({ editing }: { readonly editing: EditorState }) {
  const { isAskingMove, answerMove, start, form } = editing;
  return (
    <Dialog
      title="Move only this day, or all days?"
      isOpen={isAskingMove}
      width={440}
      onClose={() => answerMove(undefined)}
    >
      <p className={styles['text']}>
        {`This event repeats. If you move only ${start.date} to ${form.date}, that day becomes a separate event`}
      </p>
      <div className={styles['actions']}>
        <Button data-autofocus variant="primary" onClick={() => answerMove(true)}>{`Only ${start.date}`}</Button>
        <Button onClick={() => answerMove(false)}>All days</Button>
        <Button variant="subtle" onClick={() => answerMove(undefined)}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
