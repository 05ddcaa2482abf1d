import { IconClock, IconHistory, IconRepeat, IconWorld, IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import { formatClockTime, formatShortDate, getTimeZone } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { DateField } from './DateField.tsx';
import { durationWords, formatEvery } from './editorTexts.ts';
import { dayAfter, isEndEarly, withEndDate } from './eventForm.ts';
import type { EditorState } from './useEditing.ts';
import styles from './MetaRow.module.css';

interface MetaRowProps {
  readonly editing: EditorState;
  readonly readOnly: boolean;
}

/** The end date, if it differs from the start. Durations have their own control. */
function EndDate({ editing, readOnly }: MetaRowProps) {
  const { form, today, problems, change } = editing;
  if (form.endTime === '' || form.style === 'duration') return null;
  if (form.endDate === '')
    return readOnly ? null : (
      <button type="button" className={styles['quiet']} onClick={() => change({ endDate: dayAfter(form.date) })}>
        Ends on another day
      </button>
    );
  return (
    <DateField
      label="End date"
      value={form.endDate}
      today={today}
      readOnly={readOnly}
      isBad={problems.includes('endDate')}
      onChange={(endDate) => change({ endDate: endDate === form.date ? '' : endDate })}
    />
  );
}

/** Start and end time, if the event has them. */
function Times({ editing, readOnly }: MetaRowProps) {
  const { form, problems, change } = editing;
  const id = useId();
  const begin = useRef<HTMLInputElement>(null);
  const [isAdded, setIsAdded] = useState(false);
  useEffect(() => {
    if (isAdded) begin.current?.focus();
  }, [isAdded]);
  const isBad = isEndEarly(form, problems);
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
          // A field is empty for a moment while it is edited, so it must stay.
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
          <EndDate editing={editing} readOnly={readOnly} />
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
        <span id={id} className={styles['problem']}>
          The end must be after the start
        </span>
      )}
    </span>
  );
}

/** The event's zone, if it differs from the page's zone, in which the times are shown. */
function EventZone({ zone: own }: { readonly zone: string | undefined }) {
  if (own === undefined || own === getTimeZone()) return null;
  return (
    <span title="This event uses this time zone. Times are shown in yours">
      <IconWorld size={16} stroke={1.75} aria-hidden /> Time zone {own.replaceAll('_', ' ')}
    </span>
  );
}

/** When the event is, how it repeats, and when it was created and changed. */
export function MetaRow({ editing, readOnly }: MetaRowProps) {
  const { form, base, today, problems, change } = editing;
  const words =
    base?.otherrule ??
    (form.style === 'repeat' ? formatEvery(form) : form.style === 'duration' ? durationWords(form) : undefined);
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
      <EventZone zone={base?.zone} />
      {words !== undefined && (
        <span>
          <IconRepeat size={16} stroke={1.75} aria-hidden /> {words}
        </span>
      )}
      {base && (
        <>
          <span>
            <IconClock size={16} stroke={1.75} aria-hidden /> Created on {formatShortDate(base.createdon)}
          </span>
          <span>
            <IconHistory size={16} stroke={1.75} aria-hidden /> Most recent edit {formatShortDate(base.editedon)},{' '}
            {formatClockTime(base.editedon)}
          </span>
        </>
      )}
    </div>
  );
}
