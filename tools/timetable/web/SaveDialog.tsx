import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { formatShortDate } from '#platform/web/browser/formats.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { deletesavedweek, savedweeks, savelongtermtbbl } from '../contract.ts';
import type { RealDay } from '../domain/dayShares.ts';
import { toIso, weekLabelOf, weekRangeOf, type Day } from '../domain/week.ts';
import { alertFailure } from './failure.ts';
import { LayOver } from './LayOver.tsx';
import { sentOf, type PlannedSlot } from './planned.ts';
import styles from './SaveDialog.module.css';

const SAVED = ['timetable', 'saved'];

interface SaveDialogProps {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly realDay: (day: Day) => RealDay;
  readonly onClose: () => void;
}

const slotsInWords = (count: number): string => (count === 1 ? '1 slot' : `${count} slots`);

interface SavedListProps {
  readonly onLay: (id: number) => void;
}

function SavedList({ onLay }: SavedListProps) {
  const queries = useQueryClient();
  const saved = useQuery({ queryKey: SAVED, queryFn: async () => (await call(savedweeks, {})).weeks });
  const remove = useMutation({
    mutationFn: (id: number) => call(deletesavedweek, { id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SAVED }),
    onError: showError,
  });
  if (saved.isError)
    return (
      <div className={styles['nothing']} role="alert">
        {saved.error.message} <Button onClick={() => void saved.refetch()}>Try again</Button>
      </div>
    );
  if (saved.data?.length === 0) return <p className={styles['nothing']}>No week is saved yet.</p>;
  return (
    <ul className={styles['list']} aria-label="Saved weeks">
      {saved.data?.map(({ id, name, slots, saved: when }) => (
        <li key={id}>
          <span className={styles['name']}>
            <b dir="auto">{name}</b>
            <small>
              {slotsInWords(slots)}, saved {formatShortDate(when)}
            </small>
          </span>
          <Button size="xs" aria-label={`Apply ${name} to this week`} onClick={() => onLay(id)}>
            Apply to this week
          </Button>
          <ConfirmButton
            size="xs"
            variant="subtle"
            confirmLabel="Confirm Delete"
            aria-label={`Delete ${name}`}
            onConfirm={() => remove.mutate(id)}
          >
            Delete
          </ConfirmButton>
        </li>
      ))}
    </ul>
  );
}

function SaveForm({ monday, slots, realDay }: Omit<SaveDialogProps, 'onClose'>) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const save = useMutation({
    mutationFn: () =>
      call(savelongtermtbbl, {
        name,
        data: slots.map((all, index) => ({
          date: toIso(monday + index),
          tbbldata: Object.fromEntries(all.map((slot) => [slot.id, sentOf(slot, slot.id, realDay(monday + index))])),
        })),
      }),
    onSuccess: async () => {
      notices.add('good', `Saved ${name.trim()}`);
      setName('');
      await queries.invalidateQueries({ queryKey: SAVED });
    },
    onError: alertFailure,
  });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <TextInput
        label="Save Name"
        description={`${weekLabelOf(monday)}, ${weekRangeOf(monday)}: ${slotsInWords(slots.flat().length)}`}
        dir="auto"
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}

/** The shown week is kept under a name here, and kept ones are laid over it. */
export function SaveDialog({ monday, slots, realDay, onClose }: SaveDialogProps) {
  const [laying, setLaying] = useState<number>();
  return (
    <Dialog title={laying === undefined ? 'Save timetable' : 'Apply to this week'} isOpen onClose={onClose} width={520}>
      {laying === undefined ? (
        <>
          <SaveForm monday={monday} slots={slots} realDay={realDay} />
          <SavedList onLay={setLaying} />
        </>
      ) : (
        <LayOver id={laying} monday={monday} slots={slots} onBack={() => setLaying(undefined)} onDone={onClose} />
      )}
    </Dialog>
  );
}
