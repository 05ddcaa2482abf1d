import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { daysOf, type Day, type ZoneDays } from '../../usage/domain/days.ts';
import { offsetMinutes, offsetZone } from './place.ts';

/** Where the one who asks is: the days there, and the present one. */
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

const zoneOf = async (
  { identity }: Pick<ServerContext, 'identity'>,
  account: number,
  { tz, tzoffset }: TimeZoneFields,
): Promise<string> => {
  // As with a zone: an empty text names none.
  if (tz || tzoffset === undefined || tzoffset.trim() === '') return identity.resolveZone(account, tz);
  const minutes = offsetMinutes(tzoffset);
  if (minutes === undefined) throw new Refusal('tzoffset is hours east of UTC, from -18 to 18');
  return offsetZone(minutes);
};

/** By the zone that is named, else the offset, else the account's home. @throws Refusal for a zone or an offset that is none. */
export const createRequestClock = async (
  ground: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  asked: TimeZoneFields,
): Promise<RequestClock> => {
  const days = daysOf(await zoneOf(ground, account, asked));
  const now = Math.floor(ground.now().epochMilliseconds / 1000);
  return { days, now, today: days.dayOf(now) };
};
