import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { parseDay } from '../../events/domain/day.ts';
import type { DayEntry } from './dayEntries.ts';
import styles from './dialogs.module.css';

export interface MoveRequest {
  readonly item: DayEntry;
  /** The occurrence that is moved. */
  readonly from: Day;
}

interface MoveFormProps extends MoveRequest {
  readonly onMove: (to: Day, only: boolean) => void;
}

function MoveForm({ item, from, onMove }: MoveFormProps) {
  const [date, setDate] = useState(() => toIso(from));
  const [isTried, setIsTried] = useState(false);
  const to = parseDay(date);
  const move = (only: boolean): void => {
    setIsTried(true);
    if (to !== undefined) onMove(to, only);
  };
  const repeats = item.entry.type === 'repeat';
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        move(repeats);
      }}
    >
      <TextInput
        type="date"
        label="New day"
        data-autofocus
        min="0001-01-01"
        max="9999-12-31"
        value={date}
        onChange={(event) => setDate(event.currentTarget.value)}
        error={isTried && to === undefined ? 'Choose a day' : undefined}
      />
      <div className={styles['buttons']}>
        <Button type="submit" variant="primary">
          {repeats ? 'Only this day' : 'Move'}
        </Button>
        {repeats ? <Button onClick={() => move(false)}>All days</Button> : null}
      </div>
    </form>
  );
}

interface MoveDialogProps {
  readonly moving: MoveRequest | undefined;
  readonly onClose: () => void;
  readonly onMove: (moving: MoveRequest, to: Day, only: boolean) => void;
}

/** 'Move to…': moves an entry like dragging, for keyboard and touch. */
export function MoveDialog({ moving, onClose, onMove }: MoveDialogProps) {
  // Keeps its text while it closes.
  const [last, setLast] = useState(moving);
  if (moving !== undefined && moving !== last) setLast(moving);
  const current = moving ?? last;
  return (
    <Dialog
      title={<bdi className={styles['title']}>{`Move ${current?.item.entry.name ?? ''} to…`}</bdi>}
      isOpen={moving !== undefined}
      onClose={onClose}
      width={380}
    >
      {current === undefined ? null : (
        <MoveForm
          key={`${current.item.entry.eventid} ${current.from}`}
          {...current}
          onMove={(to, only) => onMove(current, to, only)}
        />
      )}
    </Dialog>
  );
}
