import { IconClock, IconHistory, IconRepeat, IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { clockTime, shortDate } from '#platform/web/when.ts';
import { DateField } from './DateField.tsx';
import { withEndDate } from './form.ts';
import type { Editing } from './useEditing.ts';
import { durationWords, everyWords } from './words.ts';
import styles from './MetaRow.module.css';

interface MetaRowProps {
  readonly editing: Editing;
  readonly readOnly: boolean;
}

/** Begin and end on the clock, where the event has them. */
function Times({ editing, readOnly }: MetaRowProps) {
  const { form, today, problems, change } = editing;
  const id = useId();
  const begin = useRef<HTMLInputElement>(null);
  const [isAdded, setIsAdded] = useState(false);
  useEffect(() => {
    if (isAdded) begin.current?.focus();
  }, [isAdded]);
  const isBad = problems.includes('endTime') || problems.includes('endDate');
  if (form.time === '' && !isAdded)
    return readOnly ? null : (
      <button type="button" className={styles['quiet']} onClick={() => setIsAdded(true)}>
        <IconClock size={16} stroke={1.75} aria-hidden /> Add time
      </button>
    );
  return (
    <span className={styles['times']}>
      <IconClock size={16} stroke={1.75} aria-hidden />
      <input
        ref={begin}
        type="time"
        aria-label="Time"
        value={form.time}
        readOnly={readOnly}
        onChange={({ currentTarget: { value } }) => {
          // A field that is being typed in is empty for a moment: it stays.
          setIsAdded(true);
          change(value === '' ? { time: '', endTime: '', endDate: '' } : withEndDate(form, { time: value }));
        }}
      />
      {form.time !== '' && (
        <>
          <span aria-hidden>–</span>
          <input
            type="time"
            aria-label="End time"
            value={form.endTime}
            readOnly={readOnly}
            aria-invalid={isBad}
            {...(isBad ? { 'aria-describedby': id } : {})}
            onChange={({ currentTarget: { value } }) => change(withEndDate(form, { endTime: value }))}
          />
          {form.endTime !== '' && form.style !== 'duration' && (
            <DateField
              label="End date"
              value={form.endDate === '' ? form.date : form.endDate}
              today={today}
              readOnly={readOnly}
              isBad={problems.includes('endDate')}
              onChange={(endDate) => change({ endDate: endDate === form.date ? '' : endDate })}
            />
          )}
        </>
      )}
      {!readOnly && (
        <IconButton
          label="Remove time"
          size={28}
          onClick={() => {
            setIsAdded(false);
            change({ time: '', endTime: '', endDate: '' });
          }}
        >
          <IconX size={14} stroke={1.75} />
        </IconButton>
      )}
      {isBad && (
        <span id={id} className={styles['bad']}>
          The end must be after the start
        </span>
      )}
    </span>
  );
}

/** When the event is, how it repeats, and when it was made and changed. */
export function MetaRow({ editing, readOnly }: MetaRowProps) {
  const { form, base, today, problems, change } = editing;
  const words =
    base?.otherrule ??
    (form.style === 'repeat' ? everyWords(form) : form.style === 'duration' ? durationWords(form) : undefined);
  return (
    <div className={`${styles['meta']} num`}>
      <DateField
        label="Date"
        value={form.date}
        today={today}
        readOnly={readOnly}
        isBad={problems.includes('date')}
        onChange={(date) => change(withEndDate(form, { date }))}
      />
      <Times key={base?.id ?? 0} editing={editing} readOnly={readOnly} />
      {base?.zone !== undefined && <span title="The time zone of this event">{base.zone}</span>}
      {words !== undefined && (
        <span>
          <IconRepeat size={16} stroke={1.75} aria-hidden /> {words}
        </span>
      )}
      {base && (
        <>
          <span>
            <IconClock size={16} stroke={1.75} aria-hidden /> Created on {shortDate(base.createdon)}
          </span>
          <span>
            <IconHistory size={16} stroke={1.75} aria-hidden /> Most recent edit {shortDate(base.editedon)},{' '}
            {clockTime(base.editedon)}
          </span>
        </>
      )}
    </div>
  );
}
