import { TextInput } from '@mantine/core';
import { parseIso } from '#tools/screentime/usage/domain/date.ts';
import { today } from '#tools/screentime/web/today.ts';
import { namedPeriods, problemOf, type Period } from '../../domain/period.ts';
import styles from './periods.module.css';

interface PeriodFieldsProps {
  readonly legend: string;
  readonly period: Period;
  readonly onChange: (period: Period) => void;
}

/** A period by its two days, or by its name. */
export function PeriodFields({ legend, period, onChange }: PeriodFieldsProps) {
  const problem = problemOf(period);
  const names = namedPeriods(parseIso(today()) ?? 0);
  const named = names.find(({ from, until }) => from === period.from && until === period.until);
  return (
    <fieldset className={styles['period']}>
      <legend>{legend}</legend>
      <label>
        <span>Period</span>
        <select
          value={named?.name ?? ''}
          onChange={(event) => {
            const found = names.find(({ name }) => name === event.currentTarget.value);
            if (found) onChange({ from: found.from, until: found.until });
          }}
        >
          <option value="">Own days</option>
          {names.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <TextInput
        type="date"
        label="From"
        value={period.from}
        onChange={(event) => onChange({ ...period, from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Until"
        value={period.until}
        error={problem}
        onChange={(event) => onChange({ ...period, until: event.currentTarget.value })}
      />
    </fieldset>
  );
}
