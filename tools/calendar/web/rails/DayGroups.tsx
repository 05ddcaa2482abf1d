import { type CSSProperties, memo } from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { SPECIAL } from '../../contract.ts';
import type { Entry as EntryData, EventPage } from '../useCalendar.ts';
import { Entry } from './Entry.tsx';
import { useDrawn } from './useDrawn.ts';
import weekdays from '../month/weekdays.module.css';
import styles from './DateRail.module.css';

export type OnPick = (date: string, entry: EntryData) => void;
type DayData = EventPage['dates'][string];

interface DayProps {
  readonly date: string;
  readonly day: DayData;
  readonly isToday: boolean;
  /** The event of this day that is chosen. */
  readonly chosen: number | undefined;
  readonly onPick: OnPick;
}

const Day = memo(function Day({ date, day, isToday, chosen, onPick }: DayProps) {
  const weeks = day.entries.filter(({ eventid }) => eventid === SPECIAL.week);
  const events = day.entries.filter(({ eventid }) => eventid > 0);
  return (
    <>
      {weeks.map(({ name }) => (
        <p key={name} className={styles['week']}>
          {name}
        </p>
      ))}
      <div className={styles['day']} data-date={date}>
        <h3 className={styles['label']}>
          {day.label}
          <span className={`${styles['weekday']} ${weekdays['weekday']}`} data-weekday={day.weekday}>
            {day.weekday}
          </span>
          {isToday ? <Badge tone="brass">today</Badge> : null}
        </h3>
        {events.map((entry) => (
          <Entry
            key={entry.eventid}
            entry={entry}
            selected={entry.eventid === chosen}
            onPick={(picked) => onPick(date, picked)}
          />
        ))}
      </div>
    </>
  );
});

interface DayGroupsProps {
  readonly dates: EventPage['dates'];
  readonly today: string;
  /** Only where it is one of these days. */
  readonly chosenDate: string | undefined;
  readonly chosen: number | undefined;
  /** Of the first page: it stands in the first picture. */
  readonly isFirst: boolean;
  readonly onPick: OnPick;
}

/** A page makes room for its days while it is this near to the rail's window, and they are drawn, a few at a time, while they are: in px. */
const PAGE_NEAR = 2400;
const DAY_NEAR = 1200;

/** The place of days that are not drawn: nearly as high as they will be, or as high as they were. */
const roomFor = (days: readonly DayData[], height: number | undefined): CSSProperties => {
  if (height !== undefined) return { height };
  const entries = days.flatMap((day) => day.entries);
  const weeks = entries.filter(({ eventid }) => eventid === SPECIAL.week).length;
  return { '--days': days.length, '--weeks': weeks, '--lines': entries.length - weeks } as CSSProperties;
};

/** A day, drawn while it is near to the window. */
const DayPlace = memo(function DayPlace({ isFirst, ...props }: DayProps & { readonly isFirst: boolean }) {
  const { place, isDrawn, height } = useDrawn({
    atFirst: isFirst,
    within: DAY_NEAR,
    lines: 1 + props.day.entries.length,
  });
  if (isDrawn || props.chosen !== undefined)
    return (
      <div ref={place}>
        <Day {...props} />
      </div>
    );
  return <div ref={place} className={styles['undrawn']} style={roomFor([props.day], height)} />;
});

/** The days of one page. Far from the window it is its height alone, but for the page with the chosen event. */
export const DayGroups = memo(function DayGroups({
  dates,
  today,
  chosenDate,
  chosen,
  isFirst,
  onPick,
}: DayGroupsProps) {
  const { place, isDrawn, height } = useDrawn({ atFirst: true, within: PAGE_NEAR, lines: 1 });
  const days = Object.entries(dates);
  const last = days.at(-1)?.[0];
  if (!isDrawn && chosenDate === undefined)
    return (
      <div
        ref={place}
        className={styles['undrawn']}
        data-page={last}
        style={roomFor(
          days.map(([, day]) => day),
          height,
        )}
      />
    );
  return (
    <div ref={place} className={styles['page']} data-page={last}>
      {days.map(([date, day]) => (
        <DayPlace
          key={date}
          date={date}
          day={day}
          isToday={date === today}
          chosen={date === chosenDate ? chosen : undefined}
          isFirst={isFirst}
          onPick={onPick}
        />
      ))}
    </div>
  );
});
