import { shortDateOf, weekdayOf, type Day } from '../domain/week.ts';
import type { PlannedSlot } from './planned.ts';
import styles from './DayStrip.module.css';

interface DayStripProps {
  readonly monday: Day;
  readonly day: Day;
  readonly today: Day;
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly onDay: (day: Day) => void;
}

/** The days of the week in a row; a slot can be dropped on one. */
export function DayStrip({ monday, day, today, slots, onDay }: DayStripProps) {
  return (
    <div className={styles['strip']} role="group" aria-label="Days">
      {Array.from({ length: 7 }, (_, index) => monday + index).map((each) => {
        const [name, date] = [weekdayOf(each).slice(0, 3), Number(shortDateOf(each).slice(0, 2))];
        const count = slots[each - monday]?.length ?? 0;
        const said = count === 1 ? '1 slot' : `${count} slots`;
        return (
          <button
            key={each}
            type="button"
            data-strip={each}
            data-today={each === today || undefined}
            aria-pressed={each === day}
            aria-label={`${name} ${date}, ${said}`}
            onClick={() => onDay(each)}
          >
            <span>{name}</span> <b>{date}</b>
            <i data-full={count > 0 || undefined} />
          </button>
        );
      })}
    </div>
  );
}
