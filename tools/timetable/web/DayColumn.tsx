import { IconClipboardText, IconCopy, IconPlus } from '@tabler/icons-react';
import { memo } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import type { ActivityInterval } from '#platform/web/tool.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { layOutDay } from '../domain/dayLayout.ts';
import { toShare, toElapsedShare, toShares, type LocalDay } from '../domain/dayShares.ts';
import { END_OF_DAY, type TimeSpan, getTitle } from '../domain/slot.ts';
import { formatShortDate, getWeekday } from '../domain/week.ts';
import { getDayStart } from './localDays.ts';
import { type PlannedSlot, formatTimes, formatHex } from './plannedWeek.ts';
import styles from './DayColumn.module.css';

/** Maximum of activities that the label for screen readers lists. */
const MAX_NAMED_ACTIVITIES = 30;

interface ActivityLaneProps {
  readonly day: Day;
  readonly localDay: LocalDay;
  readonly activities: readonly ActivityInterval[];
}

const formatActivity = ({ name, from, until }: ActivityInterval): string =>
  `${name}, ${formatClockTime(from)} to ${formatClockTime(until)}`;

/** Activities of a day, as a thin lane beside the plan. */
export function ActivityLane({ day, localDay, activities }: ActivityLaneProps) {
  const [dayStart, dayEnd] = [getDayStart(day), getDayStart(day + 1)];
  const dayActivities = activities.filter(({ from, until }) => from < dayEnd && until > dayStart);
  if (dayActivities.length === 0) return null;
  const description = dayActivities.slice(0, MAX_NAMED_ACTIVITIES).map(formatActivity).join('; ');
  const more =
    dayActivities.length > MAX_NAMED_ACTIVITIES ? ` and ${dayActivities.length - MAX_NAMED_ACTIVITIES} more` : '';
  const getShare = (time: number): number => toElapsedShare((time - dayStart) / MINUTE_MS, localDay);
  return (
    <div className={styles['lane']} role="img" aria-label={`What I actually did: ${description}${more}`}>
      {dayActivities.map((interval) => {
        const top = getShare(interval.from);
        return (
          <span
            key={`${interval.from} ${interval.name}`}
            title={formatActivity(interval)}
            style={{ top: `${top}%`, height: `${getShare(interval.until) - top}%`, background: interval.colour }}
          />
        );
      })}
    </div>
  );
}

/** How much text fits into the height of a slot. */
export type TextRoom = 'line' | 'two' | 'full';

/** Longer descriptions are shown completely in the editor only. */
const MAX_SHOWN_CHARACTERS = 400;

/** Minimum width in percent of the day for an icon and a name on one line. */
const MIN_ICON_WIDTH = 60;

interface SlotBoxProps {
  readonly slot: PlannedSlot;
  /** Shares of the day and of its width, 0 to 100. */
  readonly top: number;
  readonly height: number;
  readonly left: number;
  readonly width: number;
  readonly room: TextRoom;
  readonly isOpen: boolean;
}

/**
 * A slot on its day. A week can have hundreds, so a slot has no icon element and a single clipping box: more layers
 * would dominate the compositing cost of a drag. The week handles all of its events.
 */
export const SlotBox = memo(function SlotBox({ slot, top, height, left, width, room, isOpen }: SlotBoxProps) {
  const { id, status, colour, description } = slot;
  const name = `${getTitle(slot)}, ${formatTimes(slot)}, ${status}`;
  return (
    <button
      type="button"
      className={styles['slot']}
      data-slot={id}
      data-status={status}
      data-room={room}
      data-thin={width < MIN_ICON_WIDTH || undefined}
      aria-current={isOpen || undefined}
      aria-label={name}
      // Includes the description, for screen readers and as a tooltip.
      title={description === '' ? name : `${name}\n${description}`}
      style={{
        top: `${top}%`,
        height: `${height}%`,
        left: `${left}%`,
        width: `${width}%`,
        borderColor: formatHex(colour),
      }}
    >
      <span className={styles['edge']} data-edge="start" />
      <span className={`${styles['text']} ellipsis`} dir="auto">
        <i className={styles['icon']} />
        <b>{getTitle(slot)}</b>
        {room === 'line' ? ' ' : <br />}
        <small data-times dir="ltr">
          {formatTimes(slot)}
        </small>
        {room === 'full' && description !== '' ? (
          <>
            <br />
            <small
              className={styles['description']}
              dir="auto"
              data-text={description.slice(0, MAX_SHOWN_CHARACTERS)}
            />
          </>
        ) : null}
      </span>
      <span className={styles['edge']} data-edge="end" />
    </button>
  );
});

/** Minimum drawn height in minutes, so that the name of a short slot is readable. */
const MIN_DRAWN_MINUTES = 30;
const TWO_HOURS = 120;
const EVEN_HOURS = Array.from({ length: 11 }, (_, index) => (index + 1) * TWO_HOURS);

