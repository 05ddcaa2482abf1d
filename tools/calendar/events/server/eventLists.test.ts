import { expect } from 'vitest';
import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import { LAST_DAY, toIso, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { fillCalendar, PLAIN_DRAFT } from '#testing/kits/planning/manyEvents.ts';
import { onBothDatabases, type TestStorage } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { eventsbetween, eventssearch, getevents, newevent, SPECIAL_EVENT_IDS } from '../../contract/events.ts';
import { isOnDay } from '../../repeat/domain/placement.ts';
import { parseDay } from '../domain/day.ts';
import type { EventDraft, RepeatUnit } from '../domain/event.ts';
import { MAX_PAGE_DAYS } from '../domain/eventPage.ts';

type Data = RequestInputOf<typeof newevent>['data'];
/** A Saturday. */
const NOW = Temporal.Instant.from('2026-11-21T12:00:00Z');
const toDay = (iso: string): Day => parseDay(iso) ?? Number.NaN;
const TODAY = toDay('2026-11-21');
const tz = 'UTC';

const saveEvent = async (account: TestAccount, data: Partial<Data> & Pick<Data, 'name' | 'date'>): Promise<number> =>
  (await account.call(newevent, { data: { id: 0, tz, ...data } })).data.id;

/** Starts a server whose first account has these events. */
async function startFilled(storage: TestStorage, drafts: readonly EventDraft[]) {
  const options = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl, now: () => NOW };
  const token = await (async () => {
    await using first = await startServer(options);
    return (await first.createAccount('Anna')).token;
  })();
  {
    await using database = await storage.open();
    await fillCalendar(database, 1, drafts);
  }
  const server = await startServer(options);
  return {
    call: createClient({ origin: server.origin, token: () => token }),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

onBothDatabases('a page lists the days from today on, with a spacer before each new week', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  const ben = await server.createAccount('Ben');
  await saveEvent(ben, { name: 'Foreign', date: '21-11-2026' });
  await saveEvent(anna, { name: 'Yesterday', date: '20-11-2026' });
  await saveEvent(anna, { name: 'Film night', date: '21-11-2026', time: '20:15', participants: ['film', 'friends'] });
  await saveEvent(anna, { name: 'B whole day', date: '21-11-2026' });
  await saveEvent(anna, { name: 'A whole day', date: '21-11-2026', participants: ['friends'] });
  await saveEvent(anna, { name: 'Run', date: '21-11-2026', time: '07:00' });
  await saveEvent(anna, {
    name: 'Late and pinned',
    date: '21-11-2026',
    time: '23:00',
    participants: ['film', 'friends'],
    pinned: 'friends',
  });
  await saveEvent(anna, { name: 'New year', date: '01-01-2027' });
  const bins = await saveEvent(anna, {
    name: 'Bins',
    date: '23-11-2026',
    style: 'repeat',
    repeateveryamount: 2,
    repeatevery: 'week',
    repeatuntilltype: 'relative',
    repeatuntill: 2,
    exceptions: ['07-12-2026'],
  });
  const { dates, more, today, tags, editcolours, revision } = await anna.call(getevents, { tz });
  expect(today).toBe('2026-11-21');
  expect(more).toBe(false);
  expect(revision).toBe(8);
  expect(Object.keys(dates)).toEqual(['2026-11-21', '2026-11-23', '2026-12-21', '2027-01-01']);
  expect(Object.values(dates).map(({ label, weekday }) => `${weekday} ${label}`)).toEqual([
    'Saturday 21 Nov',
    'Monday 23 Nov',
    'Monday 21 Dec',
    'Friday 1 Jan 2027',
  ]);
  expect(Object.values(dates).map(({ entries }) => entries.map(({ name }) => name))).toEqual([
    ['Late and pinned', 'A whole day', 'B whole day', 'Run', 'Film night'],
    ['Week 48', 'Bins'],
    ['Week 52', 'Bins'],
    ['Week 53', 'New year'],
  ]);
  expect(dates['2026-11-23']?.entries).toEqual([
    {
      name: 'Week 48',
      eventid: -4,
      type: 'calendar',
      colours: { background: 'transparent', left: 'transparent', right: 'transparent' },
      pinned: false,
    },
    {
      name: 'Bins',
      eventid: bins,
      type: 'repeat',
      colours: { background: '#6B7280', left: '#6B7280', right: 'transparent' },
      pinned: false,
      every: 2,
      unit: 'week',
    },
  ]);
  const [film = '', friends = ''] = [tags['film']?.colour, tags['friends']?.colour];
  const colours = dates['2026-11-21']?.entries.map(({ name, colours: of }) => [name, of] as const);
  expect(Object.fromEntries(colours ?? [])).toMatchObject({
    'Late and pinned': { background: friends, left: friends, right: film },
    'A whole day': { background: friends, left: friends, right: 'transparent' },
    'Film night': { background: film, left: film, right: friends },
  });
  expect(tags).toMatchObject({
    film: { removable: 1 },
    Repeat: { removable: 0 },
    Duration: { removable: 0 },
    Pinned: { removable: 0 },
    'CLICK TO CHANGE TAG': { removable: 4 },
  });
  expect(editcolours).toMatchObject({ accessed: expect.any(String), created: expect.any(String) });
});

onBothDatabases('running and upcoming durations are listed, past ones are not', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  const lasting = { style: 'duration', duration: 5, durationtype: 'days' } as const;
  await saveEvent(anna, { name: 'Over', date: '16-11-2026', ...lasting });
  await saveEvent(anna, { name: 'Coming later', date: '10-12-2026', ...lasting });
  await saveEvent(anna, { name: 'Coming', date: '22-11-2026', ...lasting });
  await saveEvent(anna, { name: 'Running', date: '20-11-2026', ...lasting });
  await saveEvent(anna, { name: 'Last day', date: '17-11-2026', ...lasting });
  const { datesduration, dates } = await anna.call(getevents, { tz });
  expect(dates).toEqual({});
  expect(datesduration.map(({ name, date, until }) => `${name}: ${date} to ${until}`)).toEqual([
    'Last day: 17-11-2026 to 21-11-2026',
    'Running: 20-11-2026 to 24-11-2026',
    'Coming: 22-11-2026 to 26-11-2026',
    'Coming later: 10-12-2026 to 14-12-2026',
  ]);
  const { durations } = await anna.call(eventsbetween, { from: '2026-11-21', until: '2026-11-22' });
  expect(durations.map(({ name }) => name)).toEqual(['Last day', 'Running', 'Coming']);
});

