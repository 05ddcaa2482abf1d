import { memo } from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import type { Sleep } from '../domain/sleep.ts';
import { spanText } from '../domain/words.ts';
import { DayBar, percent, type CursorPlace } from './DayBar.tsx';
import { clockAt, oddLength, ownHours, type ShownDay } from './dayViews.ts';
import styles from './StatusPage.module.css';

interface DayRowProps {
  readonly day: ShownDay;
  readonly colours: Readonly<Record<string, string>>;
  /** What was slept until the next day. */
  readonly nextSlept: Sleep | undefined;
  readonly place: CursorPlace;
}

/** A day: its name, what was slept, and its bar. */
export const DayRow = memo(function DayRow({ day, colours, nextSlept, place }: DayRowProps) {
  const { weekday, label, isToday, slept, from, length } = day;
  const odd = oddLength(day);
  const sleeps = [slept, nextSlept].flatMap((sleep) => (sleep && sleep.from < from + length ? [sleep] : []));
  return (
    <li className={styles['row']} data-odd={odd}>
      <div className={styles['date']}>
        <b>{weekday}</b>
        <span className="num">{label}</span>
        {isToday ? <Badge tone="brass">today</Badge> : null}
        {odd === undefined ? null : <Badge>{odd}</Badge>}
        {slept === undefined ? null : (
          <span
            className={`${styles['slept']} num`}
            title={`The longest time without activity: ${clockAt(day, slept.from)} to ${clockAt(day, slept.until)}`}
          >
            slept {spanText(slept.until - slept.from)}
          </span>
        )}
      </div>
      <div>
        <DayBar day={day} colours={colours} sleeps={sleeps} place={place} />
        {odd === undefined ? null : (
          <div className={`${styles['ownHours']} num`} aria-hidden="true">
            {ownHours(day).map(({ text, share }) => (
              <span key={text} style={{ left: percent(share) }}>
                {text}
              </span>
            ))}
          </div>
        )}
      </div>
    </li>
  );
});
