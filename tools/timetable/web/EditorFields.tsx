import { TextInput } from '@mantine/core';
import {
  IconCheck,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleDashedCheck,
  IconCircleMinus,
} from '@tabler/icons-react';
import type { Icon } from '#platform/web/tool.ts';
import { parseClock, parseEndClock, toClock } from '../domain/clockTime.ts';
import { SWATCHES } from './slotDrafts.ts';
import styles from './SlotEditor.module.css';

const ICON_BY_STATUS: Readonly<Record<string, Icon>> = {
  'Not Started': IconCircleDashed,
  'In Progress': IconCircleDashedCheck,
  Done: IconCircleCheck,
  Skipped: IconCircleMinus,
};

/** Icon of a status, so that colour is not the only sign. */
export function StatusIcon({ status, size = 14 }: { readonly status: string; readonly size?: number }) {
  const SelectedIcon = ICON_BY_STATUS[status] ?? IconCircleDashed;
  return <SelectedIcon size={size} stroke={1.75} />;
}

/** The description grows to this height, then scrolls (docs/specification/timetable.md section 6). */
const MAX_DESCRIPTION_HEIGHT_PX = 200;

function fitHeight(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  const borders = field.offsetHeight - field.clientHeight;
  field.style.height = `${Math.min(field.scrollHeight + borders, MAX_DESCRIPTION_HEIGHT_PX)}px`;
}

interface DescriptionProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function Description({ value, onChange }: DescriptionProps) {
  return (
    <label className={styles['field']}>
      Description
      <textarea
        // A new function at each render, so that the field is measured again.
        ref={(field) => fitHeight(field)}
        className={styles['description']}
        rows={4}
        dir="auto"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

export function StatusField({ status, onPress }: { readonly status: string; readonly onPress: () => void }) {
  return (
    <div className={styles['field']}>
      <span>Status</span>
      <button
        type="button"
        className={styles['status']}
        data-status={status}
        aria-label={`Status: ${status}`}
        title="Next status"
        onClick={onPress}
      >
        <StatusIcon status={status} size={18} />
        {status}
      </button>
    </div>
  );
}

interface ColourFieldProps {
  readonly value: string;
  readonly onChange: (colour: string) => void;
}

export function ColourField({ value, onChange }: ColourFieldProps) {
  const isCustom = !SWATCHES.some((swatch) => swatch === value);
  return (
    <div className={styles['field']} role="group" aria-label="Colour">
      <span>Colour</span>
      <div className={styles['swatches']}>
        {SWATCHES.map((swatch) => (
          <button
            key={swatch}
            type="button"
            style={{ background: swatch }}
            aria-label={`Colour ${swatch}`}
            aria-pressed={swatch === value}
            onClick={() => onChange(swatch)}
          >
            {swatch === value ? <IconCheck size={16} stroke={2.2} /> : null}
          </button>
        ))}
        <input
          type="color"
          aria-label="Custom colour"
          title="Custom colour"
          data-own={isCustom || undefined}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  /** Midnight means the end of the day. */
  readonly isEnd?: boolean;
  readonly onChange: (text: string) => void;
}

/** A field for times as users type them; on blur, the time is shown in the usual format. */
export function TimeField({ label, value, isEnd = false, onChange }: TimeFieldProps) {
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => {
        const minute = isEnd ? parseEndClock(value) : parseClock(value);
        if (minute !== undefined && toClock(minute) !== value) onChange(toClock(minute));
      }}
    />
  );
}
