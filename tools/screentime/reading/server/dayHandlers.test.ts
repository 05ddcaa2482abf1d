import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCsvLine, formatInstant, formatJsonRow, type ExportRow } from './dayHandlers.ts';

const interval: ExportRow = {
  computer: 'Laptop',
  application: 'firefox',
  category: 'web',
  status: 'on',
  from: 1_795_376_285,
  until: 1_795_376_345,
};

test('an interval is a CSV line, or an object with the same names', () => {
  expect(formatCsvLine(interval)).toBe('Laptop,firefox,web,focused,2026-11-22T19:38:05Z,2026-11-22T19:39:05Z,60\r\n');
  expect(JSON.parse(formatJsonRow({ ...interval, status: 's' }))).toEqual({
    computer: 'Laptop',
    application: 'firefox',
    category: 'web',
    status: 'playing',
    from: '2026-11-22T19:38:05Z',
    until: '2026-11-22T19:39:05Z',
    seconds: 60,
  });
});

const firstField = (application: string): string => formatCsvLine({ ...interval, application }).slice('Laptop,'.length);

test('no name escapes from its field, or runs as a formula', () => {
  expect(firstField('a "b", c\nd')).toMatch(/^"a ""b"", c\nd",web,/);
  for (const sign of ['=', '+', '-', '@', '\t']) expect(firstField(`${sign}1+1`)).toMatch(new RegExp(`^'\\${sign}1`));
});

test('an instant is formatted as by Temporal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4_000_000_000 }),
      (seconds) => formatInstant(seconds) === Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString(),
    ),
  );
});
