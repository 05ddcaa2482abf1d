import { createPortal } from 'react-dom';
import { AskDialog } from './AskDialog.tsx';
import { EntryMenu } from './EntryMenu.tsx';
import { MoveDialog } from './MoveDialog.tsx';
import type { useDayActs } from './useEntryActions.ts';

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
