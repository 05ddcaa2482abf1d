import { MINUTE_MS, SECOND_MS } from '#platform/contract/duration.ts';
import {
  MAX_COUNTDOWN_MS,
  shiftCountdown,
  MIN_COUNTDOWN_MS,
  getCountdownView,
  type Countdown,
  type Milliseconds,
} from './countdown.ts';
import { MAX_LAPS, shiftStopwatch, getElapsed, type Stopwatch } from './stopwatch.ts';
import { MAX_TIMERS, createTimers, parseName, type NamedTimer, type Timers } from './timers.ts';

const DEFAULT_LENGTHS: readonly Milliseconds[] = [1, 5, 10, 25, 60].map((minutes) => minutes * MINUTE_MS);
/** Maximum number of recent lengths beside the defaults. */
const MAX_RECENT_LENGTHS = 3;

/** Parses the stored recent lengths, latest first. Ignores what is invalid. */
export function parseRecentLengths(text: string | undefined): readonly Milliseconds[] {
  return [
    ...new Set(
      (text ?? '')
        .split(' ')
        .filter((part) => /^\d{1,6}$/u.test(part))
        .map((part) => Number(part) * SECOND_MS),
    ),
  ]
    .filter((length) => length >= MIN_COUNTDOWN_MS && length <= MAX_COUNTDOWN_MS && !DEFAULT_LENGTHS.includes(length))
    .slice(0, MAX_RECENT_LENGTHS);
}

/** Returns the recent lengths to store after this length was used. */
export function addRecentLength(text: string | undefined, length: Milliseconds): string {
  return parseRecentLengths(
    [String(length / SECOND_MS), ...parseRecentLengths(text).map((recentLength) => recentLength / SECOND_MS)].join(' '),
  )
    .map((recentLength) => recentLength / SECOND_MS)
    .join(' ');
}

/** Adds the defaults. The result is sorted, so that a button keeps its place among its neighbours. */
export function toPresets(recent: readonly Milliseconds[]): readonly Milliseconds[] {
  return [...DEFAULT_LENGTHS, ...recent].toSorted((a, b) => a - b);
}

/** Version of the stored text. Increase it with each incompatible change; texts of later versions are ignored. */
const FORMAT_VERSION = 1;
/** More than any text of this version: 20 timers and 1,000 laps. */
const MAX_TEXT_LENGTH = 100_000;

const shiftTimers = ({ timers, chosen, stopwatch }: Timers, by: Milliseconds): Timers => ({
  timers: timers.map((timer) => ({ ...timer, countdown: shiftCountdown(timer.countdown, by) })),
  chosen,
  stopwatch: shiftStopwatch(stopwatch, by),
});

/**
 * Serializes the timers. `now` is the timers' own clock; `wall` is the computer's clock, by which the next visit reads
 * them. The two differ if the computer's clock was set.
 */
export function serializeTimers(state: Timers, now: Milliseconds, wall: Milliseconds = now): string {
  const { timers, chosen, stopwatch } = shiftTimers(state, Math.round(wall) - Math.round(now));
  const starts = [...timers.map(({ countdown }) => countdown.since), stopwatch.since];
  const savedAt = Math.max(Math.round(wall), ...starts.filter((since) => since !== undefined));
  return JSON.stringify({ form: FORMAT_VERSION, written: savedAt, timers, chosen, stopwatch });
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of an object that has all `required` keys, and otherwise only `optional` ones. */
function getFields(value: unknown, required: readonly string[], optional: readonly string[] = []): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const hasOnlyKnownKeys = Object.keys(value).every((key) => required.includes(key) || optional.includes(key));
  return hasOnlyKnownKeys && required.every((key) => Object.hasOwn(value, key)) ? { ...value } : undefined;
}

const isIntegerInRange = (value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;

/** Parses a list. Returns undefined if an item is invalid or the list is too long. */
function parseList<T>(
  value: unknown,
  max: number,
  parseItem: (value: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value) || value.length > max) return undefined;
  const items = value.map(parseItem).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

const isValidStart = (since: unknown, savedAt: number): since is number | undefined =>
  since === undefined || isIntegerInRange(since, Number.MIN_SAFE_INTEGER, savedAt);

function parseCountdown(value: unknown, savedAt: number): Countdown | undefined {
  const fields = getFields(value, ['loop', 'left', 'rounds', 'heard'], ['since', 'once']);
  if (!fields) return undefined;
  const { loop, left, rounds, heard, since, once } = fields;
  if (
    !isIntegerInRange(loop, MIN_COUNTDOWN_MS, MAX_COUNTDOWN_MS) ||
    !isIntegerInRange(left, 1, MAX_COUNTDOWN_MS) ||
    !isValidStart(since, savedAt)
  )
    return undefined;
  if (!isIntegerInRange(rounds, 0) || !isIntegerInRange(heard, 0) || (once !== undefined && once !== true))
    return undefined;
  const countdown: Countdown = {
    loop,
    left,
    rounds,
    heard,
    ...(since === undefined ? {} : { since }),
    ...(once === true && { once }),
  };
  return heard <= getCountdownView(countdown, savedAt).rounds ? countdown : undefined;
}

function parseTimer(value: unknown, savedAt: number): NamedTimer | undefined {
  const fields = getFields(value, ['id', 'name', 'countdown']);
  if (!fields) return undefined;
  const { id, name } = fields;
  const countdown = parseCountdown(fields['countdown'], savedAt);
  if (!countdown || !isIntegerInRange(id, 1) || typeof name !== 'string') return undefined;
  const parsed = parseName(name);
  return 'name' in parsed && parsed.name === name ? { id, name, countdown } : undefined;
}

function parseStopwatch(value: unknown, savedAt: number): Stopwatch | undefined {
  const fields = getFields(value, ['ran', 'laps'], ['since']);
  if (!fields) return undefined;
  const { ran, since } = fields;
  const laps = parseList(fields['laps'], MAX_LAPS, (total) => (isIntegerInRange(total, 0) ? total : undefined));
  if (!laps || !isIntegerInRange(ran, 0) || !isValidStart(since, savedAt)) return undefined;
  const stopwatch = { ran, laps, ...(since === undefined ? {} : { since }) };
  const elapsed = getElapsed(stopwatch, savedAt);
  return laps.every((total, index) => total >= (laps[index - 1] ?? 0) && total <= elapsed) ? stopwatch : undefined;
}

function toTimers(value: unknown, now: Milliseconds): Timers | undefined {
  const fields = getFields(value, ['form', 'written', 'timers', 'chosen', 'stopwatch']);
  if (!fields || fields['form'] !== FORMAT_VERSION) return undefined;
  const { written: savedAt, chosen } = fields;
  if (!isIntegerInRange(savedAt, Number.MIN_SAFE_INTEGER)) return undefined;
  const timers = parseList(fields['timers'], MAX_TIMERS, (timer) => parseTimer(timer, savedAt));
  const stopwatch = parseStopwatch(fields['stopwatch'], savedAt);
  if (!timers || !stopwatch || new Set(timers.map(({ id }) => id)).size !== timers.length) return undefined;
  if (!isIntegerInRange(chosen, 1) || !timers.some(({ id }) => id === chosen)) return undefined;
  return shiftTimers({ timers, chosen, stopwatch }, Math.min(0, Math.round(now) - savedAt));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses what `serializeTimers` wrote, and lets running timers continue. No time has passed if the clock was set back.
 * Anything else returns the timers of a new visitor.
 */
export function parseTimers(text: string | undefined, now: Milliseconds): Timers {
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return createTimers();
  return toTimers(parseJson(text), now) ?? createTimers();
}
