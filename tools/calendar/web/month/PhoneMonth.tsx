import { IconPlus } from '@tabler/icons-react';
import { toCivilDate, type Day, WEEKDAYS } from '#platform/contract/day.ts';
import { useSwipe } from '#platform/web/browser/useSwipe.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { formatDayLabel, isSupportedDay, getMonth, listWeekDays, listWeeks } from '../../events/domain/monthGrid.ts';
import type { DaysProps } from '../selection.ts';
import { listEntriesOn, getEntryKey, sortDayList, type DayEntry } from './dayEntries.ts';
import { DayEntries, DayList, DayTitle } from './DayList.tsx';
import { DaysHeader, DaysError } from './DaysHeader.tsx';
import { EntryActionsProvider } from './entryActions.ts';
import { EntryDialogs } from './EntryDialogs.tsx';
import { monthPages } from './useDays.ts';
import { useDayView } from './useDayView.ts';
import styles from './PhoneMonth.module.css';
import weekdays from './weekdays.module.css';

const MAX_DOTS = 3;
/** Width of the left edge, where a swipe opens the rails. */
const EDGE_PX = 25;

interface DotDayProps {
  readonly day: Day;
  readonly today: Day;
  readonly isOutside: boolean;
  readonly isSelected: boolean;
  readonly entries: readonly DayEntry[];
  readonly hiddenCount: number;
}

/** A day with a dot for each event. Durations have none, because otherwise every day would have dots. */
function DotDay({ day, today, isOutside, isSelected, entries, hiddenCount }: DotDayProps) {
  const dotted = entries.filter(({ entry }) => entry.type !== 'duration');
  return (
    <div
      role="gridcell"
      className={styles['day']}
      aria-selected={isSelected}
      aria-current={day === today ? 'date' : undefined}
      data-cell={day}
      data-outside={isOutside || undefined}
    >
      <button
        type="button"
        tabIndex={isSelected ? 0 : -1}
        aria-label={formatDayLabel(day, { events: entries.length + hiddenCount, today })}
        data-day={day}
      >
        <b className="num">{toCivilDate(day).date}</b>
        <span className={styles['dots']}>
          {dotted.slice(0, MAX_DOTS).map((item) => (
            <i key={getEntryKey(item)} style={{ background: item.entry.colours.background }} />
          ))}
          {dotted.length > MAX_DOTS ? <IconPlus size={8} stroke={3} /> : null}
        </span>
      </button>
    </div>
  );
}

/** A month with dots, and the list of the selected day. */
export function PhoneMonth(props: DaysProps) {
  const view = useDayView(props, monthPages);
  const { today, day, page: month, entries, query } = view;
  const swipe = useSwipe(view.turnPage, EDGE_PX);
  const dayEntries = sortDayList(listEntriesOn(entries, day));
  return (
    <EntryActionsProvider value={view.actions}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the grid and of the list */}
      <div className={styles['phone']} {...view.containerProps}>
        <div className={styles['scroll']}>
          <DaysHeader isPhone {...view.headerProps} />
          {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- its days take focus and keys */}
          <div
            role="grid"
            className={styles['grid']}
            aria-label={view.headerProps.label}
            aria-busy={query.isPending}
            onClick={({ target }) => {
              const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
              if (cell) view.moveWithinPage(Number(cell.dataset['cell']));
            }}
            {...swipe}
          >
            <div role="row" className={styles['week']}>
              {WEEKDAYS.map((name) => (
                <span
                  key={name}
                  role="columnheader"
                  aria-label={name}
                  className={weekdays['weekday']}
                  data-weekday={name}
                >
                  {name.slice(0, 2)}
                </span>
              ))}
            </div>
            {listWeeks(month).map((monday) => (
              <div key={monday} role="row" className={styles['week']}>
                {listWeekDays(monday).map((each) =>
                  isSupportedDay(each) ? (
                    <DotDay
                      key={each}
                      day={each}
                      today={today}
                      isOutside={getMonth(each) !== month}
                      isSelected={each === day}
                      entries={listEntriesOn(entries, each)}
                      hiddenCount={view.hiddenCountByDay.get(each) ?? 0}
                    />
                  ) : (
                    <div key={each} role="gridcell" aria-label="No day" />
                  ),
                )}
              </div>
            ))}
          </div>
          <section className={styles['list']} aria-label="Selected day">
            <h3>
              <DayTitle day={day} />
            </h3>
            <DaysError query={query} />
            {query.isSuccess && dayEntries.length === 0 ? (
              <p className={styles['empty']}>No events on this day</p>
            ) : null}
            {dayEntries.length > 0 ? <DayEntries day={day} entries={dayEntries} selection={props.selection} /> : null}
          </section>
        </div>
        <IconButton label="New event" size={44} className={styles['plus'] ?? ''} onClick={() => view.createOn(day)}>
          <IconPlus size={22} stroke={1.75} />
        </IconButton>
        {view.listProps ? <DayList {...view.listProps} /> : null}
        <EntryDialogs {...view.dialogs} />
      </div>
    </EntryActionsProvider>
  );
}
