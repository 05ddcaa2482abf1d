import { memo } from 'react';
import { monthName } from '../../events/domain/dateNames.ts';
import { civilOf, weekOf, weekdayOf, type Day } from '../../events/domain/day.ts';
import { dayLabel } from '../../events/domain/monthGrid.ts';
import type { InLane } from '../../events/domain/weekLanes.ts';
import type { Selection } from '../selection.ts';
import { entryKey, isSelected, type WantedEntry } from './dayEntries.ts';
import { DayGridCell, MoreOfDay } from './DayGridCell.tsx';
import { EntryChip, partOf } from './EntryChip.tsx';
import styles from './DayCell.module.css';

interface CellProps {
  readonly day: Day;
  readonly today: Day;
  /** Of another month. */
  readonly isOutside: boolean;
  /** With the month's name: the first of a month, and the first cell. */
  readonly isNamed: boolean;
  /** The keys are at this day. */
  readonly isHere: boolean;
  /** What is drawn of the day, as it lies in its week. */
  readonly placed: readonly InLane<WantedEntry>[];
  readonly hidden: number;
  readonly selection: Selection;
  /** The day itself was pressed. */
  readonly onEnter: (day: Day) => void;
  readonly onMore: (day: Day) => void;
}

/** A day in the month. */
export const DayCell = memo(function DayCell(props: CellProps) {
  const { day, today, isOutside, isNamed, isHere, placed, hidden, selection, onEnter, onMore } = props;
  const count = placed.length + hidden;
  return (
    <DayGridCell day={day} today={today} count={count} isOutside={isOutside} className={styles['cell']}>
      <div className={styles['top']}>
        <button
          type="button"
          className={`${styles['number']} num`}
          tabIndex={isHere ? 0 : -1}
          aria-label={dayLabel(day, { events: count, today })}
          data-day={day}
          onClick={(event) => {
            event.stopPropagation();
            onEnter(day);
          }}
        >
          {civilOf(day).date}
        </button>
        {isNamed ? (
          <span className={styles['name']} aria-hidden>
            {monthName(day).slice(0, 3)}
          </span>
        ) : null}
        {weekdayOf(day) === 1 ? (
          <span className={`${styles['week']} num`} title={`Week ${weekOf(day)}`} aria-hidden>
            w{weekOf(day)}
          </span>
        ) : null}
        <MoreOfDay day={day} hidden={hidden} isHere={isHere} className={styles['more']} onMore={onMore} />
      </div>
      <div className={styles['lanes']} data-past={day < today || undefined}>
        {placed.map((at) => (
          <EntryChip
            key={entryKey(at.item)}
            item={at.item}
            day={day}
            today={today}
            selected={isSelected(at.item, selection)}
            reachable={isHere}
            lane={at.lane}
            {...(at.item.until > at.item.from ? { part: partOf(at.item, day, at) } : {})}
          />
        ))}
      </div>
    </DayGridCell>
  );
});
