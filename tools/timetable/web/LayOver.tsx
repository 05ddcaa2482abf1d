import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { layweek, savedweek, undoslots } from '../contract.ts';
import { isSameSlot, titleOf, type Slot } from '../domain/slot.ts';
import { toIso, weekLabelOf, weekRangeOf, weekdayOf, type Day } from '../domain/week.ts';
import { alertFailure } from './failure.ts';
import { slotIn, timesOf, type PlannedSlot } from './planned.ts';
import { undo } from './undo.ts';
import { refreshWeeks } from './useWeek.ts';
import styles from './LayOver.module.css';

type OverlapMode = 'beside' | 'replace';
const hows = [
  { value: 'beside', label: 'Beside what is there' },
  { value: 'replace', label: 'Replace what is there' },
] as const satisfies readonly { readonly value: OverlapMode; readonly label: string }[];

interface DayChange {
  readonly day: Day;
  readonly more: readonly Slot[];
  readonly less: readonly Slot[];
}

/** What laying the kept slots over the week does to each day. */
export const changesOf = (
  monday: Day,
  kept: readonly (readonly Slot[])[],
  there: readonly (readonly Slot[])[],
  how: OverlapMode,
): readonly DayChange[] =>
  kept
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

interface LineProps {
  readonly sign: '+' | '−';
  readonly slot: Slot;
}

function Line({ sign, slot }: LineProps) {
  return (
    <li data-sign={sign}>
      <span aria-label={sign === '+' ? 'Added' : 'Taken away'} role="img">
        {sign}
      </span>
      <b dir="auto">{titleOf(slot)}</b>
      <small>{timesOf(slot)}</small>
    </li>
  );
}

// The slots of a kept week have no ids, and alike ones may stand there twice.
const keyed = (slots: readonly Slot[]) => slots.map((slot, at) => ({ slot, key: `${at} ${slot.name}` }));

function Preview({ changes }: { readonly changes: readonly DayChange[] }) {
  if (changes.length === 0) return <p className={styles['nothing']}>Nothing changes: all of it is there already.</p>;
  return (
    <div className={styles['preview']} role="group" aria-label="What changes">
      {changes.map(({ day, more, less }) => (
        <section key={day} aria-label={weekdayOf(day)}>
          <h3>{weekdayOf(day)}</h3>
          <ul>
            {keyed(less).map(({ slot, key }) => (
              <Line key={key} sign="−" slot={slot} />
            ))}
            {keyed(more).map(({ slot, key }) => (
              <Line key={key} sign="+" slot={slot} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface LayOverProps {
  readonly id: number;
  readonly monday: Day;
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** Shows what laying a kept week over the shown one changes, and does it. */
export function LayOver({ id, monday, slots, onBack, onDone }: LayOverProps) {
  const queries = useQueryClient();
  const [how, setHow] = useState<OverlapMode>('beside');
  const kept = useQuery({
    queryKey: ['timetable', 'savedweek', id],
    queryFn: async () => {
      const { name, days } = await call(savedweek, { id });
      return { name, days: days.map((all) => all.map(slotIn)) };
    },
  });
  const lay = useMutation({
    mutationFn: () => call(layweek, { id, monday: toIso(monday), replace: how === 'replace' }),
    onSuccess: async ({ made, replaced }) => {
      const gone = replaced.map(({ slot }) => slot.updatedid);
      undo.offer(`Applied ${kept.data?.name ?? 'it'} to ${weekLabelOf(monday)}`, async () => {
        await call(undoslots, { made, gone }).catch(alertFailure);
        await refreshWeeks(queries);
      });
      onDone();
      await refreshWeeks(queries);
    },
    onError: alertFailure,
  });
  if (kept.isError)
    return (
      <p role="alert">
        {kept.error.message} <Button onClick={onBack}>Back</Button>
      </p>
    );
  const changes = changesOf(monday, kept.data?.days ?? [], slots, how);
  return (
    <div className={styles['lay']} aria-busy={kept.data === undefined || undefined}>
      <p>
        <b dir="auto">{kept.data?.name}</b> over {weekLabelOf(monday)}, {weekRangeOf(monday)}
      </p>
      <SegmentedControl<OverlapMode> label="How" options={hows} value={how} onSelect={setHow} />
      {kept.data ? <Preview changes={changes} /> : null}
      <div className={styles['buttons']}>
        <Button
          variant="primary"
          loading={lay.isPending}
          disabled={kept.data === undefined || changes.length === 0}
          onClick={() => lay.mutate()}
        >
          Apply to this week
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}
