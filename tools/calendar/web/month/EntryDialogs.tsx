import { Button } from '@mantine/core';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { dayNameBeside } from '../../events/domain/dateNames.ts';
import type { Day } from '../../events/domain/day.ts';
import { EntryMenu } from './EntryMenu.tsx';
import { MoveDialog } from './MoveDialog.tsx';
import type { useDayActs } from './useEntryActions.ts';
import type { RepeatQuestion } from './useEntryChanges.ts';
import styles from './dialogs.module.css';

interface AskDialogProps {
  readonly asked: RepeatQuestion | undefined;
  readonly today: Day;
  /** Undefined: neither, and everything stays as it was. */
  readonly onAnswer: (only: boolean | undefined) => void;
}

/** A repeat is moved or deleted: this day of it, or all. */
export function AskDialog({ asked, today, onAnswer }: AskDialogProps) {
  // Its words stay while it closes.
  const [last, setLast] = useState(asked);
  if (asked !== undefined && asked !== last) setLast(asked);
  const shown = asked ?? last;
  const day = (which: Day): string => dayNameBeside(which, today);
  return (
    <Dialog
      title={shown?.to === undefined ? 'Delete a repeating event' : 'Move a repeating event'}
      isOpen={asked !== undefined}
      onClose={() => onAnswer(undefined)}
      width={440}
    >
      {shown === undefined ? null : (
        <>
          <p className={styles['question']}>
            <b dir="auto">{shown.item.entry.name}</b>
            {shown.to === undefined
              ? ` of ${day(shown.from)}: delete only this day, or the event with all its days?`
              : ` from ${day(shown.from)} to ${day(shown.to)}: only this day, or all its days by as much?`}
          </p>
          <div className={styles['buttons']}>
            <Button variant="primary" data-autofocus onClick={() => onAnswer(true)}>
              Only this day
            </Button>
            <Button onClick={() => onAnswer(false)}>All days</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

type EntryDialogsProps = ReturnType<typeof useDayActs>['dialogs'];

/** What asks before an entry is moved or deleted, and the line that says what was done. */
export function EntryDialogs(props: EntryDialogsProps) {
  const { acts, today, said, menu, closeMenu, moving, closeMoving, onMove, asked, onAnswer } = props;
  return (
    <>
      <p className="unseen" role="status">
        {said}
      </p>
      {menu ? createPortal(<EntryMenu {...menu} acts={acts} onClose={closeMenu} />, document.body) : null}
      <MoveDialog moving={moving} onClose={closeMoving} onMove={onMove} />
      <AskDialog asked={asked} today={today} onAnswer={onAnswer} />
    </>
  );
}
