import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo, useCallback, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { WEEKDAYS, toCivilDate, getShortMonth } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { PaintSlice } from '#platform/web/windowing/PaintSlice.tsx';
import { usagedays } from '#tools/screentime/contract.ts';
import { TOTAL } from '#tools/screentime/contract/limits.ts';
import { parseIso, toIso, type Day } from '#tools/screentime/usage/domain/days.ts';
import { today, SCREEN_TIME, place } from '#tools/screentime/web/usageClock.ts';
import { dayLabel, prettyTime } from '../../../usage/domain/formats.ts';
import type { HeatMapProps } from '../viewTypes.ts';
import styles from './HeatMap.module.css';

/** Days are counted since 1970-01-01, a Thursday. */
const MONDAY = 4;
const WEEK = 7;
/** A year, and one week more for its two halves. */
const WEEKS = 53;

/** Returns the first and last day of a grid: whole weeks that start on Monday. */
export function yearUpTo(last: Day): { readonly first: Day; readonly last: Day } {
  const monday = last - ((((last - MONDAY) % WEEK) + WEEK) % WEEK);
  return { first: monday - (WEEKS - 1) * WEEK, last };
}

/** Returns the shade of a day relative to the longest day; 0 without use. */
export function getShade(seconds: number, max: number): 0 | 1 | 2 | 3 | 4 {
  if (seconds <= 0 || max <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((4 * seconds) / max))) as 1 | 2 | 3 | 4;
}

interface MonthName {
  /** Column below the name. */
  readonly week: number;
  readonly name: string;
}

/** Puts each month above the first week that starts in it, and the first month only if there is space. */
export function monthNames(first: Day): readonly MonthName[] {
  const months = Array.from({ length: WEEKS }, (_, week) => toCivilDate(first + week * WEEK).month);
  const starts = months.flatMap((month, week) =>
    week === 0 || months[week - 1] !== month ? [{ week, name: getShortMonth(month) }] : [],
  );
  return starts.filter(({ week }, index) => index > 0 || (starts[1]?.week ?? WEEKS) - week > 2);
}

const YEAR = 364;
/** Halves of a year, one piece each. */
const HALVES = [
  [0, 1, 2, 3],
  [4, 5, 6],
];
const SHADES = [0, 1, 2, 3, 4] as const;
const NO_DAYS: Readonly<Record<string, number>> = {};

/** Days that each key moves. */
const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -WEEK, ArrowRight: WEEK };

const moveFocus = (event: KeyboardEvent<HTMLElement>): void => {
  const table = event.currentTarget;
  const at = findDay(event.target as HTMLElement);
  const all = [...table.querySelectorAll<HTMLElement>('[data-day]')];
  const ends = { Home: Math.min(...all.map(findDay)), End: Math.max(...all.map(findDay)) };
  const to = event.key === 'Home' || event.key === 'End' ? ends[event.key] : at + (STEPS[event.key] ?? Number.NaN);
  const next = all.find((each) => findDay(each) === to);
  if (!next) return;
  event.preventDefault();
  next.focus();
};
const findDay = (element: HTMLElement): number => Number(element.dataset['day']);

interface DaysProps {
  readonly first: number;
  readonly last: number;
  readonly seconds: Readonly<Record<string, number>>;
  readonly onDay: (date: string) => void;
  readonly onPoint: (text: string) => void;
}

const formatDay = (day: number, seconds: Readonly<Record<string, number>>): string =>
  `${dayLabel(toIso(day))}, ${prettyTime(seconds[toIso(day)] ?? 0)}`;

