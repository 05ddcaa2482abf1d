import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GAP_SECONDS, groupBySession } from './recording.ts';

const MINUTE = 60;
const at = (start: number, end: number) => ({ start: start * MINUTE, end: end * MINUTE });

test('a gap of 29 minutes joins recordings, one of 30 separates them, and the newest session is first', () => {
  const sessions = groupBySession([at(61, 62), at(0, 1), at(30, 31), at(91, 92)]);
  expect(sessions.map(({ start, end, recordings }) => [start / MINUTE, end / MINUTE, recordings.length])).toEqual([
    [61, 92, 2],
    [0, 31, 2],
  ]);
});

test('a short recording within a long one does not shorten the session', () => {
  expect(groupBySession([at(0, 60), at(5, 6), at(80, 81)])).toEqual([
    { ...at(0, 81), recordings: [at(0, 60), at(5, 6), at(80, 81)] },
  ]);
});

const recordings = fc.array(
  fc.tuple(fc.nat(20_000), fc.nat(4000)).map(([start, duration]) => ({ start, end: start + duration })),
  { maxLength: 40 },
);

test('each recording is in exactly one session, in order, and sessions are half an hour apart', () => {
  fc.assert(
    fc.property(recordings, (all) => {
      const sessions = groupBySession(all);
      expect(sessions.flatMap((session) => session.recordings)).toHaveLength(all.length);
      expect(new Set(sessions.flatMap((session) => session.recordings))).toEqual(new Set(all));
      for (const [index, session] of sessions.entries()) {
        expect(session.start).toBe(Math.min(...session.recordings.map(({ start }) => start)));
        expect(session.end).toBe(Math.max(...session.recordings.map(({ end }) => end)));
        expect(session.recordings).toEqual(session.recordings.toSorted((one, other) => one.start - other.start));
        const older = sessions[index + 1];
        if (older) expect(session.start - older.end).toBeGreaterThanOrEqual(GAP_SECONDS);
        let end = session.start;
        for (const recording of session.recordings) {
          expect(recording.start - end).toBeLessThan(GAP_SECONDS);
          end = Math.max(end, recording.end);
        }
      }
    }),
  );
});

const summarizeSessions = (all: readonly { readonly start: number; readonly end: number }[]) =>
  groupBySession(all).map(({ start, end, recordings: sessionRecordings }) => [start, end, sessionRecordings.length]);

test('the order in which recordings arrive makes no difference', () => {
  fc.assert(
    fc.property(
      recordings.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => {
        expect(summarizeSessions(shuffled)).toEqual(summarizeSessions(all));
      },
    ),
  );
});
