import { Refusal } from '#platform/contract/refusal.ts';
import { padTwo } from '#platform/contract/text.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { getZoneDays, type Day, type ZoneDays } from '../../usage/domain/days.ts';

const QUARTER_MINUTES = 15;
/** Larger offsets are refused. The most distant zones are at -12 and +14. */
const MAX_OFFSET_HOURS = 18;

/**
 * Parses hours east of UTC, with fractions, to minutes; undefined if invalid. Zones are whole quarters of an hour, so
 * rounded values (5.8 for Nepal) are corrected.
 */
export function parseOffset(hours: string): number | undefined {
  const value = Number(hours);
  if (hours.trim() === '' || !Number.isFinite(value) || Math.abs(value) > MAX_OFFSET_HOURS) return undefined;
  return Math.round((value * 60) / QUARTER_MINUTES) * QUARTER_MINUTES;
}

/** Formats a fixed-offset zone: `+05:45`. */
export function formatOffsetZone(minutes: number): string {
  const absoluteMinutes = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${padTwo(Math.floor(absoluteMinutes / 60))}:${padTwo(absoluteMinutes % 60)}`;
}

/** Days in the caller's zone, and today. */
export interface RequestClock {
  readonly days: ZoneDays;
  /** Seconds since the epoch. */
  readonly now: number;
  readonly today: Day;
}

interface TimeZoneFields {
  readonly tz?: string | undefined;
  readonly tzoffset?: string | undefined;
}

async function resolveZone(
  { identity }: Pick<ServerContext, 'identity'>,
  account: number,
  { tz, tzoffset }: TimeZoneFields,
): Promise<string> {
  // An empty text is no value, as with `tz`.
  if (tz || tzoffset === undefined || tzoffset.trim() === '') return identity.resolveZone(account, tz);
  const minutes = parseOffset(tzoffset);
  if (minutes === undefined)
    throw new Refusal('screentime.invalid_offset', 'tzoffset: must be hours east of UTC, from -18 to 18');
  return formatOffsetZone(minutes);
}

/**
 * Uses the named zone, else the offset, else the home zone.
 * @throws Refusal for an invalid zone or offset.
 */
export async function createRequestClock(
  context: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  fields: TimeZoneFields,
): Promise<RequestClock> {
  const days = getZoneDays(await resolveZone(context, account, fields));
  const now = Math.floor(context.now().epochMilliseconds / 1000);
  return { days, now, today: days.getDay(now) };
}
