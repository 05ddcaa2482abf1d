import { EntryLine } from '../EntryLine.tsx';
import { timeOfEntry } from '../month/dayEntries.ts';
import type { Entry as EntryData } from '../useCalendar.ts';
import line from '../EntryLine.module.css';
import styles from './RailEntry.module.css';

interface EntryProps {
  readonly entry: EntryData;
  readonly selected: boolean;
  /** At the right, such as how many days are left. */
  readonly note?: string | undefined;
  readonly onPick: (entry: EntryData) => void;
}

/** One line of a rail. */
export function Entry({ entry, selected, note, onPick }: EntryProps) {
  const { name, colours, pinned } = entry;
  return (
    <EntryLine
      className={styles['entry']}
      {...{ name, colours, pinned, selected }}
      note={note ?? timeOfEntry(entry)}
      data-entry
      onClick={() => onPick(entry)}
    />
  );
}

/** While nothing has come: eventid -3. */
export function LoadingEntry() {
  return (
    <div className={`${line['line']} ${styles['entry']}`} data-loading role="status">
      <span className={line['name']}>Events still loading</span>
    </div>
  );
}
