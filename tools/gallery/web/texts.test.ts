import { expect, test } from 'vitest';
import { formatSessionEnd, formatFileName } from './texts.ts';

const toSeconds = (text: string): number => new Date(text).getTime() / 1000;
const video = {
  file: 'A'.repeat(22),
  title: '',
  start: toSeconds('2026-11-20T21:04:05'),
  duration: 60,
  width: 640,
  height: 360,
  bytes: 1,
  public: false,
  cut: false,
  signature: '',
};

test('the day of an end is only shown if it differs', () => {
  expect(formatSessionEnd(toSeconds('2026-11-20T21:04'), toSeconds('2026-11-20T22:31'))).toBe('22:31');
  expect(formatSessionEnd(toSeconds('2026-11-08T23:47'), toSeconds('2026-11-09T00:33'))).toBe('9 Nov 2026 00:33');
});

test('a download has a file name that is valid on every system', () => {
  expect(formatFileName(video)).toBe('20 Nov 2026 21.04.webm');
  expect(formatFileName({ ...video, title: 'a/b: "c"\u202e' })).toBe('20 Nov 2026 21.04 a_b_ _c_.webm');
});
