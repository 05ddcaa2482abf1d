import { expect } from 'vitest';
import type { RequestOf } from '#platform/contract/call.ts';
import { onBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { deleteevent, eventssearch, newevent, restoreevent } from '../../contract/events.ts';

type Data = RequestOf<typeof newevent>['data'];
const NOW = Temporal.Instant.from('2026-11-21T12:00:00Z');

const saveEvent = async (account: TestAccount, data: Partial<Data> & Pick<Data, 'name'>): Promise<number> =>
  (await account.call(newevent, { data: { id: 0, date: '01-12-2026', ...data } })).data.id;
const createWeekly = (name: string, date: string) =>
  ({ name, date, style: 'repeat', repeatevery: 'week', repeateveryamount: 1 }) as const;
const search = async (account: TestAccount, searchterm: string, tags = ''): Promise<readonly string[]> =>
  (await account.call(eventssearch, { searchterm, tags })).names.map(({ name }) => name);

onBothDatabases('names are found by words and parts, descriptions by words; all terms must match', async (storage) => {
  await using server = await startServer({ databaseUrl: storage.databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  const ben = await server.createAccount('Ben');
  await saveEvent(anna, { name: 'Zahnärztin Dr. O’Brien', description: 'Karte mitnehmen, dann zur Straßenbahn' });
  await saveEvent(anna, { name: 'Quarterly "review" 50%_off', description: 'first draft of the plan, with Élodie' });
  await saveEvent(anna, { name: 'Review of the house plans', description: '' });
  await saveEvent(anna, { name: '日本語の勉強', description: 'दुकान 👋🏽' });
  await saveEvent(ben, { name: 'Review of Ben', description: 'plan' });

  for (const [term, names] of [
    ['zahnarzt', ['Zahnärztin Dr. O’Brien']],
    ['ZAHNÄRZ brien', ['Zahnärztin Dr. O’Brien']],
    ['o’brien', ['Zahnärztin Dr. O’Brien']],
    ["o'brien", ['Zahnärztin Dr. O’Brien']],
    ['“REVIEW”', ['Quarterly "review" 50%_off']],
    ['strassenbahn', ['Zahnärztin Dr. O’Brien']],
    ['strassen', []],
    ['zahnärztin plan', []],
    ['review', ['Quarterly "review" 50%_off', 'Review of the house plans']],
    ['view plan', ['Quarterly "review" 50%_off', 'Review of the house plans']],
    ['plan quart', ['Quarterly "review" 50%_off']],
    ['elodie', ['Quarterly "review" 50%_off']],
    ['"review"', ['Quarterly "review" 50%_off']],
    ['0%_', ['Quarterly "review" 50%_off']],
    ['%%%', []],
    ['___', []],
    ['%', ['Quarterly "review" 50%_off']],
    ['dr', ['Zahnärztin Dr. O’Brien']],
    ['of', ['Quarterly "review" 50%_off', 'Review of the house plans']],
    ['本語', ['日本語の勉強']],
    ['日', ['日本語の勉強']],
    ['दुकान', ['日本語の勉強']],
    ['👋', []],
    ['" OR "', []],
    ["' | 'a", []],
    ['near(a b)', []],
    ['NOT review', []],
    ['calendar_search', []],
    ['a '.repeat(200), ['Review of the house plans', 'Zahnärztin Dr. O’Brien', 'Quarterly "review" 50%_off']],
  ] as const)
    expect.soft((await search(anna, term)).toSorted(), term).toEqual([...names].toSorted());
});

onBothDatabases('changed, deleted and restored events are found as they are now', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  const id = await saveEvent(anna, { name: 'Dentist', description: 'upper left' });
  await saveEvent(anna, { id, name: 'Surgery', description: 'lower right' });
  expect(await search(anna, 'dentist')).toEqual([]);
  expect(await search(anna, 'upper')).toEqual([]);
  expect(await search(anna, 'urge right')).toEqual(['Surgery']);
  await saveEvent(anna, { id, name: 'Surgery', date: '03-02-2027' });
  expect((await anna.call(eventssearch, { searchterm: 'surgery' })).names.map(({ date }) => date)).toEqual([
    '03-02-2027',
  ]);
  await anna.call(deleteevent, { id });
  expect([await search(anna, 'surgery'), await search(anna, 'su'), await search(anna, '')]).toEqual([[], [], []]);
  await anna.call(restoreevent, { id });
  expect(await search(anna, 'urge right')).toEqual(['Surgery']);
});

onBothDatabases('characters that no text can contain are ignored', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('anna');
  await saveEvent(anna, { name: 'Dentist' });
  for (const searchterm of ['\0', 'dent\0', '\0 dentist', '\uD800dentist', 'a\0b'])
    expect(await search(anna, searchterm)).toEqual(searchterm === 'a\0b' ? [] : ['Dentist']);
});

onBothDatabases('tags select events that have all of them, also built-in ones', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  const ben = await server.createAccount('Ben');
  await saveEvent(ben, { name: 'Foreign', participants: ['work'] });
  await saveEvent(anna, { name: 'Report', participants: ['work'], date: '02-12-2026' });
  await saveEvent(anna, { name: 'Plan', participants: ['work', 'home'], pinned: 'home', date: '03-12-2026' });
  await saveEvent(anna, { name: 'Bins', participants: ['home'], style: 'repeat', date: '23-11-2026' });
  await saveEvent(anna, {
    name: 'Camp',
    participants: ['home'],
    style: 'duration',
    duration: 3,
    durationtype: 'days',
  });
  expect(await search(anna, '', 'work')).toEqual(['Report', 'Plan']);
  expect(await search(anna, '', 'home,work')).toEqual(['Plan']);
  expect(await search(anna, '', 'home')).toEqual(['Bins', 'Camp', 'Plan']);
  expect(await search(anna, '', 'home,Repeat')).toEqual(['Bins']);
  expect(await search(anna, '', 'Duration')).toEqual(['Camp']);
  expect(await search(anna, '', 'Pinned')).toEqual(['Plan']);
  expect(await search(anna, 'la', 'home,')).toEqual(['Plan']);
  expect(await search(anna, '', 'nobody')).toEqual([]);
  expect(await search(anna, '', 'Repeat,Duration')).toEqual([]);
});

