import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { iterateObjects, inBatches, loadObjects, SYNC } from './davObjects.ts';
import { DavError, type DavTarget } from './davRequest.ts';
import { multistatus, statusResponse } from './multistatus.ts';
import { formatObjectResponses, type ObjectResponse } from './propfind.ts';
import { parseReportedData } from './query.ts';
import { findChild, type Element, escapeXml, tag } from './xml.ts';

/** RFC 6578: a token that is too old, of another account, or of a revision that doesn't exist yet. */
const badToken = (): DavError => new DavError(403, tag('d:valid-sync-token'));

const parseLimit = (report: Element): number => {
  const text = findChild(findChild(report, 'd:limit'), 'd:nresults')?.text.trim();
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new DavError(400);
  return limit;
};

const tokenTag = (davRequest: DavTarget, revision: number): string =>
  tag('d:sync-token', escapeXml(SYNC.write(davRequest.user, revision)));

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
const changesSince = async ({ calendar, user }: DavTarget, since: number): Promise<readonly Change[]> => {
  const history = await calendar.listChangedSince(user.account, since);
  if (history === undefined) throw badToken();
  const changed = new Set(history.changed.map(({ resource }) => resource));
  return inOrder([
    ...history.changed.map((event) => ({ revision: event.revision, resource: event.resource, event, isGone: false })),
    // A resource may have been reused.
    ...history.gone.filter(({ resource }) => !changed.has(resource)).map((gone) => ({ ...gone, isGone: true })),
  ]);
};

/** Returns all objects as changes, for a client that limits the number of results. */
const everyChange = async ({ calendar, user }: DavTarget): Promise<readonly Change[]> => {
  const list: Change[] = [];
  for await (const objects of iterateObjects(calendar, user.account))
    list.push(...objects.map(({ event: { revision, resource } }) => ({ revision, resource, isGone: false })));
  return inOrder(list);
};

/** Formats the responses of some changes. Objects that were removed meanwhile are reported as such. */
const formatResponses = async (
  davRequest: DavTarget,
  batch: readonly Change[],
  responseOptions: ObjectResponse,
): Promise<string> => {
  const { calendar, user, hrefs } = davRequest;
  const unread = batch.filter(({ event, isGone }) => event === undefined && !isGone).map(({ resource }) => resource);
  const read = unread.length === 0 ? [] : await calendar.listByResource(user.account, unread);
  const events = [...batch.flatMap(({ event }) => event ?? []), ...read];
  const existing = new Set(events.map(({ resource }) => resource));
  const missing = batch.filter(({ resource }) => !existing.has(resource));
  const responses = await formatObjectResponses(
    davRequest,
    await loadObjects(calendar, user.account, events),
    responseOptions,
  );
  return responses + missing.map(({ resource }) => statusResponse(hrefs.object(resource), 404)).join('');
};

/** Returns as many changes as the client accepts, and the token for the next ones. */
async function* part(
  davRequest: DavTarget,
  changes: readonly Change[],
  {
    limit,
    now,
    shown: responseOptions,
  }: { readonly limit: number; readonly now: number; readonly shown: ObjectResponse },
): AsyncGenerator<string, void, undefined> {
  const sent = changes.length > limit ? changes.slice(0, limit) : changes;
  const isCut = sent.length < changes.length;
  for await (const batch of inBatches(sent)) yield await formatResponses(davRequest, batch, responseOptions);
  if (isCut)
    yield statusResponse(davRequest.hrefs.collection, 507, tag('d:error', tag('d:number-of-matches-within-limits')));
  yield tokenTag(davRequest, isCut ? (sent.at(-1)?.revision ?? now) : now);
}

async function* everything(
  davRequest: DavTarget,
  now: number,
  responseOptions: ObjectResponse,
): AsyncGenerator<string, void, undefined> {
  for await (const objects of iterateObjects(davRequest.calendar, davRequest.user.account))
    yield await formatObjectResponses(davRequest, objects, responseOptions);
  yield tokenTag(davRequest, now);
}

/** RFC 6578 `sync-collection`: the changes after a token, and the next token. */
export async function syncCollection(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const { calendar, user, place } = davRequest;
  if (place.kind !== 'collection') throw new DavError(403, tag('d:supported-report'));
  const token = findChild(report, 'd:sync-token')?.text.trim() ?? '';
  const limit = parseLimit(report);
  // Read before the list: a change in between is then reported twice instead of never.
  const now = await calendar.getRevision(user.account);
  const since = token === '' ? undefined : SYNC.read(user, token);
  if (token !== '' && (since === undefined || since > now)) throw badToken();
  const responseOptions = await parseReportedData(davRequest, report);
  const { isMinimal } = responseOptions;
  if (since === undefined && limit === Number.POSITIVE_INFINITY)
    return multistatus(everything(davRequest, now, responseOptions), isMinimal);
  const changes = since === undefined ? await everyChange(davRequest) : await changesSince(davRequest, since);
  return multistatus(part(davRequest, changes, { limit, now, shown: responseOptions }), isMinimal);
}
