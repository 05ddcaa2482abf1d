import { DAY_MS, FIRST_DAY, LAST_DAY, type Day } from '../../events/domain/day.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { DavError } from './davError.ts';
import { type DavObject, everyObject, inBatches, objectNamed, objectsOf } from './davObjects.ts';
import type { AskedAt } from './davRequest.ts';
import type { TimeRange } from './timeRange.ts';
import { tag } from './xml.ts';

/** On what a report looks: all of the calendar, one of its objects, or nothing. */
export type ReportScope =
  | { readonly kind: 'calendar' | 'nothing' }
  | { readonly kind: 'object'; readonly object: DavObject };

/**
 * On what a report looks. A calendar is looked into whatever the depth is, what lies above it where the depth reaches it: so it is done by the
 * server that CalDAV was made with, and clients know no other.
 * @throws DavError where there is no such report.
 */
export async function scopeOf(asked: AskedAt): Promise<ReportScope> {
  const { place, request, calendar, user } = asked;
  const depth = request.getHeader('depth')?.trim().toLowerCase() ?? '0';
  if (!['0', '1', 'infinity'].includes(depth)) throw new DavError(400);
  if (place.kind === 'object') {
    const object = await objectNamed(calendar, user.account, place.resource);
    if (object === undefined) throw new DavError(404);
    return { kind: 'object', object };
  }
  if (place.kind !== 'home' && place.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  return { kind: place.kind === 'collection' || depth !== '0' ? 'calendar' : 'nothing' };
}

/** Days around a range: zones of events, and of dates, are not known yet. */
const SLACK_DAYS = 2;

const daysAround = ({ start, end }: TimeRange): readonly [from: Day, until: Day] => [
  Math.max(FIRST_DAY, Math.floor(start / DAY_MS) - SLACK_DAYS),
  Math.min(LAST_DAY, Math.ceil(end / DAY_MS) + SLACK_DAYS),
];

/** Events that may be there in a range of time; of changed days the repeat that they belong to. */
async function* eventsAround({ calendar, user }: AskedAt, range: TimeRange): AsyncGenerator<CalendarEvent, void> {
  const seen = new Set<number>();
  const near = await calendar.between(user.account, ...daysAround(range));
  const ruled = await calendar.ruled(user.account);
  for (const event of [...near, ...ruled]) {
    const id = event.parent ?? event.id;
    if (seen.has(id)) continue;
    seen.add(id);
    const whole = event.parent === undefined ? event : await calendar.read(user.account, event.parent);
    if (whole) yield whole;
  }
}

/** Objects of a calendar, some at a time: with a range those that may be there then, and some others. */
export async function* objectsAround(
  asked: AskedAt,
  range: TimeRange | undefined,
): AsyncGenerator<readonly DavObject[], void> {
  const { calendar, user } = asked;
  if (range === undefined) return yield* everyObject(calendar, user.account);
  for await (const events of inBatches(eventsAround(asked, range)))
    yield await objectsOf(calendar, user.account, events);
}
