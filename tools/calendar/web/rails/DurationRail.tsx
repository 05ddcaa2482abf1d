import { useDelayed } from '#platform/web/app/late.ts';
import { DURATIONS_LISTED } from '../../contract/events.ts';
import { parseDay, toIso } from '../../events/domain/day.ts';
import type { PartProps } from '../parts.ts';
import { useDurations, type DurationEntry } from '../useCalendar.ts';
import { Entry, LoadingEntry } from './RailEntry.tsx';
import { onRailKeys } from './railKeys.ts';
import { spanOf } from './span.ts';
import styles from './DurationRail.module.css';

/** The day of a duration that is opened: its first one. */
const dayOf = ({ date }: DurationEntry): string => toIso(parseDay(date) ?? 0);

/** The rail 'Duration events' (specification 1, section 2). */
export function DurationRail({ selection, today, onSelect }: PartProps) {
  const { data: durations, isPending } = useDurations();
  const isLate = useDelayed(isPending);
  const spans = (durations ?? []).map((entry) => ({ entry, ...spanOf(entry, today) }));
  const parts = [
    { name: 'Now', rows: spans.filter(({ isComing }) => !isComing) },
    { name: 'Coming', rows: spans.filter(({ isComing }) => isComing) },
  ].filter(({ rows }) => rows.length > 0);
  const chosen = selection.kind === 'event' ? selection.id : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among the entries, which take the focus themselves
    <aside className={styles['rail']} aria-label="Duration events" data-rail="durations" onKeyDown={onRailKeys}>
      <h2>Duration events</h2>
      {durations === undefined && isLate ? <LoadingEntry /> : null}
      {durations?.length === 0 ? <p className={styles['none']}>No upcoming events of this kind</p> : null}
      {parts.map(({ name, rows }) => (
        <section key={name}>
          <h3>{name}</h3>
          {rows.map(({ entry, words }) => (
            <Entry
              key={entry.eventid}
              entry={entry}
              note={words}
              selected={entry.eventid === chosen}
              onPick={() => onSelect({ kind: 'event', id: entry.eventid, date: dayOf(entry), type: entry.type })}
            />
          ))}
        </section>
      ))}
      {(durations?.length ?? 0) >= DURATIONS_LISTED ? (
        <p className={styles['none']}>At most {DURATIONS_LISTED} are shown here. Search finds any others.</p>
      ) : null}
    </aside>
  );
}
