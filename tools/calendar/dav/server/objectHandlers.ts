import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { CHANGED_ELSEWHERE } from '../../contract/events.ts';
import type { Author, Change } from '../../events/server/calendar.ts';
import { decodeIcs } from '../../exchange/domain/icsFile.ts';
import type { ReadEvent } from '../../exchange/server/ics/readIcs.ts';
import { checkConditions } from './conditions.ts';
import { DavError } from './davError.ts';
import { type DavObject, etagOf } from './davObjects.ts';
import type { AskedAt } from './davRequest.ts';
import { hrefTag } from './multistatus.ts';
import { currentOf, resourceOf } from './object.ts';
import { OBJECT_LIMIT_BYTES } from './properties.ts';
import { readObject } from './readObject.ts';
import { escaped, isUtf8, tag } from './xml.ts';

/** What the calendar says no to, in the words of the protocol. */
const refused = (error: unknown): never => {
  if (!(error instanceof Refusal)) throw error;
  if (error.message === CHANGED_ELSEWHERE) throw new DavError(412);
  throw new DavError(
    403,
    tag('c:valid-calendar-object-resource') + tag('d:responsedescription', escaped(error.message)),
  );
};

const calendarText = ({ request }: AskedAt): string => {
  if (request.body.length > OBJECT_LIMIT_BYTES) throw new DavError(403, tag('c:max-resource-size'));
  const type = request.getHeader('content-type') ?? 'text/calendar';
  if (!/^\s*text\/calendar\b/i.test(type)) throw new DavError(403, tag('c:supported-calendar-data'));
  if (!isUtf8(type)) throw new DavError(403, tag('c:valid-calendar-data'));
  return decodeIcs(request.body);
};

/** RFC 4791 section 5.3.2.1: one UID is one object, and stays with it. Days of a repeat that came without it have their date behind the UID. @throws DavError */
const checkUid = async (
  { calendar, user, hrefs }: AskedAt,
  uid: string,
  current: DavObject | undefined,
): Promise<void> => {
  const others = await calendar.byUid(user.account, [uid]);
  const other = others.find(({ resource }) => resource !== current?.event.resource);
  const isOther = current !== undefined && current.event.uid !== uid && !current.event.uid.startsWith(`${uid}-`);
  const taken = other?.resource ?? (isOther ? current.event.resource : undefined);
  if (taken !== undefined) throw new DavError(403, tag('c:no-uid-conflict', hrefTag(hrefs.object(taken))));
};

interface PutRequest {
  readonly asked: AskedAt;
  readonly database: Database;
  readonly author: Author;
  readonly read: ReadEvent;
  readonly text: string;
}

const childChanges = ({ overrides }: ReadEvent, parent: number, kept: DavObject['children']): readonly Change[] =>
  overrides.map(({ replaces, draft }) => {
    const id = kept.find((child) => child.replaces === replaces)?.id ?? 0;
    return id === 0 ? { id, draft, parent, replaces } : { id, draft };
  });

/** Changes an object: its event and its changed days in one, so that the event's own revision says that the text is of them all. */
const change = async ({ asked, database, author, read, text }: PutRequest, { event, children }: DavObject) => {
  const { calendar, user } = asked;
  const days = new Set(read.overrides.map(({ replaces }) => replaces));
  const over = children.filter(({ replaces }) => replaces === undefined || !days.has(replaces));
  await database.transaction(async (work) => {
    await calendar.remove(
      user.account,
      over.map(({ id }) => ({ id })),
      author,
      work,
    );
    const changes = childChanges(read, event.id, children);
    const seen = over.length === 0 ? event.revision : undefined; // removing changed days has changed the event
    await calendar.save(
      user.account,
      [{ id: event.id, draft: read.draft, source: text, seen }, ...changes],
      author,
      work,
    );
  });
};

const make = async ({ asked, database, author, read, text }: PutRequest): Promise<void> => {
  const { calendar, user } = asked;
  const fresh = { id: 0, draft: read.draft, uid: read.uid, resource: resourceOf(asked) };
  if (read.overrides.length === 0) {
    await calendar.save(user.account, [{ ...fresh, source: text }], author);
    return;
  }
  await database.transaction(async (work) => {
    const [made] = await calendar.save(user.account, [fresh], author, work);
    if (made === undefined) throw new Error('nothing was saved');
    const changes = childChanges(read, made.id, []);
    await calendar.save(user.account, [{ id: made.id, draft: read.draft, source: text }, ...changes], author, work);
  });
};

/** PUT: keeps an object, and word for word what it was sent as. Runs in the account's turn. */
export const put = async (asked: AskedAt, database: Database): Promise<EndpointResponse> => {
  const current = await currentOf(asked);
  checkConditions(asked.request, current && etagOf(current));
  const text = calendarText(asked);
  const read = await readObject(text, { zone: await asked.zone(), now: asked.now() });
  await checkUid(asked, read.uid, current);
  const author = { address: asked.request.address, by: 'caldav' } as const;
  const keeping = { asked, database, author, read, text };
  try {
    await (current ? change(keeping, current) : make(keeping));
  } catch (error) {
    refused(error);
  }
  const kept = await currentOf(asked);
  // RFC 4791 section 5.3.4: no tag where the bytes that are kept are others than those that came, so that the client reads them again.
  const isSame = Buffer.from(text).equals(asked.request.body);
  return { status: current ? 204 : 201, headers: kept && isSame ? { etag: etagOf(kept) } : {} };
};

/** DELETE: into the bin, with its changed days. */
export const remove = async (asked: AskedAt): Promise<EndpointResponse> => {
  if (asked.place.kind === 'collection') throw new DavError(403);
  const current = await currentOf(asked);
  if (current === undefined) throw new DavError(404);
  checkConditions(asked.request, etagOf(current));
  const { id, revision } = current.event;
  const author = { address: asked.request.address, by: 'caldav' } as const;
  try {
    await asked.calendar.remove(asked.user.account, [{ id, seen: revision }], author);
  } catch (error) {
    refused(error);
  }
  return { status: 204 };
};
