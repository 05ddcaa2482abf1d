import { array, assert, constantFrom, integer, nat, property, record, uuid } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#platform/contract/duration.ts';
import {
  type BackupTime,
  getNextBackupTime,
  isBackupOverdue,
  parseBackupInterval,
  parseBackupRetention,
  selectExpiredBackups,
} from './backupPolicy.ts';

const at = (text: string): Temporal.Instant => Temporal.Instant.from(text);
const RETENTION = { daily: 7, weekly: 4, monthly: 6 };
const ZONE = 'Europe/Berlin';
const LATER = { zone: ZONE, now: at('2031-01-01T00:00:00Z') };

/** One backup at 03:00 of each day, the oldest first. */
const createDailyBackups = (days: number): readonly BackupTime[] =>
  Array.from({ length: days }, (_, day) => ({
    id: `day ${day}`,
    reason: 'schedule',
    created: Temporal.PlainDateTime.from('2025-01-01T03:00').add({ days: day }).toZonedDateTime(ZONE).toInstant(),
  }));

describe('settings', () => {
  test.each([
    ['12h', 12 * HOUR_MS],
    ['1d', DAY_MS],
    ['7d', 7 * DAY_MS],
  ])('the interval %s is understood', (text, expected) => {
    expect(parseBackupInterval(text)).toBe(expected);
  });

  test.each(['', '0d', '1', 'd', '1w', '-1d', '1.5h', '99999h'])("the interval '%s' is refused", (text) => {
    expect(parseBackupInterval(text)).toBeUndefined();
  });

  test('counts of days, weeks and months are understood in any order', () => {
    expect(parseBackupRetention('6m, 7d,4w')).toEqual(RETENTION);
    expect(parseBackupRetention('3d')).toEqual({ daily: 3, weekly: 0, monthly: 0 });
  });

  test.each(['', '7', '7x', '0d', '0d,0w', '7d,', '-1d'])("the retention '%s' is refused", (text) => {
    expect(parseBackupRetention(text)).toBeUndefined();
  });
});

describe('retention', () => {
  test('of two years of daily backups, seven days, four weeks and six months remain', () => {
    const backups = createDailyBackups(730);
    const expired = new Set(selectExpiredBackups(backups, RETENTION, LATER));
    const remaining = backups
      .filter((backup) => !expired.has(backup))
      .map(({ created }) => String(created).slice(0, 10));
    expect(remaining).toEqual([
      '2026-07-31',
      '2026-08-31',
      '2026-09-30',
      '2026-10-31',
      '2026-11-30',
      '2026-12-13',
      '2026-12-20',
      '2026-12-25',
      '2026-12-26',
      '2026-12-27',
      '2026-12-28',
      '2026-12-29',
      '2026-12-30',
      '2026-12-31',
    ]);
  });

  test('of several backups in a day, the last one remains', () => {
    const backups: readonly BackupTime[] = ['01:00', '09:00', '20:00'].map((time) => ({
      id: time,
      reason: 'request',
      created: at(`2026-03-10T${time}:00Z`),
    }));
    expect(selectExpiredBackups(backups, RETENTION, LATER).map(({ id }) => id)).toEqual(['01:00', '09:00']);
  });

  test('a new backup remains, however many of the future a wrong clock has made', () => {
    const now = at('2026-06-10T12:00:00Z');
    const backups = createDailyBackups(30).map((backup) => ({
      ...backup,
      created: backup.created.add({ hours: 90_000 }),
    }));
    const present: BackupTime = { id: 'present', reason: 'schedule', created: now };
    expect(
      selectExpiredBackups([...backups, present], { daily: 1, weekly: 0, monthly: 0 }, { zone: ZONE, now }),
    ).toEqual([]);
  });

  test('the last three before upgrades remain, however old they are', () => {
    const upgrades: readonly BackupTime[] = [1, 2, 3, 4].map((day) => ({
      id: `upgrade ${day}`,
      reason: 'upgrade',
      created: at(`2024-01-0${day}T12:00:00Z`),
    }));
    const expired = selectExpiredBackups([...upgrades, ...createDailyBackups(400)], RETENTION, LATER);
    expect(expired.filter(({ reason }) => reason === 'upgrade').map(({ id }) => id)).toEqual(['upgrade 1']);
  });

  const backupList = array(
    record({
      id: uuid(),
      reason: constantFrom('schedule', 'request', 'upgrade' as const),
      created: integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }).map((ms) =>
        Temporal.Instant.fromEpochMilliseconds(ms),
      ),
    }),
    { maxLength: 60 },
  );
  const retention = record({
    daily: nat({ max: 10 }),
    weekly: nat({ max: 10 }),
    monthly: nat({ max: 10 }),
  });

  test('the newest one always remains, and never more than the counts say', () => {
    assert(
      property(backupList, retention, (backups, counts) => {
        const expired = new Set(selectExpiredBackups(backups, counts, LATER));
        const remaining = backups.filter((backup) => !expired.has(backup));
        const newest = Math.max(...backups.map(({ created }) => created.epochMilliseconds));
        if (backups.length > 0)
          expect(remaining.some(({ created }) => created.epochMilliseconds === newest)).toBe(true);
        expect(remaining.length).toBeLessThanOrEqual(1 + counts.daily + counts.weekly + counts.monthly + 3);
      }),
    );
  });

  test('deleting the expired ones changes nothing for the rest', () => {
    assert(
      property(backupList, retention, (backups, counts) => {
        const expired = new Set(selectExpiredBackups(backups, counts, LATER));
        const remaining = backups.filter((backup) => !expired.has(backup));
        expect(selectExpiredBackups(remaining, counts, LATER)).toEqual([]);
      }),
    );
  });
});

