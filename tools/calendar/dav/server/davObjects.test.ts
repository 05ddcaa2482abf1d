import { expect, test } from 'vitest';
import {
  formatCalendar,
  parseConditions,
  createDavClient,
  type DavClient,
  formatEvent,
  parseMultistatus,
} from '#testing/kits/planning/dav.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { eventsbetween, getevent, newevent } from '../../contract/events.ts';

const HAND_MADE = formatEvent(
  'meeting-1',
  'DTSTART;TZID=Europe/Berlin:20261201T093000',
  'DTEND;TZID=Europe/Berlin:20261201T103000',
  'SUMMARY:Ünïcode\\, and a very long name that a client folds over two lines of',
  '  its own, in its own way',
  'LOCATION:Room 7',
  'CLASS:PRIVATE',
  'ORGANIZER;CN="Ada; Löve":mailto:ada@example.org',
  'ATTENDEE;PARTSTAT=NEEDS-ACTION;CN=Bob:mailto:bob@example.org',
  'X-PHONE-THING;VALUE=TEXT:a\\;b',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'TRIGGER:-PT15M',
  'DESCRIPTION:Reminder',
  'END:VALARM',
);

const createDayText = (uid: string, date: string, name: string, ...lines: readonly string[]): string =>
  formatEvent(uid, `DTSTART;VALUE=DATE:${date}`, `SUMMARY:${name}`, ...lines);

const WEEKLY = formatCalendar(
  'BEGIN:VEVENT',
  'UID:weekly',
  'DTSTAMP:20261101T120000Z',
  'DTSTART;VALUE=DATE:20261201',
  'RRULE:FREQ=WEEKLY;COUNT=4',
  'EXDATE;VALUE=DATE:20261222',
  'SUMMARY:Weekly',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:weekly',
  'DTSTAMP:20261101T120000Z',
  'RECURRENCE-ID;VALUE=DATE:20261208',
  'DTSTART;VALUE=DATE:20261209',
  'SUMMARY:Weekly\\, a day late',
  'END:VEVENT',
);

/** Lists what the page shows: names by day. */
async function listShown(account: TestAccount, from = '2026-12-01', until = '2026-12-31') {
  const { dates } = await account.call(eventsbetween, { from, until, tz: 'Europe/Berlin' });
  return Object.entries(dates).flatMap(([day, { entries }]) => entries.map(({ name }) => `${day} ${name}`));
}
async function getId(account: TestAccount, name: string): Promise<number> {
  const { dates } = await account.call(eventsbetween, { from: '2026-12-01', until: '2026-12-31' });
  const entries = Object.values(dates).flatMap((day) => day.entries.filter((entry) => entry.name.startsWith(name)));
  return entries[0]?.eventid ?? 0;
}
async function rename(account: TestAccount, from: string, to: string): Promise<void> {
  const { data } = await account.call(getevent, { id: String(await getId(account, from)) });
  const { repeatfrom, pinned, ...rest } = data;
  await account.call(newevent, { data: { ...rest, pinned, repeatfrom, name: to } });
}

async function setUp() {
  const server = await startServer({ rateLimits: false });
  const ada = await server.createAccount('ada');
  // The account's zone is that of its page.
  await ada.call(eventsbetween, { from: '2026-12-01', until: '2026-12-02', tz: 'Europe/Berlin' });
  return { server, ada, client: await createDavClient(server, ada) };
}
const read = (client: DavClient, resource: string) => client.request('GET', client.collection + resource);
const getEtag = (answer: { readonly headers: Headers }): string => answer.headers.get('etag') ?? '';

