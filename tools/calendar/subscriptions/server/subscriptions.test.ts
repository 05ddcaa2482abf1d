import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { formatIcsEvent, formatIcsFile, startFeedServer, type TestFeed } from '#testing/kits/planning/feedServer.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import {
  deleteevent,
  eventsbetween,
  eventssearch,
  getevent,
  getevents,
  moveevent,
  newevent,
} from '../../contract/events.ts';
import {
  calendarsubscriptions,
  changesubscription,
  refreshsubscription,
  subscribecalendar,
  unsubscribecalendar,
} from '../../contract/exchange.ts';
import { createCalendar } from '../../events/server/calendar.ts';
import { createSubscriptionRefresher } from './subscriptionRefresher.ts';

const ZONE = 'Europe/Berlin';

async function setUp(options: Parameters<typeof startServerWithContext>[0] = {}) {
  const clock = { now: Temporal.Instant.from('2026-11-21T12:00:00Z') };
  const { server, context } = await startServerWithContext({
    egressAllow: ['127.0.0.1'],
    now: () => clock.now,
    ...options,
  });
  const calendar = createCalendar(context);
  const { task } = createSubscriptionRefresher(context, calendar);
  return {
    server,
    calendar,
    /** Advances the clock and runs the scheduled task. */
    after: async (minutes: number): Promise<void> => {
      clock.now = clock.now.add({ minutes });
      await task.run();
    },
  };
}

/** Lists the entries of a week, as `2026-11-23 Bins`. */
async function listEntries(
  account: TestAccount,
  from = '2026-11-23',
  until = '2026-12-06',
): Promise<readonly string[]> {
  const { dates } = await account.call(eventsbetween, { from, until, tz: ZONE });
  return Object.entries(dates).flatMap(([date, { entries }]) =>
    entries.filter(({ eventid }) => eventid > 0).map(({ name }) => `${date} ${name}`),
  );
}

const getRevision = async (account: TestAccount): Promise<number> =>
  (await account.call(getevents, { tz: ZONE })).revision;

const getId = async (account: TestAccount, term: string): Promise<number> =>
  (await account.call(eventssearch, { searchterm: term })).names[0]?.id ?? 0;

const BINS = formatIcsEvent('bins', 'Bins', '20261123', 'RRULE:FREQ=WEEKLY;COUNT=3');
const formatMovedEvent = (name: string) =>
  formatIcsEvent('bins', name, '20261201', 'RECURRENCE-ID;VALUE=DATE:20261130');
const CONCERT = formatIcsEvent('concert', 'Concert', '20261127', 'CATEGORIES:music');

testOnBothDatabases(
  'a subscribed calendar is read immediately, and then every hour',
  async ({ dataDir, databaseUrl }) => {
    const { server, after } = await setUp({ dataDir, databaseUrl });
    await using _ = server;
    await using feed = await startFeedServer(formatIcsFile([BINS, CONCERT], 'Town'));
    const ann = await server.createAccount('ann');
    const { subscription } = await ann.call(subscribecalendar, { address: feed.address, colour: '#3b82c4' });
    expect(subscription).toMatchObject({ name: 'Town', events: 2, colour: '#3B82C4', address: feed.address });
    expect(subscription.refreshed).toBe('2026-11-21T12:00:00Z'.replace('Z', '.000Z'));
    expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-11-27 Concert', '2026-11-30 Bins']);

    await after(59);
    expect(feed.getRequestCount()).toBe(1);
    feed.setContent(formatIcsFile([BINS, formatIcsEvent('party', 'Party', '20261128')], 'Town'));
    await after(1);
    expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-11-28 Party', '2026-11-30 Bins']);
    const { subscriptions } = await ann.call(calendarsubscriptions, {});
    expect(subscriptions).toMatchObject([{ events: 2, refreshed: '2026-11-21T13:00:00.000Z' }]);
  },
);

