import { IconPlus } from '@tabler/icons-react';
import { memo, useMemo, useRef } from 'react';
import { toCivilDate, type Day } from '#platform/contract/day.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { formatDay, formatWeekday } from '../../events/domain/dateNames.ts';
import { formatDayLabel, isSupportedDay, listWeekDays } from '../../events/domain/monthGrid.ts';
import { layOutWeek, type LanePosition } from '../../events/domain/weekLanes.ts';
import type { DaysProps, Selection } from '../selection.ts';
import { listEntriesOn, getEntryKey, isSelected, type PrioritizedEntry } from './dayEntries.ts';
import { DayGridCell, MoreOfDay } from './DayGridCell.tsx';
import { DayEntries, DayList, DayTitle } from './DayList.tsx';
import { DaysHeader, DaysError } from './DaysHeader.tsx';
import { EntryActionsProvider } from './entryActions.ts';
import { EntryChip, getBarPart } from './EntryChip.tsx';
import { EntryDialogs } from './EntryDialogs.tsx';
import { weekPages } from './useDays.ts';
import { useDayView, useSize } from './useDayView.ts';
import cells from './DayGridCell.module.css';
import weekdays from './weekdays.module.css';
import styles from './WeekView.module.css';

/** Maximum number of durations on top of each other. Further ones are counted. */
const MAX_BARS = 8;
/** Below this width the days are stacked. */
const NARROW_PX = 560;

/** Sorts all-day events first, in the server's order, then by time. */
const compareTimes = (one: PrioritizedEntry, other: PrioritizedEntry): number =>
  (one.entry.time ?? '').localeCompare(other.entry.time ?? '');

interface WeekDay {
  readonly day: Day;
  readonly bars: readonly LanePosition<PrioritizedEntry>[];
  readonly hiddenCount: number;
  readonly singles: readonly PrioritizedEntry[];
}

type View = ReturnType<typeof useDayView>;

/** Lays out a week: the bars across its days, and the entries of each day. */
const useWeekDays = ({ page: monday, entries, hiddenCountByDay }: View) =>
  useMemo(() => {
    const { placed, hidden } = layOutWeek(
      entries.filter(({ from, until }) => until > from),
      monday,
      MAX_BARS,
    );
    const days = listWeekDays(monday).map((day, index): WeekDay => ({
      day,
      bars: placed.filter(({ from, until }) => from <= day && day <= until).toSorted((a, b) => a.lane - b.lane),
      hiddenCount: (hidden[index]?.length ?? 0) + (hiddenCountByDay.get(day) ?? 0),
      singles: entries.filter(({ from, until }) => from === day && until === day).toSorted(compareTimes),
    }));
    return { days, laneCount: Math.max(0, ...placed.map(({ lane }) => lane + 1)) };
  }, [monday, entries, hiddenCountByDay]);

interface ColumnProps extends WeekDay {
  readonly today: Day;
  readonly laneCount: number;
  readonly isFocused: boolean;
  readonly selection: Selection;
  readonly onMore: (day: Day) => void;
}

const Column = memo(function Column(props: ColumnProps) {
  const { day, today, bars, hiddenCount, singles, laneCount, isFocused, selection, onMore } = props;
  const count = bars.length + hiddenCount + singles.length;
  const chipProps = { day, today, isTabStop: isFocused };
  return (
    <DayGridCell day={day} today={today} entryCount={count} className={styles['column']}>
      <div className={styles['bars']} style={{ gridTemplateRows: `repeat(${laneCount}, 26px)` }}>
        {bars.map((position) => (
          <EntryChip
            key={getEntryKey(position.item)}
            {...chipProps}
            item={position.item}
            selected={isSelected(position.item, selection)}
            lane={position.lane}
            barPart={getBarPart(position.item, day, position)}
          />
        ))}
      </div>
      <MoreOfDay day={day} hiddenCount={hiddenCount} isFocused={isFocused} className={styles['more']} onMore={onMore} />
      <div className={styles['singles']} data-past={day < today || undefined}>
        {singles.map((item) => (
          <EntryChip key={getEntryKey(item)} {...chipProps} item={item} selected={isSelected(item, selection)} roomy />
        ))}
      </div>
    </DayGridCell>
  );
});

