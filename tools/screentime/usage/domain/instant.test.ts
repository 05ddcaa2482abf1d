import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { padTwo } from '#platform/contract/text.ts';
import { parseInstant } from './usageReport.ts';

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
