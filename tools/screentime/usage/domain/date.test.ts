import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIso, toIso } from './days.ts';

test('days convert to dates and back, and invalid dates are undefined', () => {
  expect(toIso(0)).toBe('1970-01-01');
  expect(parseIso('2026-11-22')).toBe(20_779);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_900_000 }), (day) => {
      const iso = toIso(day);
      return iso === Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString() && parseIso(iso) === day;
    }),
  );
  const none = ['', '2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '26-1-1', '1969-12-31', '2026-11-22T00:00'];
  for (const text of none) expect(parseIso(text), text).toBeUndefined();
});
