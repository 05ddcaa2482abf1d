import { Button } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { PartProps } from '../parts.ts';
import { drafts, useOtherNew } from './eventDrafts.ts';
import type { EditorState } from './useEditing.ts';
import styles from './Lines.module.css';

function Line({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['line']} role="status">
      <IconInfoCircle size={16} stroke={1.75} aria-hidden />
      <span dir="auto">{text}</span>
      {children}
    </div>
  );
}

function Act({ children, onClick }: { readonly children: string; readonly onClick: () => void }) {
  return (
    <Button size="xs" onClick={onClick}>
      {children}
    </Button>
  );
}

type LinesProps = Pick<PartProps, 'selection' | 'onSelect'> & { readonly editing: EditorState };

/** What a person has to know of the event before going on, each in a line: where it comes from, what else was typed or saved. */
export function Lines({ editing, selection, onSelect }: LinesProps) {
  const { base, elsewhere, isLost, oldDraft } = editing;
  const others = useOtherNew(selection.kind === 'new' && !base ? selection.proposal : undefined);
  return (
    <>
      {base?.subscription !== undefined && (
        <Line text={`From the subscribed calendar ${base.subscription}. It is changed there, not here.`} />
      )}
      {isLost && (
        <Line text="This event was deleted meanwhile. What you typed is still here.">
          <Act onClick={() => void editing.bringBack()}>Bring it back</Act>
        </Line>
      )}
      {!isLost && elsewhere && (
        <Line text="This event was changed elsewhere meanwhile. What you typed is still here.">
          <Act onClick={() => editing.compare(elsewhere)}>Compare</Act>
        </Line>
      )}
      {oldDraft && (
        <Line text="You typed something here that was never saved, and the event was changed since.">
          <Act onClick={oldDraft.take}>Show what I typed</Act>
          <Act onClick={oldDraft.drop}>Discard it</Act>
        </Line>
      )}
      {others.map(({ proposal, edits }) =>
        proposal === undefined ? null : (
          <Line
            key={`${proposal.date} ${proposal.name ?? ''}`}
            text={`Never saved: ${edits.name ?? proposal.name ?? 'new event'}, ${edits.date ?? ''}`}
          >
            <Act onClick={() => onSelect({ kind: 'new', proposal })}>Go on with it</Act>
            <Act onClick={() => drafts.drop(proposal)}>Discard it</Act>
          </Line>
        ),
      )}
    </>
  );
}