testOnBothDatabases(
  'an unchanged calendar is not written, with or without support for conditional requests',
  async ({ dataDir, databaseUrl }) => {
    const { server, after } = await setUp({ dataDir, databaseUrl });
    await using _ = server;
    const foreign = formatIcsEvent('last', 'Last Friday', '20261127', 'RRULE:FREQ=MONTHLY;BYDAY=-1FR');
    const timed = formatIcsEvent('talk', 'Talk', '20261125').replace(
      'DTSTART;VALUE=DATE:20261125',
      'DTSTART:20261125T180000Z\r\nDTEND:20261125T190000Z',
    );
    const long = formatIcsEvent('fair', 'Fair', '20261124', 'DTEND;VALUE=DATE:20261127', 'DESCRIPTION:two\\nlines');
    const text = formatIcsFile([BINS, CONCERT, formatMovedEvent('Bins late'), foreign, timed, long]);
    const ann = await server.createAccount('ann');
    for (const etags of [true, false]) {
      await using feed = await startFeedServer(text, { etags });
      const { subscription } = await ann.call(subscribecalendar, { address: feed.address });
      expect(subscription.events).toBe(6);
      const before = await getRevision(ann);
      await after(60);
      await after(60 * 24);
      expect([feed.getRequestCount(), feed.getNotModifiedCount()]).toEqual([3, etags ? 2 : 0]);
      expect(await getRevision(ann)).toBe(before);
      await ann.call(unsubscribecalendar, { id: subscription.id });
    }
  },
);

/** Creates a calendar with an event in a zone. */
const formatTimedEvent = (zone: string): string =>
  formatIcsFile([
    BINS,
    formatIcsEvent('talk', 'Talk', '20261125').replace(/DTSTART.*/, `DTSTART;TZID=${zone}:20261125T180000`),
  ]);

testOnBothDatabases(
  'problems of the last refresh are shown with the subscription until the file is repaired',
  async ({ dataDir, databaseUrl }) => {
    const { server, after } = await setUp({ dataDir, databaseUrl });
    await using _ = server;
    await using feed = await startFeedServer(formatTimedEvent('Customized Time Zone'));
    const ann = await server.createAccount('ann');
    const { subscription } = await ann.call(subscribecalendar, { address: feed.address });
    const warnings = [{ name: 'Talk', why: expect.stringContaining('Customized Time Zone') as string }];
    expect(subscription.warnings).toEqual(warnings);
    await after(60);
    expect(feed.getNotModifiedCount()).toBe(1);
    expect((await ann.call(calendarsubscriptions, {})).subscriptions).toMatchObject([{ warnings }]);
    feed.setContent(formatTimedEvent('Pacific Standard Time'));
    await after(60 * 24);
    expect((await ann.call(calendarsubscriptions, {})).subscriptions).toMatchObject([{ events: 2, warnings: [] }]);
  },
);

testOnBothDatabases(
  'only changes are written: other events keep their revisions in the account',
  async ({ dataDir, databaseUrl }) => {
    const { server, after } = await setUp({ dataDir, databaseUrl });
    await using _ = server;
    await using feed = await startFeedServer(formatIcsFile([BINS, CONCERT, formatMovedEvent('Bins late')]));
    const ann = await server.createAccount('ann');
    await ann.call(subscribecalendar, { address: feed.address });
    expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-11-27 Concert', '2026-12-01 Bins late']);
    const before = [await getId(ann, 'Bins late'), await getId(ann, 'Concert')];

    feed.setContent(formatIcsFile([BINS, CONCERT, formatMovedEvent('Bins later')]));
    await after(60);
    expect([await getId(ann, 'Bins later'), await getId(ann, 'Concert')]).toEqual(before);
    feed.setContent(formatIcsFile([BINS, CONCERT]));
    await after(60);
    expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-11-27 Concert', '2026-11-30 Bins']);
    feed.setContent(formatIcsFile([CONCERT]));
    await after(60);
    expect(await listEntries(ann)).toEqual(['2026-11-27 Concert']);
    feed.setContent(formatIcsFile([BINS, formatMovedEvent('Bins late')]));
    await after(60);
    expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-12-01 Bins late']);
  },
);

