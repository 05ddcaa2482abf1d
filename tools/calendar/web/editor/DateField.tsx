import { IconCalendar } from '@tabler/icons-react';
import { Suspense, useId, useRef, useState } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { usePressOutside } from '#platform/web/ui/Popover.tsx';
import { formatWeekday } from '../../events/domain/dateNames.ts';
import { parseDay, toWire } from '../../events/domain/day.ts';
import styles from './DateField.module.css';

const DatePanel = lazyPart(async () => (await import('./DatePanel.tsx')).default);

interface DateFieldProps {
  /** The accessible name of the field. */
  readonly label: string;
  /** As typed. */
  readonly value: string;
  readonly today: string;
  readonly readOnly?: boolean;
  /** Whether saving was refused because of this field. */
  readonly isRefused: boolean;
  readonly onChange: (text: string) => void;
}

/** Normalizes a typed date: `23112026`, `23.11.2026`, `23/11/2026` and `2026-11-23` all get hyphens. */
function normalizeDate(text: string): string {
  const hyphenated = text.trim().replaceAll(/[./\s]+/g, '-');
  const digits = /^(\d{2})(\d{2})(\d{4})$/.exec(hyphenated);
  const day = parseDay(digits ? `${digits[1]}-${digits[2]}-${digits[3]}` : hyphenated);
  return day === undefined ? text : toWire(day);
}

/** A date field with its weekday and a month to select from. Arrow up and down change it by a day. */
export function DateField({ label, value, today, readOnly = false, isRefused, onChange }: DateFieldProps) {
  const id = useId();
  const root = useRef<HTMLSpanElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [wasLeft, setWasLeft] = useState(false);
  const day = parseDay(value);
  const showsProblem = day === undefined && (wasLeft || isRefused);

  usePressOutside(
    () => root.current,
    () => setIsOpen(false),
    isOpen,
  );

  function close(): void {
    setIsOpen(false);
    root.current?.querySelector<HTMLElement>('button')?.focus();
  }

  return (
    <span className={styles['field']} ref={root}>
      <IconButton
        label={`Choose ${label.toLowerCase()}`}
        size={28}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={readOnly}
        onClick={() => setIsOpen(!isOpen)}
      >
        <IconCalendar size={16} stroke={1.75} />
      </IconButton>
      <span className={styles['weekday']}>{day === undefined ? '' : `${formatWeekday(day)},`}</span>
      <input
        className={styles['input']}
        aria-label={label}
        placeholder="DD-MM-YYYY"
        size={10}
        maxLength={20}
        autoComplete="off"
        value={value}
        readOnly={readOnly}
        aria-invalid={showsProblem}
        {...(showsProblem ? { 'aria-describedby': id } : {})}
        onChange={(event) => onChange(event.currentTarget.value)}
        onFocus={() => setWasLeft(false)}
        onBlur={() => {
          setWasLeft(true);
          if (!readOnly && normalizeDate(value) !== value) onChange(normalizeDate(value));
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !readOnly) onChange(normalizeDate(value));
          const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
          if (step === 0 || day === undefined || readOnly) return;
          event.preventDefault();
          onChange(toWire(day + step));
        }}
      />
      {showsProblem && (
        <span id={id} className={styles['problem']}>
          Enter a date like 23-11-2026
        </span>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <DatePanel
            day={day}
            today={today}
            onClose={close}
            onPick={(picked) => {
              onChange(toWire(picked));
              close();
            }}
          />
        </Suspense>
      )}
    </span>
  );
}
