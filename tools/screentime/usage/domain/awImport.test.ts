import { expect, test } from 'vitest';
import { focusWatched, type WatchedEvent } from './activityWatch.ts';

const toSeconds = (text: string): number => Temporal.Instant.from(text).epochMilliseconds / 1000;
const NOW = toSeconds('2026-11-21T14:00:00Z');
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Returns what remains of an hour of firefox, as `09:00 09:30`. */
const listRemaining = (away: readonly WatchedEvent[], day = '2026-11-21', duration = HOUR): readonly string[] =>
  focusWatched([{ timestamp: `${day}T09:00:00Z`, duration, app: 'firefox' }], away, NOW).flatMap(({ parts }) =>
    parts.map(({ from, until }) =>
      [from, until]
        .map((second) =>
          Temporal.Instant.fromEpochMilliseconds(second * 1000)
            .toString()
            .slice(11, 16),
        )
        .join(' '),
    ),
  );

test('a window is focused while somebody is present', () => {
  expect(listRemaining([])).toEqual(['09:00 10:00']);
  expect(listRemaining([{ timestamp: '2026-11-21T09:20:00Z', duration: 600 }])).toEqual(['09:00 09:20', '09:30 10:00']);
  expect(listRemaining([{ timestamp: 'yesterday', duration: 600 }])).toEqual(['09:00 10:00']);
});

test('holidays are away, too: windows that changed their titles meanwhile were not seen by anyone', () => {
  expect(listRemaining([{ timestamp: '2026-11-11T09:00:00Z', duration: 9 * DAY }], '2026-11-16')).toEqual([]);
  // The clock of the recording may be a little ahead.
  expect(listRemaining([{ timestamp: '2026-11-21T09:30:00Z', duration: 5 * HOUR }])).toEqual(['09:00 09:30']);
});

test('a window of more than a week, from before such computers existed, or in the future is not focused', () => {
  expect(listRemaining([], '2026-11-02', 7 * DAY + 1)).toEqual([]);
  for (const day of ['1969-12-31', '2000-01-01', '2006-12-31']) expect(listRemaining([], day)).toEqual([]);
  // Old recordings of other trackers can be imported.
  expect(listRemaining([], '2008-03-01')).toEqual(['09:00 10:00']);
  expect(listRemaining([], '2026-11-22')).toEqual([]);
  // Half of it is in the future.
  expect(listRemaining([], '2026-11-21', 10 * HOUR)).toEqual(['09:00 14:00']);
});
