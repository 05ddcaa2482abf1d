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
import { getToday, SCREEN_TIME, getZoneFields } from '#tools/screentime/web/usageClock.ts';
import { formatDayLabel, formatDuration } from '../../../usage/domain/formats.ts';
import type { HeatMapProps } from '../viewTypes.ts';
import styles from './HeatMap.module.css';

/** Days are counted since 1970-01-01, a Thursday. */
const MONDAY = 4;
const DAYS_PER_WEEK = 7;
/** A year, which overlaps one more week. */
const WEEKS = 53;

/** Returns the first and last day of a grid: whole weeks that start on Monday. */
export function getYearGrid(last: Day): { readonly first: Day; readonly last: Day } {
  const monday = last - ((((last - MONDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK);
  return { first: monday - (WEEKS - 1) * DAYS_PER_WEEK, last };
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

/** Lists each month with the first week that starts in it; the first month only if there is space. */
export function listMonthNames(first: Day): readonly MonthName[] {
  const months = Array.from({ length: WEEKS }, (_, week) => toCivilDate(first + week * DAYS_PER_WEEK).month);
  const starts = months.flatMap((month, week) =>
    week === 0 || months[week - 1] !== month ? [{ week, name: getShortMonth(month) }] : [],
  );
  return starts.filter(({ week }, index) => index > 0 || (starts[1]?.week ?? WEEKS) - week > 2);
}

const YEAR_DAYS = 364;
/** Weekdays by paint slice. */
const WEEKDAY_SLICES = [
  [0, 1, 2, 3],
  [4, 5, 6],
];
const SHADES = [0, 1, 2, 3, 4] as const;
const NO_DAYS: Readonly<Record<string, number>> = {};

/** Days that each key moves. */
const DAY_STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -DAYS_PER_WEEK,
  ArrowRight: DAYS_PER_WEEK,
};

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const table = event.currentTarget;
  const currentDay = getDay(event.target as HTMLElement);
  const cells = [...table.querySelectorAll<HTMLElement>('[data-day]')];
  const edgeDays = { Home: Math.min(...cells.map(getDay)), End: Math.max(...cells.map(getDay)) };
  const targetDay =
    event.key === 'Home' || event.key === 'End'
      ? edgeDays[event.key]
      : currentDay + (DAY_STEPS[event.key] ?? Number.NaN);
  const next = cells.find((cell) => getDay(cell) === targetDay);
  if (!next) return;
  event.preventDefault();
  next.focus();
}
const getDay = (element: HTMLElement): number => Number(element.dataset['day']);

interface DaysProps {
  readonly first: number;
  readonly last: number;
  readonly seconds: Readonly<Record<string, number>>;
  readonly onDay: (date: string) => void;
  readonly onPoint: (text: string) => void;
}

const formatDay = (day: number, seconds: Readonly<Record<string, number>>): string =>
  `${formatDayLabel(toIso(day))}, ${formatDuration(seconds[toIso(day)] ?? 0)}`;

/** A row per weekday and a column per week. Cells are plain, because buttons took most of the page's layout time. */
const Days = memo(function Days({ first, last, seconds, onDay, onPoint }: DaysProps) {
  const max = Math.max(0, ...Object.values(seconds));
  const months = listMonthNames(first);
  const weeks = Math.ceil((last + 1 - first) / DAYS_PER_WEEK);
  function describe(target: EventTarget): void {
    const day = getDay(target as HTMLElement);
    onPoint(Number.isNaN(day) ? '' : formatDay(day, seconds));
  }
  function openDay(target: EventTarget): void {
    const day = getDay(target as HTMLElement);
    if (!Number.isNaN(day)) onDay(toIso(day));
  }
  function handleKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key !== 'Enter' && event.key !== ' ') return moveFocus(event);
    event.preventDefault();
    openDay(event.target);
  }
  return (
    <table
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the HTML pattern of a grid
      role="grid"
      className={styles['days']}
      aria-labelledby="heatmap"
      onKeyDown={handleKeyDown}
      onClick={(event) => openDay(event.target)}
      onMouseOver={(event) => describe(event.target)}
      onFocus={(event) => describe(event.target)}
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
      {WEEKDAY_SLICES.map((weekdays, index) => (
        <PaintSlice key={weekdays[0]} as="tbody" position={2 + index}>
          {weekdays.map((weekday) => (
            <tr key={weekday}>
              <th scope="row">
                <span className="unseen">{WEEKDAYS[weekday]}</span>
                <span aria-hidden="true">{weekday % 2 === 0 ? WEEKDAYS[weekday]?.slice(0, 3) : ''}</span>
              </th>
              {Array.from({ length: weeks }, (_, week) => first + week * DAYS_PER_WEEK + weekday).map((day) =>
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
const scrollToNewest = (scroller: HTMLElement | null): void => scroller?.scrollTo({ left: scroller.scrollWidth });

const formatSum = (seconds: number, days: number, isLoading: boolean): string =>
  isLoading ? 'loading' : `${formatDuration(seconds)} on ${days} ${days === 1 ? 'day' : 'days'}`;

/** Calendar of a year, shaded by hours; a click opens the day. */
export const HeatMap = memo(function HeatMap({ scope, application, onDay }: HeatMapProps) {
  const [yearsBack, setYearsBack] = useState(0);
  const { first, last } = getYearGrid((parseIso(getToday()) ?? 0) - yearsBack * YEAR_DAYS);
  const [from, until] = [toIso(first), toIso(last)];
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [SCREEN_TIME, 'days', scope.deviceid, scope.wall, application, from, until],
    placeholderData: keepPreviousData,
    queryFn: async () =>
      (
        await call(usagedays, {
          ...getZoneFields(),
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
  const onDayRef = useRef(onDay);
  useLayoutEffect(() => {
    onDayRef.current = onDay;
  });
  // Stable, so that 371 days don't render again with the page.
  const openDay = useCallback((date: string): void => onDayRef.current(date), []);
  const usedSeconds = Object.values(seconds).filter((daySeconds) => daySeconds > 0);
  const sum = usedSeconds.reduce((total, daySeconds) => total + daySeconds, 0);
  return (
    <section className={styles['map']} aria-labelledby="heatmap">
      <header>
        <h2 id="heatmap">Days of the year</h2>
        <span dir="auto">{application === TOTAL ? 'all applications' : application}</span>
        <span className={styles['navigation']}>
          <IconButton label="Previous year" size={28} onClick={() => setYearsBack(yearsBack + 1)}>
            <IconChevronLeft size={18} stroke={1.75} />
          </IconButton>
          <span className="num">
            {formatDayLabel(from).slice(4)} to {formatDayLabel(until).slice(4)}
          </span>
          <IconButton
            label="Next year"
            size={28}
            disabled={yearsBack === 0}
            onClick={() => setYearsBack(yearsBack - 1)}
          >
            <IconChevronRight size={18} stroke={1.75} />
          </IconButton>
        </span>
      </header>
      <div key={from} ref={scrollToNewest} className={styles['scroll']} aria-busy={isPlaceholderData || undefined}>
        <Days first={first} last={last} seconds={seconds} onDay={openDay} onPoint={onPoint} />
      </div>
      <footer>
        <p className="num">
          {error && !data ? (
            <span role="alert">{error.message}</span>
          ) : (
            formatSum(sum, usedSeconds.length, data === undefined || isPlaceholderData)
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
