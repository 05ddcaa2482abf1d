import { Button } from '@mantine/core';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { Day } from '#platform/contract/day.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { formatDayRelativeTo } from '../../events/domain/dateNames.ts';
import { EntryMenu } from './EntryMenu.tsx';
import { MoveDialog } from './MoveDialog.tsx';
import type { useDayActs, RepeatQuestion } from './useEntryActions.ts';
import styles from './dialogs.module.css';

interface AskDialogProps {
  readonly question: RepeatQuestion | undefined;
  readonly today: Day;
  /** `undefined` cancels. */
  readonly onAnswer: (only: boolean | undefined) => void;
}

/** Asks whether a repeat is moved or deleted on this day only, or completely. */
export function AskDialog({ question, today, onAnswer }: AskDialogProps) {
  // Keeps its text while it closes.
  const [last, setLast] = useState(question);
  if (question !== undefined && question !== last) setLast(question);
  const current = question ?? last;
  const day = (which: Day): string => formatDayRelativeTo(which, today);
  return (
    <Dialog
      title={current?.to === undefined ? 'Delete a repeating event' : 'Move a repeating event'}
      isOpen={question !== undefined}
      onClose={() => onAnswer(undefined)}
      width={440}
    >
      {current === undefined ? null : (
        <>
          <p className={styles['question']}>
            <b dir="auto">{current.item.entry.name}</b>
            {current.to === undefined
              ? ` on ${day(current.from)}: delete only this day, or all days of the event?`
              : ` from ${day(current.from)} to ${day(current.to)}: move only this day, or all days of the event?`}
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

/** The dialog that asks before a repeat is moved or deleted, and the status line about the last change. */
export function EntryDialogs(props: EntryDialogsProps) {
  const { acts, today, announcement, menu, closeMenu, moving, closeMoving, onMove, question, onAnswer } = props;
  return (
    <>
      <p className="unseen" role="status">
        {announcement}
      </p>
      {menu ? createPortal(<EntryMenu {...menu} acts={acts} onClose={closeMenu} />, document.body) : null}
      <MoveDialog moving={moving} onClose={closeMoving} onMove={onMove} />
      <AskDialog question={question} today={today} onAnswer={onAnswer} />
    </>
  );
}
