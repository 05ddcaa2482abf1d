import { expect, test } from 'vitest';
import { zonesMeantBy } from './windowsZones.ts';
import { nameOfZone, namedZone } from './zone.ts';

const zoneOf = (name: string): string | undefined => {
  const zone = zonesMeantBy(name).flatMap((each) => namedZone(each) ?? [])[0];
  return zone && nameOfZone(zone);
};

test.each([
  ['Pacific Standard Time', 'America/Los_Angeles'],
  ['Pacific Daylight Time', 'America/Los_Angeles'],
  ['W. Europe Standard Time', 'Europe/Berlin'],
  ['w. europe standard time', 'Europe/Berlin'],
  ['"Romance Standard Time"', 'Europe/Paris'],
  ['AUS Eastern Standard Time', 'Australia/Sydney'],
  ['Newfoundland Standard Time', 'America/St_Johns'],
  ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
  ['(GMT-08:00) Pacific Time (US & Canada); Tijuana', 'America/Los_Angeles'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
  ['(UTC+02:00) Athens, Istanbul, Minsk', 'Europe/Athens'],
  ['(UTC) Coordinated Universal Time', 'UTC'],
  ['(UTC-05:00) Somewhere of our own & more', 'Etc/GMT+5'],
  ['tzone://Microsoft/Utc', 'UTC'],
  ['tzone://Microsoft/Eastern Standard Time', 'America/New_York'],
  ['Coordinated Universal Time', 'UTC'],
  ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
  ['/softwarestudio.org/Olson_20011030_5/America/New_York', 'America/New_York'],
  ['/citadel.org/20250101_1/America/Indiana/Indianapolis', 'America/Indiana/Indianapolis'],
  ['europe/berlin', 'Europe/Berlin'],
  ['"America/Chicago"', 'America/Chicago'],
  ['GMT-0500', 'Etc/GMT+5'],
  ['UTC+01:00', 'Etc/GMT-1'],
  ['UTC+2', 'Etc/GMT-2'],
  ['GMT', 'UTC'],
  ['Etc/UTC', 'UTC'],
  ['Z', 'UTC'],
])('%s is %s', (name, zone) => {
  expect(zoneOf(name)).toBe(zone);
});

test.each(['', 'Custom', 'Home', 'Nowhere/Here', '(UTC+99:00) Far away', 'x'.repeat(5000)])('%s is none', (name) => {
  expect(zoneOf(name)).toBeUndefined();
});
