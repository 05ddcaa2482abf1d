import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent, type PointerEvent } from 'react';
import { useColourScheme } from '#platform/web/theme/scheme.ts';
import { useWidthNearViewport } from '#platform/web/windowing/useNearViewport.ts';
import { moved, stretchAt } from '../domain/cursor.ts';
import type { Sleep } from '../domain/sleep.ts';
import { summary } from '../domain/words.ts';
import { clockAt, type ShownDay } from './dayViews.ts';
import { BAR_HEIGHT, paintDay } from './paint.ts';
import styles from './StatusPage.module.css';

/** Seconds into the day at which the cursor of any day stood last: the next day's begins there. */
export interface CursorPlace {
  readonly last: () => number;
  readonly keep: (seconds: number) => void;
}

interface DayBarProps {
  readonly day: ShownDay;
  readonly colours: Readonly<Record<string, string>>;
  /** What was slept of it: that which ended on it, and the beginning of the next day's. */
  readonly sleeps: readonly Sleep[];
  readonly place: CursorPlace;
}

export const percent = (share: number): string => `${Math.min(100, Math.max(0, share * 100)).toFixed(3)}%`;

/** Time, status and how long it lasts at a moment. */
const saidAt = (day: ShownDay, at: number) => {
  const stretch = stretchAt(day.stretches, at);
  if (!stretch) return undefined;
  const [from, until] = [clockAt(day, stretch.from), clockAt(day, stretch.until)];
  return { clock: clockAt(day, at), status: stretch.status, span: `${from} to ${until}` };
};

/** The focus goes to the bar of a day before or behind. */
const focusBeside = (bar: Element, key: string): void => {
  const row = bar.closest('li');
  const other = key === 'ArrowUp' ? row?.previousElementSibling : row?.nextElementSibling;
  other?.querySelector<HTMLElement>('[role=slider]')?.focus();
};

function Drawn({ day, colours }: Pick<DayBarProps, 'day' | 'colours'>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useColourScheme();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => paintDay(element, day, { colours, scheme, width: element.clientWidth }));
    watch.observe(element);
    return () => watch.disconnect();
  }, [day, colours, scheme]);
  return <canvas ref={canvas} style={{ height: BAR_HEIGHT }} aria-hidden="true" />;
}

/** A day as a bar, drawn once it is near to be seen, with a cursor that pointer and keys move. */
export function DayBar({ day, colours, sleeps, place }: DayBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const isNear = useWidthNearViewport(bar) !== undefined;
  const [at, setAt] = useState<number>();
  const said = at === undefined ? undefined : saidAt(day, at);
  const shareOf = (moment: number): number => (moment - day.from) / day.length;

  const go = (moment: number): void => {
    const known = Math.min(day.until - 1, Math.max(day.from, moment));
    place.keep(known - day.from);
    setAt(known);
  };
  const point = (event: PointerEvent<HTMLElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const moment = day.from + ((event.clientX - box.left) / box.width) * day.length;
    if (moment < day.until) go(moment);
    else setAt(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = moved(at ?? day.from, event.key, day, event.shiftKey);
    const isBeside = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    if (target === undefined && !isBeside) return;
    event.preventDefault();
    if (target === undefined) focusBeside(event.currentTarget, event.key);
    else go(target);
  };

  return (
    <div
      ref={bar}
      className={styles['bar']}
      role="slider"
      tabIndex={0}
      aria-label={`${day.weekday} ${day.label}`}
      aria-valuemin={0}
      aria-valuemax={Math.round(day.length / 60)}
      aria-valuenow={Math.round(((at ?? day.from) - day.from) / 60)}
      aria-valuetext={said ? `${said.clock}, ${said.status}, ${said.span}` : summary(day.stretches)}
      onKeyDown={onKeyDown}
      onFocus={() => {
        if (at === undefined) go(day.from + place.last());
      }}
      onBlur={() => setAt(undefined)}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse' && document.activeElement !== event.currentTarget) setAt(undefined);
      }}
    >
      {isNear ? <Drawn day={day} colours={colours} /> : null}
      {sleeps.map(({ from, until }) => (
        <span
          key={from}
          style={{ left: percent(shareOf(from)), right: percent(1 - shareOf(until)) }}
          className={styles['sleep']}
          aria-hidden="true"
        />
      ))}
      {day.goesOn ? (
        <span className={styles['now']} style={{ left: percent(shareOf(day.until)) }} data-now aria-hidden="true" />
      ) : null}
      {said && at !== undefined ? (
        <>
          <span className={styles['cursor']} style={{ left: percent(shareOf(at)) }} aria-hidden="true" />
          <span
            className={`${styles['tip']} num`}
            data-side={shareOf(at) > 0.5 ? 'left' : 'right'}
            style={{ '--at': percent(shareOf(at)) } as CSSProperties}
            aria-hidden="true"
          >
            <b>{said.clock}</b>
            <span>{said.status}</span>
            <span>{said.span}</span>
          </span>
        </>
      ) : null}
    </div>
  );
}
