import { type CSSProperties, memo } from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { SPECIAL } from '../../contract/events.ts';
import type { Entry as EntryData, EventPage } from '../useCalendar.ts';
import { Entry } from './RailEntry.tsx';
import { useDrawn } from './useWindowed.ts';
import weekdays from '../month/weekdays.module.css';
import styles from './DateRail.module.css';

export type OnPick = (date: string, entry: EntryData) => void;
type DayData = EventPage['dates'][string];

interface DayProps {
  readonly date: string;
  readonly day: DayData;
  readonly isToday: boolean;
  /** The event that is chosen, and the day on which it begins; none where no part of it is on this day. */
  readonly chosen: number | undefined;
  readonly chosenDate: string | undefined;
  readonly onPick: OnPick;
}

const Day = memo(function Day({ date, day, isToday, chosen, chosenDate, onPick }: DayProps) {
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
            key={`${entry.eventid} ${entry.began ?? ''} ${entry.time ?? ''}`}
            entry={entry}
            selected={entry.eventid === chosen && (entry.began ?? date) === chosenDate}
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
  readonly chosenDate: string | undefined;
  /** Only where a part of it is on one of these days. */
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

/** Props of days without a chosen event. */
export const NOT_CHOSEN = { chosen: undefined, chosenDate: undefined };

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
  if (!isDrawn && chosen === undefined)
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
          {...(date === chosenDate || day.entries.some(({ began }) => began !== undefined && began === chosenDate)
            ? { chosen, chosenDate }
            : NOT_CHOSEN)}
          isFirst={isFirst}
          onPick={onPick}
        />
      ))}
    </div>
  );
});
