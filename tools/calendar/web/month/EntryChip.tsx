import { IconPinFilled } from '@tabler/icons-react';
import { memo, useRef } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { formatShortEntryTime, formatEntryTime, type DayEntry } from './dayEntries.ts';
import { getEntryStyle, formatSpokenName, useDraggableEntry, useEntryMenu } from './useEntry.ts';
import styles from './EntryChip.module.css';

/** One day of a bar that covers several. */
interface BarPart {
  /** The first shown day of the bar, which has the name. */
  readonly isFirst: boolean;
  /** Number of days for which the bar continues. */
  readonly dayCount: number;
  /** Only the true start and end are rounded. */
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

interface EntryChipProps {
  readonly item: DayEntry;
  readonly day: Day;
  readonly today: Day;
  readonly selected: boolean;
  /** Whether Tab reaches it: only entries of the focused day. */
  readonly isTabStop: boolean;
  /** From 0. Without a lane it is in normal flow. */
  readonly lane?: number;
  readonly barPart?: BarPart;
  /** Has room for several lines, with the time above the name. */
  readonly roomy?: boolean;
}

export function getBarPart(
  { from, until }: DayEntry,
  day: Day,
  shown: { readonly from: Day; readonly until: Day },
): BarPart {
  return {
    isFirst: day === shown.from,
    dayCount: shown.until - day + 1,
    isStart: day === from,
    isEnd: day === until,
  };
}

function Label({ entry, roomy }: Pick<DayEntry, 'entry'> & { readonly roomy: boolean }) {
  const time = roomy ? formatEntryTime(entry) : formatShortEntryTime(entry);
  return (
    <span className={styles['label']}>
      {entry.pinned ? <IconPinFilled size={11} /> : null}
      {time === undefined ? null : <span className={`${styles['time']} num`}>{`${time} `}</span>}
      <span className="ellipsis" dir="auto">
        {entry.name}
      </span>
    </span>
  );
}

/** Returns the data attributes that the style sheet uses for a day of a bar. */
const toBarAttributes = ({ isFirst, isStart, isEnd }: BarPart) => ({
  className: styles['bar'],
  'data-first': isFirst || undefined,
  'data-begins': isStart || undefined,
  'data-ends': isEnd || undefined,
});

/**
 * An entry in a day's cell: a chip, or one day of a bar. It is no `button`, because Firefox doesn't allow dragging
 * buttons.
 */
export const EntryChip = memo(function EntryChip(props: EntryChipProps) {
  const { item, day, today, selected, isTabStop, lane, barPart, roomy = false } = props;
  const chip = useRef<HTMLDivElement>(null);
  useDraggableEntry(chip, item, day);
  const menu = useEntryMenu(item, day);
  const name = formatSpokenName(item, today);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- Enter and Space are the grid's
    <div
      ref={chip}
      role="button"
      tabIndex={isTabStop ? 0 : -1}
      {...(barPart ? toBarAttributes(barPart) : { className: styles['chip'] })}
      style={getEntryStyle(item, {
        ...(lane === undefined ? {} : { gridRow: lane + 1 }),
        ...(barPart && { '--days': barPart.dayCount }),
      })}
      data-roomy={roomy || undefined}
      aria-label={name}
      title={name}
      aria-current={selected ? 'true' : undefined}
      {...menu}
    >
      {barPart === undefined || barPart.isFirst ? <Label entry={item.entry} roomy={roomy} /> : null}
    </div>
  );
});
