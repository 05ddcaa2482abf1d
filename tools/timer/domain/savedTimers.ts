import {
  MAX_COUNTDOWN_MS,
  moved,
  MIN_COUNTDOWN_MS,
  at as shownAt,
  type Countdown,
  type Milliseconds,
  SECOND,
} from './countdown.ts';
import { MAX_LAPS, movedStopwatch, ranAt, type Stopwatch } from './stopwatch.ts';
import { MAX_TIMERS, newTimers, readName, type NamedTimer, type Timers } from './timers.ts';

const MINUTE: Milliseconds = 60 * SECOND;
const DEFAULTS: readonly Milliseconds[] = [1, 5, 10, 25, 60].map((minutes) => minutes * MINUTE);
/** Lengths used last that stand beside the defaults. */
const MAX_RECENT = 3;

/** The lengths used last out of the browser's text, the latest first; what cannot be read is left out. */
export function recentFrom(text: string | undefined): readonly Milliseconds[] {
  return [
    ...new Set(
      (text ?? '')
        .split(' ')
        .filter((part) => /^\d{1,6}$/u.test(part))
        .map((part) => Number(part) * SECOND),
    ),
  ]
    .filter((length) => length >= MIN_COUNTDOWN_MS && length <= MAX_COUNTDOWN_MS && !DEFAULTS.includes(length))
    .slice(0, MAX_RECENT);
}

/** The browser's text once this length has been used. */
export function recentWith(text: string | undefined, length: Milliseconds): string {
  return recentFrom([String(length / SECOND), ...recentFrom(text).map((each) => each / SECOND)].join(' '))
    .map((each) => each / SECOND)
    .join(' ');
}

/** Lengths to choose from, the shortest first, so that a button keeps its place among its neighbours. */
export function presetsOf(recent: readonly Milliseconds[]): readonly Milliseconds[] {
  return [...DEFAULTS, ...recent].toSorted((one, other) => one - other);
}

/** Raised with every form that this program cannot read; a text of a later one is not guessed at. */
const FORM = 1;
/** More than any text of ours: 20 timers and 1,000 laps. */
const MAX_TEXT_LENGTH = 100_000;

const movedTimers = ({ timers, chosen, stopwatch }: Timers, by: Milliseconds): Timers => ({
  timers: timers.map((timer) => ({ ...timer, countdown: moved(timer.countdown, by) })),
  chosen,
  stopwatch: movedStopwatch(stopwatch, by),
});

/**
 * The timers as text. `now` is the time they go by; `wall` is what the computer's clock says, by which the next visit
 * will read them: the two differ once somebody has set that clock.
 */
export function savedText(all: Timers, now: Milliseconds, wall: Milliseconds = now): string {
  const { timers, chosen, stopwatch } = movedTimers(all, Math.round(wall) - Math.round(now));
  const starts = [...timers.map(({ countdown }) => countdown.since), stopwatch.since];
  const written = Math.max(Math.round(wall), ...starts.filter((since) => since !== undefined));
  return JSON.stringify({ form: FORM, written, timers, chosen, stopwatch });
}

type Fields = Readonly<Record<string, unknown>>;

/** The value's fields where it is an object with all of the one kind of key, maybe some of the other, and no more. */
const fieldsOf = (value: unknown, needed: readonly string[], allowed: readonly string[] = []): Fields | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const known = Object.keys(value).every((key) => needed.includes(key) || allowed.includes(key));
  return known && needed.every((key) => Object.hasOwn(value, key)) ? { ...value } : undefined;
};

const isWhole = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

/** The list with every item read, or nothing where one cannot be. */
const listOf = <T>(value: unknown, most: number, item: (value: unknown) => T | undefined): readonly T[] | undefined => {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const items = value.map(item).filter((read) => read !== undefined);
  return items.length === value.length ? items : undefined;
};

const isStart = (since: unknown, written: number): since is number | undefined =>
  since === undefined || isWhole(since, Number.MIN_SAFE_INTEGER, written);

const countdownOf = (value: unknown, written: number): Countdown | undefined => {
  const fields = fieldsOf(value, ['loop', 'left', 'rounds', 'heard'], ['since', 'once']);
  if (!fields) return undefined;
  const { loop, left, rounds, heard, since, once } = fields;
  if (
    !isWhole(loop, MIN_COUNTDOWN_MS, MAX_COUNTDOWN_MS) ||
    !isWhole(left, 1, MAX_COUNTDOWN_MS) ||
    !isStart(since, written)
  )
    return undefined;
  if (!isWhole(rounds, 0) || !isWhole(heard, 0) || (once !== undefined && once !== true)) return undefined;
  const countdown: Countdown = {
    loop,
    left,
    rounds,
    heard,
    ...(since === undefined ? {} : { since }),
    ...(once === true && { once }),
  };
  return heard <= shownAt(countdown, written).rounds ? countdown : undefined;
};

const timerOf = (value: unknown, written: number): NamedTimer | undefined => {
  const fields = fieldsOf(value, ['id', 'name', 'countdown']);
  if (!fields) return undefined;
  const { id, name } = fields;
  const countdown = countdownOf(fields['countdown'], written);
  if (!countdown || !isWhole(id, 1) || typeof name !== 'string') return undefined;
  const read = readName(name);
  return 'name' in read && read.name === name ? { id, name, countdown } : undefined;
};

const stopwatchOf = (value: unknown, written: number): Stopwatch | undefined => {
  const fields = fieldsOf(value, ['ran', 'laps'], ['since']);
  if (!fields) return undefined;
  const { ran, since } = fields;
  const laps = listOf(fields['laps'], MAX_LAPS, (total) => (isWhole(total, 0) ? total : undefined));
  if (!laps || !isWhole(ran, 0) || !isStart(since, written)) return undefined;
  const stopwatch = { ran, laps, ...(since === undefined ? {} : { since }) };
  const shown = ranAt(stopwatch, written);
  return laps.every((total, index) => total >= (laps[index - 1] ?? 0) && total <= shown) ? stopwatch : undefined;
};

const timersOf = (value: unknown, now: Milliseconds): Timers | undefined => {
  const fields = fieldsOf(value, ['form', 'written', 'timers', 'chosen', 'stopwatch']);
  if (!fields || fields['form'] !== FORM) return undefined;
  const { written, chosen } = fields;
  if (!isWhole(written, Number.MIN_SAFE_INTEGER)) return undefined;
  const timers = listOf(fields['timers'], MAX_TIMERS, (timer) => timerOf(timer, written));
  const stopwatch = stopwatchOf(fields['stopwatch'], written);
  if (!timers || !stopwatch || new Set(timers.map(({ id }) => id)).size !== timers.length) return undefined;
  if (!isWhole(chosen, 1) || !timers.some(({ id }) => id === chosen)) return undefined;
  return movedTimers({ timers, chosen, stopwatch }, Math.min(0, Math.round(now) - written));
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON: as good as nothing kept, and `timersFrom` says what stands in.
  }
};

/**
 * The timers of a text that `savedText` wrote; what ran has gone on since. Where the clock has been put back behind the
 * writing, no time has passed. Anything else than such a text, or none, gives the timers a new visitor has.
 */
export function timersFrom(text: string | undefined, now: Milliseconds): Timers {
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return newTimers();
  return timersOf(parsed(text), now) ?? newTimers();
}
