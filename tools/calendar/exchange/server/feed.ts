import { randomBytes } from 'node:crypto';
import type { Database } from '#platform/server/database/database.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import type { Endpoint, EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import { type ServerContext, type ServerSite, handle, type Handler } from '#platform/server/tool.ts';
import { calendarfeed, endcalendarfeed, makecalendarfeed } from '../../contract/exchange.ts';
import { type CalendarFeed, type CalendarFeedEntry, calendarFeedSlot } from '../../contract/feedSlot.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import { escapeText, foldLine, formatIcsInstant, formatIcsTime } from '../domain/icsText.ts';
import { ICS_TAIL, formatIcsEvent, formatIcsHead, isRepeating } from '../domain/icsWriter.ts';
import { createZoneCollector } from '../domain/icsZone.ts';
import { iterateBatches } from './ics/timeSlices.ts';

/** Converts `2026-11-23T09:00` to `20261123T090000`, without a zone like the calendar's own times. */
function formatMoment(text: string): string {
  const [date = '', time = ''] = text.split('T');
  const day = parseDay(date);
  if (day === undefined) throw new Error(`an entry of the feed is on ${date}, which is no day`);
  return formatIcsTime(day, time);
}

/** Formats a feed entry of another tool as a `VEVENT`. */
export function formatFeedEntry(entry: CalendarFeedEntry): string {
  const { uid, name, description, start, end, changed, isCancelled } = entry;
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(uid)}`,
    `DTSTAMP:${formatIcsInstant(changed)}`,
    `LAST-MODIFIED:${formatIcsInstant(changed)}`,
    `SUMMARY:${escapeText(name)}`,
    `DTSTART:${formatMoment(start)}`,
    `DTEND:${formatMoment(end)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    // A plan doesn't block the time for invitations of others.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
    .map(foldLine)
    .join('');
}

type FeedTables = { calendar_feed: { account: number; secret: string } };

/** Stores the secret of each account's feed. */
export function createFeedStore({ db }: Pick<Database, 'db'>) {
  const tables = db.$extendTables<FeedTables>();
  return {
    findSecret: async (account: number): Promise<string | undefined> =>
      (await tables.selectFrom('calendar_feed').select('secret').where('account', '=', account).executeTakeFirst())
        ?.secret,
    findAccount: async (secret: string): Promise<number | undefined> =>
      (await tables.selectFrom('calendar_feed').select('account').where('secret', '=', secret).executeTakeFirst())
        ?.account,
    /** Replaces the secret by a new one. */
    replaceSecret: async (account: number): Promise<string> => {
      const secret = randomBytes(32).toString('base64url');
      await tables
        .insertInto('calendar_feed')
        .values({ account, secret })
        .onConflict((conflict) => conflict.column('account').doUpdateSet({ secret }))
        .execute();
      return secret;
    },
    remove: async (account: number): Promise<void> => {
      await tables.deleteFrom('calendar_feed').where('account', '=', account).execute();
    },
  };
}

const toFeedAnswer = (secret: string | undefined) =>
  secret === undefined ? {} : { path: `/calendar/feed/${secret}.ics` };

export function createFeedHandlers({ database }: ServerContext): readonly Handler[] {
  const store = createFeedStore(database);
  return [
    handle(calendarfeed, async (_request, { account }) => toFeedAnswer(await store.findSecret(account))),
    handle(makecalendarfeed, async (_request, { account }) => toFeedAnswer(await store.replaceSecret(account))),
    handle(endcalendarfeed, async (_request, { account }) => {
      await store.remove(account);
    }),
  ];
}

/** Phones send a few requests an hour, and several phones may share an IP address. */
const FEED_RATE = { times: 240, seconds: 60 };
/** Version of the file format. Increase it if the same events are formatted differently, so that ETags change. */
const FORMAT_VERSION = 4;
/** Maximum number of events that are formatted at once, which takes some milliseconds. */
const EVENTS_PER_SLICE = 200;

const NOT_FOUND: EndpointResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'There is no such calendar',
};

interface FeedContents {
  readonly calendar: Calendar;
  /** Feeds of other tools that are part of this one. */
  readonly parts: readonly CalendarFeed[];
}