/** Numbers from 0 to 1, the same in every run. */
const createRandom = (seed: number) => () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;

/** Creates events of every kind, most of them far apart. */
function createDrafts(count: number, apart: number): readonly EventDraft[] {
  const next = createRandom(7 + count);
  const pickBelow = (max: number): number => Math.floor(next() * max);
  function createPattern(own: Day): EventDraft['pattern'] {
    const kind = pickBelow(10);
    if (kind < 5) return { kind: 'single' };
    if (kind === 5) {
      const days = Array.from({ length: 5 }, (_, times) => own + times * pickBelow(60));
      return { kind: 'foreign', rule: 'RRULE:FREQ=MONTHLY;BYDAY=2MO', words: 'now and then', days: [...new Set(days)] };
    }
    const unit = (['day', 'week', 'month', 'year'] satisfies RepeatUnit[])[pickBelow(4)] ?? 'week';
    const until = pickBelow(3);
    return {
      kind: 'repeat',
      repeat: {
        every: 1 + pickBelow(unit === 'day' ? 300 : 9),
        unit,
        from: pickBelow(2) === 0 ? { type: 'forever' } : { type: 'date', day: own - pickBelow(200) },
        until:
          until === 0
            ? { type: 'forever' }
            : until === 1
              ? { type: 'times', times: pickBelow(6) }
              : { type: 'date', day: own + pickBelow(900) },
      },
    };
  }
  return Array.from({ length: count }, (_, number): EventDraft => {
    const day = TODAY - apart + pickBelow(3 * apart);
    const pattern = createPattern(day);
    const exceptions = [...new Set(Array.from({ length: pickBelow(3) }, (_each, times) => day + 7 * (1 + times)))];
    return {
      ...PLAIN_DRAFT,
      name: `event ${number}`,
      day,
      pattern,
      exceptions: pattern.kind === 'repeat' ? exceptions : [],
    };
  });
}

type Names = readonly (readonly [day: string, names: readonly string[]])[];

