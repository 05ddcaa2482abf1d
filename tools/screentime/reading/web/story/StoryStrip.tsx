import { useEffect, useRef, useState, type ChangeEvent, type PointerEvent } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { resolveColour, useColourScheme } from '#platform/web/theme/scheme.ts';
import type { StoryInterval } from '../../../usage/domain/interval.ts';
import { listIntervalsAt } from '../../domain/dayStory.ts';
import { dayClock } from '../timeline/dayClock.ts';
import styles from './Story.module.css';

const HOUR = 60;
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21, 24];
const HEIGHT = 56;
/** Top and bottom in px: focus, sound, open. */
const LANES = { on: [0, 30], s: [34, 42], r: [34, 42], off: [46, 56] } as const;
/** Open intervals overlap: the more of them, the darker. */
const OPEN_ALPHA = 0.18;
/** Max open applications in a sentence. */
const MAX_NAMES = 8;

interface StripProps {
  /** Name of the computer, if there are several. */
  readonly name: string;
  readonly date: string;
  readonly stretches: readonly StoryInterval[];
  readonly getColour: (application: string) => string;
  /** Called with the focused interval at a pressed moment. */
  readonly onPick: (interval: StoryInterval) => void;
}

const paint = (
  canvas: HTMLCanvasElement,
  {
    date,
    stretches: intervals,
    getColour,
  }: Pick<StripProps, 'date' | 'stretches' | 'getColour'> & { readonly scheme: string },
  width: number,
): void => {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = resolveColour('var(--sunken)');
  for (const [top, bottom] of [LANES.on, LANES.s, LANES.off]) context.fillRect(0, top, width, bottom - top);
  const { begin, length } = dayClock(date);
  const at = (moment: number): number => Math.min(1, Math.max(0, (moment - begin) / length)) * width;
  for (const { status, application, from, until } of intervals) {
    const [top, bottom] = LANES[status];
    context.globalAlpha = status === 'off' ? OPEN_ALPHA : 1;
    context.fillStyle = status === 'off' ? resolveColour('var(--text-3)') : getColour(application);
    context.fillRect(at(from), top, Math.max(0.75, at(until) - at(from)), bottom - top);
  }
};

const listNames = (intervals: readonly StoryInterval[], status: StoryInterval['status']): readonly string[] => [
  ...new Set(intervals.filter((each) => each.status === status).map(({ application }) => application)),
];

/** Describes everything at a moment. */
const describeAt = (intervals: readonly StoryInterval[], moment: number): string => {
  const now = listIntervalsAt(intervals, moment);
  const [focus] = now.filter(({ status }) => status === 'on');
  const open = listNames(now, 'off');
  const parts = [
    focus ? `in focus ${focus.application}${focus.title ? ` (${focus.title})` : ''}` : 'nothing in focus',
    ...(listNames(now, 's').length > 0 ? [`playing ${listNames(now, 's').join(', ')}`] : []),
    ...(listNames(now, 'r').length > 0 ? [`recording ${listNames(now, 'r').join(', ')}`] : []),
    ...(open.length > 0
      ? [
          `open ${open.slice(0, MAX_NAMES).join(', ')}${open.length > MAX_NAMES ? ` and ${open.length - MAX_NAMES} more` : ''}`,
        ]
      : []),
  ];
  return `${formatClockTime(moment)}: ${parts.join('; ')}`;
};

/** A computer's day as a strip; pointer and arrow keys read every minute. */
export function Strip({ name, date, stretches: intervals, getColour, onPick }: StripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useColourScheme();
  const [minute, setMinute] = useState<number>();
  const { begin, length, toPercent } = dayClock(date);
  const minutes = Math.round(length / MINUTE_MS);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const draw = (): void => paint(element, { date, stretches: intervals, getColour, scheme }, element.clientWidth);
    const watch = new ResizeObserver(draw);
    watch.observe(element);
    return () => watch.disconnect();
  }, [date, intervals, getColour, scheme]);
  const pointed = (event: PointerEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    return Math.min(minutes - 1, Math.max(0, Math.floor(share * minutes)));
  };
  const toMoment = (at: number): number => begin + at * MINUTE_MS;
  const pick = (at: number): void => {
    // Anywhere in the minute, or short intervals could not be hit.
    const [from, until] = [toMoment(at), toMoment(at + 1)];
    const match = intervals.find((each) => each.status === 'on' && each.from < until && each.until > from);
    if (match) onPick(match);
  };
  const reading = minute === undefined ? '' : describeAt(intervals, toMoment(minute));
  const onKeys = (event: ChangeEvent<HTMLInputElement>): void => setMinute(Number(event.currentTarget.value));
  return (
    <div className={styles['strip']}>
      {name === '' ? null : <h3 dir="auto">{name}</h3>}
      <div className={styles['hours']} aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour} style={{ left: `${toPercent(hour * HOUR)}%` }}>
            {padTwo(hour)}
          </span>
        ))}
      </div>
      <div
        className={styles['lanes']}
        onPointerMove={(event) => setMinute(pointed(event))}
        onPointerLeave={() => setMinute(undefined)}
        onPointerUp={(event) => pick(pointed(event))}
      >
        <canvas ref={canvas} style={{ height: HEIGHT }} />
        {minute === undefined ? null : <i style={{ left: `${(100 * minute) / minutes}%` }} />}
        <input
          type="range"
          min={0}
          max={minutes - 1}
          value={minute ?? 0}
          aria-label={name === '' ? 'Timeline of the day' : `Timeline of the day on ${name}`}
          aria-valuetext={reading === '' ? describeAt(intervals, toMoment(0)) : reading}
          onChange={onKeys}
          onFocus={() => setMinute(minute ?? Math.floor(minutes / 2))}
          onBlur={() => setMinute(undefined)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && minute !== undefined) pick(minute);
          }}
        />
      </div>
      <p className={`${styles['cursorText']} num`} dir="auto">
        {reading === '' ? 'Top: in focus. Middle: playing or recording sound. Bottom: open' : reading}
      </p>
    </div>
  );
}
