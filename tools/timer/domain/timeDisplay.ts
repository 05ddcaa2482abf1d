import { HOUR_SECONDS, SECOND_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { type Milliseconds, getCountdownView, type Countdown, type CountdownUpdate } from './countdown.ts';
import { getElapsed, type Stopwatch } from './stopwatch.ts';

/** Formats whole seconds as `mm:ss`. From 100 minutes on, the minutes have as many digits as they need. */
const formatClock = (seconds: number): string => `${padTwo(Math.floor(seconds / 60))}:${padTwo(seconds % 60)}`;

/** Returns the remaining seconds, rounded up: a full loop is shown as `10:00`, its last second as `00:01`. */
export function toRemainingSeconds(remaining: Milliseconds): number {
  return Math.max(0, Math.ceil(remaining / SECOND_MS));
}

/** Formats the remaining time of a countdown as `mm:ss`. */
export function formatRemaining(remaining: Milliseconds): string {
  return formatClock(toRemainingSeconds(remaining));
}

/** Formats the elapsed time of a stopwatch as `mm:ss`. */
export function formatElapsed(ran: Milliseconds): string {
  return formatClock(Math.floor(Math.max(0, ran) / SECOND_MS));
}

/** Formats the elapsed time of a stopwatch or lap as `mm:ss.hh`. */
export function formatHundredths(ran: Milliseconds): string {
  const hundredths = Math.floor(Math.max(0, ran) / 10);
  return `${formatClock(Math.floor(hundredths / 100))}.${padTwo(hundredths % 100)}`;
}

export interface TitleOptions {
  readonly remaining: Milliseconds;
  /** A round has ended, and the user has not reacted yet. */
  readonly hasEnded?: boolean;
  /** Set if there are several timers. */
  readonly name?: string;
}

/** Formats the document title. The time is before the name, because tabs are narrow. */
export function formatTitle({ remaining, hasEnded = false, name = '' }: TitleOptions): string {
  return [hasEnded ? 'Time is up' : '', formatRemaining(remaining), name].filter((part) => part !== '').join(' · ');
}

const formatCount = (count: number, unit: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];

/** Formats a length for screen readers: `1 hour 2 minutes 5 seconds`. */
export function formatSpokenLength(seconds: number): string {
  const parts = [
    ...formatCount(Math.floor(seconds / HOUR_SECONDS), 'hour'),
    ...formatCount(Math.floor(seconds / 60) % 60, 'minute'),
    ...formatCount(seconds % 60, 'second'),
  ];
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** Formats a length for a button: `1 h 30 min`, `25 min`, `45 s`. */
export function formatShortLength(seconds: number): string {
  return [
    [Math.floor(seconds / HOUR_SECONDS), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Formats the accessible name of the digits: `7 minutes 42 seconds left`. */
export function formatSpokenRemaining(remaining: Milliseconds): string {
  return `${formatSpokenLength(toRemainingSeconds(remaining))} left`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const ORDINAL_RULES = new Intl.PluralRules('en', { type: 'ordinal' });
const ORDINAL_SUFFIXES = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' };

/** Formats the number of the current round: `third round`, `21st round`. */
export function formatRound(rounds: number): string {
  return `${ORDINALS[rounds] ?? `${rounds + 1}${ORDINAL_SUFFIXES[ORDINAL_RULES.select(rounds + 1)]}`} round`;
}

const prefixName = (name: string | undefined, sentence: string): string =>
  name === undefined || name === '' ? sentence : `${name}: ${sentence}`;

/** Returns the screen reader announcement for ends of rounds; undefined if there were none. */
export function describeEnds({ endCount, countdown }: CountdownUpdate, name?: string): string | undefined {
  if (endCount === 0) return undefined;
  const next = formatSpokenLength(toRemainingSeconds(countdown.loop));
  const sentence = endCount === 1 ? 'Time is up' : `Time was up ${endCount} times`;
  return prefixName(
    name,
    countdown.since === undefined ? sentence : `${sentence}. The next round of ${next} has started`,
  );
}

/** Returns the screen reader announcement for a change. Only start and pause are announced. */
export function describeChange(
  before: Countdown,
  after: Countdown,
  now: Milliseconds,
  name?: string,
): string | undefined {
  const { isRunning, remaining } = getCountdownView(after, now);
  if (isRunning === getCountdownView(before, now).isRunning) return undefined;
  return prefixName(name, `${isRunning ? 'Started' : 'Paused'}, ${formatSpokenRemaining(remaining)}`);
}

/** Returns the announcement for a change of the stopwatch. Laps and reset are silent. */
export function describeStopwatchChange(before: Stopwatch, after: Stopwatch, now: Milliseconds): string | undefined {
  const isRunning = after.since !== undefined;
  if (isRunning === (before.since !== undefined)) return undefined;
  const elapsed = formatSpokenLength(Math.floor(getElapsed(after, now) / 1000));
  return isRunning ? 'Stopwatch started' : `Stopwatch paused at ${elapsed}`;
}
