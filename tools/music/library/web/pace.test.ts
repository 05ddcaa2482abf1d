import { beforeEach, expect, test, vi } from 'vitest';
import { scrolledBy, whenCalm } from './pace.ts';

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

/** Rows that say when they are shown whole. */
const rows = (count: number) => {
  const shown: number[] = [];
  const stops = Array.from({ length: count }, (_, at) => whenCalm(() => shown.push(at)));
  return { shown, stops };
};

test('a page that opens has the pictures of its rows two with each drawing, the uppermost first', () => {
  const { shown } = rows(5);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0, 1]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0, 1, 2, 3]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0, 1, 2, 3, 4]);
});

test('a list that is hurried past has none until it has stood for a while; rows that have gone by then have none', () => {
  scrolledBy(300, ROW);
  const { shown, stops } = rows(3);
  vi.advanceTimersByTime(90);
  scrolledBy(-300, ROW);
  vi.advanceTimersByTime(90);
  stops[1]?.();
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(shown).toEqual([0, 2]);
});

test('a hurry stops what has begun, and a slow scroll does not', () => {
  const { shown } = rows(6);
  vi.advanceTimersByTime(FRAME_MS);
  scrolledBy(ROW, ROW);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toHaveLength(4);
  scrolledBy(ROW + 1, ROW);
  vi.advanceTimersByTime(99);
  expect(shown).toHaveLength(4);
  vi.advanceTimersByTime(200);
  expect(shown).toHaveLength(6);
});

test('a row that a busy browser comes to when the list is calm again is shown all the same', () => {
  scrolledBy(300, ROW);
  vi.advanceTimersByTime(500);
  const { shown } = rows(1);
  vi.advanceTimersByTime(FRAME_MS);
  expect(shown).toEqual([0]);
});
