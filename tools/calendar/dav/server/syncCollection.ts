import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { iterateBatches } from '../../exchange/server/ics/timeSlices.ts';
import { formatSyncToken, iterateObjects, loadObjects, OBJECTS_PER_BATCH, parseSyncToken } from './davObjects.ts';
import { DavError, type DavTarget } from './davRequest.ts';
import { createMultistatus, formatStatusResponse } from './multistatus.ts';
import { formatObjectResponses, type ObjectResponseOptions } from './propfind.ts';
import { parseReportedData } from './query.ts';
import { findChild, type Element, escapeXml, tag } from './xml.ts';

/** RFC 6578: a token that is too old, of another account, or of a revision that doesn't exist yet. */
const createTokenError = (): DavError => new DavError(403, tag('d:valid-sync-token'));

function parseLimit(report: Element): number {
  const text = findChild(findChild(report, 'd:limit'), 'd:nresults')?.text.trim();
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new DavError(400);
  return limit;
}

const tokenTag = (davRequest: DavTarget, revision: number): string =>
  tag('d:sync-token', escapeXml(formatSyncToken(davRequest.user, revision)));

interface ObjectChange {
  readonly revision: number;
  readonly resource: string;
  /** The current event, if it is already known. */
  readonly event?: CalendarEvent;
  readonly isDeleted: boolean;
}

const sortChanges = (changes: readonly ObjectChange[]): readonly ObjectChange[] =>
  changes.toSorted((one, other) => one.revision - other.revision);

/** Lists the changes after a revision, the oldest first. @throws DavError if the revision is too old */
async function listChangesSince({ calendar, user }: DavTarget, since: number): Promise<readonly ObjectChange[]> {
  const history = await calendar.listChangedSince(user.account, since);
  if (history === undefined) throw createTokenError();
  const changed = new Set(history.changed.map(({ resource }) => resource));
  return sortChanges([
    ...history.changed.map((event) => ({
      revision: event.revision,
      resource: event.resource,
      event,
      isDeleted: false,
    })),
    // A resource may have been reused.
    ...history.deleted.filter(({ resource }) => !changed.has(resource)).map((event) => ({ ...event, isDeleted: true })),
  ]);
}

/** Lists all objects as changes, for a client that limits the number of results. */
async function listAllChanges({ calendar, user }: DavTarget): Promise<readonly ObjectChange[]> {
  const list: ObjectChange[] = [];
  for await (const objects of iterateObjects(calendar, user.account))
    list.push(...objects.map(({ event: { revision, resource } }) => ({ revision, resource, isDeleted: false })));
  return sortChanges(list);
}

/** Formats the responses of some changes. Objects that were removed meanwhile are reported as such. */
async function formatResponses(
  davRequest: DavTarget,
  batch: readonly ObjectChange[],
  responseOptions: ObjectResponseOptions,
): Promise<string> {
  const { calendar, user, hrefs } = davRequest;
  const unread = batch
    .filter(({ event, isDeleted }) => event === undefined && !isDeleted)
    .map(({ resource }) => resource);
  const read = unread.length === 0 ? [] : await calendar.listByResource(user.account, unread);
  const events = [...batch.flatMap(({ event }) => event ?? []), ...read];
  const existing = new Set(events.map(({ resource }) => resource));
  const missing = batch.filter(({ resource }) => !existing.has(resource));
  const responses = await formatObjectResponses(
    davRequest,
    await loadObjects(calendar, user.account, events),
    responseOptions,
  );
  return responses + missing.map(({ resource }) => formatStatusResponse(hrefs.object(resource), 404)).join('');
}

/** Formats as many changes as the client accepts, and the token for the next ones. */
async function* formatChanges(
  davRequest: DavTarget,
  changes: readonly ObjectChange[],
  options: { readonly limit: number; readonly now: number; readonly responseOptions: ObjectResponseOptions },
): AsyncGenerator<string, void, undefined> {
  const { limit, now, responseOptions } = options;
  const sent = changes.length > limit ? changes.slice(0, limit) : changes;
  const isCut = sent.length < changes.length;
  for await (const batch of iterateBatches(sent, OBJECTS_PER_BATCH))
    yield await formatResponses(davRequest, batch, responseOptions);
  if (isCut)
    yield formatStatusResponse(
      davRequest.hrefs.collection,
      507,
      tag('d:error', tag('d:number-of-matches-within-limits')),
    );
  yield tokenTag(davRequest, isCut ? (sent.at(-1)?.revision ?? now) : now);
}

async function* formatAllObjects(
  davRequest: DavTarget,
  now: number,
  responseOptions: ObjectResponseOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const objects of iterateObjects(davRequest.calendar, davRequest.user.account))
    yield await formatObjectResponses(davRequest, objects, responseOptions);
  yield tokenTag(davRequest, now);
}

/** RFC 6578 `sync-collection`: the changes after a token, and the next token. */
export async function handleSyncCollection(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const { calendar, user, path } = davRequest;
  if (path.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  const token = findChild(report, 'd:sync-token')?.text.trim() ?? '';
  const limit = parseLimit(report);
  // Read before the list: a change in between is then reported twice instead of never.
  const now = await calendar.getRevision(user.account);
  const since = token === '' ? undefined : parseSyncToken(user, token);
  if (token !== '' && (since === undefined || since > now)) throw createTokenError();
  const responseOptions = await parseReportedData(davRequest, report);
  const { isMinimal } = responseOptions;
  if (since === undefined && limit === Number.POSITIVE_INFINITY)
    return createMultistatus(formatAllObjects(davRequest, now, responseOptions), isMinimal);
  const changes = since === undefined ? await listAllChanges(davRequest) : await listChangesSince(davRequest, since);
  return createMultistatus(formatChanges(davRequest, changes, { limit, now, responseOptions }), isMinimal);
}
