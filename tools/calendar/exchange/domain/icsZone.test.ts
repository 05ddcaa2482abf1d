import { expect, test } from 'vitest';
import { toDay } from '#platform/contract/day.ts';
import { DAY_MS, HOUR_MS } from '#platform/contract/duration.ts';
import { findNamedZone } from '../../events/domain/timeZone.ts';
import { parseZoneDefinition } from '../server/ics/zones.ts';
import { formatZoneCalendar, formatZones } from './icsZone.ts';

const day = toDay({ year: 2024, month: 1, date: 1 });
const edited = toDay({ year: 2026, month: 1, date: 1 }) * DAY_MS;

test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kathmandu'])(
  'the written form of %s is read as that zone',
  (name) => {
    const text = formatZones([{ zone: name, day, edited }]);
    const [described, named] = [parseZoneDefinition(text), findNamedZone(name)];
    for (let hour = 0; hour < 12 * 365 * 24; hour += 1) {
      const at = day * DAY_MS + hour * HOUR_MS;
      if (described?.(at) !== named?.(at)) expect([at, described?.(at)]).toEqual([at, named?.(at)]);
    }
    expect(formatZoneCalendar(name, 2026)).toContain(`BEGIN:VTIMEZONE\r\nTZID:${name}\r\n`);
  },
);

test('all zones are written', () => {
  const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({ zone, day: 0, edited }));
  const text = formatZones(zones);
  expect(text.match(/BEGIN:VTIMEZONE/g)?.length).toBeGreaterThan(400);
});
