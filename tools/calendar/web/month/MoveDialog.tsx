import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
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
  const [isSubmitted, setIsSubmitted] = useState(false);
  const to = parseDay(date);
  function move(only: boolean): void {
    setIsSubmitted(true);
    if (to !== undefined) onMove(to, only);
  }
  const isRepeat = item.entry.type === 'repeat';
  return (
    <Form noValidate onSubmit={() => move(isRepeat)}>
      <TextInput
        type="date"
        label="New day"
        data-autofocus
        min="0001-01-01"
        max="9999-12-31"
        value={date}
        onChange={(event) => setDate(event.currentTarget.value)}
        error={isSubmitted && to === undefined ? 'Choose a day' : undefined}
      />
      <div className={styles['buttons']}>
        <Button type="submit" variant="primary">
          {isRepeat ? 'Only this day' : 'Move'}
        </Button>
        {isRepeat ? <Button onClick={() => move(false)}>All days</Button> : null}
      </div>
    </Form>
  );
}

interface MoveDialogProps {
  readonly request: MoveRequest | undefined;
  readonly onClose: () => void;
  readonly onMove: (request: MoveRequest, to: Day, only: boolean) => void;
}

/** 'Move to…': moves an entry like dragging, for keyboard and touch. */
export function MoveDialog({ request, onClose, onMove }: MoveDialogProps) {
  // Keeps its text while it closes.
  const [lastRequest, setLastRequest] = useState(request);
  if (request !== undefined && request !== lastRequest) setLastRequest(request);
  const current = request ?? lastRequest;
  return (
    <Dialog
      title={<bdi className={styles['title']}>{`Move ${current?.item.entry.name ?? ''} to…`}</bdi>}
      isOpen={request !== undefined}
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