describe('schedule', () => {
  const daily = { intervalMs: DAY_MS, started: at('2026-06-01T10:00:00Z'), zone: ZONE };

  test.each([
    ['the night after the start, if there is no backup', undefined, '2026-06-02T01:00:00Z'],
    ['the next night', '2026-06-10T01:00:40Z', '2026-06-11T01:00:00Z'],
    ['the next night, also if one was requested by day', '2026-06-10T17:30:00Z', '2026-06-11T01:00:00Z'],
    ['the night after, if one was requested shortly before', '2026-06-10T23:30:00Z', '2026-06-12T01:00:00Z'],
    ['03:00 in winter too', '2026-12-10T02:00:40Z', '2026-12-11T02:00:00Z'],
    ['03:00 when clocks are put forward', '2026-03-28T02:00:10Z', '2026-03-29T01:00:00Z'],
    ['03:00 when clocks are put back', '2026-10-24T01:00:10Z', '2026-10-25T02:00:00Z'],
  ])('a daily backup is due in %s', (_, newest, expected) => {
    expect(String(getNextBackupTime(newest === undefined ? undefined : at(newest), daily))).toBe(expected);
  });

  test('a night without 03:00 has its backup an hour later, and one with two of them has one', () => {
    const helsinki = { ...daily, zone: 'Europe/Helsinki' };
    expect(String(getNextBackupTime(at('2026-03-28T01:00:10Z'), helsinki))).toBe('2026-03-29T01:00:00Z');
    expect(String(getNextBackupTime(at('2026-10-24T00:00:10Z'), helsinki))).toBe('2026-10-25T00:00:00Z');
    expect(String(getNextBackupTime(at('2026-10-25T00:00:10Z'), helsinki))).toBe('2026-10-26T01:00:00Z');
  });

  test('a backup every twelve hours is due twelve hours after the last one', () => {
    const schedule = { ...daily, intervalMs: 12 * HOUR_MS };
    expect(String(getNextBackupTime(at('2026-06-10T01:00:40Z'), schedule))).toBe('2026-06-10T13:00:40Z');
  });

  test('a night after another follows, whenever the last one was made', () => {
    assert(
      property(integer({ min: 0, max: 366 * 24 * 60 }), integer({ min: 1, max: 9 }), (minutes, days) => {
        const last = at('2026-01-01T00:00:00Z').add({ minutes });
        const next = getNextBackupTime(last, { ...daily, intervalMs: days * DAY_MS });
        const hours = last.until(next).total('hours');
        expect(hours).toBeGreaterThanOrEqual((days - 1) * 24 + 3);
        expect(hours).toBeLessThanOrEqual(days * 24 + 4);
      }),
    );
  });

  test('a daily backup is overdue after two days, a weekly one after two weeks', () => {
    const newest = at('2026-06-10T01:00:00Z');
    expect(isBackupOverdue(newest, daily, at('2026-06-12T01:00:00Z'))).toBe(false);
    expect(isBackupOverdue(newest, daily, at('2026-06-12T01:00:01Z'))).toBe(true);
    const weekly = { ...daily, intervalMs: 7 * DAY_MS };
    expect(isBackupOverdue(newest, weekly, at('2026-06-24T01:00:00Z'))).toBe(false);
    expect(isBackupOverdue(undefined, daily, at('2026-06-04T00:00:00Z'))).toBe(true);
  });
});
