import { DAY_MS, HOUR_MS } from '#platform/contract/duration.ts';

/** Why a backup was made. */
export const BACKUP_REASONS = ['schedule', 'request', 'upgrade'] as const;
export type BackupReason = (typeof BACKUP_REASONS)[number];

/** A backup, as far as schedule and retention need it. */
export interface BackupTime {
  readonly id: string;
  readonly reason: BackupReason;
  readonly created: Temporal.Instant;
}

/** How many backups are retained: the newest of each of the last days, weeks and months that have one. */
export interface BackupRetention {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** Backups before upgrades that are retained in addition. */
const UPGRADE_BACKUPS = 3;
/** Local time of daily backups, before the nightly tasks delete what has expired. */
const DAILY_TIME = '03:00';
/** A daily backup is skipped if the newest one was made within this time before it. */
const MIN_NIGHTLY_AGE_MS = 3 * HOUR_MS;
/** A backup is overdue after two intervals, but not before this time. */
const MIN_OVERDUE_MS = 2 * DAY_MS;

const INTERVAL_PATTERN = /^([1-9]\d{0,3})(h|d)$/;
const RETENTION_PATTERN = /^(\d{1,4})([dwm])$/;

/** Parses an interval such as `12h` or `1d`; undefined if it is invalid. */
export function parseBackupInterval(text: string): number | undefined {
  const [, count, unit] = INTERVAL_PATTERN.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
}

/** Parses how many backups are retained, such as `7d,4w,6m`; undefined if it is invalid or retains none. */
export function parseBackupRetention(text: string): BackupRetention | undefined {
  const counts = { d: 0, w: 0, m: 0 };
  for (const part of text.split(',')) {
    const [, count, unit] = RETENTION_PATTERN.exec(part.trim()) ?? [];
    if (count === undefined) return undefined;
    counts[unit as keyof typeof counts] = Number(count);
  }
  const retention = { daily: counts.d, weekly: counts.w, monthly: counts.m };
  return Object.values(retention).some((count) => count > 0) ? retention : undefined;
}

const getDay = (date: Temporal.ZonedDateTime): string => date.toPlainDate().toString();
const getWeek = (date: Temporal.ZonedDateTime): string => `${date.yearOfWeek ?? date.year} ${date.weekOfYear ?? 0}`;
const getMonth = (date: Temporal.ZonedDateTime): string => date.toPlainDate().toPlainYearMonth().toString();

const compareNewestFirst = (one: BackupTime, other: BackupTime): number =>
  Temporal.Instant.compare(other.created, one.created);

/** Returns the newest backup of each of the last periods that have one. */
function selectNewestOfPeriods<Item extends BackupTime>(
  newestFirst: readonly Item[],
  count: number,
  getPeriod: (item: Item) => string,
): readonly Item[] {
  const newestByPeriod = new Map<string, Item>();
  for (const backup of newestFirst) {
    const period = getPeriod(backup);
    if (!newestByPeriod.has(period)) newestByPeriod.set(period, backup);
  }
  return [...newestByPeriod.values()].slice(0, count);
}

/**
 * Returns the backups that are no longer retained. The newest one always is, and so is the last one of each day, week
 * and month, as many as the retention says. Periods without a backup do not count, so a server that was off loses none.
 * Backups of the future, as a wrong clock makes them, neither count nor expire.
 * @param zone Time zone in which days begin.
 */
export function selectExpiredBackups<Item extends BackupTime>(
  backups: readonly Item[],
  { daily, weekly, monthly }: BackupRetention,
  { zone, now }: { readonly zone: string; readonly now: Temporal.Instant },
): readonly Item[] {
  const past = backups.filter(({ created }) => Temporal.Instant.compare(created, now) <= 0);
  const newestFirst = past.toSorted(compareNewestFirst);
  const toLocal = ({ created }: BackupTime): Temporal.ZonedDateTime => created.toZonedDateTimeISO(zone);
  const retained = new Set([
    ...newestFirst.slice(0, 1),
    ...selectNewestOfPeriods(newestFirst, daily, (backup) => getDay(toLocal(backup))),
    ...selectNewestOfPeriods(newestFirst, weekly, (backup) => getWeek(toLocal(backup))),
    ...selectNewestOfPeriods(newestFirst, monthly, (backup) => getMonth(toLocal(backup))),
    ...newestFirst.filter(({ reason }) => reason === 'upgrade').slice(0, UPGRADE_BACKUPS),
  ]);
  return past.filter((backup) => !retained.has(backup));
}

/** Returns the first moment at or after this one at which clocks in the zone show `HH:MM`. */
function getTimeAtOrAfter(moment: Temporal.Instant, time: string, zone: string): Temporal.Instant {
  const local = moment.toZonedDateTimeISO(zone);
  const today = local.withPlainTime(time);
  return (
    Temporal.ZonedDateTime.compare(today, local) < 0 ? local.add({ days: 1 }).withPlainTime(time) : today
  ).toInstant();
}

/** What decides when a backup is due. */
export interface BackupSchedule {
  readonly intervalMs: number;
  /** Start of the server, which counts if there is no backup. */
  readonly started: Temporal.Instant;
  /** Time zone of the nights. */
  readonly zone: string;
}

/**
 * Returns when the next backup is due. With an interval of whole days it is made at night, so that one that took long
 * or was requested by day does not shift the following ones.
 */
export function getNextBackupTime(
  newest: Temporal.Instant | undefined,
  { intervalMs, started, zone }: BackupSchedule,
): Temporal.Instant {
  const last = newest ?? started;
  if (intervalMs % DAY_MS !== 0) return last.add({ milliseconds: intervalMs });
  return getTimeAtOrAfter(last.add({ milliseconds: intervalMs - DAY_MS + MIN_NIGHTLY_AGE_MS }), DAILY_TIME, zone);
}

/** Returns whether the newest backup is too old, so that the owner should look. */
export function isBackupOverdue(
  newest: Temporal.Instant | undefined,
  { intervalMs, started }: BackupSchedule,
  now: Temporal.Instant,
): boolean {
  const ageMs = now.epochMilliseconds - (newest ?? started).epochMilliseconds;
  return ageMs > Math.max(2 * intervalMs, MIN_OVERDUE_MS);
}
