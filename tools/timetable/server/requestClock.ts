import { parseIso, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { padTwo } from '#platform/contract/text.ts';
import type { ServerContext } from '#platform/server/tool.ts';

/** Time zone, current date and time of a request. */
export interface RequestClock {
  readonly zone: string;
  readonly today: Day;
  /** Elapsed minutes of today. */
  readonly elapsed: number;
}

/**
 * Converts hours east of UTC to a zone without clock changes.
 * @throws Refusal if they are invalid.
 */
function parseOffset(toffset: string): string {
  const hours = Number(toffset);
  if (!Number.isFinite(hours) || Math.abs(hours) > 18)
    throw new Refusal('timetable.invalid_offset', 'toffset: must be hours east of UTC, from -18 to 18');
  const minutes = Math.round(Math.abs(hours) * 60);
  return `${hours < 0 ? '-' : '+'}${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`;
}

/**
 * Returns the clock of a request: by time zone, otherwise by offset, otherwise in the account's home zone.
 * @throws Refusal for an invalid zone or offset.
 */
export async function createRequestClock(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  { tz, toffset }: { readonly tz?: string | undefined; readonly toffset?: string | undefined },
): Promise<RequestClock> {
  // An empty offset counts as missing, like an empty zone.
  const isByOffset = !tz && toffset !== undefined && toffset.trim() !== '';
  const zone = isByOffset ? parseOffset(toffset) : await identity.resolveZone(account, tz);
  const zonedNow = now().toZonedDateTimeISO(zone);
  const today = parseIso(zonedNow.toPlainDate().toString());
  if (today === undefined) throw new Error('today is outside the calendar');
  return { zone, today, elapsed: zonedNow.startOfDay().until(zonedNow).total('minutes') };
}
