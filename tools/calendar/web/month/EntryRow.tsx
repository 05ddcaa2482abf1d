import { memo } from 'react';
import type { Day } from '../../events/domain/day.ts';
import { EntryLine } from '../EntryLine.tsx';
import type { DayEntry } from './dayEntries.ts';
import { noteOf, useEntryMenu } from './useEntry.ts';
import styles from './EntryRow.module.css';

interface EntryRowProps {
  readonly item: DayEntry;
  /** The day in whose list it stands. */
  readonly day: Day;
  readonly selected: boolean;
}

/** An entry in the list of a day. */
export const EntryRow = memo(function EntryRow({ item, day, selected }: EntryRowProps) {
  const menu = useEntryMenu(item, day);
  const note = noteOf(item, day);
  const { name, colours, pinned } = item.entry;
  return <EntryLine className={styles['row']} {...{ name, colours, pinned, selected, note }} {...menu} />;
});