const listStatuses = (answers: readonly { readonly status: number }[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);

test('a stored object is returned unchanged, and appears on the page', async () => {
  const { server, ada, client } = await setUp();
  await using _ = server;
  const created = await client.put('My%20meeting%3B1.ics', HAND_MADE, { 'if-none-match': '*' });
  expect([created.status, created.text]).toEqual([201, '']);
  const got = await read(client, 'My%20meeting%3B1.ics');
  expect([got.status, got.text, getEtag(got)]).toEqual([200, HAND_MADE, getEtag(created)]);
  expect(got.headers.get('content-type')).toBe('text/calendar; charset=utf-8; component=VEVENT');
  const head = await client.request('HEAD', `${client.collection}My%20meeting%3B1.ics`);
  expect([head.status, head.headers.get('content-length'), head.text]).toEqual([
    200,
    String(Buffer.byteLength(HAND_MADE)),
    '',
  ]);
  expect(
    (
      await client.request('GET', `${client.collection}My meeting;1.ics`, {
        headers: { 'if-none-match': getEtag(created) },
      })
    ).status,
  ).toBe(304);
  expect(await listShown(ada)).toEqual([
    '2026-12-01 Ünïcode, and a very long name that a client folds over two lines of its own, in its own way',
  ]);
  const listed = await client.xml('PROPFIND', client.collection);
  expect(parseMultistatus(listed.text).responses.at(1)).toMatchObject({
    href: `${client.collection}My%20meeting%3B1.ics`,
    props: {
      'd:getetag': getEtag(created),
      'd:getcontentlength': String(Buffer.byteLength(HAND_MADE)),
      'd:resourcetype': '',
    },
  });
});

test('a change on the page changes the tag and preserves unknown properties', async () => {
  const { server, ada, client } = await setUp();
  await using _ = server;
  const created = await client.put('m.ics', HAND_MADE);
  await rename(ada, 'Ünï', 'Shorter');
  const got = await read(client, 'm.ics');
  expect(getEtag(got)).not.toBe(getEtag(created));
  expect(got.text).toMatch(/^SUMMARY:Shorter\r$/m);
  for (const line of ['LOCATION:Room 7', 'X-PHONE-THING;VALUE=TEXT:a\\;b', 'TRIGGER:-PT15M', 'CLASS:PRIVATE'])
    expect(got.text).toContain(`${line}\r\n`);
  expect(got.text).toContain('DTSTART;TZID=Europe/Berlin:20261201T093000');
  const late = await client.put('m.ics', HAND_MADE, { 'if-match': getEtag(created) });
  expect(late.status).toBe(412);
  const secondPut = await client.put('m.ics', HAND_MADE, { 'if-match': getEtag(got) });
  expect(secondPut.status).toBe(204);
  expect((await read(client, 'm.ics')).text).toBe(HAND_MADE);
});

test('a client can read, change and delete an event of the page', async () => {
  const { server, ada, client } = await setUp();
  await using _ = server;
  await ada.call(newevent, { data: { id: 0, name: 'From the page', date: '03-12-2026' } });
  const [, response] = parseMultistatus((await client.xml('PROPFIND', client.collection)).text).responses;
  const path = response?.href ?? '';
  const got = await client.request('GET', path);
  expect([got.status, getEtag(got)]).toEqual([200, response?.props['d:getetag']]);
  const text = got.text.replace('SUMMARY:From the page', 'SUMMARY:From the phone\r\nLOCATION:Here');
  const put = await client.request('PUT', path, {
    body: text,
    headers: { 'if-match': getEtag(got), 'content-type': 'text/calendar; charset="utf-8"' },
  });
  expect([put.status, (await client.request('GET', path)).text]).toEqual([204, text]);
  expect(await listShown(ada)).toEqual(['2026-12-03 From the phone']);
  expect((await client.request('DELETE', path, { headers: { 'if-match': getEtag(got) } })).status).toBe(412);
  expect((await client.request('DELETE', path, { headers: { 'if-match': getEtag(put) } })).status).toBe(204);
  expect(await listShown(ada)).toEqual([]);
  for (const method of ['GET', 'DELETE', 'PROPFIND']) expect((await client.request(method, path)).status).toBe(404);
});

test('changed days are created and deleted together with their repeat', async () => {
  const { server, ada, client } = await setUp();
  await using _ = server;
  const created = await client.put('w.ics', WEEKLY);
  expect(created.status).toBe(201);
  expect((await read(client, 'w.ics')).text).toBe(WEEKLY);
  expect(await listShown(ada)).toEqual(['2026-12-01 Weekly', '2026-12-09 Weekly, a day late', '2026-12-15 Weekly']);
  expect(parseMultistatus((await client.xml('PROPFIND', client.collection)).text).responses).toHaveLength(2);
  const without = WEEKLY.replace(
    /BEGIN:VEVENT\r\nUID:weekly\r\nDTSTAMP:20261101T120000Z\r\nREC[^]*?END:VEVENT\r\n/,
    '',
  );
  const put = await client.put('w.ics', without, { 'if-match': getEtag(created) });
  expect(put.status).toBe(204);
  expect(getEtag(put)).not.toBe(getEtag(created));
  expect((await read(client, 'w.ics')).text).toBe(without);
  expect(await listShown(ada)).toEqual(['2026-12-01 Weekly', '2026-12-08 Weekly', '2026-12-15 Weekly']);
  const back = await client.put('w.ics', WEEKLY.replace('a day late', 'late'), { 'if-match': getEtag(put) });
  expect(back.status).toBe(204);
  await rename(ada, 'Weekly, late', 'Moved');
  const renamed = await read(client, 'w.ics');
  expect(getEtag(renamed)).not.toBe(getEtag(back));
  expect(renamed.text).toMatch(
    /END:VEVENT\r\nBEGIN:VEVENT\r\n(?:.*\r\n)*SUMMARY:Moved\r\n(?:.*\r\n)*RECURRENCE-ID;VALUE=DATE:20261208/,
  );
  expect((await client.request('DELETE', `${client.collection}w.ics`)).status).toBe(204);
  expect(await listShown(ada)).toEqual([]);
  expect(parseMultistatus((await client.xml('PROPFIND', client.collection)).text).responses).toHaveLength(1);
});

test('a UID belongs to one object, and an object keeps its UID', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  await client.put('a.ics', createDayText('one', '20261201', 'A'));
  for (const [resource, uid] of [
    ['b.ics', 'one'],
    ['a.ics', 'two'],
  ] as const) {
    const answer = await client.put(resource, createDayText(uid, '20261202', 'B'));
    expect([answer.status, parseConditions(answer.text)]).toEqual([403, ['c:no-uid-conflict']]);
    expect(answer.text).toContain(`<d:href>${client.collection}a.ics</d:href>`);
  }
  expect((await read(client, 'a.ics')).text).toBe(createDayText('one', '20261201', 'A'));
  await client.request('DELETE', `${client.collection}a.ics`);
  expect((await client.put('b.ics', createDayText('one', '20261202', 'B'))).status).toBe(201);
});

