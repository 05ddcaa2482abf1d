import { IconPinFilled } from '@tabler/icons-react';
import { memo, useRef } from 'react';
import type { Day } from '../../events/domain/day.ts';
import { shortTimeOfEntry, timeOfEntry, type DayEntry } from './dayEntries.ts';
import { drawn, spokenName, useCarried, useEntryMenu } from './useEntry.ts';
import styles from './EntryChip.module.css';

/** One day of a bar that lies over several. */
interface BarPart {
  /** The first day of it that is shown here: it carries the name. */
  readonly isFirst: boolean;
  /** How many days the bar goes on from here. */
  readonly days: number;
  /** Rounded only where it truly begins and ends. */
  readonly begins: boolean;
  readonly ends: boolean;
}

interface EntryChipProps {
  readonly item: DayEntry;
  readonly day: Day;
  readonly today: Day;
  readonly selected: boolean;
  /** Reached by Tab: only those of the day that the keys are at. */
  readonly reachable: boolean;
  /** From 0. Without one it stands in the flow. */
  readonly lane?: number;
  readonly part?: BarPart;
  /** With room for several lines, the time above the name. */
  readonly roomy?: boolean;
}

export function partOf(
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
  const time = roomy ? timeOfEntry(entry) : shortTimeOfEntry(entry);
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

/** What the style sheet asks of a bar's day. */
const drawnPart = ({ isFirst, begins, ends }: BarPart) => ({
  className: styles['bar'],
  'data-first': isFirst || undefined,
  'data-begins': begins || undefined,
  'data-ends': ends || undefined,
});

/** An entry in a day's cell: a chip, or one day of a bar. No `button`: Firefox does not let buttons be dragged. */
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
      {...(part ? drawnPart(part) : { className: styles['chip'] })}
      style={drawn(item, {
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
