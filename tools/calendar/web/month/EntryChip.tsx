import { IconPinFilled } from '@tabler/icons-react';
import { memo, useRef } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { formatShortEntryTime, formatEntryTime, type DayEntry } from './dayEntries.ts';
import { getEntryStyle, spokenName, useCarried, useEntryMenu } from './useEntry.ts';
import styles from './EntryChip.module.css';

/** One day of a bar that covers several. */
interface BarPart {
  /** The first shown day of the bar, which has the name. */
  readonly isFirst: boolean;
  /** Number of days for which the bar continues. */
  readonly days: number;
  /** Only the true start and end are rounded. */
  readonly begins: boolean;
  readonly ends: boolean;
}

interface EntryChipProps {
  readonly item: DayEntry;
  readonly day: Day;
  readonly today: Day;
  readonly selected: boolean;
  /** Whether Tab reaches it: only entries of the focused day. */
  readonly reachable: boolean;
  /** From 0. Without a lane it is in normal flow. */
  readonly lane?: number;
  readonly part?: BarPart;
  /** Has room for several lines, with the time above the name. */
  readonly roomy?: boolean;
}

export function getPart(
  { from, until }: DayEntry,
  day: Day,
  shown: { readonly from: Day; readonly until: Day },
): BarPart {
  return {
    isFirst: day === shown.from,
    days: shown.until - day + 1,
    begins: day === from,
    ends: day === until,
  };
}

function Label({ entry, roomy }: Pick<DayEntry, 'entry'> & { readonly roomy: boolean }) {
  const time = roomy ? formatEntryTime(entry) : formatShortEntryTime(entry);
  return (
    <span className={styles['label']}>
      {entry.pinned ? <IconPinFilled size={11} /> : null}
      {time === undefined ? null : <span className={styles['time']}>{`${time} `}</span>}
      <span className="ellipsis" dir="auto">
        {entry.name}
      </span>
    </span>
  );
}

/** The data attributes that the style sheet uses for a day of a bar. */
const toPartAttributes = ({ isFirst, begins, ends }: BarPart) => ({
  className: styles['bar'],
  'data-first': isFirst || undefined,
  'data-begins': begins || undefined,
  'data-ends': ends || undefined,
});

/**
 * An entry in a day's cell: a chip, or one day of a bar. It is no `button`, because Firefox doesn't allow dragging
 * buttons.
 */
export const EntryChip = memo(function EntryChip({
  item,
  day,
  today,
  selected,
  reachable,
  lane,
  part,
  roomy = false,
}: EntryChipProps) {
  const chip = useRef<HTMLDivElement>(null);
  useCarried(chip, item, day);
  const menu = useEntryMenu(item, day);
  const name = spokenName(item, today);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- Enter and Space are the grid's
    <div
      ref={chip}
      role="button"
      tabIndex={reachable ? 0 : -1}
      {...(part ? toPartAttributes(part) : { className: styles['chip'] })}
      style={getEntryStyle(item, {
        ...(lane === undefined ? {} : { gridRow: lane + 1 }),
        ...(part && { '--days': part.days }),
      })}
      data-roomy={roomy || undefined}
      aria-label={name}
      title={name}
      aria-current={selected ? 'true' : undefined}
      {...menu}
    >
      {part === undefined || part.isFirst ? <Label entry={item.entry} roomy={roomy} /> : null}
    </div>
  );
});