const REFUSED = [
  ['no calendar at all', 'hello', 'c:valid-calendar-data'],
  ['nothing', '', 'c:valid-calendar-data'],
  ['half a calendar', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:x', 'c:valid-calendar-object-resource'],
  ['a calendar without events', formatCalendar(), 'c:valid-calendar-object-resource'],
  ['a task', formatCalendar('BEGIN:VTODO', 'UID:t', 'SUMMARY:Do', 'END:VTODO'), 'c:supported-calendar-component'],
  [
    'an event without a UID',
    formatCalendar('BEGIN:VEVENT', 'DTSTART:20261201T090000', 'END:VEVENT'),
    'c:valid-calendar-object-resource',
  ],
  ['an event without a day', formatEvent('x', 'SUMMARY:When?'), 'c:valid-calendar-object-resource'],
  ['a day that there is not', formatEvent('x', 'DTSTART;VALUE=DATE:20261301'), 'c:valid-calendar-object-resource'],
  [
    'two events',
    formatCalendar(
      'BEGIN:VEVENT',
      'UID:a',
      'DTSTART;VALUE=DATE:20261201',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:b',
      'DTSTART;VALUE=DATE:20261201',
      'END:VEVENT',
    ),
    'c:valid-calendar-object-resource',
  ],
  [
    'an event and a task',
    formatCalendar(
      'BEGIN:VEVENT',
      'UID:a',
      'DTSTART;VALUE=DATE:20261201',
      'END:VEVENT',
      'BEGIN:VTODO',
      'UID:a',
      'END:VTODO',
    ),
    'c:valid-calendar-object-resource',
  ],
  [
    'an invitation by mail',
    createDayText('x', '20261201', 'x').replace('VERSION:2.0', 'METHOD:REQUEST\r\nVERSION:2.0'),
    'c:valid-calendar-object-resource',
  ],
  [
    'two calendars',
    createDayText('x', '20261201', 'x') + createDayText('x', '20261201', 'x'),
    'c:valid-calendar-object-resource',
  ],
  ['a day before the calendar', createDayText('x', '00001231', 'x'), 'c:min-date-time'],
  ['a day behind the calendar', formatEvent('x', 'DTSTART;VALUE=DATE:99991231', 'DURATION:P9D'), 'c:max-date-time'],
  [
    'a rule that is none',
    formatEvent('x', 'DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=MONTHLY;BYDAY=+1,3MO'),
    'c:valid-calendar-data',
  ],
  ['a null character', createDayText('x', '20261201', 'a\0b'), 'c:valid-calendar-data'],
] as const;

test('an object that is not exactly one event is refused with the reason, and nothing is stored', async () => {
  const { server, ada, client } = await setUp();
  await using _ = server;
  for (const [what, text, condition] of REFUSED) {
    const answer = await client.put('x.ics', text);
    expect([what, answer.status, parseConditions(answer.text)[0]]).toEqual([what, 403, condition]);
    expect((await read(client, 'x.ics')).status).toBe(404);
  }
  expect(await listShown(ada)).toEqual([]);
});

test('an object that is too large, or has another type or encoding, is refused', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  const large = await client.put('x.ics', createDayText('x', '20261201', 'x', `X-LONG:${'x'.repeat(1024 * 1024)}`));
  expect([large.status, parseConditions(large.text)]).toEqual([403, ['c:max-resource-size']]);
  expect((await client.put('x.ics', 'x'.repeat(3 * 1024 * 1024))).status).toBe(413);
  const vcard = await client.put('x.ics', createDayText('x', '20261201', 'x'), { 'content-type': 'text/vcard' });
  expect([vcard.status, parseConditions(vcard.text)]).toEqual([403, ['c:supported-calendar-data']]);
  const latin = Buffer.from(createDayText('latin', '20261201', 'é'), 'latin1');
  const put = (name: string, body: Buffer, type: string) =>
    client.request('PUT', `${client.collection}${name}`, { body, headers: { 'content-type': type } });
  const declared = await put('x.ics', latin, 'text/calendar; charset=iso-8859-1');
  expect([declared.status, parseConditions(declared.text)]).toEqual([403, ['c:valid-calendar-data']]);
  // Without a charset it is decoded as what it is: from an old program, or folded inside a character as RFC 5545
  // allows.
  const transcoded = await put('latin.ics', latin, 'text/calendar');
  // The stored bytes differ from those that were sent: without a tag the client reads the object again.
  expect([transcoded.status, transcoded.headers.get('etag')]).toEqual([201, null]);
  expect((await read(client, 'latin.ics')).text).toContain('SUMMARY:é\r\n');
  const [head = '', tail = ''] = createDayText('folded', '20261201', 'Grö|ße').split('|');
  const cut = Buffer.from(head);
  const folded = Buffer.concat([cut.subarray(0, -1), Buffer.from('\r\n '), cut.subarray(-1), Buffer.from(tail)]);
  expect((await put('folded.ics', folded, 'text/calendar; charset=utf-8')).status).toBe(201);
  expect((await read(client, 'folded.ics')).text).toContain('SUMMARY:Größe\r\n');
  const withMark = `\uFEFF${createDayText('x', '20261201', 'é')}`;
  expect((await client.put('x.ics', withMark)).status).toBe(201);
  const bytes = await fetch(`${server.origin}${client.collection}x.ics`, {
    headers: { authorization: client.authorization },
  });
  expect(Buffer.from(await bytes.arrayBuffer()).toString()).toBe(withMark);
});