/** Writes the account's own events and the entries of other tools as an .ics file, in slices. */
export async function writeFeed({ calendar, parts }: FeedContents, account: number, name: string): Promise<Uint8Array> {
  const pieces = [Buffer.from(formatIcsHead({ name }))];
  const zones = createZoneCollector();
  /** Repeats whose changed days are written inside them. */
  const repeating = new Set<number>();
  for await (const events of iterateBatches(calendar.iterate(account), EVENTS_PER_SLICE)) {
    const parents = events.filter(isRepeating).map(({ id }) => id);
    for (const id of parents) repeating.add(id);
    const children = parents.length === 0 ? [] : await calendar.listChildren(account, parents);
    const byParent = Map.groupBy(children, ({ parent }) => parent);
    const isOwn = ({ parent }: CalendarEvent): boolean => parent === undefined || !repeating.has(parent);
    for (const event of events) zones.add(event);
    const texts = events.filter(isOwn).map((event) => formatIcsEvent(event, byParent.get(event.id)));
    pieces.push(Buffer.from(texts.join('')));
  }
  for (const part of parts)
    for await (const entries of iterateBatches(await part.listEntries(), EVENTS_PER_SLICE))
      pieces.push(Buffer.from(entries.map(formatFeedEntry).join('')));
  return Buffer.concat([...pieces, Buffer.from(zones.format() + ICS_TAIL)]);
}

const parseSecret = (url: string): string => /\/([\w-]{20,100})\.ics(?:\?|$)/.exec(url)?.[1] ?? '';

/** Whether the client has the current version, by its `If-None-Match`. */
const isCurrent = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch?.split(',').some((entityTag) => [tag, '*'].includes(entityTag.trim().replace(/^W\//, ''))) === true;

/** Creates the endpoint `GET /calendar/feed/<secret>.ics`. The address alone grants read access. */
export function createFeedEndpoint(
  { database, identity, rateLimiter }: ServerContext,
  calendar: Calendar,
  site: Pick<ServerSite, 'listSlotValues'>,
): Endpoint {
  const store = createFeedStore(database);
  /** Files that are being written. Concurrent requests for the same file share one. */
  const pendingFiles = new Map<string, Promise<Uint8Array>>();

  async function getFile(account: number, tag: string, parts: readonly CalendarFeed[]): Promise<Uint8Array> {
    const key = `${account}:${tag}`;
    const pendingFile = pendingFiles.get(key);
    if (pendingFile) return pendingFile;
    const owner = await identity.findAccount(account);
    const newFile = writeFeed({ calendar, parts }, account, `${owner?.name ?? 'Calendar'} (Pegboard)`).finally(() =>
      pendingFiles.delete(key),
    );
    pendingFiles.set(key, newFile);
    return newFile;
  }

  async function listFeeds(account: number): Promise<readonly CalendarFeed[]> {
    const feeds = await Promise.all(site.listSlotValues(calendarFeedSlot).map((getFeed) => getFeed(account)));
    return feeds.filter((feed) => feed !== undefined);
  }

  async function run({ url, getHeader, address }: EndpointRequest): Promise<EndpointResponse> {
    await rateLimiter.consume('calendarfeed', getAddressKey(address), FEED_RATE);
    const account = await store.findAccount(parseSecret(url));
    if (account === undefined) return NOT_FOUND;
    await identity.assertActive(account);
    const [revision, parts] = await Promise.all([calendar.getRevision(account), listFeeds(account)]);
    const tag = `"${[FORMAT_VERSION, revision, ...parts.map((part) => part.revision)].join('-')}"`;
    const headers = { etag: tag, 'cache-control': 'private, no-cache' };
    if (isCurrent(getHeader('if-none-match'), tag)) return { status: 304, headers };
    return {
      status: 200,
      headers: {
        ...headers,
        'content-type': 'text/calendar; charset=utf-8',
        'content-disposition': 'inline; filename="calendar.ics"',
      },
      body: await getFile(account, tag, parts),
    };
  }
  return { methods: ['GET', 'HEAD'], path: '/calendar/feed/:file', run };
}
