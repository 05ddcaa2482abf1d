import { IconLock } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { Slider } from '#platform/web/ui/Slider.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { parseDay } from '../../events/domain/day.ts';
import type { RepeatUnit } from '../../events/domain/event.ts';
import { DateField } from './DateField.tsx';
import { formatDuration, formatEvery, listNextDays, formatNextDays, formatUntil } from './editorTexts.ts';
import type { EditorState } from './useEditing.ts';
import styles from './RepeatCard.module.css';

interface AmountSliderProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  /** Read out in place of the number. */
  readonly text: string;
  readonly disabled?: boolean | undefined;
  readonly onChange: (value: number) => void;
}

/** A slider with its value beside it. */
function AmountSlider({ value, text, disabled = false, ...range }: AmountSliderProps) {
  return (
    <span className={styles['amount']}>
      <Slider {...range} value={value} disabled={disabled} aria-valuetext={text} />
      <b className="num">{value}</b>
    </span>
  );
}

const STYLE_OPTIONS = [
  { value: 'calendar', label: 'Single' },
  { value: 'repeat', label: 'Repeat' },
  { value: 'duration', label: 'Duration' },
] as const;
const UNIT_OPTIONS = [
  { value: 'week', label: 'week' },
  { value: 'year', label: 'year' },
] as const;
const ALL_UNIT_OPTIONS = [{ value: 'day', label: 'day' }, { value: 'month', label: 'month' }, ...UNIT_OPTIONS] as const;
const FROM_OPTIONS = [
  { value: 'today', label: 'today' },
  { value: 'forever', label: 'forever' },
  { value: 'date', label: 'date' },
] as const;
const UNTIL_OPTIONS = [
  { value: 'forever', label: 'forever' },
  { value: 'times', label: 'times' },
  { value: 'date', label: 'date' },
] as const;
const DURATION_UNIT_OPTIONS = [
  { value: 'hours', label: 'hours' },
  { value: 'days', label: 'days' },
  { value: 'weeks', label: 'weeks' },
  { value: 'months', label: 'months' },
  { value: 'years', label: 'years' },
] as const;

interface RowsProps {
  readonly editing: EditorState;
  readonly readOnly: boolean;
}

/** A labelled row of the card. */
function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <span className={styles['name']}>{name}</span>
      <div className={styles['row']}>{children}</div>
    </>
  );
}

function LockedNote({ children }: { readonly children: string }) {
  return (
    <span className={styles['locked']}>
      <IconLock size={14} stroke={1.75} aria-hidden /> {children}
    </span>
  );
}

/** The switch is only shown for a new event (docs/specification/calendar.md section 4.2). */
function RepeatSwitch({ editing, readOnly }: RowsProps) {
  const { form, base, change } = editing;
  const isOn = form.style === 'repeat';
  const isLocked = base !== undefined || readOnly;
  return (
    <Row name="Repeat">
      <Switch
        label={isOn ? 'On' : 'Off'}
        aria-label="Repeat"
        isOn={isOn}
        disabled={isLocked}
        onChange={() => change({ style: isOn ? 'calendar' : 'repeat' })}
      />
      {base !== undefined && <LockedNote>Can&apos;t be changed after the event is created</LockedNote>}
    </Row>
  );
}

function EveryRow({ editing, readOnly }: RowsProps) {
  const { form, change } = editing;
  const [isExpanded, setIsExpanded] = useState(false);
  const showsAllUnits = isExpanded || form.unit === 'day' || form.unit === 'month';
  return (
    <Row name="Every">
      <AmountSlider
        label="Repeat every"
        min={1}
        max={10}
        value={form.every}
        text={formatEvery(form)}
        disabled={readOnly}
        onChange={(every) => change({ every })}
      />
      <SegmentedControl<RepeatUnit>
        label="Repeat unit"
        options={showsAllUnits ? ALL_UNIT_OPTIONS : UNIT_OPTIONS}
        value={form.unit}
        disabled={readOnly}
        onSelect={(unit) => change({ unit })}
      />
      {!showsAllUnits && !readOnly && (
        <button type="button" className={styles['more']} aria-label="More units" onClick={() => setIsExpanded(true)}>
          more
        </button>
      )}
    </Row>
  );
}

