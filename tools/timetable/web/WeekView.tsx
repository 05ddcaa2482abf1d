import { useLayoutEffect, useRef, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';
import { useSwipe } from '#platform/web/browser/useSwipe.ts';
import type { ActivityInterval } from '#platform/web/tool.ts';
import { PLAIN_DAY, toShare, toElapsedShare, type RealDay } from '../domain/dayShares.ts';
import type { TimeSpan } from '../domain/slot.ts';
import { formatShortDate, getWeekday } from '../domain/week.ts';
import { DayColumn } from './DayColumn.tsx';
import { pixelsTo } from './drag.ts';
import type { PlannedSlot } from './planned.ts';
import type { Now } from './useNow.ts';
import { useWeekActs, type WeekActions } from './useWeekActions.ts';
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
export function DayStrip({ monday, day, today, slots, onDay }: DayStripProps) {
  return (
    <div className={styles['strip']} role="group" aria-label="Days">
      {Array.from({ length: 7 }, (_, index) => monday + index).map((each) => {
        const [name, date] = [getWeekday(each).slice(0, 3), Number(formatShortDate(each).slice(0, 2))];
        const count = slots[each - monday]?.length ?? 0;
        const countText = count === 1 ? '1 slot' : `${count} slots`;
        return (
          <button
            key={each}
            type="button"
            data-strip={each}
            data-today={each === today || undefined}
            aria-pressed={each === day}
            aria-label={`${name} ${date}, ${countText}`}
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

const MORNING = 6 * 60;
/** Height of the day headers, and the margin below the last visible slot, in pixels. */
const HEADS_PX = 140;
const HOURS = Array.from({ length: 12 }, (_, index) => index * 120);
/** Hour labels closer than this to the current time are hidden, in percent of the day. */
const NEAR = 2;

interface HoursProps {
  readonly real: RealDay;
  /** Position of the current time, if today is shown. */
  readonly now: { readonly share: number; readonly clock: string } | undefined;
}

function Hours({ real, now }: HoursProps) {
  return (
    <div className={styles['hours']} aria-hidden="true">
      <div>
        {HOURS.map((minute) => {
          const share = toShare(minute, real);
          if (now && Math.abs(share - now.share) < NEAR) return null;
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

interface WeekProps {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  /** The only day to show, in a narrow window. */
  readonly only: Day | undefined;
  readonly now: Now;
  readonly actions: WeekActions;
  readonly openId: number | undefined;
  readonly ghost: { readonly day: Day; readonly span: TimeSpan } | undefined;
  readonly done: readonly ActivityInterval[] | undefined;
  readonly isLoading: boolean;
  readonly onDay: (day: Day) => void;
}

const NONE: readonly PlannedSlot[] = [];

/** Scrolls initially to the morning, or to the current time if today is shown. */
const useFirstScroll = (scroller: RefObject<HTMLElement | null>, { now, slots, actions, monday }: WeekProps): void => {
  const isDone = useRef(false);
  const first = Math.min(MORNING, ...slots.flat().map(({ start }) => Math.max(0, start - 15)));
  useLayoutEffect(() => {
    const box = scroller.current;
    const surface = box?.querySelector<HTMLElement>('[data-surface]');
    if (!box || !surface || isDone.current || slots.length === 0) return;
    isDone.current = true;
    const top = pixelsTo(surface, first, PLAIN_DAY);
    const visibleHeight = box.clientHeight - HEADS_PX;
    const isShown = now.today >= monday && now.today < monday + 7;
    const present = (toElapsedShare(now.elapsed, actions.realDay(now.today)) / 100) * surface.offsetHeight;
    const isSeen = !isShown || (present > top && present < top + visibleHeight);
    box.scrollTo({ top: isSeen ? top : Math.max(0, present - visibleHeight / 2) });
  });
};

/** Seven days side by side; in a narrow window one day, below a strip of all days. */
export function Week(props: WeekProps) {
  const { monday, slots, only, now, actions, openId, ghost, done, isLoading, onDay } = props;
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const drags = useWeekActs(root, actions, columnStyles['preview'] ?? '');
  useFirstScroll(scroller, props);
  const swipe = useSwipe((by) => {
    const isDrag = drags.current?.isHolding() === true || drags.current?.isClickOfDrag() === true;
    if (only !== undefined && !isDrag) onDay(only + by);
  });
  const days = Array.from({ length: 7 }, (_, index) => monday + index).filter(
    (day) => only === undefined || day === only,
  );
  const hoursDay = only === undefined ? PLAIN_DAY : actions.realDay(only);
  const hasToday = days.includes(now.today);
  return (
    <div ref={root} className={styles['week']} data-only={only !== undefined || undefined} {...swipe}>
      {only === undefined ? null : (
        <DayStrip monday={monday} day={only} today={now.today} slots={slots} onDay={onDay} />
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
            real={hoursDay}
            now={
              hasToday
                ? { share: toElapsedShare(now.elapsed, actions.realDay(now.today)), clock: now.clock }
                : undefined
            }
          />
          {days.map((day) => (
            <DayColumn
              key={day}
              day={day}
              slots={slots[day - monday] ?? NONE}
              real={actions.realDay(day)}
              when={day === now.today ? 'today' : day < now.today ? 'past' : 'coming'}
              elapsed={day === now.today ? now.elapsed : undefined}
              openId={slots[day - monday]?.some(({ id }) => id === openId) ? openId : undefined}
              ghost={ghost?.day === day ? ghost.span : undefined}
              done={done}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
