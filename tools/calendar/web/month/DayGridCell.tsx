import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useRef, type ReactNode, useEffect, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { formatDay } from '../../events/domain/dateNames.ts';
import { useEntryActions } from './entryActions.ts';
import styles from './DayGridCell.module.css';

/** Makes an element the drop target of a day. */
export function useDayDropTarget(element: RefObject<HTMLElement | null>, day: Day): void {
  const actions = useEntryActions();
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const clearHighlight = (): void => void delete target.dataset['over'];
    return dropTargetForElements({
      element: target,
      onDragEnter: () => {
        target.dataset['over'] = '';
      },
      onDragLeave: clearHighlight,
      onDrop: () => {
        clearHighlight();
        actions.drop(day);
      },
    });
  }, [element, actions, day]);
}

interface DayGridCellProps {
  readonly day: Day;
  readonly today: Day;
  /** Number of entries of the day, including those that are not drawn. */
  readonly entryCount: number;
  /** Whether it belongs to another month. */
  readonly isOutside?: boolean;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** The cell of a day in month and week. Entries can be dropped on it. */
export function DayGridCell({ day, today, entryCount, isOutside = false, className, children }: DayGridCellProps) {
  const cell = useRef<HTMLDivElement>(null);
  useDayDropTarget(cell, day);
  return (
    <div
      ref={cell}
      role="gridcell"
      className={`${styles['cell']} ${className}`}
      aria-current={day === today ? 'date' : undefined}
      data-cell={day}
      data-empty={entryCount === 0 || undefined}
      data-outside={isOutside || undefined}
      data-past={day < today || undefined}
    >
      {children}
    </div>
  );
}

interface MoreOfDayProps {
  readonly day: Day;
  readonly hiddenCount: number;
  /** Whether the keyboard focus is on this day. */
  readonly isFocused: boolean;
  readonly className: string | undefined;
  readonly onMore: (day: Day) => void;
}

/** '+3': opens the list of a day with entries that don't fit. */
export function MoreOfDay({ day, hiddenCount, isFocused, className, onMore }: MoreOfDayProps) {
  if (hiddenCount === 0) return null;
  return (
    <button
      type="button"
      className={`${styles['more']} ${className} num`}
      tabIndex={isFocused ? 0 : -1}
      aria-label={`${hiddenCount} more on ${formatDay(day)}`}
      onClick={(event) => {
        event.stopPropagation();
        onMore(day);
      }}
    >
      +{hiddenCount}
    </button>
  );
}
