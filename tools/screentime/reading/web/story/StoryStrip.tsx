import { useEffect, useRef, useState, type ChangeEvent, type PointerEvent } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { resolveColour, useColourScheme } from '#platform/web/theme/colourScheme.ts';
import type { StoryInterval } from '../../../usage/domain/interval.ts';
import { listIntervalsAt } from '../../domain/dayStory.ts';
import { getDayClock } from '../timeline/dayClock.ts';
import styles from './Story.module.css';

const HOUR_MINUTES = 60;
const LABELLED_HOURS = [0, 3, 6, 9, 12, 15, 18, 21, 24];
const HEIGHT_PX = 56;
/** Top and bottom in px: focus, sound, open. */
const LANE_BOUNDS = { on: [0, 30], s: [34, 42], r: [34, 42], off: [46, 56] } as const;
/** Open intervals overlap: the more of them, the darker. */
const OPEN_ALPHA = 0.18;
/** Max open applications in a sentence. */
const MAX_OPEN_NAMES = 8;

interface StoryStripProps {
  /** Name of the computer, if there are several. */
  readonly name: string;
  readonly date: string;
  readonly intervals: readonly StoryInterval[];
  readonly getColour: (application: string) => string;
  /** Called with the focused interval at a pressed moment. */
  readonly onPick: (interval: StoryInterval) => void;
}

function paint(
  canvas: HTMLCanvasElement,
  {
    date,
    intervals,
    getColour,
  }: Pick<StoryStripProps, 'date' | 'intervals' | 'getColour'> & { readonly scheme: string },
  width: number,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT_PX * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = resolveColour('var(--sunken)');
  for (const [top, bottom] of [LANE_BOUNDS.on, LANE_BOUNDS.s, LANE_BOUNDS.off])
    context.fillRect(0, top, width, bottom - top);
  const { start, length } = getDayClock(date);
  const toX = (moment: number): number => Math.min(1, Math.max(0, (moment - start) / length)) * width;
  for (const { status, application, from, until } of intervals) {
    const [top, bottom] = LANE_BOUNDS[status];
    context.globalAlpha = status === 'off' ? OPEN_ALPHA : 1;
    context.fillStyle = status === 'off' ? resolveColour('var(--text-3)') : getColour(application);
    context.fillRect(toX(from), top, Math.max(0.75, toX(until) - toX(from)), bottom - top);
  }
}

const listNames = (intervals: readonly StoryInterval[], status: StoryInterval['status']): readonly string[] => [
  ...new Set(intervals.filter((interval) => interval.status === status).map(({ application }) => application)),
];

/** Describes everything at a moment. */
function describeAt(intervals: readonly StoryInterval[], moment: number): string {
  const current = listIntervalsAt(intervals, moment);
  const [focus] = current.filter(({ status }) => status === 'on');
  const open = listNames(current, 'off');
  const phrases = [
    focus ? `in focus ${focus.application}${focus.title ? ` (${focus.title})` : ''}` : 'nothing in focus',
    ...(listNames(current, 's').length > 0 ? [`playing ${listNames(current, 's').join(', ')}`] : []),
    ...(listNames(current, 'r').length > 0 ? [`recording ${listNames(current, 'r').join(', ')}`] : []),
    ...(open.length > 0
      ? [
          `open ${open.slice(0, MAX_OPEN_NAMES).join(', ')}${open.length > MAX_OPEN_NAMES ? ` and ${open.length - MAX_OPEN_NAMES} more` : ''}`,
        ]
      : []),
  ];
  return `${formatClockTime(moment)}: ${phrases.join('; ')}`;
}

/** A computer's day as a strip; pointer and arrow keys read every minute. */
export function StoryStrip({ name, date, intervals, getColour, onPick }: StoryStripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useColourScheme();
  const [minute, setMinute] = useState<number>();
  const { start, length, toPercent } = getDayClock(date);
  const minutes = Math.round(length / MINUTE_MS);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const draw = (): void => paint(element, { date, intervals, getColour, scheme }, element.clientWidth);
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [date, intervals, getColour, scheme]);
  function getMinuteAt(event: PointerEvent<HTMLElement>): number {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    return Math.min(minutes - 1, Math.max(0, Math.floor(share * minutes)));
  }
  const toMoment = (minuteOfDay: number): number => start + minuteOfDay * MINUTE_MS;
  function selectAt(minuteOfDay: number): void {
    // Anywhere in the minute, or short intervals could not be hit.
    const [from, until] = [toMoment(minuteOfDay), toMoment(minuteOfDay + 1)];
    const match = intervals.find(
      (interval) => interval.status === 'on' && interval.from < until && interval.until > from,
    );
    if (match) onPick(match);
  }
  const description = minute === undefined ? '' : describeAt(intervals, toMoment(minute));
  const handleChange = (event: ChangeEvent<HTMLInputElement>): void => setMinute(Number(event.currentTarget.value));
  return (
    <div className={styles['strip']}>
      {name === '' ? null : <h3 dir="auto">{name}</h3>}
      <div className={styles['hours']} aria-hidden="true">
        {LABELLED_HOURS.map((hour) => (
          <span key={hour} style={{ left: `${toPercent(hour * HOUR_MINUTES)}%` }}>
            {padTwo(hour)}
          </span>
        ))}
      </div>
      <div
        className={styles['lanes']}
        onPointerMove={(event) => setMinute(getMinuteAt(event))}
        onPointerLeave={() => setMinute(undefined)}
        onPointerUp={(event) => selectAt(getMinuteAt(event))}
      >
        <canvas ref={canvas} style={{ height: HEIGHT_PX }} />
        {minute === undefined ? null : <i style={{ left: `${(100 * minute) / minutes}%` }} />}
        <input
          type="range"
          min={0}
          max={minutes - 1}
          value={minute ?? 0}
          aria-label={name === '' ? 'Timeline of the day' : `Timeline of the day on ${name}`}
          aria-valuetext={description === '' ? describeAt(intervals, toMoment(0)) : description}
          onChange={handleChange}
          onFocus={() => setMinute(minute ?? Math.floor(minutes / 2))}
          onBlur={() => setMinute(undefined)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && minute !== undefined) selectAt(minute);
          }}
        />
      </div>
      <p className={`${styles['cursorText']} num`} dir="auto">
        {description === '' ? 'Top: in focus. Middle: playing or recording sound. Bottom: open' : description}
      </p>
    </div>
  );
}
