import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanTitle, isRecordingName, startFromName, titleFromName } from './recordingName.ts';

const said = (name: string): string | undefined => {
  const start = startFromName(name, 'Europe/Berlin');
  return start === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(start).toString();
};

test.each([
  ['2026-11-20 21-04-05.mkv', '2026-11-20T20:04:05Z', ''],
  ['Screencast from 2026-11-20 21-04-05.webm', '2026-11-20T20:04:05Z', 'Screencast'],
  ['Replay_2026-07-20_21-04-05.mp4', '2026-07-20T19:04:05Z', 'Replay'],
  ['VID_20261120_210405.mp4', '2026-11-20T20:04:05Z', 'VID'],
  ['2026-11-20 at 21.04.05 boss fight.mov', '2026-11-20T20:04:05Z', 'boss fight'],
  ['2026-11-20T21:04.mkv', '2026-11-20T20:04:00Z', ''],
  ['2026-11-20_21-04-05Z-laptop.mkv', '2026-11-20T21:04:05Z', 'laptop'],
  ['holidays.avi', undefined, 'holidays'],
  ['2026-02-31 21-04-05.mkv', undefined, '2026-02-31 21-04-05'],
  ['1234202611202104051.mkv', undefined, '1234202611202104051'],
])('%s was recorded at %s and is called %j', (name, start, title) => {
  expect(said(name)).toBe(start);
  expect(titleFromName(name)).toBe(title);
});

test('an hour that the clock has twice, or never, is still some time of that day', () => {
  expect(said('2026-10-25 02-30-00.mkv')).toBe('2026-10-25T00:30:00Z');
  expect(said('2026-03-29 02-30-00.mkv')).toBe('2026-03-29T01:30:00Z');
});

test('videos are taken, hidden files, lists and what is still being written are left', () => {
  expect(['a.mkv', 'b.MP4', 'c.webm', 'd.mov', 'e.avi', 'f.ts'].every(isRecordingName)).toBe(true);
  expect(['.a.mkv', 'b.mkv.part', 'c.m3u8', 'd.txt', 'mkv', '.mkv', ''].some(isRecordingName)).toBe(false);
});

test('whatever a file is called, its title is one line of whole characters, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const title = titleFromName(name);
      expect(title.isWellFormed()).toBe(true);
      expect(title).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(Array.from(title).length).toBeLessThanOrEqual(200);
      expect(cleanTitle(title)).toBe(title);
    }),
  );
});
