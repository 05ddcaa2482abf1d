import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { formatDate } from '#platform/web/browser/formats.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { deletesavedweek, savedweeks, savelongtermtbbl, layweek, savedweek, undoslots } from '../contract.ts';
import type { LocalDay } from '../domain/dayShares.ts';
import { isSameSlot, getTitle, type Slot } from '../domain/slot.ts';
import { formatWeekLabel, formatWeekRange, getWeekday } from '../domain/week.ts';
import { alertFailure } from './alertFailure.ts';
import { toSentSlot, type PlannedSlot, toSlot, formatSlotCount, formatTimes } from './plannedWeek.ts';
import { undo } from './undo.ts';
import { refreshWeeks } from './useWeek.ts';
import styles from './SaveDialog.module.css';

type OverlapMode = 'add' | 'replace';
const OVERLAP_MODES = [
  { value: 'add', label: 'Add to existing slots' },
  { value: 'replace', label: 'Replace existing slots' },
] as const satisfies readonly { readonly value: OverlapMode; readonly label: string }[];

interface DayChange {
  readonly day: Day;
  readonly added: readonly Slot[];
  readonly removed: readonly Slot[];
}

/** Returns what applying the saved slots to the week changes on each day. */
export function listDayChanges(
  monday: Day,
  saved: readonly (readonly Slot[])[],
  currentDays: readonly (readonly Slot[])[],
  mode: OverlapMode,
): readonly DayChange[] {
  return saved
    .map((slots, index) => {
      const currentSlots = currentDays[index] ?? [];
      const isReplacing = mode === 'replace';
      return {
        day: monday + index,
        added: isReplacing ? slots : slots.filter((slot) => !currentSlots.some((other) => isSameSlot(slot, other))),
        removed: isReplacing ? currentSlots : [],
      };
    })
    .filter(({ added, removed }) => added.length + removed.length > 0);
}

function ChangeLine({ sign, slot }: { readonly sign: '+' | '−'; readonly slot: Slot }) {
  return (
    <li data-sign={sign}>
      <span aria-label={sign === '+' ? 'Added' : 'Removed'} role="img">
        {sign}
      </span>
      <b className="ellipsis" dir="auto">
        {getTitle(slot)}
      </b>
      <small>{formatTimes(slot)}</small>
    </li>
  );
}

// Slots of a saved week have no ids, and equal ones can occur twice.
const addKeys = (slots: readonly Slot[]) => slots.map((slot, index) => ({ slot, key: `${index} ${slot.name}` }));

