import { toIso } from '#platform/contract/day.ts';
import { useDelayed } from '#platform/web/app/latePart.ts';
import { MAX_LISTED_DURATIONS } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useDurations, type DurationEntry } from '../useCalendar.ts';
import { Entry, LoadingEntry, onRailKeys } from './RailEntry.tsx';
import styles from './DurationRail.module.css';

const WEEK = 7;
const MONTH = 30.4;
const YEAR = 365.25;

const formatCount = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** '12 days', '9 weeks', '4 months', '2 years': the larger the distance, the coarser. */
const shortSpan = (days: number): string => {
  if (days <= 2 * WEEK) return formatCount(days, 'day');
  if (days < 12 * WEEK) return formatCount(Math.round(days / WEEK), 'week');
  return days < 2 * YEAR
    ? formatCount(Math.round(days / MONTH), 'month')
    : formatCount(Math.round(days / YEAR), 'year');
};

/** '12 days left' for a running duration, 'in 3 weeks' for a coming one. `until` is inclusive. */
export function getSpan({ date, until }: Pick<DurationEntry, 'date' | 'until'>, today: string) {
  const [now, first, last] = [parseDay(today) ?? 0, parseDay(date) ?? 0, parseDay(until) ?? 0];
  const isComing = first > now;
  if (isComing) return { isComing, words: `in ${shortSpan(first - now)}` };
  return { isComing, words: last <= now ? 'last day' : `${shortSpan(last - now)} left` };
}

/** The day on which a duration opens: its first one. */
const getFirstDay = ({ date }: DurationEntry): string => toIso(parseDay(date) ?? 0);

/** The rail 'Duration events' (docs/specification/calendar.md section 1.1). */
export function DurationRail({ selection, today, onSelect }: CalendarViewProps) {
  const { data: durations, isPending } = useDurations();
  const isLate = useDelayed(isPending);
  const spans = (durations ?? []).map((entry) => ({ entry, ...getSpan(entry, today) }));
  const parts = [
    { name: 'Now', rows: spans.filter(({ isComing }) => !isComing) },
    { name: 'Upcoming', rows: spans.filter(({ isComing }) => isComing) },
  ].filter(({ rows }) => rows.length > 0);
  const chosen = selection.kind === 'event' ? selection.id : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among the entries, which take the focus themselves
    <aside className={styles['rail']} aria-label="Duration events" data-rail="durations" onKeyDown={onRailKeys}>
      <h2>Duration events</h2>
      {durations === undefined && isLate ? <LoadingEntry /> : null}
      {durations?.length === 0 ? <p className={styles['note']}>No upcoming events of this kind</p> : null}
      {parts.map(({ name, rows }) => (
        <section key={name}>
          <h3>{name}</h3>
          {rows.map(({ entry, words }) => (
            <Entry
              key={entry.eventid}
              entry={entry}
              note={words}
              selected={entry.eventid === chosen}
              onPick={() => onSelect({ kind: 'event', id: entry.eventid, date: getFirstDay(entry), type: entry.type })}
            />
          ))}
        </section>
      ))}
      {(durations?.length ?? 0) >= MAX_LISTED_DURATIONS ? (
        <p className={styles['note']}>Only {MAX_LISTED_DURATIONS} events are shown here. Use Search to find others</p>
      ) : null}
    </aside>
  );
}
