import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent, type PointerEvent, memo } from 'react';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { useColourScheme, resolveColour } from '#platform/web/theme/colourScheme.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { useWidthNearViewport } from '#platform/web/windowing/nearViewport.ts';
import { moveCursor, findIntervalAt } from '../domain/days.ts';
import type { Sleep } from '../domain/sleep.ts';
import { formatSummary, type Status, formatDuration } from '../domain/status.ts';
import { formatClock, type ShownDay, formatUnusualLength, listHourPositions } from './dayViews.ts';
import styles from './StatusPage.module.css';

const BAR_HEIGHT = 28;

/** Height and pattern show the status as well as colour. */
const HEIGHT_SHARE: Readonly<Record<Status, number>> = { online: 1, idle: 0.62, dnd: 1, offline: 0.14, unknown: 1 };
const RADIUS = 2;
/** Even the shortest interval is visible. */
const MIN_BAR_PX = 2;
const HATCH_PX = 10;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Draws slanted lines that continue from bar to bar. */
function drawHatch(context: CanvasRenderingContext2D, { x, y, width, height }: Box): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  const first = Math.floor((x - height) / HATCH_PX) * HATCH_PX;
  for (let left = first; left < x + width; left += HATCH_PX) {
    context.moveTo(left, y + height);
    context.lineTo(left + height, y);
  }
  context.lineWidth = 2;
  context.stroke();
  context.restore();
}

function fillBar(context: CanvasRenderingContext2D, box: Box): void {
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, Math.min(RADIUS, box.width / 2));
  context.fill();
}

interface BarStyle {
  readonly colours: Readonly<Record<string, string>>;
  /** Light or dark. The colour tokens change with it, so the bar is drawn again. */
  readonly scheme: string;
  /** CSS pixels. */
  readonly width: number;
}

function drawDay(canvas: HTMLCanvasElement, day: ShownDay, { colours, width }: BarStyle): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(BAR_HEIGHT * ratio);
  context.scale(ratio, ratio);
  const getX = (moment: number): number => ((moment - day.from) / day.length) * width;
  context.fillStyle = resolveColour('var(--line-2)');
  for (let hour = HOUR_SECONDS; hour < day.length; hour += HOUR_SECONDS)
    context.fillRect(Math.round(getX(day.from + hour)), 0, 1, BAR_HEIGHT);
  for (const { from, until, status } of day.intervals) {
    const height = Math.max(3, BAR_HEIGHT * HEIGHT_SHARE[status]);
    const x = getX(from);
    const box = { x, y: BAR_HEIGHT - height, width: Math.max(MIN_BAR_PX, getX(until) - x - 1), height };
    if (status === 'unknown') {
      context.strokeStyle = resolveColour('var(--text-3)');
      drawHatch(context, box);
      continue;
    }
    context.fillStyle = colours[status] ?? resolveColour('var(--text-3)');
    fillBar(context, box);
    if (status !== 'dnd' || box.width < 9) continue;
    context.fillStyle = resolveColour('var(--over-status)');
    context.fillRect(box.x + 3, BAR_HEIGHT / 2 - 1, box.width - 6, 2);
  }
}

/** Last cursor position on any day, in seconds into the day. The cursor of the next day starts there. */
export interface CursorPosition {
  readonly get: () => number;
  readonly set: (seconds: number) => void;
}

interface DayBarProps {
  readonly day: ShownDay;
  readonly colours: Readonly<Record<string, string>>;
  /** Parts of sleep on this day: the one that ended on it, and the start of the next one. */
  readonly sleeps: readonly Sleep[];
  readonly cursorPosition: CursorPosition;
}

function formatPercent(share: number): string {
  return `${Math.min(100, Math.max(0, share * 100)).toFixed(3)}%`;
}

/** Returns the texts of the cursor at a moment: clock time, status and interval. Undefined outside of the history. */
function getReading(day: ShownDay, moment: number) {
  const interval = findIntervalAt(day.intervals, moment);
  if (!interval) return undefined;
  const [from, until] = [formatClock(day, interval.from), formatClock(day, interval.until)];
  return { clock: formatClock(day, moment), status: interval.status, span: `${from} to ${until}` };
}

/** Moves the focus to the bar of the next or previous day. */
function focusNeighbour(bar: Element, key: string): void {
  const row = bar.closest('li');
  const other = key === 'ArrowUp' ? row?.previousElementSibling : row?.nextElementSibling;
  other?.querySelector<HTMLElement>('[role=slider]')?.focus();
}

function DayIntervals({ day, colours }: Pick<DayBarProps, 'day' | 'colours'>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useColourScheme();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => drawDay(element, day, { colours, scheme, width: element.clientWidth }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [day, colours, scheme]);
  return <canvas ref={canvas} style={{ height: BAR_HEIGHT }} aria-hidden="true" />;
}