test('of concurrent changes to an event exactly one succeeds, and concurrent creations create one event', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  const makes = await Promise.all(
    Array.from({ length: 8 }, (_each, at) =>
      client.put('r.ics', createDayText('race', '20261201', `Made ${at}`), { 'if-none-match': '*' }),
    ),
  );
  expect(listStatuses(makes)).toEqual([201, ...Array<number>(7).fill(412)]);
  for (let round = 0; round < 3; round += 1) {
    const seenTag = getEtag(await read(client, 'r.ics'));
    const puts = await Promise.all(
      Array.from({ length: 8 }, (_each, at) =>
        at % 2 === 0
          ? client.put('r.ics', createDayText('race', '20261201', `Round ${round} ${at}`), { 'if-match': seenTag })
          : client.put('r.ics', createDayText('race', '20261202', `Round ${round} ${at}`), {
              'if-match': `W/${seenTag}`,
            }),
      ),
    );
    expect(listStatuses(puts)).toEqual([204, ...Array<number>(7).fill(412)]);
    const winner = puts.find(({ status }) => status === 204);
    expect(winner && getEtag(winner)).toBe(getEtag(await read(client, 'r.ics')));
  }
  const seenTag = getEtag(await read(client, 'r.ics'));
  const deletes = await Promise.all(
    Array.from({ length: 4 }, () =>
      client.request('DELETE', `${client.collection}r.ics`, { headers: { 'if-match': seenTag } }),
    ),
  );
  expect(listStatuses(deletes)).toEqual([204, 404, 404, 404]);
});

