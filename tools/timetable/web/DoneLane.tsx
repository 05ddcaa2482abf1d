import { formatClockTime } from '#platform/web/browser/formats.ts';
import type { ActivityInterval } from '#platform/web/tool.ts';
import { shareOfElapsed, type RealDay } from '../domain/dayShares.ts';
import type { Day } from '../domain/week.ts';
import { beginOf } from './realDays.ts';
import styles from './DoneLane.module.css';

const MINUTE_MS = 60_000;
/** The sentence for screen readers names so many. */
const NAMED = 30;

interface DoneLaneProps {
  readonly day: Day;
  readonly real: RealDay;
  readonly done: readonly ActivityInterval[];
}

const wordsOf = ({ name, from, until }: ActivityInterval): string =>
  `${name}, ${formatClockTime(from)} to ${formatClockTime(until)}`;

/** What was really done on a day, thin beside what was planned. */
export function DoneLane({ day, real, done }: DoneLaneProps) {
  const [begin, end] = [beginOf(day), beginOf(day + 1)];
  const own = done.filter(({ from, until }) => from < end && until > begin);
  if (own.length === 0) return null;
  const said = own.slice(0, NAMED).map(wordsOf).join('; ');
  const more = own.length > NAMED ? ` and ${own.length - NAMED} more` : '';
  const shareAt = (time: number): number => shareOfElapsed((time - begin) / MINUTE_MS, real);
  return (
    <div className={styles['lane']} role="img" aria-label={`What I actually did: ${said}${more}`}>
      {own.map((stretch) => {
        const top = shareAt(stretch.from);
        return (
          <span
            key={`${stretch.from} ${stretch.name}`}
            title={wordsOf(stretch)}
            style={{ top: `${top}%`, height: `${shareAt(stretch.until) - top}%`, background: stretch.colour }}
          />
        );
      })}
    </div>
  );
}
