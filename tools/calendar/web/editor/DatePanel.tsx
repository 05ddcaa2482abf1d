import '@mantine/dates/styles.layer.css';
import { DatePicker } from '@mantine/dates';
import { useEffect, useRef } from 'react';
import { toIso, type Day } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import styles from './DateField.module.css';

interface DatePanelProps {
  readonly day: Day | undefined;
  readonly today: string;
  readonly onPick: (day: Day) => void;
  readonly onClose: () => void;
}

/** The days of a month: arrows move, Enter selects, Esc closes. Loaded when a picker is first opened. */
// oxlint-disable-next-line import/no-default-export -- loaded lazily
export default function DatePanel({ day, today, onPick, onClose }: DatePanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const initialDate = day === undefined ? today : toIso(day);
  useEffect(() => {
    panel.current?.querySelector<HTMLElement>('button[data-selected]')?.focus();
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are its buttons'
    <div
      ref={panel}
      className={styles['panel']}
      role="dialog"
      aria-label="Choose a day"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
      onBlur={(event) => {
        // Turning the month removes its buttons: the focus then goes nowhere, and the panel must stay open.
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) onClose();
      }}
    >
      <DatePicker
        value={initialDate}
        defaultDate={initialDate}
        firstDayOfWeek={1}
        highlightToday
        ariaLabels={{ previousMonth: 'Previous month', nextMonth: 'Next month' }}
        onChange={(picked) => {
          const next = parseDay(picked ?? initialDate);
          if (next !== undefined) onPick(next);
        }}
      />
    </div>
  );
}