onBothDatabases('a result has its next or its last day, and results are sorted by date', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  await saveEvent(anna, { name: 'x single past', date: '03-02-1999' });
  await saveEvent(anna, { name: 'x single', date: '21-11-2026' });
  await saveEvent(anna, {
    name: 'x birthday',
    date: '29-02-2024',
    style: 'repeat',
    repeatevery: 'year',
    repeateveryamount: 1,
  });
  await saveEvent(anna, {
    ...createWeekly('x ended', '05-01-2026'),
    repeatfromtype: 'forever',
    repeatuntilltype: 'absoloute',
    repeatuntill: '31-01-2026',
    exceptions: ['26-01-2026'],
  });
  await saveEvent(anna, {
    ...createWeekly('x left out', '23-11-2026'),
    exceptions: ['23-11-2026', '30-11-2026'],
  });
  await saveEvent(anna, { name: 'x runs', date: '20-11-2026', style: 'duration', duration: 5, durationtype: 'days' });
  await saveEvent(anna, { name: 'x over', date: '01-11-2026', style: 'duration', duration: 5, durationtype: 'days' });
  const { names } = await anna.call(eventssearch, { searchterm: 'x' });
  expect(names.map(({ name, date }) => `${name} ${date}`)).toEqual([
    'x single past 03-02-1999',
    'x ended 19-01-2026',
    'x over 05-11-2026',
    'x single 21-11-2026',
    'x runs 21-11-2026',
    'x left out 07-12-2026',
    'x birthday 28-02-2027',
  ]);
  const coming = await anna.call(eventssearch, {});
  expect(coming.names.map(({ name }) => name)).toEqual(['x single', 'x runs', 'x left out', 'x birthday']);
});

onBothDatabases('if only the description matches, part of it is returned', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  const anna = await server.createAccount('Anna');
  const description = `${'Bring cards and the old papers. '.repeat(20)}\n\nAsk for the  Kühlschrank, it hums. ${'More. '.repeat(60)}`;
  await saveEvent(anna, { name: 'Move', description });
  const { names } = await anna.call(eventssearch, { searchterm: 'kuhlschrank' });
  expect(names[0]?.excerpt).toMatch(/^….*Ask for the Kühlschrank, it hums\. .*…$/u);
  expect(names[0]?.excerpt?.length).toBeLessThan(200);
  expect((await anna.call(eventssearch, { searchterm: 'move' })).names[0]).not.toHaveProperty('excerpt');
});

onBothDatabases("the next events are in the order of the viewer's zone", async ({ databaseUrl }) => {
  // 22 November in Tokyo and Berlin, the 21st in New York.
  const late = Temporal.Instant.from('2026-11-22T00:30:00Z');
  await using server = await startServer({ databaseUrl, now: () => late });
  const anna = await server.createAccount('Anna');
  const night = { time: '23:00', endtime: '23:30' } as const;
  await saveEvent(anna, { name: 'New York', date: '21-11-2026', ...night, zone: 'America/New_York' });
  await saveEvent(anna, { name: 'Tokyo', date: '22-11-2026', time: '01:00', zone: 'Asia/Tokyo' });
  await saveEvent(anna, {
    name: 'Night',
    date: '21-11-2026',
    time: '22:00',
    endtime: '02:00',
    enddate: '22-11-2026',
  });
  await saveEvent(anna, { name: 'Yesterday', date: '21-11-2026', ...night });
  await saveEvent(anna, { name: 'Today', date: '22-11-2026' });
  const listResults = async (tz: string) =>
    (await anna.call(eventssearch, { tz })).names.map(({ name, date }) => `${name} ${date.slice(0, 2)}`).toSorted();
  expect(await listResults('Europe/Berlin')).toEqual(['New York 22', 'Night 22', 'Today 22']);
  expect(await listResults('Asia/Tokyo')).toEqual(['New York 22', 'Night 22', 'Today 22', 'Tokyo 22']);
  expect(await listResults('America/New_York')).toEqual([
    'New York 21',
    'Night 21',
    'Today 22',
    'Tokyo 21',
    'Yesterday 21',
  ]);
  const { names } = await anna.call(eventssearch, { tz: 'America/New_York' });
  expect(names.at(-1)?.name).toBe('Today');
});