/** Counts the events of a day, including those that are not listed. */
const countEvents = ({ entries, hiddenCountByDay }: View, day: Day): number =>
  listEntriesOn(entries, day).length + (hiddenCountByDay.get(day) ?? 0);

/** Seven columns. */
function Columns({ view, selection }: { readonly view: View; readonly selection: Selection }) {
  const { today, page: monday } = view;
  const { days, laneCount } = useWeekDays(view);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- its days and entries take focus and keys
    <div
      role="grid"
      className={styles['grid']}
      aria-label={view.headerProps.label}
      aria-busy={view.query.isPending}
      {...view.pressProps}
    >
      <div role="row" className={styles['heads']}>
        {listWeekDays(monday).map((day) => (
          <span
            key={day}
            role="columnheader"
            className={styles['head']}
            data-today={day === today || undefined}
            data-past={day < today || undefined}
          >
            <span className={weekdays['weekday']} data-weekday={formatWeekday(day)}>
              {formatWeekday(day)}
            </span>{' '}
            {isSupportedDay(day) ? (
              <button
                type="button"
                className="num"
                tabIndex={day === view.day ? 0 : -1}
                aria-label={formatDayLabel(day, { events: countEvents(view, day), today })}
                data-day={day}
                onClick={() => view.pressDay(day)}
              >
                {toCivilDate(day).date}
              </button>
            ) : null}
          </span>
        ))}
      </div>
      <div role="row" className={styles['row']}>
        {days.map((each) =>
          isSupportedDay(each.day) ? (
            <Column
              key={each.day}
              {...each}
              today={today}
              laneCount={laneCount}
              isFocused={each.day === view.day}
              selection={selection}
              onMore={view.openDayList}
            />
          ) : (
            <div key={each.day} role="gridcell" aria-label="No day" className={cells['cell']} />
          ),
        )}
      </div>
    </div>
  );
}

/** Seven days below each other. */
function DayRows({ view, selection }: { readonly view: View; readonly selection: Selection }) {
  return (
    <div className={styles['rows']}>
      {listWeekDays(view.page)
        .filter(isSupportedDay)
        .map((day) => {
          const entries = listEntriesOn(view.entries, day).toSorted(compareTimes);
          return (
            <section key={day} data-today={day === view.today || undefined} aria-label={formatDay(day)}>
              <h3 aria-current={day === view.today ? 'date' : undefined}>
                <span>
                  <DayTitle day={day} />
                </span>
                <IconButton label={`New event on ${formatDay(day)}`} size={28} onClick={() => view.createOn(day)}>
                  <IconPlus size={16} stroke={1.75} />
                </IconButton>
              </h3>
              {entries.length === 0 ? null : <DayEntries day={day} entries={entries} selection={selection} />}
            </section>
          );
        })}
    </div>
  );
}

/** A week: durations and all-day events on top, then events by time. In a narrow window it is a list of days. */
export function WeekView(props: DaysProps) {
  const container = useRef<HTMLDivElement>(null);
  const size = useSize(container);
  const view = useDayView(props, weekPages);
  const Days = size !== undefined && size.width < NARROW_PX ? DayRows : Columns;
  return (
    <EntryActionsProvider value={view.actions}>
      <div ref={container} className={styles['container']}>
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the grid; what takes the focus are its days and their entries */}
        <div className={styles['week']} {...view.containerProps}>
          <DaysHeader {...view.headerProps} />
          <DaysError query={view.query} />
          {size === undefined ? null : <Days view={view} selection={props.selection} />}
          {view.listProps ? <DayList {...view.listProps} /> : null}
          <EntryDialogs {...view.dialogs} />
        </div>
      </div>
    </EntryActionsProvider>
  );
}
