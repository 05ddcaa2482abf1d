import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { createDavClient, formatEvent } from '#testing/kits/planning/dav.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { findProgram, getSkipReason } from '#testing/machine.ts';
import { deleteevent, eventsbetween, getevent, newevent } from '../../contract/events.ts';

const run = promisify(execFile);

async function setUp() {
  const server = await startServer({ rateLimits: false, now: nowOnMonday });
  const ada = await server.createAccount('ada');
  await ada.call(eventsbetween, { from: '2026-12-01', until: '2026-12-02', tz: 'Europe/Berlin' });
  return { server, ada, client: await createDavClient(server, ada) };
}

/** Lists what the page shows: names by day. */
async function listShown(account: TestAccount): Promise<readonly string[]> {
  const { dates } = await account.call(eventsbetween, { from: '2026-12-01', until: '2026-12-31', tz: 'Europe/Berlin' });
  return Object.entries(dates).flatMap(([day, { entries }]) => entries.map(({ name }) => `${day} ${name}`));
}
async function find(account: TestAccount, name: string): Promise<number> {
  const { dates } = await account.call(eventsbetween, { from: '2026-12-01', until: '2026-12-31' });
  return Object.values(dates).flatMap(({ entries }) => entries.filter((entry) => entry.name === name))[0]?.eventid ?? 0;
}
async function rename(account: TestAccount, from: string, to: string): Promise<void> {
  const { data } = await account.call(getevent, { id: String(await find(account, from)) });
  await account.call(newevent, { data: { ...data, name: to } });
}

const PYTHON = `
import json, sys
from datetime import date, datetime, timedelta, timezone
import caldav
from caldav.elements import dav
url, username, password = sys.argv[1:]
client = caldav.DAVClient(url=url, username=username, password=password)
principal = client.principal()
calendars = principal.calendars()
assert len(calendars) == 1, calendars
calendar = calendars[0]
said = {'name': calendar.get_display_name() if hasattr(calendar, 'get_display_name') else str(calendar.name)}
said['components'] = calendar.get_supported_components()

def text(uid, *lines):
    return '\\r\\n'.join(['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//python//EN', 'BEGIN:VEVENT', 'UID:' + uid, 'DTSTAMP:20261101T120000Z', *lines, 'END:VEVENT', 'END:VCALENDAR', ''])

first = calendar.save_event(text('first', 'DTSTART;VALUE=DATE:20261205', 'SUMMARY:First'))
weekly = calendar.save_event(text('weekly', 'DTSTART;TZID=Europe/Berlin:20261201T180000', 'DTEND;TZID=Europe/Berlin:20261201T190000', 'RRULE:FREQ=WEEKLY;COUNT=3', 'SUMMARY:Weekly'))
far = calendar.save_event(text('far', 'DTSTART;VALUE=DATE:20300101', 'SUMMARY:Far away'))
names = lambda events: sorted(event.vobject_instance.vevent.summary.value for event in events)
said['all'] = names(calendar.events())
token = calendar.objects_by_sync_token(load_objects=True)
said['synced'] = names(token)
said['found'] = names(calendar.date_search(start=datetime(2026, 12, 4, tzinfo=timezone.utc), end=datetime(2026, 12, 9, tzinfo=timezone.utc), expand=False))
said['searched'] = names(calendar.search(event=True, summary='Far'))
lines = lambda data, start: [line.strip() for line in data.splitlines() if line.startswith(start)]
span = {'start': datetime(2026, 12, 5, tzinfo=timezone.utc), 'end': datetime(2026, 12, 16, tzinfo=timezone.utc)}
said['expanded'] = sorted(line for event in calendar.date_search(**span, expand=True) for line in lines(event.data, 'DTSTART'))
said['busy'] = lines(calendar.freebusy_request(**span).data, 'FREEBUSY')
said['byUid'] = calendar.event_by_uid('first').vobject_instance.vevent.summary.value
again = calendar.event_by_url(first.url)
again.vobject_instance.vevent.summary.value = 'First, changed'
again.save()
far.delete()
calendar.save_event(text('fourth', 'DTSTART;VALUE=DATE:20261210', 'SUMMARY:Fourth'))
updated, deleted = token.sync()
said['updated'] = names(updated)
said['deleted'] = len(list(deleted))
again.load()
said['loaded'] = again.vobject_instance.vevent.summary.value
said['left'] = names(calendar.events())
print(json.dumps(said))
`;

const pythonLack = getSkipReason('caldav');
describe.skipIf(pythonLack)(`python3-caldav (${pythonLack ?? 'of Debian'})`, () => {
  test('finds the calendar, and creates, reads, searches, changes, deletes and synchronizes events', async () => {
    const { server, ada, client } = await setUp();
    await using _ = server;
    const { stdout } = await run('/usr/bin/python3', ['-c', PYTHON, `${server.origin}/dav/`, 'ada', client.password]);
    expect(JSON.parse(stdout)).toEqual({
      name: 'Pegboard',
      components: ['VEVENT'],
      all: ['Far away', 'First', 'Weekly'],
      synced: ['Far away', 'First', 'Weekly'],
      found: ['First', 'Weekly'],
      searched: ['Far away'],
      expanded: ['DTSTART:20261208T170000Z', 'DTSTART:20261215T170000Z', 'DTSTART;VALUE=DATE:20261205'],
      busy: [
        'FREEBUSY:20261205T000000Z/20261205T230000Z',
        'FREEBUSY:20261208T170000Z/20261208T180000Z',
        'FREEBUSY:20261215T170000Z/20261215T180000Z',
      ],
      byUid: 'First',
      updated: ['First, changed', 'Fourth'],
      deleted: 1,
      loaded: 'First, changed',
      left: ['First, changed', 'Fourth', 'Weekly'],
    });
    expect(await listShown(ada)).toEqual([
      '2026-12-01 Weekly',
      '2026-12-05 First, changed',
      '2026-12-08 Weekly',
      '2026-12-10 Fourth',
      '2026-12-15 Weekly',
    ]);
    expect(server.log.filter((line) => line.includes('"status":500'))).toEqual([]);
  });
});

