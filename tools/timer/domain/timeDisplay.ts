import { SECOND, type Milliseconds, at, type Countdown, type Look } from './countdown.ts';
import { ranAt, type Stopwatch } from './stopwatch.ts';

const two = (count: number): string => String(count).padStart(2, '0');

/** `mm:ss` of whole seconds; beyond 99 minutes the minutes have as many digits as they need. */
const clockText = (seconds: number): string => `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;

/** A second counts as left until it has passed, so a whole loop of ten minutes is `10:00` and its last second `00:01`. */
export function secondsLeft(left: Milliseconds): number {
  return Math.max(0, Math.ceil(left / SECOND));
}

/** What is left of a countdown: `mm:ss`. */
export function leftText(left: Milliseconds): string {
  return clockText(secondsLeft(left));
}

/** What a stopwatch shows: `mm:ss` of the seconds that have passed. */
export function ranText(ran: Milliseconds): string {
  return clockText(Math.floor(Math.max(0, ran) / SECOND));
}

/** `mm:ss.hh`: a stopwatch or lap to the hundredth that has passed. */
export function hundredthsText(ran: Milliseconds): string {
  const hundredths = Math.floor(Math.max(0, ran) / 10);
  return `${clockText(Math.floor(hundredths / 100))}.${two(hundredths % 100)}`;
}

export interface TitleOf {
  readonly left: Milliseconds;
  /** A round has ended that nobody has acted on. */
  readonly ended?: boolean;
  /** Told where there are several timers. */
  readonly name?: string;
}

/** The document's title: the time left, marked after an end. The time comes before the name: tabs are narrow. */
export function titleText({ left, ended = false, name = '' }: TitleOf): string {
  return [ended ? 'Time is up' : '', leftText(left), name].filter((part) => part !== '').join(' · ');
}

const counted = (count: number, unit: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];

/** A length in words, for ears: `1 hour 2 minutes 5 seconds`. */
export function spokenText(seconds: number): string {
  const parts = [
    ...counted(Math.floor(seconds / 3600), 'hour'),
    ...counted(Math.floor(seconds / 60) % 60, 'minute'),
    ...counted(seconds % 60, 'second'),
  ];
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** A length as short as a button has room for: `1 h 30 min`, `25 min`, `45 s`. */
export function shortText(seconds: number): string {
  return [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** The name of the digits: `7 minutes 42 seconds left`. */
export function spokenLeft(left: Milliseconds): string {
  return `${spokenText(secondsLeft(left))} left`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const PLURALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' };

/** The round that is shown after so many have ended: `third round`, `21st round`. */
export function roundText(rounds: number): string {
  return `${ORDINALS[rounds] ?? `${rounds + 1}${ENDINGS[PLURALS.select(rounds + 1)]}`} round`;
}

const named = (name: string | undefined, sentence: string): string =>
  name === undefined || name === '' ? sentence : `${name}: ${sentence}`;

/** What a screen reader is told of the ends a look found; nothing where there were none. */
export function announceEnds({ ends, countdown }: Look, name?: string): string | undefined {
  if (ends === 0) return undefined;
  const next = spokenText(secondsLeft(countdown.loop));
  const often = ends === 1 ? 'Time is up.' : `Time was up ${ends} times.`;
  return named(name, countdown.since === undefined ? often : `${often} The next round of ${next} has begun.`);
}

/** What a screen reader is told of a change: of start and pause, and of nothing else. */
export function announceChange(
  before: Countdown,
  after: Countdown,
  now: Milliseconds,
  name?: string,
): string | undefined {
  const { running, left } = at(after, now);
  if (running === at(before, now).running) return undefined;
  return named(name, `${running ? 'Started' : 'Paused'}, ${spokenLeft(left)}.`);
}

/** The same of the stopwatch: laps and reset are silent. */
export function announceStopwatch(before: Stopwatch, after: Stopwatch, now: Milliseconds): string | undefined {
  const running = after.since !== undefined;
  if (running === (before.since !== undefined)) return undefined;
  const ran = spokenText(Math.floor(ranAt(after, now) / 1000));
  return running ? 'Stopwatch started.' : `Stopwatch paused at ${ran}.`;
}
