import { MAX_COUNTDOWN_MS, SECOND, MIN_COUNTDOWN_MS, type Milliseconds } from './countdown.ts';

const MINUTE: Milliseconds = 60 * SECOND;
const DEFAULTS: readonly Milliseconds[] = [1, 5, 10, 25, 60].map((minutes) => minutes * MINUTE);
/** Lengths used last that stand beside the defaults. */
const MAX_RECENT = 3;

/** The lengths used last out of the browser's text, the latest first; what cannot be read is left out. */
export const recentFrom = (text: string | undefined): readonly Milliseconds[] =>
  [
    ...new Set(
      (text ?? '')
        .split(' ')
        .filter((part) => /^\d{1,6}$/u.test(part))
        .map((part) => Number(part) * SECOND),
    ),
  ]
    .filter((length) => length >= MIN_COUNTDOWN_MS && length <= MAX_COUNTDOWN_MS && !DEFAULTS.includes(length))
    .slice(0, MAX_RECENT);

/** The browser's text once this length has been used. */
export const recentWith = (text: string | undefined, length: Milliseconds): string =>
  recentFrom([String(length / SECOND), ...recentFrom(text).map((each) => each / SECOND)].join(' '))
    .map((each) => each / SECOND)
    .join(' ');

/** Lengths to choose from, the shortest first, so that a button keeps its place among its neighbours. */
export const presetsOf = (recent: readonly Milliseconds[]): readonly Milliseconds[] =>
  [...DEFAULTS, ...recent].toSorted((one, other) => one - other);
