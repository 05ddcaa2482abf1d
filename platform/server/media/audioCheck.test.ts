import { expect, test } from 'vitest';
import { hasSameDuration, parseLoudness, explainIncomplete } from './audioCheck.ts';

const explainDuration = (seconds: number, announcedSeconds: number | undefined, ffmpegOutput = '') =>
  explainIncomplete({ seconds, ffmpegOutput }, announcedSeconds);

test('a song is incomplete if more than two seconds and more than one hundredth are missing', () => {
  expect(explainDuration(89.2, 180)).toBe('Incomplete: 89 of 180 s');
  expect([explainDuration(178, 180), explainDuration(177.9, 180)]).toEqual([undefined, 'Incomplete: 178 of 180 s']);
  expect([explainDuration(3565, 3600), explainDuration(3563, 3600)]).toEqual([undefined, 'Incomplete: 3563 of 3600 s']);
  expect([explainDuration(10, undefined), explainDuration(200, 180)]).toEqual([undefined, undefined]);
});

test('a song is incomplete if ffmpeg says so, but not if a title does', () => {
  expect(explainDuration(15, undefined, '[mov,mp4 @ 0x55] [error] stream 0, offset 0x2: partial file')).toBe(
    'Incomplete: cut off after 15 s',
  );
  expect(explainDuration(15, undefined, '[matroska,webm @ 0x55] [error] File ended prematurely at pos. 9')).toContain(
    'cut off',
  );
  expect(explainDuration(15, undefined, '[mp3 @ 0x55] [warning] Packet corrupt, truncating')).toContain('cut off');
  expect(explainDuration(15, undefined, '[info]     title           : partial file truncated')).toBe(undefined);
  expect(explainDuration(15, undefined, '[mp3float @ 0x55] [error] Header missing')).toBe(undefined);
});

const createSummary = (lufs: string, peak: string) => `[Parsed_ebur128_0 @ 0x55] [info] Summary:

  Integrated loudness:
    I:         ${lufs} LUFS
    Threshold: -28.0 LUFS

  Sample peak:
    Peak:       ${peak} dBFS`;

test('loudness is read from the summary; silence gets no gain, and gain is limited', () => {
  expect(parseLoudness(createSummary('-11.5', '-0.1'))).toEqual({ gain: -6.5, peak: 0.988553 });
  expect(parseLoudness(createSummary('-70.0', '-inf'))).toEqual({ gain: 0, peak: 0 });
  expect(parseLoudness(createSummary('-69.0', '-60.0')).gain).toBe(30);
  expect(parseLoudness('')).toEqual({ gain: 0, peak: 0 });
});

test('the result is as long as its source within half a second or half a hundredth', () => {
  expect([
    hasSameDuration(29.6, 30),
    hasSameDuration(29.4, 30),
    hasSameDuration(3584, 3600),
    hasSameDuration(3570, 3600),
  ]).toEqual([true, false, true, false]);
});
