import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { parseIso, type Day } from '../domain/week.ts';

/** Where the one who asks is: a zone, and today there. */
export interface RequestClock {
  readonly zone: string;
  readonly today: Day;
  /** Minutes of today that are gone. */
  readonly elapsed: number;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Hours east of UTC, as a zone without changes of the clock. @throws Refusal */
const offsetZone = (toffset: string): string => {
  const hours = Number(toffset);
  if (!Number.isFinite(hours) || Math.abs(hours) > 18)
    throw new Refusal('toffset is hours east of UTC, from -18 to 18');
  const minutes = Math.round(Math.abs(hours) * 60);
  return `${hours < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
};

interface TimeZoneFields {
  readonly tz?: string | undefined;
  readonly toffset?: string | undefined;
}

/** By the zone that is named, else the offset, else the account's home. @throws Refusal for a zone or an offset that is none. */
export async function placeOf(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  { tz, toffset }: TimeZoneFields,
): Promise<RequestClock> {
  // As with a zone: an empty text names none.
  const isByOffset = !tz && toffset !== undefined && toffset.trim() !== '';
  const zone = isByOffset ? offsetZone(toffset) : await identity.resolveZone(account, tz);
  const here = now().toZonedDateTimeISO(zone);
  const today = parseIso(here.toPlainDate().toString());
  if (today === undefined) throw new Error('today is outside the calendar');
  return { zone, today, elapsed: here.startOfDay().until(here).total('minutes') };
}