test('preconditions are enforced, also if there is no object', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  const text = createDayText('x', '20261201', 'x');
  expect((await client.put('x.ics', text, { 'if-match': '*' })).status).toBe(412);
  expect((await client.put('x.ics', text, { 'if-match': '"1-a"' })).status).toBe(412);
  const created = await client.put('x.ics', text);
  expect(created.status).toBe(201);
  expect((await client.put('x.ics', text, { 'if-none-match': getEtag(created) })).status).toBe(412);
  expect((await client.put('x.ics', text, { 'if-match': 'nonsense' })).status).toBe(412);
  expect((await client.put('x.ics', text, { 'if-match': `"other", ${getEtag(created)}` })).status).toBe(204);
});

test('cancelled events, and changed days without their repeat, are stored', async () => {
  const { server, ada, client } = await setUp();
  await using _ = server;
  const off = createDayText('off', '20261204', 'Called off', 'STATUS:CANCELLED');
  expect((await client.put('off.ics', off)).status).toBe(201);
  expect((await read(client, 'off.ics')).text).toBe(off);
  const day = formatEvent(
    'invited',
    'RECURRENCE-ID:20261205T090000Z',
    'DTSTART:20261205T100000Z',
    'SUMMARY:One day of it',
  );
  expect((await client.put('day.ics', day)).status).toBe(201);
  expect((await read(client, 'day.ics')).text).toBe(day);
  expect(await listShown(ada)).toEqual(['2026-12-04 Called off', '2026-12-05 One day of it']);
  const invited = formatEvent('invited', 'DTSTART:20261205T090000Z', 'SUMMARY:All of it');
  expect((await client.put('day.ics', invited)).status).toBe(204);
});