function BoundsRows({ editing, readOnly }: RowsProps) {
  const { form, problems, today, change } = editing;
  return (
    <>
      <Row name="From">
        <SegmentedControl
          label="Repeat from"
          options={FROM_OPTIONS}
          value={form.from}
          disabled={readOnly}
          onSelect={(from) => change(from === 'date' ? { from, fromDate: form.date } : { from })}
        />
        {form.from === 'date' && (
          <DateField
            label="Repeat from date"
            value={form.fromDate}
            today={today}
            readOnly={readOnly}
            isRefused={problems.includes('fromDate')}
            onChange={(fromDate) => change({ fromDate })}
          />
        )}
      </Row>
      <Row name="Until">
        {form.until === 'times' && (
          <AmountSlider
            label="Further times"
            min={0}
            max={20}
            value={form.times}
            text={`${form.times} further times`}
            disabled={readOnly}
            onChange={(times) => change({ times })}
          />
        )}
        {form.until === 'date' && (
          <DateField
            label="Repeat until date"
            value={form.untilDate}
            today={today}
            readOnly={readOnly}
            isRefused={problems.includes('untilDate')}
            onChange={(untilDate) => change({ untilDate })}
          />
        )}
        <SegmentedControl
          label="Repeat until"
          options={UNTIL_OPTIONS}
          value={form.until}
          disabled={readOnly}
          onSelect={(until) =>
            change(
              until === 'date' ? { until, untilDate: form.date } : until === 'times' ? { until, times: 0 } : { until },
            )
          }
        />
      </Row>
    </>
  );
}

function RepeatSummary({ editing }: { readonly editing: EditorState }) {
  const { form, base, start, today } = editing;
  const days = listNextDays(form, base, { start, today: parseDay(today) ?? 0 });
  const exceptionCount = base?.exceptions.length ?? 0;
  return (
    <p className={`${styles['summary']} num`} aria-live="polite">
      {days === undefined ? 'Enter a valid date' : formatNextDays(days)}
      {exceptionCount > 0 && `. ${exceptionCount === 1 ? 'One day is' : `${exceptionCount} days are`} skipped`}
    </p>
  );
}

function DurationRows({ editing, readOnly }: RowsProps) {
  const { form, change } = editing;
  return (
    <>
      <Row name="Length">
        <AmountSlider
          label="Duration"
          min={0}
          max={15}
          value={form.amount}
          text={formatDuration(form)}
          disabled={readOnly}
          onChange={(amount) => change({ amount })}
        />
        <SegmentedControl
          label="Duration unit"
          options={DURATION_UNIT_OPTIONS}
          value={form.durationUnit}
          disabled={readOnly}
          onSelect={(durationUnit) => change({ durationUnit })}
        />
      </Row>
      <p className={`${styles['summary']} num`} aria-live="polite">
        {formatUntil(form) ?? 'Enter a valid date'}
      </p>
    </>
  );
}

/** The days of the event: type, repeat, duration. */
export function RepeatCard({ editing, readOnly }: RowsProps) {
  const { form, base, change } = editing;
  return (
    <section className={`${styles['card']} surface`} aria-label="Repeat and duration">
      {base === undefined && (
        <Row name="Type">
          <SegmentedControl
            label="Type"
            options={STYLE_OPTIONS}
            value={form.style}
            onSelect={(style) => change({ style })}
          />
        </Row>
      )}
      <RepeatSwitch editing={editing} readOnly={readOnly} />
      {base?.otherrule !== undefined && (
        <Row name="Rule">
          <span>{base.otherrule}</span>
          <LockedNote>From another calendar</LockedNote>
        </Row>
      )}
      {form.style === 'repeat' && base?.otherrule === undefined && (
        <>
          <EveryRow editing={editing} readOnly={readOnly} />
          <BoundsRows editing={editing} readOnly={readOnly} />
          <RepeatSummary editing={editing} />
        </>
      )}
      {form.style === 'duration' && <DurationRows editing={editing} readOnly={readOnly} />}
    </section>
  );
}
