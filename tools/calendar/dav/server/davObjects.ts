import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import { getStyle, type CalendarEvent } from '../../events/domain/event.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import { formatIcs } from '../../exchange/domain/icsWriter.ts';
import { patchSource } from '../../exchange/server/ics/patchSource.ts';
import { iterateBatches } from '../../exchange/server/ics/timeSlices.ts';
import type { DavRequest } from './davRequest.ts';

/**
 * Returns the iCalendar text of objects, in order. The text of a client is patched if the event was changed here.
 * Without such a text, the event is formatted.
 */
export async function loadTexts(
  { calendar, user, getZone }: Pick<DavRequest, 'calendar' | 'user' | 'getZone'>,
  objects: readonly DavObject[],
): Promise<readonly string[]> {
  const ids = objects.map(({ event }) => event.id);
  const sources = await calendar.loadSources(user.account, ids);
  const home = sources.size > 0 ? await getZone() : '';
  return objects.map(({ event, children }) => {
    const source = sources.get(event.id);
    if (source === undefined) return formatIcs([event, ...children]);
    return source.revision === event.revision ? source.text : patchSource(source.text, event, children, home);
  });
}

const SYNC_TOKEN_PREFIX = 'urn:pegboard:sync:';

/** Formats a token of `sync-collection`: the account and its revision. */
export function formatSyncToken({ account }: AppPasswordUser, revision: number): string {
  return `${SYNC_TOKEN_PREFIX}${account}:${revision}`;
}

/** Returns the revision of a token, or undefined if it is no token of this account. */
export function parseSyncToken({ account }: AppPasswordUser, token: string): number | undefined {
  const start = `${SYNC_TOKEN_PREFIX}${account}:`;
  const digits = token.startsWith(start) ? token.slice(start.length) : '';
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

/** What CalDAV stores under one address: an event with the changed days of its repeat. */
export interface DavObject {
  readonly event: CalendarEvent;
  readonly children: readonly CalendarEvent[];
}

/**
 * Returns a strong tag that changes with the event and its changed days. The time of the edit makes it differ from
 * tags issued before a backup was restored.
 */
export function formatEtag({ event }: DavObject): string {
  return `"${event.revision}-${event.edited.toString(36)}"`;
}

/** Groups events to objects. Changed days without their repeat are left out. */
export async function loadObjects(
  calendar: Calendar,
  account: number,
  events: readonly CalendarEvent[],
): Promise<readonly DavObject[]> {
  const masters = events.filter(({ parent }) => parent === undefined);
  const repeats = masters.filter(({ pattern }) => getStyle(pattern) === 'repeat');
  const children =
    repeats.length === 0
      ? []
      : await calendar.listChildren(
          account,
          repeats.map(({ id }) => id),
        );
  const byParent = Map.groupBy(children, ({ parent }) => parent);
  return masters.map((event) => ({ event, children: byParent.get(event.id) ?? [] }));
}

export async function findObject(
  calendar: Calendar,
  account: number,
  resource: string,
): Promise<DavObject | undefined> {
  return (await loadObjects(calendar, account, await calendar.listByResource(account, [resource])))[0];
}

/** Number of objects that are loaded together. */
export const OBJECTS_PER_BATCH = 100;

/** Iterates over all objects of an account in batches. */
export async function* iterateObjects(calendar: Calendar, account: number): AsyncGenerator<readonly DavObject[], void> {
  for await (const events of iterateBatches(calendar.iterate(account), OBJECTS_PER_BATCH))
    yield await loadObjects(calendar, account, events);
}