testOnBothDatabases(
  'a calendar that cannot be read keeps its events and the reason, and is retried with backoff',
  async ({ dataDir, databaseUrl }) => {
    const { server, after } = await setUp({ dataDir, databaseUrl });
    await using _ = server;
    await using feed = await startFeedServer(formatIcsFile([CONCERT]));
    const ann = await server.createAccount('ann');
    const { subscription } = await ann.call(subscribecalendar, { address: feed.address });
    feed.setHandler((_request, response) => response.writeHead(500).end());
    // Retries after 1, 2, 4, 8 and 16 hours, and a day.
    const hours: number[] = [];
    for (let hour = 1; hour <= 80; hour += 1) {
      const before = feed.getRequestCount();
      await after(60);
      if (feed.getRequestCount() > before) hours.push(hour);
    }
    expect(hours).toEqual([1, 2, 4, 8, 16, 32, 56, 80]);
    expect(await listEntries(ann)).toEqual(['2026-11-27 Concert']);
    const [failed] = (await ann.call(calendarsubscriptions, {})).subscriptions;
    expect(failed).toMatchObject({
      events: 1,
      refreshed: '2026-11-21T12:00:00.000Z',
      problem: 'That server responded with an error (500)',
    });

    feed.setContent(formatIcsFile([CONCERT, BINS]));
    const tried = await ann.call(refreshsubscription, { id: subscription.id });
    expect(tried.subscription).toMatchObject({ events: 2 });
    expect(tried.subscription.problem).toBeUndefined();
    await after(60);
    expect(feed.getNotModifiedCount()).toBe(1);
  },
);

testOnBothDatabases(
  'unsubscribing removes its events for good; others keep theirs',
  async ({ dataDir, databaseUrl }) => {
    const { server, after } = await setUp({ dataDir, databaseUrl });
    await using _ = server;
    await using town = await startFeedServer(formatIcsFile([BINS, CONCERT], 'Town'));
    await using club = await startFeedServer(formatIcsFile([BINS], 'Club'));
    const [ann, ben] = [await server.createAccount('ann'), await server.createAccount('ben')];
    await ann.call(newevent, { data: { id: 0, name: 'Own', date: '25-11-2026', tz: ZONE } });
    const { subscription } = await ann.call(subscribecalendar, { address: town.address });
    await ann.call(subscribecalendar, { address: club.address });
    await ben.call(subscribecalendar, { address: town.address });
    await expect(ben.call(unsubscribecalendar, { id: subscription.id })).rejects.toThrow(
      'There is no such subscription',
    );
    const remaining = await ann.call(unsubscribecalendar, { id: subscription.id });
    expect(remaining.subscriptions.map(({ name }) => name)).toEqual(['Club']);
    expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-11-25 Own', '2026-11-30 Bins']);
    expect(await listEntries(ben)).toHaveLength(3);
    await after(60);
    expect(town.getRequestCount()).toBe(3); // twice to subscribe, once for ben
  },
);

