import { beforeEach, expect, test, vi } from 'vitest';
import { reportScroll, scheduleWhenCalm } from './pictureQueue.ts';

const FRAME_MS = 16;
const ROW = 52;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => Number(setTimeout(draw, FRAME_MS)));
  return () => {
    vi.runAllTimers();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

/** Creates rows that record when their picture is shown. */
function rows(count: number) {
  const shown: number[] = [];
  const stops = Array.from({ length: count }, (_, at) => scheduleWhenCalm(() => shown.push(at)));
  return { shown, stops };
}

test('an opened page shows the pictures of its rows two per frame, from the top', () => {
  const { shown } = rows(5);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0, 1]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0, 1, 2, 3]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0, 1, 2, 3, 4]);
});

test('during fast scrolling no pictures are shown until the list has been still, and removed rows get none', () => {
  reportScroll(300, ROW);
  const { shown, stops } = rows(3);
  vi.advanceTimersByTime(90);
  reportScroll(-300, ROW);
  vi.advanceTimersByTime(90);
  stops[1]?.();
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(shown).toEqual([0, 2]);
});

test('fast scrolling stops pending pictures, and slow scrolling does not', () => {
  const { shown } = rows(6);
  vi.advanceTimersByTime(FRAME_MS);
  reportScroll(ROW, ROW);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toHaveLength(4);
  reportScroll(ROW + 1, ROW);
  vi.advanceTimersByTime(99);
  expect(shown).toHaveLength(4);
  vi.advanceTimersByTime(200);
  expect(shown).toHaveLength(6);
});

test('a row that mounts late on a busy page is shown once the list is calm', () => {
  reportScroll(300, ROW);
  vi.advanceTimersByTime(500);
  const { shown } = rows(1);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0]);
});
