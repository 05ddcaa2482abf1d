import { toIso } from '#platform/contract/day.ts';
import { useDelayed } from '#platform/web/app/lazyPart.ts';
import { MAX_LISTED_DURATIONS } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useDurations, type DurationEntry } from '../useCalendar.ts';
import { RailEntry, LoadingEntry, handleRailKeys } from './RailEntry.tsx';
import styles from './DurationRail.module.css';

const DAYS_PER_WEEK = 7;
const DAYS_PER_MONTH = 30.4;
const DAYS_PER_YEAR = 365.25;

const formatCount = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** Formats `12 days`, `9 weeks`, `4 months`, `2 years`: the larger the distance, the coarser. */
function formatShortSpan(days: number): string {
  if (days <= 2 * DAYS_PER_WEEK) return formatCount(days, 'day');
  if (days < 12 * DAYS_PER_WEEK) return formatCount(Math.round(days / DAYS_PER_WEEK), 'week');
  return days < 2 * DAYS_PER_YEAR
    ? formatCount(Math.round(days / DAYS_PER_MONTH), 'month')
    : formatCount(Math.round(days / DAYS_PER_YEAR), 'year');
}

/** Describes a running duration as `12 days left`, and a coming one as `in 3 weeks`. `until` is inclusive. */
export function describeSpan({ date, until }: Pick<DurationEntry, 'date' | 'until'>, today: string) {
  const [now, first, last] = [parseDay(today) ?? 0, parseDay(date) ?? 0, parseDay(until) ?? 0];
  const isComing = first > now;
  if (isComing) return { isComing, text: `in ${formatShortSpan(first - now)}` };
  return { isComing, text: last <= now ? 'last day' : `${formatShortSpan(last - now)} left` };
}

/** Returns the first day of a duration, which is the one that opens. */
const getFirstDay = ({ date }: DurationEntry): string => toIso(parseDay(date) ?? 0);

/** The rail 'Duration events' (docs/specification/calendar.md section 1.1). */
export function DurationRail({ selection, today, onSelect }: CalendarViewProps) {
  const { data: durations, isPending } = useDurations();
  const isSlow = useDelayed(isPending);
  const spans = (durations ?? []).map((entry) => ({ entry, ...describeSpan(entry, today) }));
  const sections = [
    { name: 'Now', rows: spans.filter(({ isComing }) => !isComing) },
    { name: 'Upcoming', rows: spans.filter(({ isComing }) => isComing) },
  ].filter(({ rows }) => rows.length > 0);
  const selectedId = selection.kind === 'event' ? selection.id : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among the entries, which take the focus themselves
    <aside className={styles['rail']} aria-label="Duration events" data-rail="durations" onKeyDown={handleRailKeys}>
      <h2>Duration events</h2>
      {durations === undefined && isSlow ? <LoadingEntry /> : null}
      {durations?.length === 0 ? <p className={styles['note']}>No upcoming events of this kind</p> : null}
      {sections.map(({ name, rows }) => (
        <section key={name}>
          <h3>{name}</h3>
          {rows.map(({ entry, text }) => (
            <RailEntry
              key={entry.eventid}
              entry={entry}
              note={text}
              selected={entry.eventid === selectedId}
              onSelect={() =>
                onSelect({ kind: 'event', id: entry.eventid, date: getFirstDay(entry), type: entry.type })
              }
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
