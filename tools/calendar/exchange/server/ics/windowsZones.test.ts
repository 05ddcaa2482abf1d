import { expect, test } from 'vitest';
import { findNamedZone } from '#tools/calendar/events/domain/timeZone.ts';
import { readObject } from './readIcs.ts';
import { WINDOWS_ZONES } from './windowsZones.ts';
import { createZones } from './zones.ts';

const winter = Date.UTC(2027, 0, 15, 12);
const summer = Date.UTC(2027, 6, 15, 12);
function listOffsetHours(name: string): readonly (number | undefined)[] {
  const zone = createZones([]).find(name);
  return [winter, summer].map((moment) => zone && zone(moment) / 3_600_000);
}

test.each([
  ['Pacific Standard Time', -8, -7],
  ['pacific standard time', -8, -7],
  ['"W. Europe Standard Time"', 1, 2],
  ['W. Europe Daylight Time', 1, 2],
  ['India Standard Time', 5.5, 5.5],
  ['Nepal Standard Time', 5.75, 5.75],
  ['AUS Eastern Standard Time', 11, 10],
  ['(UTC-05:00) Eastern Time (US & Canada)', -5, -4],
  ['(GMT-05.00) Eastern Time (US & Canada)', -5, -4],
  ['Eastern Time (US & Canada)', -5, -4],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 1, 2],
  ['(UTC) Dublin, Edinburgh, Lisbon, London', 0, 1],
  ['(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London', 0, 1],
  ['(UTC) Coordinated Universal Time', 0, 0],
  ['tzone://Microsoft/Utc', 0, 0],
  ['tzone://Microsoft/Pacific Standard Time', -8, -7],
  ['/freeassociation.sourceforge.net/Europe/Berlin', 1, 2],
  ['/softwarestudio.org/Olson_20011030_5/America/New_York', -5, -4],
  ['/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires', -3, -3],
  ['europe/berlin', 1, 2],
  ['Europe/Kyiv', 2, 3],
  ['GMT', 0, 0],
  ['Z', 0, 0],
  ['UTC+02:00', 2, 2],
  ['GMT-0530', -5.5, -5.5],
  ['(UTC+03:30) Somewhere new', 3.5, 3.5],
  ['+05:45', 5.75, 5.75],
  ['PST', -8, -7],
  ['pdt', -8, -7],
  ['MDT', -7, -6],
  ['CDT', -6, -5],
  ['EDT', -5, -4],
  ['CET', 1, 2],
  ['CEST', 1, 2],
  ['MESZ', 1, 2],
  ['EEST', 2, 3],
  ['WEST', 0, 1],
  ['MSK', 3, 3],
  ['JST', 9, 9],
  ['SAST', 2, 2],
  ['AEDT', 11, 10],
  ['NZDT', 13, 12],
])('%s is a known zone', (name, inWinter, inSummer) => {
  expect(listOffsetHours(name)).toEqual([inWinter, inSummer]);
});

test.each([
  'Customized Time Zone',
  'tzone://Microsoft/Custom',
  'Mars/Olympus',
  '',
  'UTC+99:00',
  'BST',
  'IST',
  'CST',
  'AST',
  'XYZT',
])('%j is an unknown zone', (name) => expect(createZones([]).find(name)).toBeUndefined());

test('a definition in the file takes precedence over the usual meaning of its name', () => {
  const described = `BEGIN:VTIMEZONE
TZID:Pacific Standard Time
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0300
TZOFFSETTO:+0300
END:STANDARD
END:VTIMEZONE
`;
  expect(createZones([described]).find('Pacific Standard Time')?.(summer)).toBe(3 * 3_600_000);
});

const createFixedZone = (offset: string): string => `BEGIN:VTIMEZONE
TZID:Ours
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:${offset}
TZOFFSETTO:${offset}
END:STANDARD
END:VTIMEZONE
`;

test('a definition is parsed once, for all objects that contain it', () => {
  // No zone of this machine is 17 minutes ahead, so a new zone would be created each time.
  const zone = createZones([createFixedZone('+0017')]).find('Ours');
  expect(zone?.(summer)).toBe(17 * 60_000);
  expect(createZones([createFixedZone('+0017')]).find('Ours')).toBe(zone);
  expect(createZones([createFixedZone('+0018')]).find('Ours')?.(summer)).toBe(18 * 60_000);
});

test('every Windows zone exists on this machine', () => {
  for (const [name, iana] of WINDOWS_ZONES) {
    expect(findNamedZone(iana), iana).toBeDefined();
    expect(listOffsetHours(name), name).not.toContain(undefined);
  }
});

test.each([
  'TZID=tzone://Microsoft/Utc',
  'TZID="tzone://Microsoft/Utc"',
  'TZID=(UTC) Coordinated Universal Time',
  'TZID=(GMT+00:00) Somewhere',
  'VALUE=DATE-TIME;TZID=tzone://Microsoft/Utc',
])('an event with %s keeps its moment, in UTC', (zone) => {
  const text = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Call\r\nDTSTART;${zone}:20261201T083000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
  const { events, problems } = readObject(text, { zone: 'Europe/Berlin' });
  expect(problems).toEqual([]);
  expect(events).toMatchObject([{ draft: { name: 'Call', time: '08:30', zone: 'UTC' } }]);
});