test('its events are recognizable, read-only, and have the calendar’s name and colour', async () => {
  const { server } = await setUp();
  await using _ = server;
  await using feed = await startFeedServer(formatIcsFile([BINS, CONCERT], 'Town'));
  const ann = await server.createAccount('ann');
  const { subscription } = await ann.call(subscribecalendar, { address: feed.address, name: 'My town' });
  const id = await getId(ann, 'Concert');
  const { data } = await ann.call(getevent, { id: String(id) });
  expect(data).toMatchObject({ subscription: 'My town', participants: ['My town'] });
  const { dates, tags } = await ann.call(getevents, { tz: ZONE });
  expect(Object.values(dates).flatMap(({ entries }) => entries.filter(({ fixed }) => fixed))).toHaveLength(4);
  expect(Object.keys(tags)).toEqual(expect.arrayContaining(['My town']));
  expect(tags['music']).toBeUndefined();

  const fixed = new Refusal('calendar.read_only', "This event is from a subscribed calendar and can't be changed here");
  await expect(ann.call(newevent, { data: { id, name: 'Mine', date: '27-11-2026' } })).rejects.toThrow(fixed);
  await expect(ann.call(deleteevent, { id })).rejects.toThrow(fixed);
  await expect(ann.call(moveevent, { id, from: '2026-11-27', to: '2026-11-28' })).rejects.toThrow(fixed);

  const changed = await ann.call(changesubscription, { id: subscription.id, name: ' Our  town ', colour: '#c2413b' });
  expect(changed.subscriptions).toMatchObject([{ name: 'Our town', colour: '#C2413B' }]);
  const after = await ann.call(getevents, { tz: ZONE });
  expect(after.tags['Our town']?.colour).toBe('#C2413B');
  for (const wrong of [{ name: '' }, { name: 'x'.repeat(61) }, { colour: 'red' }, { colour: '#12345' }])
    await expect(ann.call(changesubscription, { id: subscription.id, ...wrong })).rejects.toThrow(Refusal);
});

/** What a feed answers, and what the user reads. */
const BAD: readonly (readonly [string, Parameters<TestFeed['setHandler']>[0], string])[] = [
  [
    'a web page',
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'That address is a web page, not a calendar. Look on it for a link that ends in .ics',
  ],
  ['no calendar', (_request, response) => response.end('hello'), 'This is not a calendar file. Choose an .ics file'],
  ['nothing', (_request, response) => response.end(), 'This is not a calendar file. Choose an .ics file'],
  [
    'no such file',
    (_request, response) => response.writeHead(404).end(),
    'There is no calendar at that address. Check it for typos',
  ],
  [
    'a wrong password',
    (_request, response) => response.writeHead(401).end(),
    'That calendar needs a username and password. Enter the address like https://name:password@…',
  ],
  [
    'more than 8 MiB',
    (_request, response) => response.end(Buffer.alloc(9_000_000)),
    'The file at that address is larger than 8 MiB',
  ],
  [
    'a gzip bomb',
    (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50e6))),
    'The file at that address is larger than 8 MiB',
  ],
  [
    'too many events',
    (_request, response) =>
      response.end(formatIcsFile(Array.from({ length: 20_001 }, (_, at) => `BEGIN:VEVENT\r\nUID:${at}\r\nEND:VEVENT`))),
    'The file has more than 20,000 events. Split it and try again',
  ],
  [
    'half an answer',
    (_request, response) => response.writeHead(200, { 'content-length': '100' }).end('BEGIN'),
    'The connection to that site was lost',
  ],
  [
    'a redirect inward',
    (_request, response) => response.writeHead(302, { location: 'http://127.0.0.2:8300/' }).end(),
    "That address is in the server's own network. Ask the owner of this server to allow it",
  ],
];

test.each(BAD)(
  'a feed that returns %s is refused with the reason, and an existing one keeps its events',
  async (_name, how, why) => {
    const { server, after } = await setUp();
    await using _ = server;
    await using feed = await startFeedServer(formatIcsFile([CONCERT]));
    const ann = await server.createAccount('ann');
    await ann.call(subscribecalendar, { address: feed.address });
    feed.setHandler(how);
    await after(60);
    expect((await ann.call(calendarsubscriptions, {})).subscriptions).toMatchObject([{ problem: why, events: 1 }]);
    expect(await listEntries(ann)).toEqual(['2026-11-27 Concert']);
    await expect(ann.call(subscribecalendar, { address: `${feed.address}?other` })).rejects.toThrow(why);
  },
);

