import type { KeyboardEvent } from 'react';
import { EntryLine } from '../EntryLine.tsx';
import { formatEntryTime } from '../month/dayEntries.ts';
import type { Entry as EntryData } from '../useCalendar.ts';
import line from '../EntryLine.module.css';
import styles from './RailEntry.module.css';

const STEP_BY_KEY: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Moves the focus among the entries of a rail by arrows, Home and End. */
export function handleRailKeys(event: KeyboardEvent<HTMLElement>): void {
  const step = STEP_BY_KEY[event.key];
  const { target, currentTarget } = event;
  if (!step || !(target instanceof HTMLElement) || !('entry' in target.dataset)) return;
  const entries = [...currentTarget.querySelectorAll<HTMLElement>('[data-entry]')];
  const next = entries[step(entries.indexOf(target), entries.length)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface RailEntryProps {
  readonly entry: EntryData;
  readonly selected: boolean;
  /** At the right, such as the remaining days. */
  readonly note?: string | undefined;
  readonly onSelect: (entry: EntryData) => void;
}

export function RailEntry({ entry, selected, note, onSelect }: RailEntryProps) {
  const { name, colours, pinned } = entry;
  return (
    <EntryLine
      className={styles['entry']}
      {...{ name, colours, pinned, selected }}
      note={note ?? formatEntryTime(entry)}
      data-entry
      onClick={() => onSelect(entry)}
    />
  );
}

/** Shown until the events are loaded: event id -3. */
export function LoadingEntry() {
  return (
    <div className={`${line['line']} ${styles['entry']}`} data-loading role="status">
      <span className={`${line['name']} ellipsis`}>Events still loading</span>
    </div>
  );
}
