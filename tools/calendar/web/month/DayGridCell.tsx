import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useRef, type ReactNode, useEffect, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { formatDay } from '../../events/domain/dateNames.ts';
import { useEntryActs } from './entryActions.ts';
import styles from './DayGridCell.module.css';

/** Makes an element the drop target of a day. */
export function useDropDay(element: RefObject<HTMLElement | null>, day: Day): void {
  const acts = useEntryActs();
  useEffect(() => {
    const place = element.current;
    if (!place) return undefined;
    const leave = (): void => void delete place.dataset['over'];
    return dropTargetForElements({
      element: place,
      onDragEnter: () => {
        place.dataset['over'] = '';
      },
      onDragLeave: leave,
      onDrop: () => {
        leave();
        acts.drop(day);
      },
    });
  }, [element, acts, day]);
}

interface DayGridCellProps {
  readonly day: Day;
  readonly today: Day;
  /** Number of entries of the day, including those that are not drawn. */
  readonly count: number;
  /** Whether it belongs to another month. */
  readonly isOutside?: boolean;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** The cell of a day in month and week. Entries can be dropped on it. */
export function DayGridCell({ day, today, count, isOutside = false, className, children }: DayGridCellProps) {
  const cell = useRef<HTMLDivElement>(null);
  useDropDay(cell, day);
  return (
    <div
      ref={cell}
      role="gridcell"
      className={`${styles['cell']} ${className}`}
      aria-current={day === today ? 'date' : undefined}
      data-cell={day}
      data-empty={count === 0 || undefined}
      data-outside={isOutside || undefined}
      data-past={day < today || undefined}
    >
      {children}
    </div>
  );
}

interface MoreOfDayProps {
  readonly day: Day;
  readonly hidden: number;
  /** Whether the keyboard focus is on this day. */
  readonly isHere: boolean;
  readonly className: string | undefined;
  readonly onMore: (day: Day) => void;
}

/** '+3': opens the list of a day with entries that don't fit. */
export function MoreOfDay({ day, hidden, isHere, className, onMore }: MoreOfDayProps) {
  if (hidden === 0) return null;
  return (
    <button
      type="button"
      className={`${styles['more']} ${className} num`}
      tabIndex={isHere ? 0 : -1}
      aria-label={`${hidden} more on ${formatDay(day)}`}
      onClick={(event) => {
        event.stopPropagation();
        onMore(day);
      }}
    >
      +{hidden}
    </button>
  );
}
