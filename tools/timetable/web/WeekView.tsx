import { useLayoutEffect, useRef, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';
import { useSwipe } from '#platform/web/browser/useSwipe.ts';
import type { ActivityInterval } from '#platform/web/tool.ts';
import { PLAIN_DAY, toShare, toElapsedShare, type LocalDay } from '../domain/dayShares.ts';
import type { TimeSpan } from '../domain/slot.ts';
import { formatShortDate, getWeekday, listDays } from '../domain/week.ts';
import { DayColumn } from './DayColumn.tsx';
import { getMinuteOffset } from './drag.ts';
import { formatSlotCount, type PlannedSlot } from './plannedWeek.ts';
import type { Now } from './useCurrentTime.ts';
import { useWeekInteractions, type WeekActions } from './useWeekActions.ts';
import columnStyles from './DayColumn.module.css';
import styles from './WeekView.module.css';

interface DayStripProps {
  readonly monday: Day;
  readonly day: Day;
  readonly today: Day;
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly onDay: (day: Day) => void;
}

/** The days of the week in a row, as tabs and as drop targets for slots. */
export function DayStrip({ monday, day: selectedDay, today, slots, onDay }: DayStripProps) {
  return (
    <div className={styles['strip']} role="group" aria-label="Days">
      {listDays(monday).map((day) => {
        const [weekday, date] = [getWeekday(day).slice(0, 3), Number(formatShortDate(day).slice(0, 2))];
        const count = slots[day - monday]?.length ?? 0;
        return (
          <button
            key={day}
            type="button"
            data-strip={day}
            data-today={day === today || undefined}
            aria-pressed={day === selectedDay}
            aria-label={`${weekday} ${date}, ${formatSlotCount(count)}`}
            onClick={() => onDay(day)}
          >
            <span>{weekday}</span> <b>{date}</b>
            <i data-full={count > 0 || undefined} />
          </button>
        );
      })}
    </div>
  );
}

const MORNING = 6 * 60;
/** Height of the day headers, and the margin below the last visible slot, in pixels. */
const HEADER_PX = 140;
const HOURS = Array.from({ length: 12 }, (_, index) => index * 120);
/** Hour labels closer than this to the current time are hidden, in percent of the day. */
const MIN_LABEL_DISTANCE = 2;

interface HoursProps {
  readonly localDay: LocalDay;
  /** Position of the current time, if today is shown. */
  readonly now: { readonly share: number; readonly clock: string } | undefined;
}

function Hours({ localDay, now }: HoursProps) {
  return (
    <div className={styles['hours']} aria-hidden="true">
      <div>
        {HOURS.map((minute) => {
          const share = toShare(minute, localDay);
          if (now && Math.abs(share - now.share) < MIN_LABEL_DISTANCE) return null;
          return (
            <span key={minute} style={{ top: `${share}%` }}>
              {padTwo(minute / 60)}
            </span>
          );
        })}
        {now ? (
          <span className={styles['now']} style={{ top: `${now.share}%` }}>
            {now.clock}
          </span>
        ) : null}
      </div>
    </div>
  );
}

interface WeekViewProps {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  /** The only day to show, in a narrow window. */
  readonly shownDay: Day | undefined;
  readonly now: Now;
  readonly actions: WeekActions;
  readonly openId: number | undefined;
  readonly ghost: { readonly day: Day; readonly span: TimeSpan } | undefined;
  readonly activities: readonly ActivityInterval[] | undefined;
  readonly isLoading: boolean;
  readonly onDay: (day: Day) => void;
}

const NO_SLOTS: readonly PlannedSlot[] = [];

/** Scrolls initially to the morning, or to the current time if today is shown. */
function useInitialScroll(
  scroller: RefObject<HTMLElement | null>,
  { now, slots, actions, monday }: WeekViewProps,
): void {
  const hasScrolled = useRef(false);
  const firstMinute = Math.min(MORNING, ...slots.flat().map(({ start }) => Math.max(0, start - 15)));
  useLayoutEffect(() => {
    const box = scroller.current;
    const surface = box?.querySelector<HTMLElement>('[data-surface]');
    if (!box || !surface || hasScrolled.current || slots.length === 0) return;
    hasScrolled.current = true;
    const top = getMinuteOffset(surface, firstMinute, PLAIN_DAY);
    const visibleHeight = box.clientHeight - HEADER_PX;
    const isShown = now.today >= monday && now.today < monday + 7;
    const nowTop = (toElapsedShare(now.elapsed, actions.getLocalDay(now.today)) / 100) * surface.offsetHeight;
    const isNowVisible = !isShown || (nowTop > top && nowTop < top + visibleHeight);
    box.scrollTo({ top: isNowVisible ? top : Math.max(0, nowTop - visibleHeight / 2) });
  });
}

/** Seven days side by side; in a narrow window one day, below a strip of all days. */
export function WeekView(props: WeekViewProps) {
  const { monday, slots, shownDay, now, actions, openId, ghost, activities, isLoading, onDay } = props;
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const drags = useWeekInteractions(root, actions, columnStyles['preview'] ?? '');
  useInitialScroll(scroller, props);
  const swipe = useSwipe((direction) => {
    const isDrag = drags.current?.isDragging() === true || drags.current?.isClickOfDrag() === true;
    if (shownDay !== undefined && !isDrag) onDay(shownDay + direction);
  });
  const days = listDays(monday).filter((day) => shownDay === undefined || day === shownDay);
  const hoursDay = shownDay === undefined ? PLAIN_DAY : actions.getLocalDay(shownDay);
  const hasToday = days.includes(now.today);
  return (
    <div ref={root} className={styles['week']} data-only={shownDay !== undefined || undefined} {...swipe}>
      {shownDay === undefined ? null : (
        <DayStrip monday={monday} day={shownDay} today={now.today} slots={slots} onDay={onDay} />
      )}
      <div
        ref={scroller}
        className={styles['scroller']}
        role="group"
        aria-label="Week"
        aria-busy={isLoading || undefined}
        data-scroller
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
        tabIndex={0}
      >
        <div className={styles['grid']}>
          <Hours
            localDay={hoursDay}
            now={
              hasToday
                ? { share: toElapsedShare(now.elapsed, actions.getLocalDay(now.today)), clock: now.clock }
                : undefined
            }
          />
          {days.map((day) => (
            <DayColumn
              key={day}
              day={day}
              slots={slots[day - monday] ?? NO_SLOTS}
              localDay={actions.getLocalDay(day)}
              when={day === now.today ? 'today' : day < now.today ? 'past' : 'coming'}
              elapsed={day === now.today ? now.elapsed : undefined}
              openId={slots[day - monday]?.some(({ id }) => id === openId) ? openId : undefined}
              ghost={ghost?.day === day ? ghost.span : undefined}
              activities={activities}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
