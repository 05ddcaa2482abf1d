import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import { getStyle, type CalendarEvent } from '../../events/domain/event.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import { formatIcs } from '../../exchange/domain/icsWriter.ts';
import { patchSource } from '../../exchange/server/ics/patchSource.ts';
import type { DavRequest } from './davRequest.ts';

/**
 * Returns the iCalendar text of objects, in order: unchanged if nothing changed here since the client sent it, patched
 * if something did, and written by us if no client ever sent it.
 */
export async function loadTexts(
  { calendar, user, zone }: Pick<DavRequest, 'calendar' | 'user' | 'zone'>,
  objects: readonly DavObject[],
): Promise<readonly string[]> {
  const ids = objects.map(({ event }) => event.id);
  const sources = await calendar.loadSources(user.account, ids);
  const home = sources.size > 0 ? await zone() : '';
  return objects.map(({ event, children }) => {
    const source = sources.get(event.id);
    if (source === undefined) return formatIcs([event, ...children]);
    return source.revision === event.revision ? source.text : patchSource(source.text, event, children, home);
  });
}

const PREFIX = 'urn:pegboard:sync:';

/** Tokens of `sync-collection`: the account and its revision. */
export const SYNC = {
  write: ({ account }: AppPasswordUser, revision: number): string => `${PREFIX}${account}:${revision}`,
  /** Undefined if it is no token of this account. */
  read: ({ account }: AppPasswordUser, token: string): number | undefined => {
    const start = `${PREFIX}${account}:`;
    const digits = token.startsWith(start) ? token.slice(start.length) : '';
    return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  },
} as const;

/** What CalDAV stores under one address: an event with the changed days of its repeat. */
export interface DavObject {
  readonly event: CalendarEvent;
  readonly children: readonly CalendarEvent[];
}

/**
 * A strong tag that changes with the event and its changed days. The time beside the revision makes it differ from tags
 * issued before a backup was restored.
 */
export function formatEtag({ event }: DavObject): string {
  return `"${event.revision}-${event.edited.toString(36)}"`;
}

const isWhole = ({ parent }: CalendarEvent): boolean => parent === undefined;

/** Groups events to objects. Changed days without their repeat are left out. */
export async function loadObjects(
  calendar: Calendar,
  account: number,
  events: readonly CalendarEvent[],
): Promise<readonly DavObject[]> {
  const whole = events.filter(isWhole);
  const repeats = whole.filter(({ pattern }) => getStyle(pattern) === 'repeat');
  const children =
    repeats.length === 0
      ? []
      : await calendar.listChildren(
          account,
          repeats.map(({ id }) => id),
        );
  const byParent = Map.groupBy(children, ({ parent }) => parent);
  return whole.map((event) => ({ event, children: byParent.get(event.id) ?? [] }));
}

export async function findObject(
  calendar: Calendar,
  account: number,
  resource: string,
): Promise<DavObject | undefined> {
  return (await loadObjects(calendar, account, await calendar.listByResource(account, [resource])))[0];
}

const BATCH = 100;

/** Lets other work run between two batches. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Splits a list into batches, with a pause before each but the first. */
export async function* inBatches<T>(list: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[], void> {
  let batch: T[] = [];
  for await (const one of list) {
    batch.push(one);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
    await pause();
  }
  if (batch.length > 0) yield batch;
}

/** Iterates over all objects of an account in batches. */
export async function* iterateObjects(calendar: Calendar, account: number): AsyncGenerator<readonly DavObject[], void> {
  for await (const events of inBatches(calendar.iterate(account))) yield await loadObjects(calendar, account, events);
}
