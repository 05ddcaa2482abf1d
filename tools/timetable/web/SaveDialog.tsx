import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { formatShortDate } from '#platform/web/browser/formats.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { deletesavedweek, savedweeks, savelongtermtbbl, layweek, savedweek, undoslots } from '../contract.ts';
import type { RealDay } from '../domain/dayShares.ts';
import { isSameSlot, getTitle, type Slot } from '../domain/slot.ts';
import { formatWeekLabel, formatWeekRange, getWeekday } from '../domain/week.ts';
import { toSentSlot, type PlannedSlot, slotIn, formatTimes } from './planned.ts';
import { alertFailure, undo } from './undo.ts';
import { refreshWeeks } from './useWeek.ts';
import styles from './SaveDialog.module.css';

type OverlapMode = 'beside' | 'replace';
const hows = [
  { value: 'beside', label: 'Add to existing slots' },
  { value: 'replace', label: 'Replace existing slots' },
] as const satisfies readonly { readonly value: OverlapMode; readonly label: string }[];

interface DayChange {
  readonly day: Day;
  readonly more: readonly Slot[];
  readonly less: readonly Slot[];
}

/** Returns what applying the saved slots to the week changes on each day. */
export function listDayChanges(
  monday: Day,
  saved: readonly (readonly Slot[])[],
  there: readonly (readonly Slot[])[],
  how: OverlapMode,
): readonly DayChange[] {
  return saved
    .map((slots, index) => {
      const stands = there[index] ?? [];
      const isReplaced = how === 'replace';
      return {
        day: monday + index,
        more: isReplaced ? slots : slots.filter((slot) => !stands.some((other) => isSameSlot(slot, other))),
        less: isReplaced ? stands : [],
      };
    })
    .filter(({ more, less }) => more.length + less.length > 0);
}

interface LineProps {
  readonly sign: '+' | '−';
  readonly slot: Slot;
}

function Line({ sign, slot }: LineProps) {
  return (
    <li data-sign={sign}>
      <span aria-label={sign === '+' ? 'Added' : 'Removed'} role="img">
        {sign}
      </span>
      <b dir="auto">{getTitle(slot)}</b>
      <small>{formatTimes(slot)}</small>
    </li>
  );
}

// Slots of a saved week have no ids, and equal ones can occur twice.
const addKeys = (slots: readonly Slot[]) => slots.map((slot, at) => ({ slot, key: `${at} ${slot.name}` }));

function Preview({ changes }: { readonly changes: readonly DayChange[] }) {
  if (changes.length === 0)
    return <p className={styles['noChanges']}>No changes. All slots are already in this week</p>;
  return (
    <div className={styles['preview']} role="group" aria-label="What changes">
      {changes.map(({ day, more, less }) => (
        <section key={day} aria-label={getWeekday(day)}>
          <h3>{getWeekday(day)}</h3>
          <ul>
            {addKeys(less).map(({ slot, key }) => (
              <Line key={key} sign="−" slot={slot} />
            ))}
            {addKeys(more).map(({ slot, key }) => (
              <Line key={key} sign="+" slot={slot} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface OverlayPreviewProps {
  readonly id: number;
  readonly monday: Day;
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** Previews what applying a saved week to the shown one changes, and applies it. */
export function LayOver({ id, monday, slots, onBack, onDone }: OverlayPreviewProps) {
  const queries = useQueryClient();
  const [how, setHow] = useState<OverlapMode>('beside');
  const savedWeekQuery = useQuery({
    queryKey: ['timetable', 'savedweek', id],
    queryFn: async () => {
      const { name, days } = await call(savedweek, { id });
      return { name, days: days.map((all) => all.map(slotIn)) };
    },
  });
  const install = useMutation({
    mutationFn: () => call(layweek, { id, monday: toIso(monday), replace: how === 'replace' }),
    onSuccess: async ({ made, replaced }) => {
      const gone = replaced.map(({ slot }) => slot.updatedid);
      undo.offer(`Applied ${savedWeekQuery.data?.name ?? 'it'} to ${formatWeekLabel(monday)}`, async () => {
        await call(undoslots, { made, gone }).catch(alertFailure);
        await refreshWeeks(queries);
      });
      onDone();
      await refreshWeeks(queries);
    },
    onError: alertFailure,
  });
  if (savedWeekQuery.isError)
    return (
      <p role="alert">
        {savedWeekQuery.error.message} <Button onClick={onBack}>Back</Button>
      </p>
    );
  const changes = listDayChanges(monday, savedWeekQuery.data?.days ?? [], slots, how);
  return (
    <div className={styles['insertForm']} aria-busy={savedWeekQuery.data === undefined || undefined}>
      <p>
        <b dir="auto">{savedWeekQuery.data?.name}</b> over {formatWeekLabel(monday)}, {formatWeekRange(monday)}
      </p>
      <SegmentedControl<OverlapMode> label="How" options={hows} value={how} onSelect={setHow} />
      {savedWeekQuery.data ? <Preview changes={changes} /> : null}
      <div className={styles['buttons']}>
        <Button
          variant="primary"
          loading={install.isPending}
          disabled={savedWeekQuery.data === undefined || changes.length === 0}
          onClick={() => install.mutate()}
        >
          Apply to this week
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}

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
      <div className={styles['empty']}>
        <QueryError message={saved.error.message} onRetry={saved.refetch} />
      </div>
    );
  if (saved.data?.length === 0) return <p className={styles['empty']}>Your saved weeks appear here</p>;
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
          tbbldata: Object.fromEntries(
            all.map((slot) => [slot.id, toSentSlot(slot, slot.id, realDay(monday + index))]),
          ),
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
        description={`${formatWeekLabel(monday)}, ${formatWeekRange(monday)}: ${slotsInWords(slots.flat().length)}`}
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

/** Dialog that saves the shown week under a name, and applies saved weeks to it. */
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