function Preview({ changes }: { readonly changes: readonly DayChange[] }) {
  if (changes.length === 0)
    return <p className={styles['noChanges']}>No changes. All slots are already in this week</p>;
  return (
    <div className={styles['preview']} role="group" aria-label="What changes">
      {changes.map(({ day, added, removed }) => (
        <section key={day} aria-label={getWeekday(day)}>
          <h3>{getWeekday(day)}</h3>
          <ul>
            {addKeys(removed).map(({ slot, key }) => (
              <ChangeLine key={key} sign="−" slot={slot} />
            ))}
            {addKeys(added).map(({ slot, key }) => (
              <ChangeLine key={key} sign="+" slot={slot} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface ApplyWeekProps {
  readonly id: number;
  readonly monday: Day;
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** Previews what applying a saved week to the shown one changes, and applies it. */
export function ApplyWeek({ id, monday, slots, onBack, onDone }: ApplyWeekProps) {
  const queryClient = useQueryClient();
  const [mode, setMode] = useState<OverlapMode>('add');
  const savedWeekQuery = useQuery({
    queryKey: ['timetable', 'savedweek', id],
    queryFn: async () => {
      const { name, days } = await call(savedweek, { id });
      return { name, days: days.map((daySlots) => daySlots.map(toSlot)) };
    },
  });
  const applyMutation = useMutation({
    mutationFn: () => call(layweek, { id, monday: toIso(monday), replace: mode === 'replace' }),
    onSuccess: async ({ made, replaced }) => {
      const replacedIds = replaced.map(({ slot }) => slot.updatedid);
      undo.offer(`Applied ${savedWeekQuery.data?.name ?? 'it'} to ${formatWeekLabel(monday)}`, async () => {
        await call(undoslots, { made, gone: replacedIds }).catch(alertFailure);
        await refreshWeeks(queryClient);
      });
      onDone();
      await refreshWeeks(queryClient);
    },
    onError: alertFailure,
  });
  if (savedWeekQuery.isError)
    return (
      <p role="alert">
        {savedWeekQuery.error.message} <Button onClick={onBack}>Back</Button>
      </p>
    );
  const changes = listDayChanges(monday, savedWeekQuery.data?.days ?? [], slots, mode);
  return (
    <div className={styles['insertForm']} aria-busy={savedWeekQuery.data === undefined || undefined}>
      <p>
        <b dir="auto">{savedWeekQuery.data?.name}</b> over {formatWeekLabel(monday)}, {formatWeekRange(monday)}
      </p>
      <SegmentedControl<OverlapMode> label="How" options={OVERLAP_MODES} value={mode} onSelect={setMode} />
      {savedWeekQuery.data ? <Preview changes={changes} /> : null}
      <div className={styles['buttons']}>
        <Button
          variant="primary"
          loading={applyMutation.isPending}
          disabled={savedWeekQuery.data === undefined || changes.length === 0}
          onClick={() => applyMutation.mutate()}
        >
          Apply to this week
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}

const SAVED_WEEKS_KEY = ['timetable', 'saved'];

interface SaveDialogProps {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly getLocalDay: (day: Day) => LocalDay;
  readonly onClose: () => void;
}

function SavedList({ onApply }: { readonly onApply: (id: number) => void }) {
  const queryClient = useQueryClient();
  const savedWeeksQuery = useQuery({
    queryKey: SAVED_WEEKS_KEY,
    queryFn: async () => (await call(savedweeks, {})).weeks,
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(deletesavedweek, { id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: SAVED_WEEKS_KEY }),
    onError: showError,
  });
  if (savedWeeksQuery.isError)
    return (
      <div className={styles['empty']}>
        <QueryError message={savedWeeksQuery.error.message} onRetry={savedWeeksQuery.refetch} />
      </div>
    );
  if (savedWeeksQuery.data?.length === 0) return <p className={styles['empty']}>Your saved weeks appear here</p>;
  return (
    <ul className={styles['list']} aria-label="Saved weeks">
      {savedWeeksQuery.data?.map(({ id, name, slots, saved: savedAt }) => (
        <li key={id}>
          <span className={styles['name']}>
            <b className="ellipsis" dir="auto">
              {name}
            </b>
            <small>
              {formatSlotCount(slots)}, saved {formatDate(savedAt)}
            </small>
          </span>
          <Button size="xs" aria-label={`Apply ${name} to this week`} onClick={() => onApply(id)}>
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

function SaveForm({ monday, slots, getLocalDay }: Omit<SaveDialogProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const save = useMutation({
    mutationFn: () =>
      call(savelongtermtbbl, {
        name,
        data: slots.map((daySlots, index) => ({
          date: toIso(monday + index),
          tbbldata: Object.fromEntries(
            daySlots.map((slot) => [slot.id, toSentSlot(slot, slot.id, getLocalDay(monday + index))]),
          ),
        })),
      }),
    onSuccess: async () => {
      notices.add('good', `Saved ${name.trim()}`);
      setName('');
      await queryClient.invalidateQueries({ queryKey: SAVED_WEEKS_KEY });
    },
    onError: alertFailure,
  });
  return (
    <Form className={styles['form']} isBusy={save.isPending} onSubmit={() => save.mutate()}>
      <TextInput
        label="Save Name"
        description={`${formatWeekLabel(monday)}, ${formatWeekRange(monday)}: ${formatSlotCount(slots.flat().length)}`}
        dir="auto"
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" loading={save.isPending}>
        Save
      </Button>
    </Form>
  );
}

/** Dialog that saves the shown week under a name, and applies saved weeks to it. */
export function SaveDialog({ monday, slots, getLocalDay, onClose }: SaveDialogProps) {
  const [appliedId, setAppliedId] = useState<number>();
  return (
    <Dialog
      title={appliedId === undefined ? 'Save timetable' : 'Apply to this week'}
      isOpen
      onClose={onClose}
      width={520}
    >
      {appliedId === undefined ? (
        <>
          <SaveForm monday={monday} slots={slots} getLocalDay={getLocalDay} />
          <SavedList onApply={setAppliedId} />
        </>
      ) : (
        <ApplyWeek
          id={appliedId}
          monday={monday}
          slots={slots}
          onBack={() => setAppliedId(undefined)}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}