/** Creates a local folder that vdirsyncer synchronizes with the account's calendar. */
async function createPair(url: string, password: string, wins: 'a wins' | 'b wins') {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-vdir-'));
  const local = join(folder, 'local');
  await mkdir(local);
  const config = join(folder, 'config');
  await writeFile(
    config,
    `[general]
status_path = "${join(folder, 'status')}"
[pair both]
a = "here"
b = "there"
collections = null
conflict_resolution = "${wins}"
[storage here]
type = "filesystem"
path = "${local}"
fileext = ".ics"
[storage there]
type = "caldav"
url = "${url}"
username = "ada"
password = "${password}"
`,
  );
  const vdirsyncer = findProgram('vdirsyncer') ?? '';
  const call = (...words: readonly string[]) => run(vdirsyncer, ['-v', 'WARNING', '-c', config, ...words]);
  await call('discover', 'both');
  return {
    local,
    sync: () => call('sync', 'both'),
    names: async (): Promise<readonly string[]> => {
      const texts = await Promise.all((await readdir(local)).map((name) => readFile(join(local, name), 'utf8')));
      return texts.map((text) => /^SUMMARY:(.*?)\r?$/m.exec(text)?.[1] ?? '').toSorted();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

const syncLack = getSkipReason('vdirsyncer');
describe.skipIf(syncLack)(`vdirsyncer (${syncLack ?? 'of Debian'})`, () => {
  const full = formatEvent(
    'full@phone',
    'DTSTART;TZID=Europe/Berlin:20261203T093000',
    'DTEND;TZID=Europe/Berlin:20261203T103000',
    'SUMMARY:Full',
    'ATTENDEE;PARTSTAT=ACCEPTED;CN=Bob:mailto:bob@example.org',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Soon',
    'TRIGGER:-PT15M',
    'END:VALARM',
  );

  test('synchronizes a folder and the calendar both ways, and does nothing if nothing changed', async () => {
    const { server, ada, client } = await setUp();
    await using _ = server;
    await using pair = await createPair(server.origin + client.collection, client.password, 'b wins');
    const countChanges = () => server.log.filter((line) => /"method":"(?:PUT|DELETE)"/.test(line)).length;
    async function expectUnchanged(): Promise<void> {
      const before = [countChanges(), await pair.names()];
      await pair.sync();
      expect([countChanges(), await pair.names()]).toEqual(before);
    }
    await ada.call(newevent, { data: { id: 0, name: 'Page', date: '02-12-2026' } });
    await ada.call(newevent, {
      data: { id: 0, name: 'Yearly', date: '04-12-2026', style: 'repeat', repeateveryamount: 1, repeatevery: 'year' },
    });
    await writeFile(join(pair.local, 'full.ics'), full);
    await pair.sync();
    expect(await pair.names()).toEqual(['Full', 'Page', 'Yearly']);
    expect(await listShown(ada)).toEqual(['2026-12-02 Page', '2026-12-03 Full', '2026-12-04 Yearly']);
    await expectUnchanged();

    // Changes on each side, including created and deleted events.
    await rename(ada, 'Page', 'Page renamed');
    await writeFile(join(pair.local, 'full.ics'), full.replace('SUMMARY:Full', 'SUMMARY:Fuller'));
    await writeFile(join(pair.local, 'late.ics'), formatEvent('late', 'DTSTART;VALUE=DATE:20261230', 'SUMMARY:Late'));
    await ada.call(deleteevent, { id: await find(ada, 'Yearly') });
    await pair.sync();
    expect(await pair.names()).toEqual(['Fuller', 'Late', 'Page renamed']);
    expect(await listShown(ada)).toEqual(['2026-12-02 Page renamed', '2026-12-03 Fuller', '2026-12-30 Late']);
    await expectUnchanged();

    // A change on the page preserves properties that only the phone knows.
    await rename(ada, 'Fuller', 'Fullest');
    await rm(join(pair.local, 'late.ics'));
    await pair.sync();
    const stored = await readFile(join(pair.local, 'full.ics'), 'utf8');
    for (const line of ['SUMMARY:Fullest', 'TRIGGER:-PT15M', 'DTSTART;TZID=Europe/Berlin:20261203T093000'])
      expect(stored).toContain(line);
    expect(await listShown(ada)).toEqual(['2026-12-02 Page renamed', '2026-12-03 Fullest']);
    await expectUnchanged();
    expect(server.log.filter((line) => line.includes('"status":500'))).toEqual([]);
  });

  test.each([
    ['b wins', 'From the page'],
    ['a wins', 'From the folder'],
  ] as const)('changed on both sides, %s', async (wins, winner) => {
    const { server, ada, client } = await setUp();
    await using _ = server;
    await using pair = await createPair(server.origin + client.collection, client.password, wins);
    await writeFile(join(pair.local, 'full.ics'), full);
    await pair.sync();
    await rename(ada, 'Full', 'From the page');
    await writeFile(join(pair.local, 'full.ics'), full.replace('SUMMARY:Full', 'SUMMARY:From the folder'));
    await pair.sync();
    expect(await listShown(ada)).toEqual([`2026-12-03 ${winner}`]);
    expect(await pair.names()).toEqual([winner]);
  });
});