/** A row per weekday and a column per week. Cells are plain, because buttons took most of the page's layout time. */
const Days = memo(function Days({ first, last, seconds, onDay, onPoint }: DaysProps) {
  const max = Math.max(0, ...Object.values(seconds));
  const months = monthNames(first);
  const weeks = Math.ceil((last + 1 - first) / WEEK);
  const point = (target: EventTarget): void => {
    const day = findDay(target as HTMLElement);
    onPoint(Number.isNaN(day) ? '' : formatDay(day, seconds));
  };
  const open = (target: EventTarget): void => {
    const day = findDay(target as HTMLElement);
    if (!Number.isNaN(day)) onDay(toIso(day));
  };
  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return moveFocus(event);
    event.preventDefault();
    open(event.target);
  };
  return (
    <table
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the HTML pattern of a grid
      role="grid"
      className={styles['days']}
      aria-labelledby="heatmap"
      onKeyDown={onKey}
      onClick={(event) => open(event.target)}
      onMouseOver={(event) => point(event.target)}
      onFocus={(event) => point(event.target)}
      onMouseLeave={() => onPoint('')}
      onBlur={() => onPoint('')}
    >
      <thead aria-hidden="true">
        <tr>
          <th scope="col">
            <span className="unseen">Weekday</span>
          </th>
          {Array.from({ length: weeks }, (_, week) => (
            <td key={week}>
              <span>{months.find((month) => month.week === week)?.name}</span>
            </td>
          ))}
        </tr>
      </thead>
      {HALVES.map((half, at) => (
        <PaintSlice key={half[0]} as="tbody" position={2 + at}>
          {half.map((weekday) => (
            <tr key={weekday}>
              <th scope="row">
                <span className="unseen">{WEEKDAYS[weekday]}</span>
                <span aria-hidden="true">{weekday % 2 === 0 ? WEEKDAYS[weekday]?.slice(0, 3) : ''}</span>
              </th>
              {Array.from({ length: weeks }, (_, week) => first + week * WEEK + weekday).map((day) =>
                day > last ? (
                  <td key={day} aria-label="No day" />
                ) : (
                  <td
                    key={day}
                    data-day={day}
                    data-shade={getShade(seconds[toIso(day)] ?? 0, max)}
                    tabIndex={day === last ? 0 : -1}
                    aria-label={formatDay(day, seconds)}
                  />
                ),
              )}
            </tr>
          ))}
        </PaintSlice>
      ))}
    </table>
  );
});

/** Scrolls to the newest days, at the right. */
const toNewest = (scroller: HTMLElement | null): void => scroller?.scrollTo({ left: scroller.scrollWidth });

const formatSum = (seconds: number, days: number, isLoading: boolean): string =>
  isLoading ? 'loading' : `${prettyTime(seconds)} on ${days} ${days === 1 ? 'day' : 'days'}`;

/** Calendar of a year, shaded by hours; a click opens the day. */
export const HeatMap = memo(function HeatMap({ scope, application, onDay }: HeatMapProps) {
  const [back, setBack] = useState(0);
  const { first, last } = yearUpTo((parseIso(today()) ?? 0) - back * YEAR);
  const [from, until] = [toIso(first), toIso(last)];
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [SCREEN_TIME, 'days', scope.deviceid, scope.wall, application, from, until],
    placeholderData: keepPreviousData,
    queryFn: async () =>
      (
        await call(usagedays, {
          ...place(),
          ...scope,
          from,
          until,
          ...(application !== TOTAL && { applicationname: application }),
        })
      ).days,
  });
  const seconds = data ?? NO_DAYS;
  const announcementRef = useRef<HTMLParagraphElement>(null);
  const onPoint = useCallback((text: string): void => {
    if (announcementRef.current) announcementRef.current.textContent = text;
  }, []);
  const latest = useRef(onDay);
  useLayoutEffect(() => {
    latest.current = onDay;
  });
  // Stable, so that 371 days don't render again with the page.
  const open = useCallback((date: string): void => latest.current(date), []);
  const used = Object.values(seconds).filter((each) => each > 0);
  const sum = used.reduce((one, other) => one + other, 0);
  return (
    <section className={styles['map']} aria-labelledby="heatmap">
      <header>
        <h2 id="heatmap">Days of the year</h2>
        <span dir="auto">{application === TOTAL ? 'all applications' : application}</span>
        <span className={styles['navigation']}>
          <IconButton label="Previous year" size={28} onClick={() => setBack(back + 1)}>
            <IconChevronLeft size={18} stroke={1.75} />
          </IconButton>
          <span className="num">
            {dayLabel(from).slice(4)} to {dayLabel(until).slice(4)}
          </span>
          <IconButton label="Next year" size={28} disabled={back === 0} onClick={() => setBack(back - 1)}>
            <IconChevronRight size={18} stroke={1.75} />
          </IconButton>
        </span>
      </header>
      <div key={from} ref={toNewest} className={styles['scroll']} aria-busy={isPlaceholderData || undefined}>
        <Days first={first} last={last} seconds={seconds} onDay={open} onPoint={onPoint} />
      </div>
      <footer>
        <p className="num">
          {error && !data ? (
            <span role="alert">{error.message}</span>
          ) : (
            formatSum(sum, used.length, data === undefined || isPlaceholderData)
          )}
        </p>
        <p ref={announcementRef} className={`${styles['announcement']} num`} aria-hidden="true" />
        <span className={styles['shades']} aria-hidden="true">
          less
          {SHADES.map((shade) => (
            <i key={shade} data-shade={shade} />
          ))}
          more
        </span>
      </footer>
    </section>
  );
});
