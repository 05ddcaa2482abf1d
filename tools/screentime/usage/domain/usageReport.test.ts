import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLOCK_TOLERANCE_MS } from '../../contract/limits.ts';
import { getEarliestReport, cutToBounds, parseInstant, toRecordedName, toWireName } from './usageReport.ts';

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const NOW = at('2026-11-22T20:00:00Z');
const EARLIEST = getEarliestReport(at('2026-03-04T00:00:00Z'));
function cutToRange(from: number, until: number): readonly string[] | undefined {
  const range = cutToBounds({ from, until }, { earliest: EARLIEST, now: NOW });
  return (
    range && [range.from, range.until].map((second) => Temporal.Instant.fromEpochMilliseconds(second * 1000).toString())
  );
}

test('nothing is accepted from before the year preceding the account', () => {
  expect(EARLIEST).toBe(at('2025-01-01T00:00:00Z') / 1000);
  for (const day of ['1970-01-01', '1980-01-01', '2000-01-01', '2015-01-01', '2024-12-31'])
    expect(cutToRange(at(`${day}T10:00:00Z`), at(`${day}T11:00:00Z`))).toBeUndefined();
  expect(cutToRange(at('2025-01-01T00:00:00Z'), at('2025-01-01T01:00:00Z'))).toEqual([
    '2025-01-01T00:00:00Z',
    '2025-01-01T01:00:00Z',
  ]);
});

test('the future is cut at now, and clocks may differ by a few minutes', () => {
  const whole = [at('2026-11-22T19:00:00Z'), NOW + CLOCK_TOLERANCE_MS] as const;
  expect(cutToRange(...whole)).toEqual(['2026-11-22T19:00:00Z', '2026-11-22T20:05:00Z']);
  expect(cutToRange(at('2026-11-22T19:00:00Z'), at('2026-11-22T22:00:00Z'))).toEqual([
    '2026-11-22T19:00:00Z',
    '2026-11-22T20:00:00Z',
  ]);
  expect(cutToRange(at('2026-11-22T20:01:00Z'), at('2026-11-22T22:00:00Z'))).toBeUndefined();
  expect(cutToRange(at('2026-11-22T21:00:00Z'), at('2026-11-22T22:00:00Z'))).toBeUndefined();
});

test('nothing is stored beyond the tolerance of clocks, or longer than it was reported', () => {
  const moment = fc.integer({ min: 0, max: 2 * NOW });
  fc.assert(
    fc.property(moment, fc.integer({ min: -10, max: 2 * 86_400_000 }), (from, length) => {
      const range = cutToBounds({ from, until: from + length }, { earliest: EARLIEST, now: NOW });
      if (!range) return;
      expect(range.from).toBeGreaterThanOrEqual(EARLIEST);
      expect(range.until * 1000).toBeLessThanOrEqual(NOW + CLOCK_TOLERANCE_MS + 500);
      expect(range.until - range.from).toBeLessThanOrEqual(Math.min(86_400, Math.round(length / 1000) + 1));
    }),
  );
});

const padTwo = (value: number): string => String(value).padStart(2, '0');

test('an instant is parsed as by Temporal', () => {
  const text = fc
    .record({
      day: fc.integer({ min: 1, max: 20_000 }),
      time: fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)),
      fraction: fc.constantFrom('', '.5', '.123', '.123456', ',000001', '.999999999'),
      zone: fc.constantFrom('Z', 'z', '+00:00', '+0530', '-08', '+14:00', '-12:00'),
      between: fc.constantFrom('T', ' ', 't'),
    })
    .map(({ day, time, fraction, zone, between }) => {
      const date = Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString();
      return `${date}${between}${time.map(padTwo).join(':')}${fraction}${zone}`;
    });
  fc.assert(fc.property(text, (each) => parseInstant(each) === Temporal.Instant.from(each).epochMilliseconds));
  expect(parseInstant('2026-11-16T10:00Z')).toBe(Temporal.Instant.from('2026-11-16T10:00Z').epochMilliseconds);
  expect(parseInstant('2016-12-31T23:59:60Z')).toBe(Temporal.Instant.from('2016-12-31T23:59:60Z').epochMilliseconds);
});

test('invalid texts are undefined', () => {
  for (const text of [
    'yesterday',
    '2026-11-16',
    '2026-11-16T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-11-16T24:00:00Z',
    '2026-11-16T10:61:00Z',
    '2026-11-16T10:00:00+25:00',
    '1969-12-31T23:00:00Z',
    '2026-11-16T10:00:00Z; drop',
  ])
    expect(parseInstant(text)).toBeUndefined();
});

test('a program called total differs from all together, and no wire name is special as an object key', () => {
  expect(toWireName('firefox')).toBe('firefox');
  expect(toWireName('total')).toBe('total (app)');
  expect(toWireName('total (app)')).toBe('total (app) (app)');
  expect(toRecordedName('total')).toBeUndefined();
  expect(toRecordedName('__proto__')).toBe('__proto__');
  const name = fc.oneof(fc.string(), fc.stringMatching(/^(total|__proto__)( \(app\))*$/));
  fc.assert(fc.property(name, (recorded) => toRecordedName(toWireName(recorded)) === recorded));
  fc.assert(fc.property(name, (recorded) => !['total', '__proto__'].includes(toWireName(recorded))));
});
