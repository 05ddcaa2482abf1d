import { IconCalendar } from '@tabler/icons-react';
import { Suspense, useId, useRef, useState } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
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
  readonly isBad: boolean;
  readonly onChange: (text: string) => void;
}

/** Normalizes a typed date: `23112026`, `23.11.2026`, `23/11/2026` and `2026-11-23` all get hyphens. */
const normalizeDate = (text: string): string => {
  const plain = text.trim().replaceAll(/[./\s]+/g, '-');
  const digits = /^(\d{2})(\d{2})(\d{4})$/.exec(plain);
  const day = parseDay(digits ? `${digits[1]}-${digits[2]}-${digits[3]}` : plain);
  return day === undefined ? text : toWire(day);
};

/** A date field with its weekday and a month to select from. Arrow up and down change it by a day. */
export function DateField({ label, value, today, readOnly = false, isBad, onChange }: DateFieldProps) {
  const id = useId();
  const root = useRef<HTMLSpanElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const [isLeft, setIsLeft] = useState(false);
  const day = parseDay(value);
  const tellsBad = day === undefined && (isLeft || isBad);

  usePressOutside(
    () => root.current,
    () => setOpen(false),
    open,
  );

  const close = (): void => {
    setOpen(false);
    root.current?.querySelector<HTMLElement>('button')?.focus();
  };

  return (
    <span className={styles['field']} ref={root}>
      <IconButton
        label={`Choose ${label.toLowerCase()}`}
        size={28}
        aria-haspopup="dialog"
        aria-expanded={open}
        disabled={readOnly}
        onClick={() => setOpen(!open)}
      >
        <IconCalendar size={16} stroke={1.75} />
      </IconButton>
      <span className={styles['weekday']}>{day === undefined ? '' : `${formatWeekday(day)},`}</span>
      <input
        ref={field}
        className={`${styles['input']} num`}
        aria-label={label}
        placeholder="DD-MM-YYYY"
        size={10}
        maxLength={20}
        autoComplete="off"
        value={value}
        readOnly={readOnly}
        aria-invalid={tellsBad}
        {...(tellsBad ? { 'aria-describedby': id } : {})}
        onChange={(event) => onChange(event.currentTarget.value)}
        onFocus={() => setIsLeft(false)}
        onBlur={() => {
          setIsLeft(true);
          if (!readOnly && normalizeDate(value) !== value) onChange(normalizeDate(value));
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !readOnly) onChange(normalizeDate(value));
          const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
          if (by === 0 || day === undefined || readOnly) return;
          event.preventDefault();
          onChange(toWire(day + by));
        }}
      />
      {tellsBad && (
        <span id={id} className={styles['problem']}>
          Enter a date like 23-11-2026
        </span>
      )}
      {open && (
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
