import { useMemo, useRef, memo } from 'react';
import { toCivilDate, getWeekNumber, type Day, WEEKDAYS } from '#platform/contract/day.ts';
import { formatMonth } from '../../events/domain/dateNames.ts';
import { getWeekday } from '../../events/domain/day.ts';
import { isSupportedDay, getMonth, listWeekDays, listWeeks, formatDayLabel } from '../../events/domain/monthGrid.ts';
import { layOutWeek, type LanePosition } from '../../events/domain/weekLanes.ts';
import type { DaysProps, Selection } from '../selection.ts';
import { getEntryKey, isSelected, type PrioritizedEntry } from './dayEntries.ts';
import { DayGridCell, MoreOfDay } from './DayGridCell.tsx';
import { DayList } from './DayList.tsx';
import { DaysHeader, DaysError } from './DaysHeader.tsx';
import { EntryActionsProvider } from './entryActions.ts';
import { EntryChip, getBarPart } from './EntryChip.tsx';
import { EntryDialogs } from './EntryDialogs.tsx';
import { PhoneMonth } from './PhoneMonth.tsx';
import { monthPages } from './useDays.ts';
import { useDayView, useSize } from './useDayView.ts';
import styles from './MonthView.module.css';
import weekdays from './weekdays.module.css';

interface CellProps {
  readonly day: Day;
  readonly today: Day;
  /** Whether it belongs to another month. */
  readonly isOutside: boolean;
  /** Shows the name of the month: on the first of a month, and in the first cell. */
  readonly isNamed: boolean;
  /** Whether the keyboard focus is on this day. */
  readonly isFocused: boolean;
  /** The drawn entries of the day, with their lanes in the week. */
  readonly positions: readonly LanePosition<PrioritizedEntry>[];
  readonly hiddenCount: number;
  readonly selection: Selection;
  /** Called when the day itself was pressed. */
  readonly onPress: (day: Day) => void;
  readonly onMore: (day: Day) => void;
}

/** A day in the month. */
export const DayCell = memo(function DayCell(props: CellProps) {
  const { day, today, isOutside, isNamed, isFocused, positions, hiddenCount, selection, onPress, onMore } = props;
  const count = positions.length + hiddenCount;
  return (
    <DayGridCell day={day} today={today} entryCount={count} isOutside={isOutside} className={styles['cell']}>
      <div className={styles['top']}>
        <button
          type="button"
          className={`${styles['number']} num`}
          tabIndex={isFocused ? 0 : -1}
          aria-label={formatDayLabel(day, { events: count, today })}
          data-day={day}
          onClick={(event) => {
            event.stopPropagation();
            onPress(day);
          }}
        >
          {toCivilDate(day).date}
        </button>
        {isNamed ? (
          <span className={styles['name']} aria-hidden>
            {formatMonth(day).slice(0, 3)}
          </span>
        ) : null}
        {getWeekday(day) === 1 ? (
          <span className={`${styles['dayCellWeek']} num`} title={`Week ${getWeekNumber(day)}`} aria-hidden>
            w{getWeekNumber(day)}
          </span>
        ) : null}
        <MoreOfDay
          day={day}
          hiddenCount={hiddenCount}
          isFocused={isFocused}
          className={styles['more']}
          onMore={onMore}
        />
      </div>
      <div className={styles['lanes']} data-past={day < today || undefined}>
        {positions.map((position) => (
          <EntryChip
            key={getEntryKey(position.item)}
            item={position.item}
            day={day}
            today={today}
            selected={isSelected(position.item, selection)}
            isTabStop={isFocused}
            lane={position.lane}
            {...(position.item.until > position.item.from ? { barPart: getBarPart(position.item, day, position) } : {})}
          />
        ))}
      </div>
    </DayGridCell>
  );
});

/** Height above the weeks: the header of the view and the names of the weekdays. */
const HEADER_PX = 92;
/** Height above the entries of a cell. */
const CELL_HEADER_PX = 29;
const LANE_PX = 26;
/** Minimum height of a week: two lanes. */
const MIN_ROW_PX = CELL_HEADER_PX + 2 * LANE_PX;
const MAX_LANES = 12;
/** Below this width names are not readable. */
const NARROW_PX = 480;

const countLanes = (rowPx: number): number =>
  Math.max(2, Math.min(MAX_LANES, Math.floor((rowPx - CELL_HEADER_PX + 2) / LANE_PX)));

/** Lays out the weeks of a month with the drawn entries of each day. */
const useMonthWeeks = (
  month: number,
  { entries, hiddenCountByDay }: ReturnType<typeof useDayView>,
  laneCount: number,
) =>
  useMemo(
    () =>
      listWeeks(month).map((monday) => {
        const { placed, hidden } = layOutWeek(entries, monday, laneCount);
        const days = listWeekDays(monday).map((day, index) => ({
          day,
          positions: placed
            .filter(({ from, until }) => from <= day && day <= until)
            .toSorted((a, b) => a.lane - b.lane),
          hiddenCount: (hidden[index]?.length ?? 0) + (hiddenCountByDay.get(day) ?? 0),
        }));
        return { monday, days };
      }),
    [month, entries, hiddenCountByDay, laneCount],
  );

function Month(props: DaysProps & { readonly height: number }) {
  const view = useDayView(props, monthPages);
  const { today, page: month, actions, listProps } = view;
  const { length: count } = listWeeks(month);
  const weeks = useMonthWeeks(month, view, countLanes((props.height - HEADER_PX) / count));
  const firstDay = view.span.from;
  return (
    <EntryActionsProvider value={actions}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the grid; what takes the focus are its days and their entries */}
      <div className={styles['month']} {...view.containerProps}>
        <DaysHeader {...view.headerProps} />
        <DaysError query={view.query} />
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- its days take focus and keys */}
        <div
          role="grid"
          className={styles['grid']}
          aria-label={view.headerProps.label}
          aria-busy={view.query.isPending}
          style={{ gridTemplateRows: `auto repeat(${count}, minmax(${MIN_ROW_PX}px, 1fr))` }}
          {...view.pressProps}
        >
          <div role="row" className={styles['heads']}>
            {WEEKDAYS.map((name) => (
              <span key={name} role="columnheader" className={weekdays['weekday']} data-weekday={name}>
                {name}
              </span>
            ))}
          </div>
          {weeks.map(({ monday, days }) => (
            <div key={monday} role="row" className={styles['week']}>
              {days.map((each) =>
                isSupportedDay(each.day) ? (
                  <DayCell
                    key={each.day}
                    {...each}
                    today={today}
                    isOutside={getMonth(each.day) !== month}
                    isNamed={toCivilDate(each.day).date === 1 || each.day === firstDay}
                    isFocused={each.day === view.day}
                    selection={props.selection}
                    onPress={view.pressDay}
                    onMore={view.openDayList}
                  />
                ) : (
                  <div key={each.day} role="gridcell" aria-label="No day" className={styles['noDay']} />
                ),
              )}
            </div>
          ))}
        </div>
        {listProps ? <DayList {...listProps} /> : null}
        <EntryDialogs {...view.dialogs} />
      </div>
    </EntryActionsProvider>
  );
}

/** A month of days with their entries. If it is too narrow for names, it shows dots and a list. */
export function MonthView(props: DaysProps) {
  const container = useRef<HTMLDivElement>(null);
  const size = useSize(container);
  return (
    <div ref={container} className={styles['container']}>
      {size === undefined ? null : size.width < NARROW_PX ? (
        <PhoneMonth {...props} />
      ) : (
        <Month {...props} height={size.height} />
      )}
    </div>
  );
}