/** Computes the names by day, one day at a time. */
function listNames(drafts: readonly EventDraft[], from: Day, until: Day): Names {
  const days = Array.from({ length: until - from + 1 }, (_, after) => from + after);
  return days
    .map(
      (day) =>
        [
          toIso(day),
          drafts
            .filter((draft) => isOnDay(draft, day))
            .map(({ name }) => name)
            .toSorted(),
        ] as const,
    )
    .filter(([, names]) => names.length > 0);
}
const listEntryNames = (dates: AnswerOf<typeof getevents>['dates']): Names =>
  Object.entries(dates).map(([day, { entries }]) => [
    day,
    entries
      .filter(({ eventid }) => eventid !== SPECIAL_EVENT_IDS.week)
      .map(({ name }) => name)
      .toSorted(),
  ]);

for (const [what, count, apart] of [
  ['a full calendar', 80, 60],
  ['a sparse calendar', 12, 3000],
] as const)
  onBothDatabases(`the pages of ${what} joined are the days one by one, without gaps or repeats`, async (storage) => {
    const drafts = createDrafts(count, apart);
    await using server = await startFilled(storage, drafts);
    const all: Names[number][] = [];
    let isMore = true;
    while (isMore && all.length < 8 * MAX_PAGE_DAYS) {
      const last = all.at(-1)?.[0];
      const { dates, more } = await server.call(getevents, last === undefined ? { tz } : { tz, specificload: last });
      const page = listEntryNames(dates);
      if (more) expect(page).toHaveLength(MAX_PAGE_DAYS);
      all.push(...page);
      isMore = more;
    }
    expect(all).toEqual(listNames(drafts, TODAY, toDay(all.at(-1)?.[0] ?? '')));

    const range = { from: '2026-10-26', until: '2026-12-26' };
    const { dates } = await server.call(eventsbetween, range);
    expect(listEntryNames(dates)).toEqual(listNames(drafts, toDay(range.from), toDay(range.until)));
  });

onBothDatabases(
  '29 February, the first and the last day of the calendar are days like others',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now: () => NOW });
    const anna = await server.createAccount('Anna');
    const yearly = { style: 'repeat', repeatevery: 'year', repeateveryamount: 1, repeatfromtype: 'forever' } as const;
    await saveEvent(anna, { name: 'Leap', date: '29-02-2024', ...yearly });
    await saveEvent(anna, { name: 'First', date: '01-01-0001' });
    await saveEvent(anna, { name: 'Last', date: '31-12-9999' });
    async function requestBetween(from: string, until: string) {
      const { dates } = await anna.call(eventsbetween, { from, until });
      return Object.entries(dates).map(([key, { entries }]) => [key, ...entries.map(({ name }) => name)].join(' '));
    }
    expect(await requestBetween('2027-02-01', '2027-03-31')).toEqual(['2027-02-28 Leap']);
    expect(await requestBetween('2028-02-01', '2028-03-31')).toEqual(['2028-02-29 Leap']);
    expect(await requestBetween('1900-02-01', '1900-03-31')).toEqual(['1900-02-28 Leap']);
    expect(await requestBetween('0001-01-01', '0001-02-28')).toEqual(['0001-01-01 First', '0001-02-28 Leap']);
    expect(await requestBetween('9999-12-01', '9999-12-31')).toEqual(['9999-12-31 Last']);
    const end = await anna.call(getevents, { specificload: '28-02-9999' });
    expect(Object.keys(end.dates)).toEqual(['9999-12-31']);
    expect(end.more).toBe(false);
    expect(await anna.call(getevents, { specificload: toIso(LAST_DAY) })).toMatchObject({ dates: {}, more: false });
  },
);

const getRefusal = async (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.message : String(error)),
  );

onBothDatabases('invalid days and ranges are refused in a sentence', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  expect(await getRefusal(anna.call(getevents, { specificload: '30-02-2026' }))).toContain('is not a date');
  expect(await getRefusal(anna.call(getevents, { specificload: '__proto__' }))).toContain('is not a date');
  const requestBetween = async (from: string, until: string) => getRefusal(anna.call(eventsbetween, { from, until }));
  expect(await requestBetween('2026-01-01', '2026-03-03')).toBe('done');
  expect(await requestBetween('2026-01-01', '2026-03-04')).toBe('Request at most 62 days at once');
  expect(await requestBetween('2026-01-02', '2026-01-01')).toBe('The last day must not be before the first day');
  expect(await requestBetween('soon', '2026-01-01')).toContain('is not a date');
  expect(await getRefusal(anna.call(eventssearch, { tz: 'Mars/Olympus' }))).toBe('There is no such time zone');
});
