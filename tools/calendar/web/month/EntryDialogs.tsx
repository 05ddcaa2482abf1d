import { Button } from '@mantine/core';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { Day } from '#platform/contract/day.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { formatDayRelativeTo } from '../../events/domain/dateNames.ts';
import { EntryMenu } from './EntryMenu.tsx';
import { MoveDialog } from './MoveDialog.tsx';
import type { useDayActions, RepeatQuestion } from './useDayActions.ts';
import styles from './dialogs.module.css';

interface RepeatDialogProps {
  readonly question: RepeatQuestion | undefined;
  readonly today: Day;
  /** `undefined` cancels. */
  readonly onAnswer: (only: boolean | undefined) => void;
}

/** Asks whether a repeat is moved or deleted on this day only, or completely. */
export function RepeatDialog({ question, today, onAnswer }: RepeatDialogProps) {
  // Keeps its text while it closes.
  const [lastQuestion, setLastQuestion] = useState(question);
  if (question !== undefined && question !== lastQuestion) setLastQuestion(question);
  const current = question ?? lastQuestion;
  const nameDay = (which: Day): string => formatDayRelativeTo(which, today);
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
              ? ` on ${nameDay(current.from)}: delete only this day, or all days of the event?`
              : ` from ${nameDay(current.from)} to ${nameDay(current.to)}: move only this day, or all days of the event?`}
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

type EntryDialogsProps = ReturnType<typeof useDayActions>['dialogs'];

/** The dialog that asks before a repeat is moved or deleted, and the status line about the last change. */
export function EntryDialogs(props: EntryDialogsProps) {
  const { actions, today, announcement, menu, closeMenu, moveRequest, closeMoveDialog, onMove, question, onAnswer } =
    props;
  return (
    <>
      <p className="unseen" role="status">
        {announcement}
      </p>
      {menu ? createPortal(<EntryMenu {...menu} actions={actions} onClose={closeMenu} />, document.body) : null}
      <MoveDialog request={moveRequest} onClose={closeMoveDialog} onMove={onMove} />
      <RepeatDialog question={question} today={today} onAnswer={onAnswer} />
    </>
  );
}