/** Returns whether the hours of a day are at other positions than the labels on the left. */
export function hasOddHours({ length, clockChanges }: LocalDay): boolean {
  return length !== END_OF_DAY || clockChanges.some(({ by }) => by !== 0);
}

const formatHours = (length: number): string => `${Math.round((length / 60) * 100) / 100} h`;

function getRoom({ start, end }: TimeSpan): TextRoom {
  if (end - start < 50) return 'line';
  return end - start < 80 ? 'two' : 'full';
}

interface SlotsProps {
  readonly slots: readonly PlannedSlot[];
  readonly localDay: LocalDay;
  readonly openId: number | undefined;
}

const Slots = memo(function Slots({ slots, localDay, openId }: SlotsProps) {
  return layOutDay(slots, MIN_DRAWN_MINUTES).map(({ item, column, span, columnCount, shownSpan }) => {
    const { start, end } = toShares(shownSpan, localDay);
    return (
      <SlotBox
        key={item.id}
        slot={item}
        top={start}
        height={end - start}
        left={(column / columnCount) * 100}
        width={(span / columnCount) * 100}
        room={getRoom(shownSpan)}
        isOpen={item.id === openId}
      />
    );
  });
});

function OddHours({ localDay }: { readonly localDay: LocalDay }) {
  return EVEN_HOURS.map((minute) => (
    <span key={minute} className={styles['line']} style={{ top: `${toShare(minute, localDay)}%` }} aria-hidden="true">
      {padTwo(minute / 60)}
    </span>
  ));
}

interface DayColumnProps {
  readonly day: Day;
  readonly slots: readonly PlannedSlot[];
  readonly localDay: LocalDay;
  readonly when: 'past' | 'today' | 'coming';
  /** Elapsed minutes, if it is today. */
  readonly elapsed: number | undefined;
  readonly openId: number | undefined;
  /** The new slot that is being edited. */
  readonly ghost: TimeSpan | undefined;
  readonly activities: readonly ActivityInterval[] | undefined;
}

/**
 * A day: header with copy, paste and add, and slots positioned by their share of the day.
 * The week handles their events.
 */
export const DayColumn = memo(function DayColumn(props: DayColumnProps) {
  const { day, slots, localDay, when, elapsed, openId, ghost, activities } = props;
  const weekday = getWeekday(day);
  const isOddDay = hasOddHours(localDay);
  const elapsedShare = elapsed === undefined ? undefined : toElapsedShare(elapsed, localDay);
  const ghostShare = ghost && toShares(ghost, localDay);
  return (
    <section className={styles['day']} data-when={when} aria-label={`${weekday} ${formatShortDate(day)}`}>
      <header className={styles['head']}>
        <b className="ellipsis">
          <span className={styles['long']}>{weekday}</span>
          <span className={styles['short']} aria-hidden>
            {weekday.slice(0, 3)}
          </span>
        </b>
        <span className={`${styles['date']} num`}>{formatShortDate(day)}</span>
        <span className={styles['tools']}>
          <IconButton label={`Copy ${weekday}`} size={28} data-act="copy" data-day={day}>
            <IconCopy size={16} stroke={1.75} />
          </IconButton>
          <IconButton label={`Paste into ${weekday}`} size={28} data-act="paste" data-day={day}>
            <IconClipboardText size={16} stroke={1.75} />
          </IconButton>
          <IconButton label={`Add slot on ${weekday}`} size={28} data-act="add" data-day={day}>
            <IconPlus size={16} stroke={1.75} />
          </IconButton>
          {isOddDay ? <span className={styles['realLength']}>{formatHours(localDay.length)}</span> : null}
          {when === 'today' ? <span className={styles['today']}>today</span> : null}
        </span>
      </header>
      <div
        className={styles['surface']}
        data-surface={day}
        data-odd={isOddDay || undefined}
        data-lane={activities ? '' : undefined}
      >
        {isOddDay ? <OddHours localDay={localDay} /> : null}
        {elapsedShare === undefined ? null : (
          <>
            <span className={styles['elapsed']} data-gone style={{ height: `${elapsedShare}%` }} />
            <span className={styles['now']} style={{ top: `${elapsedShare}%` }} />
          </>
        )}
        <div className={styles['slots']}>
          <Slots slots={slots} localDay={localDay} openId={openId} />
        </div>
        {ghost && ghostShare ? (
          <div
            className={styles['ghost']}
            style={{ top: `${ghostShare.start}%`, height: `${ghostShare.end - ghostShare.start}%` }}
          >
            {formatTimes(ghost)}
          </div>
        ) : null}
        {activities ? <ActivityLane day={day} localDay={localDay} activities={activities} /> : null}
      </div>
    </section>
  );
});
