import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { DavError } from './davError.ts';
import { everyObject, inBatches, objectsOf, SYNC } from './davObjects.ts';
import type { AskedAt } from './davRequest.ts';
import { multistatus, statusResponse } from './multistatus.ts';
import { objectResponses, type ObjectResponse } from './propfind.ts';
import { shownByReport } from './query.ts';
import { childOf, type Element, escaped, tag } from './xml.ts';

/** RFC 6578: a token that is too old, of another account, or of a revision that doesn't exist yet. */
const badToken = (): DavError => new DavError(403, tag('d:valid-sync-token'));

const limitOf = (report: Element): number => {
  const text = childOf(childOf(report, 'd:limit'), 'd:nresults')?.text.trim();
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new DavError(400);
  return limit;
};

const tokenTag = (asked: AskedAt, revision: number): string =>
  tag('d:sync-token', escaped(SYNC.write(asked.user, revision)));

/** A change of one object. */
interface Change {
  readonly revision: number;
  readonly resource: string;
  /** The current event, if it is already known. */
  readonly event?: CalendarEvent;
  readonly isGone: boolean;
}

const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((one, other) => one.revision - other.revision);

/** Returns the changes after a revision, the oldest first. @throws DavError if the revision is too old */
const changesSince = async ({ calendar, user }: AskedAt, since: number): Promise<readonly Change[]> => {
  const known = await calendar.changedSince(user.account, since);
  if (known === undefined) throw badToken();
  const changed = new Set(known.changed.map(({ resource }) => resource));
  return inOrder([
    ...known.changed.map((event) => ({ revision: event.revision, resource: event.resource, event, isGone: false })),
    // A resource may have been reused.
    ...known.gone.filter(({ resource }) => !changed.has(resource)).map((gone) => ({ ...gone, isGone: true })),
  ]);
};

/** Returns all objects as changes, for a client that limits the number of results. */
const everyChange = async ({ calendar, user }: AskedAt): Promise<readonly Change[]> => {
  const list: Change[] = [];
  for await (const objects of everyObject(calendar, user.account))
    list.push(...objects.map(({ event: { revision, resource } }) => ({ revision, resource, isGone: false })));
  return inOrder(list);
};

/** Formats the responses of some changes. Objects that were removed meanwhile are reported as such. */
const responsesOf = async (asked: AskedAt, batch: readonly Change[], shown: ObjectResponse): Promise<string> => {
  const { calendar, user, hrefs } = asked;
  const unread = batch.filter(({ event, isGone }) => event === undefined && !isGone).map(({ resource }) => resource);
  const read = unread.length === 0 ? [] : await calendar.byResource(user.account, unread);
  const events = [...batch.flatMap(({ event }) => event ?? []), ...read];
  const here = new Set(events.map(({ resource }) => resource));
  const gone = batch.filter(({ resource }) => !here.has(resource));
  const found = await objectResponses(asked, await objectsOf(calendar, user.account, events), shown);
  return found + gone.map(({ resource }) => statusResponse(hrefs.object(resource), 404)).join('');
};

/** Returns as many changes as the client accepts, and the token for the next ones. */
async function* part(
  asked: AskedAt,
  changes: readonly Change[],
  { limit, now, shown }: { readonly limit: number; readonly now: number; readonly shown: ObjectResponse },
): AsyncGenerator<string, void, undefined> {
  const told = changes.length > limit ? changes.slice(0, limit) : changes;
  const isCut = told.length < changes.length;
  for await (const batch of inBatches(told)) yield await responsesOf(asked, batch, shown);
  if (isCut)
    yield statusResponse(asked.hrefs.collection, 507, tag('d:error', tag('d:number-of-matches-within-limits')));
  yield tokenTag(asked, isCut ? (told.at(-1)?.revision ?? now) : now);
}

async function* everything(
  asked: AskedAt,
  now: number,
  shown: ObjectResponse,
): AsyncGenerator<string, void, undefined> {
  for await (const objects of everyObject(asked.calendar, asked.user.account))
    yield await objectResponses(asked, objects, shown);
  yield tokenTag(asked, now);
}

/** RFC 6578 `sync-collection`: the changes after a token, and the next token. */
export async function syncCollection(asked: AskedAt, report: Element): Promise<EndpointResponse> {
  const { calendar, user, place } = asked;
  if (place.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  const token = childOf(report, 'd:sync-token')?.text.trim() ?? '';
  const limit = limitOf(report);
  // Read before the list: a change in between is then reported twice instead of never.
  const now = await calendar.revision(user.account);
  const since = token === '' ? undefined : SYNC.read(user, token);
  if (token !== '' && (since === undefined || since > now)) throw badToken();
  const shown = await shownByReport(asked, report);
  const { isMinimal } = shown;
  if (since === undefined && limit === Number.POSITIVE_INFINITY)
    return multistatus(everything(asked, now, shown), isMinimal);
  const changes = since === undefined ? await everyChange(asked) : await changesSince(asked, since);
  return multistatus(part(asked, changes, { limit, now, shown }), isMinimal);
}
