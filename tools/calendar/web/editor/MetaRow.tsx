import { IconClock, IconHistory, IconRepeat, IconWorld, IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import { formatClockTime, formatDate, getTimeZone } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { DateField } from './DateField.tsx';
import { formatDuration, formatEvery } from './editorTexts.ts';
import { getDayAfter, isEndEarly, withEndDate } from './eventForm.ts';
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
      <button type="button" className={styles['quiet']} onClick={() => change({ endDate: getDayAfter(form.date) })}>
        Ends on another day
      </button>
    );
  return (
    <DateField
      label="End date"
      value={form.endDate}
      today={today}
      readOnly={readOnly}
      isRefused={problems.includes('endDate')}
      onChange={(endDate) => change({ endDate: endDate === form.date ? '' : endDate })}
    />
  );
}

/** Start and end time, if the event has them. */
function Times({ editing, readOnly }: MetaRowProps) {
  const { form, problems, change } = editing;
  const id = useId();
  const startField = useRef<HTMLInputElement>(null);
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (isShown) startField.current?.focus();
  }, [isShown]);
  const isInvalid = isEndEarly(form, problems);
  if (form.time === '' && !isShown)
    return readOnly ? null : (
      <button type="button" className={styles['quiet']} onClick={() => setIsShown(true)}>
        <IconClock size={16} stroke={1.75} aria-hidden /> Add time
      </button>
    );
  return (
    <span className={styles['times']}>
      <IconClock size={16} stroke={1.75} aria-hidden />
      <input
        ref={startField}
        type="time"
        aria-label="Time"
        value={form.time}
        readOnly={readOnly}
        onChange={({ currentTarget: { value } }) => {
          // A field is empty for a moment while it is edited, so it must stay.
          setIsShown(true);
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
            aria-invalid={isInvalid}
            {...(isInvalid ? { 'aria-describedby': id } : {})}
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
            setIsShown(false);
            change({ time: '', endTime: '', endDate: '' });
          }}
        >
          <IconX size={14} stroke={1.75} />
        </IconButton>
      )}
      {isInvalid && (
        <span id={id} className={styles['problem']}>
          The end must be after the start
        </span>
      )}
    </span>
  );
}

/** The event's zone, if it differs from the page's zone, in which the times are shown. */
function EventZone({ zone: eventZone }: { readonly zone: string | undefined }) {
  if (eventZone === undefined || eventZone === getTimeZone()) return null;
  return (
    <span title="This event uses this time zone. Times are shown in yours">
      <IconWorld size={16} stroke={1.75} aria-hidden /> Time zone {eventZone.replaceAll('_', ' ')}
    </span>
  );
}

/** When the event is, how it repeats, and when it was created and changed. */
export function MetaRow({ editing, readOnly }: MetaRowProps) {
  const { form, base, today, problems, change } = editing;
  const pattern =
    base?.otherrule ??
    (form.style === 'repeat' ? formatEvery(form) : form.style === 'duration' ? formatDuration(form) : undefined);
  return (
    <div className={`${styles['meta']} num`}>
      <DateField
        label="Date"
        value={form.date}
        today={today}
        readOnly={readOnly}
        isRefused={problems.includes('date')}
        onChange={(date) => change(withEndDate(form, { date }))}
      />
      <Times key={base?.id ?? 0} editing={editing} readOnly={readOnly} />
      <EventZone zone={base?.zone} />
      {pattern !== undefined && (
        <span>
          <IconRepeat size={16} stroke={1.75} aria-hidden /> {pattern}
        </span>
      )}
      {base && (
        <>
          <span>
            <IconClock size={16} stroke={1.75} aria-hidden /> Created on {formatDate(base.createdon)}
          </span>
          <span>
            <IconHistory size={16} stroke={1.75} aria-hidden /> Most recent edit {formatDate(base.editedon)},{' '}
            {formatClockTime(base.editedon)}
          </span>
        </>
      )}
    </div>
  );
}