/** Shows a day as a bar with a cursor that pointer and keys move. Draws it when it comes near the viewport. */
function DayBar({ day, colours, sleeps, cursorPosition }: DayBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const isNear = useWidthNearViewport(bar) !== undefined;
  const [cursor, setCursor] = useState<number>();
  const reading = cursor === undefined ? undefined : getReading(day, cursor);
  const getShare = (moment: number): number => (moment - day.from) / day.length;

  function moveTo(moment: number): void {
    const clamped = Math.min(day.until - 1, Math.max(day.from, moment));
    cursorPosition.set(clamped - day.from);
    setCursor(clamped);
  }
  function handlePointer(event: PointerEvent<HTMLElement>): void {
    const box = event.currentTarget.getBoundingClientRect();
    const moment = day.from + ((event.clientX - box.left) / box.width) * day.length;
    if (moment < day.until) moveTo(moment);
    else setCursor(undefined);
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = moveCursor(cursor ?? day.from, event.key, day, event.shiftKey);
    const isBeside = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    if (target === undefined && !isBeside) return;
    event.preventDefault();
    if (target === undefined) focusNeighbour(event.currentTarget, event.key);
    else moveTo(target);
  }

  return (
    <div
      ref={bar}
      className={styles['bar']}
      role="slider"
      tabIndex={0}
      aria-label={`${day.weekday} ${day.label}`}
      aria-valuemin={0}
      aria-valuemax={Math.round(day.length / 60)}
      aria-valuenow={Math.round(((cursor ?? day.from) - day.from) / 60)}
      aria-valuetext={reading ? `${reading.clock}, ${reading.status}, ${reading.span}` : formatSummary(day.intervals)}
      onKeyDown={onKeyDown}
      onFocus={() => {
        if (cursor === undefined) moveTo(day.from + cursorPosition.get());
      }}
      onBlur={() => setCursor(undefined)}
      onPointerMove={handlePointer}
      onPointerDown={handlePointer}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse' && document.activeElement !== event.currentTarget) setCursor(undefined);
      }}
    >
      {isNear ? <DayIntervals day={day} colours={colours} /> : null}
      {sleeps.map(({ from, until }) => (
        <span
          key={from}
          style={{ left: formatPercent(getShare(from)), right: formatPercent(1 - getShare(until)) }}
          className={styles['sleep']}
          aria-hidden="true"
        />
      ))}
      {day.isOngoing ? (
        <span
          className={styles['now']}
          style={{ left: formatPercent(getShare(day.until)) }}
          data-now
          aria-hidden="true"
        />
      ) : null}
      {reading && cursor !== undefined ? (
        <>
          <span className={styles['cursor']} style={{ left: formatPercent(getShare(cursor)) }} aria-hidden="true" />
          <span
            className={`${styles['tip']} popup num`}
            data-side={getShare(cursor) > 0.5 ? 'left' : 'right'}
            style={{ '--at': formatPercent(getShare(cursor)) } as CSSProperties}
            aria-hidden="true"
          >
            <b>{reading.clock}</b>
            <span>{reading.status}</span>
            <span>{reading.span}</span>
          </span>
        </>
      ) : null}
    </div>
  );
}

interface DayRowProps {
  readonly day: ShownDay;
  readonly colours: Readonly<Record<string, string>>;
  /** Sleep that ends on the next day. */
  readonly nextSleep: Sleep | undefined;
  readonly cursorPosition: CursorPosition;
}

/** A day: its name, its sleep and its bar. */
export const DayRow = memo(function DayRow({ day, colours, nextSleep, cursorPosition }: DayRowProps) {
  const { weekday, label, isToday, sleep, from, length } = day;
  const unusualLength = formatUnusualLength(day);
  const sleeps = [sleep, nextSleep].flatMap((part) => (part && part.from < from + length ? [part] : []));
  return (
    <li className={styles['row']} data-odd={unusualLength}>
      <div className={styles['date']}>
        <b>{weekday}</b>
        <span className="num">{label}</span>
        {isToday ? <Badge tone="brass">today</Badge> : null}
        {unusualLength === undefined ? null : <Badge>{unusualLength}</Badge>}
        {sleep === undefined ? null : (
          <span
            className={`${styles['sleepTotal']} num`}
            title={`Longest time without activity: ${formatClock(day, sleep.from)} to ${formatClock(day, sleep.until)}`}
          >
            slept {formatDuration(sleep.until - sleep.from)}
          </span>
        )}
      </div>
      <div>
        <DayBar day={day} colours={colours} sleeps={sleeps} cursorPosition={cursorPosition} />
        {unusualLength === undefined ? null : (
          <div className={`${styles['ownHours']} num`} aria-hidden="true">
            {listHourPositions(day).map(({ text, share }) => (
              <span key={text} style={{ left: formatPercent(share) }}>
                {text}
              </span>
            ))}
          </div>
        )}
      </div>
    </li>
  );
});