test('without EGRESS_ALLOW no feed in the own network is requested', async () => {
  const { server } = await setUp({ egressAllow: [] });
  await using _ = server;
  await using feed = await startFeedServer(formatIcsFile([CONCERT]));
  const ann = await server.createAccount('ann');
  for (const address of [
    feed.address,
    feed.address.replace('http', 'webcal'),
    feed.address.replace('127.0.0.1', 'localhost'),
  ])
    await expect(ann.call(subscribecalendar, { address })).rejects.toThrow("is in the server's own network");
  expect(feed.getRequestCount()).toBe(0);
});

test('pasted addresses are accepted, and shown without their password', async () => {
  const { server } = await setUp();
  await using _ = server;
  let authorization: string | undefined;
  await using feed = await startFeedServer(formatIcsFile([CONCERT]));
  const ann = await server.createAccount('ann');
  // Nothing there speaks https, so webcal: falls back to http.
  const webcal = ` ${feed.address.replace('http:', 'webcal:')}\n`;
  expect((await ann.call(subscribecalendar, { address: webcal })).subscription).toMatchObject({
    address: webcal.trim(),
    name: '127.0.0.1',
  });
  await expect(ann.call(subscribecalendar, { address: webcal })).rejects.toThrow('already subscribed to that calendar');

  feed.setHandler((request, response) => {
    ({ authorization } = request.headers);
    response.end(formatIcsFile([CONCERT]));
  });
  const secret = feed.address.replace('://', '://ann:hunter2@');
  const { subscription } = await ann.call(subscribecalendar, { address: secret });
  expect(subscription.address).toBe(feed.address.replace('://', '://***@'));
  expect(authorization).toBe(`Basic ${Buffer.from('ann:hunter2').toString('base64')}`);
  // For webcal: addresses, a password is only sent over https.
  const requestCount = feed.getRequestCount();
  await expect(ann.call(subscribecalendar, { address: secret.replace('http:', 'webcal:') })).rejects.toThrow(Refusal);
  expect(feed.getRequestCount()).toBe(requestCount);
  expect(server.log.filter((line) => line.includes('hunter2'))).toEqual([]);
  for (const wrong of ['', 'ftp://x/', 'file:///etc/passwd', 'https://', 'javascript:alert(1)', 'two words'])
    await expect(ann.call(subscribecalendar, { address: wrong })).rejects.toThrow('This is not a calendar address');
});

test('an account has at most fifty subscriptions', async () => {
  const { server } = await setUp();
  await using _ = server;
  await using feed = await startFeedServer(formatIcsFile([]));
  const ann = await server.createAccount('ann');
  for (let count = 0; count < 50; count += 1)
    await ann.call(subscribecalendar, { address: `${feed.address}?${count}` });
  const requestCount = feed.getRequestCount();
  await expect(ann.call(subscribecalendar, { address: `${feed.address}?50` })).rejects.toThrow(
    'You have the maximum of 50 subscriptions',
  );
  expect(feed.getRequestCount()).toBe(requestCount);
});

test('concurrent refreshes create no event twice, and events of a removed subscription stay removed', async () => {
  const { server, after } = await setUp();
  await using _ = server;
  await using feed = await startFeedServer(formatIcsFile([BINS]));
  const ann = await server.createAccount('ann');
  const { subscription } = await ann.call(subscribecalendar, { address: feed.address });
  const { id } = subscription;
  feed.setContent(formatIcsFile([BINS, CONCERT]));
  await Promise.all([after(60), ...Array.from({ length: 4 }, async () => ann.call(refreshsubscription, { id }))]);
  expect(await listEntries(ann)).toEqual(['2026-11-23 Bins', '2026-11-27 Concert', '2026-11-30 Bins']);

  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  feed.setHandler((_request, response) => {
    reached.resolve();
    void go.promise.then(() => response.end(formatIcsFile([BINS, CONCERT, formatIcsEvent('new', 'New', '20261126')])));
  });
  const reading = ann.call(refreshsubscription, { id }).catch((error: unknown) => String(error));
  await reached.promise;
  await ann.call(unsubscribecalendar, { id });
  go.resolve();
  expect(await reading).toContain('There is no such subscription');
  expect(await listEntries(ann)).toEqual([]);
});
