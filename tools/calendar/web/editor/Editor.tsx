import { Button } from '@mantine/core';
import { useState } from 'react';
import type { PartProps } from '../parts.ts';
import type { Selection } from '../selection.ts';
import { EventForm } from './EventForm.tsx';
import { Nothing } from './Nothing.tsx';
import { SELECT_ONE } from './placeholders.ts';

const nameOf = (selection: Selection): string => {
  if (selection.kind === 'none') return '';
  return selection.kind === 'event'
    ? `event ${selection.id}`
    : `new ${selection.proposal.date} ${selection.proposal.name ?? ''}`;
};

/** One form after another: each has a number, and goes on while the selection is what it has become itself. */
interface EditorTurn {
  readonly number: number;
  readonly of: string;
  readonly became: string;
}

const turned = (turn: EditorTurn, of: string): EditorTurn =>
  of === turn.became ? { ...turn, of } : { number: turn.number + 1, of, became: of };

/** The event that is selected, to be changed. */
export function Editor({ selection, today, onSelect }: PartProps) {
  const of = nameOf(selection);
  const [turn, setTurn] = useState<EditorTurn>({ number: 0, of, became: of });
  if (turn.of !== of) setTurn(turned(turn, of));
  if (selection.kind === 'none')
    return (
      <Nothing text={SELECT_ONE}>
        <Button onClick={() => onSelect({ kind: 'new', proposal: { date: today } })}>New event</Button>
      </Nothing>
    );
  return (
    <EventForm
      key={turn.number}
      selection={selection}
      today={today}
      onSelect={onSelect}
      onBecome={(next) => {
        setTurn((now) => ({ ...now, became: nameOf(next) }));
        onSelect(next);
      }}
    />
  );
}
