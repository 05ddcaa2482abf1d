import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  CHANGED_ELSEWHERE,
  calendarChanged,
  deleteevent,
  eventsbetween,
  getevent,
  getevents,
  moveevent,
  newevent,
} from '../../contract/events.ts';

type Data = RequestInputOf<typeof newevent>['data'];
/** Saturday. */
const NOW = Temporal.Instant.from('2026-11-21T12:00:00Z');
const now = () => NOW;

const saveEvent = async (account: TestAccount, data: Partial<Data>) =>
  (await account.call(newevent, { data: { id: 0, name: 'Dentist', date: '03-12-2026', tz: 'UTC', ...data } })).data;
const read = async (account: TestAccount, id: number, more: object = {}) =>
  (await account.call(getevent, { id: String(id), tz: 'UTC', ...more })).data;
/** Lists ISO days of December 2026 and January 2027 with events. */
async function listDays(account: TestAccount): Promise<readonly string[]> {
  const { dates } = await account.call(eventsbetween, { from: '2026-12-01', until: '2027-01-31' });
  return Object.keys(dates);
}

testOnBothDatabases('an event is created, read and changed', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const created = await saveEvent(anna, {
    name: ' Dentist ',
    date: '3-12-2026',
    participants: ['family', 'health', 'Repeat', 'CLICK TO CHANGE TAG'],
    pinned: 'health',
    time: '09:30',
    endtime: '10:15',
    description: 'Teeth\n\nUpper left <b>',
  });
  expect(created).toMatchObject({
    name: 'Dentist',
    date: '03-12-2026',
    participants: ['health', 'family', 'Pinned'],
    pinned: 'health',
    style: 'calendar',
    time: '09:30',
    endtime: '10:15',
    description: 'Teeth\n\nUpper left <b>',
    createdon: '2026-11-21T12:00:00.000Z',
    until: '03-12-2026',
  });
  const stored = await read(anna, created.id);
  expect(stored).toMatchObject({ ...created, edithistory: expect.anything() });
  const changed = await saveEvent(anna, {
    ...stored,
    name: 'Orthodontist',
    date: '2026-12-04',
    pinned: false,
    time: '',
  });
  expect(changed).toMatchObject({
    id: created.id,
    name: 'Orthodontist',
    date: '04-12-2026',
    participants: ['health', 'family'],
    pinned: false,
    time: '',
    endtime: '',
  });
  expect(changed.revision).toBeGreaterThan(stored.revision);
  expect(await listDays(anna)).toEqual(['2026-12-04']);
});

testOnBothDatabases(
  'omitted fields get the defaults of new events, and stay unchanged in existing ones',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    expect(await saveEvent(anna, { style: 'duration' })).toMatchObject({
      style: 'duration',
      duration: 1,
      durationtype: 'weeks',
      durationtypenumber: 2,
      until: '09-12-2026',
      participants: ['Duration'],
    });
    expect(await saveEvent(anna, { style: 'duration', duration: 0, durationtypenumber: 3 })).toMatchObject({
      durationtype: 'months',
      until: '03-12-2026',
    });
    const repeat = await saveEvent(anna, {
      style: 'repeat',
      description: 'kept',
      participants: ['work'],
      pinned: 'work',
    });
    expect(repeat).toMatchObject({
      repeateveryamount: 1,
      repeatevery: 'week',
      repeatfromtype: 'today',
      repeatfrom: '21-11-2026',
      repeatuntilltype: 'forever',
      repeatuntill: '',
    });
    const saved = await saveEvent(anna, { id: repeat.id, name: 'Again' });
    expect(saved).toMatchObject({
      style: 'repeat',
      repeatfromtype: 'forever',
      repeatfrom: '',
      description: 'kept',
      participants: ['work', 'Repeat', 'Pinned'],
    });
    expect(await saveEvent(anna, { style: 'repeat', repeatuntilltype: 'relative' })).toMatchObject({
      repeatuntill: 1,
    });
  },
);

testOnBothDatabases('every mode of a repeat has its days', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const sent = {
    style: 'repeat',
    date: '01-01-2027',
    repeateveryamount: 2,
    repeatevery: 'week',
    repeatfromtype: 'absoloute',
    repeatfrom: '05-12-2026',
    repeatuntilltype: 'relative',
    repeatuntill: '2',
    exceptions: ['1-1-2027'],
  };
  const created = await saveEvent(anna, sent);
  expect(created).toMatchObject({ repeatuntill: 2, exceptions: ['01-01-2027'], repeatfrom: '05-12-2026' });
  expect(await listDays(anna)).toEqual(['2026-12-18', '2027-01-15']);
  await saveEvent(anna, { ...created, repeatuntilltype: 'absoloute', repeatuntill: '1-1-2027', exceptions: [] });
  expect(await listDays(anna)).toEqual(['2026-12-18', '2027-01-01']);
  await saveEvent(anna, {
    ...created,
    revision: undefined,
    repeatfromtype: 'today',
    repeatfrom: null,
    exceptions: [],
  });
  expect(await listDays(anna)).toEqual(['2026-12-04', '2026-12-18', '2027-01-01']);
});

testOnBothDatabases(
  'invalid values are refused in a sentence that names them, and nothing is stored',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const createRepeat = (more: Partial<Data>): Partial<Data> => ({ style: 'repeat', ...more });
    const refused: readonly (readonly [Partial<Data>, string])[] = [
      [{ name: '' }, 'Enter a name for the event'],
      [{ name: 'enter\u2800name' }, 'The event name has an invisible blank. Remove it'],
      [{ date: '29-02-2027' }, "date: '29-02-2027' is not a date"],
      [{ date: '31-02-2026' }, "date: '31-02-2026' is not a date"],
      [{ date: '01-01-0000' }, "date: '01-01-0000' is not a date"],
      [{ date: 'tomorrow' }, "date: 'tomorrow' is not a date"],
      [{ style: 'weekly' }, "style: 'weekly' is not one of calendar, repeat, duration"],
      [createRepeat({ repeateveryamount: 0 }), 'repeateveryamount: must be a whole number from 1 to 1000'],
      [createRepeat({ repeateveryamount: 1e9 }), 'repeateveryamount: must be a whole number from 1 to 1000'],
      [createRepeat({ repeateveryamount: 1.5 }), 'repeateveryamount: must be a whole number from 1 to 1000'],
      [createRepeat({ repeatevery: 'fortnight' }), "repeatevery: 'fortnight' is not one of week, year, day, month"],
      [createRepeat({ repeatfromtype: 'always' }), 'repeatfromtype: '],
      [createRepeat({ repeatfromtype: 'absoloute' }), "repeatfrom: '' is not a date"],
      [createRepeat({ repeatuntilltype: 'absolute' }), 'repeatuntilltype: '],
      [createRepeat({ repeatuntilltype: 'absoloute' }), "repeatuntill: '' is not a date"],
      [createRepeat({ repeatuntilltype: 'relative', repeatuntill: -1 }), 'repeatuntill: must be a whole number'],
      [createRepeat({ repeatuntilltype: 'relative', repeatuntill: 1001 }), 'repeatuntill: must be a whole number'],
      [
        createRepeat({ repeatuntilltype: 'relative', repeatuntill: '03-12-2026' }),
        'repeatuntill: must be a whole number',
      ],
      [
        createRepeat({ repeatuntilltype: 'absoloute', repeatuntill: '01-01-2020' }),
        'repeatuntill: must not be before the start',
      ],
      [
        createRepeat({
          repeatfromtype: 'absoloute',
          repeatfrom: '04-12-2026',
          repeatuntilltype: 'absoloute',
          repeatuntill: '09-12-2026',
        }),
        'This repeat has no dates',
      ],
      [{ style: 'duration', duration: -1 }, 'duration: must be a whole number from 0 to 1000'],
      [{ style: 'duration', duration: 1e9 }, 'duration: must be a whole number from 0 to 1000'],
      [{ style: 'duration', durationtype: 'decades' }, "durationtype: 'decades' is not one of hours"],
      [{ style: 'duration', durationtypenumber: 5 }, 'durationtypenumber: must be a whole number from 0 to 4'],
      [{ time: 'noon' }, 'time: must be a time such as 09:30'],
      [{ endtime: '10:00' }, 'endtime: needs a start time'],
      [{ time: '10:00', endtime: '10:00' }, 'endtime: must be after the start'],
      [{ time: '10:00', endtime: '09:00', enddate: '02-12-2026' }, 'enddate: must be after the start'],
      [{ time: '10:00', zone: 'Nowhere/Here' }, 'zone: '],
      [{ participants: ['t'.repeat(300)] }, 'The tag name is too long. Enter at most 60 characters'],
      [{ participants: ['one,two'] }, "A tag name can't contain a comma. Remove it"],
      [{ participants: Array.from({ length: 31 }, (_, at) => `t${at}`) }, 'An event can have at most 30 tags'],
      [{ participants: ['work'], pinned: 'home' }, 'pinned: must be one of the tags of the event'],
      [{ pinned: 'Repeat' }, 'pinned: must be one of the tags of the event'],
      [{ exceptions: ['32-01-2026'] }, 'exceptions: '],
      [{ tz: 'Europe/Atlantis' }, 'There is no such time zone'],
      [{ id: 12_345 }, 'There is no such event'],
      [{ id: -1 }, 'There is no such event'],
      [{ id: 2 ** 40 }, 'There is no such event'],
    ];
    for (const [data, sentence] of refused) await expect(saveEvent(anna, data), sentence).rejects.toThrow(sentence);
    const { dates, datesduration, revision, tags } = await anna.call(getevents, {});
    expect({ dates, datesduration, revision }).toEqual({ dates: {}, datesduration: [], revision: 0 });
    expect(Object.keys(tags)).toEqual(['Repeat', 'Duration', 'Pinned', 'CLICK TO CHANGE TAG']);
  },
);

testOnBothDatabases('the first and last supported days and leap days are accepted', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const yearly: Partial<Data> = {
    style: 'repeat',
    repeatevery: 'year',
    repeatfromtype: 'forever',
    participants: ['\u0000odd \ud800name', '👋'.repeat(60)],
    name: 'Leap \u0000\ud800 day',
    date: '29-02-2024',
  };
  const leap = await saveEvent(anna, yearly);
  expect(leap.name).toBe('Leap \u{fffd}\u{fffd} day');
  expect(leap.participants).toEqual(['\u{fffd}odd \u{fffd}name', '👋'.repeat(60), 'Repeat']);
  expect(await read(anna, leap.id, { date: '28-02-2027' })).toMatchObject({ occurrence: '28-02-2027' });
  expect(await read(anna, leap.id, { date: '29-02-2028' })).toMatchObject({ occurrence: '29-02-2028' });
  for (const date of ['01-01-0001', '31-12-9999'])
    for (const style of ['calendar', 'repeat', 'duration'])
      for (const more of [
        { repeateveryamount: 1000, repeatevery: 'year' },
        { duration: 1000, durationtype: 'years' },
      ]) {
        const created = await saveEvent(anna, { style, date, repeatfromtype: 'forever', ...more });
        expect(await read(anna, created.id, { date })).toMatchObject({ date, style });
      }
  const last = await saveEvent(anna, {
    style: 'duration',
    duration: 1000,
    durationtype: 'years',
    date: '01-01-9000',
  });
  expect(last.until).toBe('31-12-9999');
});

testOnBothDatabases('an event keeps its style', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const { id } = await saveEvent(anna, {});
  await expect(saveEvent(anna, { id, style: 'repeat' })).rejects.toThrow(
    "style: can't be changed after the event is created",
  );
  expect(await saveEvent(anna, { id, style: 'calendar', name: 'Same' })).toMatchObject({ name: 'Same' });
});

testOnBothDatabases(
  'of two saves of one revision the second is refused, also concurrently',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const created = await saveEvent(anna, {});
    await saveEvent(anna, { ...created, name: 'First' });
    await expect(saveEvent(anna, { ...created, name: 'Second' })).rejects.toThrow(CHANGED_ELSEWHERE);
    await expect(anna.call(deleteevent, { id: created.id, revision: created.revision })).rejects.toThrow(
      CHANGED_ELSEWHERE,
    );
    for (let round = 0; round < 5; round += 1) {
      const current = await read(anna, created.id);
      const saves = ['a', 'b', 'c', 'd'].map(async (name) => saveEvent(anna, { ...current, name: `${name}${round}` }));
      const results = await Promise.allSettled(saves);
      const savedNames = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.name] : []));
      expect(savedNames).toHaveLength(1);
      expect(await read(anna, created.id)).toMatchObject({ name: savedNames[0] });
      const refusals = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
      expect(refusals.every((sentence) => sentence.includes(CHANGED_ELSEWHERE))).toBe(true);
    }
    // Without a revision the last save wins, as simple clients expect.
    expect(await saveEvent(anna, { ...created, revision: undefined, name: 'Plain' })).toMatchObject({ name: 'Plain' });
  },
);

testOnBothDatabases('exceptions that are added concurrently are all stored', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const { id } = await saveEvent(anna, {
    style: 'repeat',
    repeatevery: 'day',
    repeatuntilltype: 'relative',
    repeatuntill: 40,
  });
  const exceptions = ['02-12-2026', '05-12-2026', '06-12-2026', '20-12-2026', '24-12-2026'];
  await Promise.all(exceptions.map(async (occurrence) => anna.call(deleteevent, { id, occurrence })));
  expect(await read(anna, id)).toMatchObject({ exceptions: exceptions });
});

testOnBothDatabases(
  'events of others and unknown events are refused with the same sentence',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const bert = await server.createAccount('bert');
    const { id } = await saveEvent(anna, { name: 'secret', style: 'repeat' });
    const sentence = 'There is no such event';
    for (const text of [String(id), '0', '-1', '-3', '-4', '999999', '1e3', 'x', '', '99999999999999999999'])
      await expect(bert.call(getevent, { id: text })).rejects.toThrow(sentence);
    await expect(saveEvent(bert, { id })).rejects.toThrow(sentence);
    await expect(bert.call(deleteevent, { id })).rejects.toThrow(sentence);
    await expect(bert.call(deleteevent, { id, occurrence: '03-12-2026' })).rejects.toThrow(sentence);
    await expect(bert.call(moveevent, { id, from: '03-12-2026', to: '04-12-2026' })).rejects.toThrow(sentence);
    expect((await read(anna, id)).name).toBe('secret');
  },
);

testOnBothDatabases(
  'an event requested by one of its days names the day, and by other days does not',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const { id } = await saveEvent(anna, { style: 'repeat', repeatfromtype: 'forever', exceptions: ['17-12-2026'] });
    expect(await read(anna, id, { date: '10-12-2026' })).toMatchObject({
      date: '03-12-2026',
      occurrence: '10-12-2026',
    });
    for (const date of ['03-12-2026', '11-12-2026', '17-12-2026', 'never', ''])
      expect(await read(anna, id, { date })).not.toHaveProperty('occurrence');
  },
);

testOnBothDatabases('an event is moved with its bounds and exceptions', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const repeat = await saveEvent(anna, {
    style: 'repeat',
    repeatuntilltype: 'absoloute',
    repeatuntill: '24-12-2026',
    exceptions: ['10-12-2026'],
  });
  const { data: moved } = await anna.call(moveevent, { id: repeat.id, from: '17-12-2026', to: '18-12-2026' });
  expect(moved).toMatchObject({
    date: '04-12-2026',
    repeatfromtype: 'today',
    repeatfrom: '22-11-2026',
    repeatuntill: '25-12-2026',
    exceptions: ['11-12-2026'],
  });
  expect(await listDays(anna)).toEqual(['2026-12-04', '2026-12-18', '2026-12-25']);
  await expect(anna.call(moveevent, { id: repeat.id, from: '11-12-2026', to: '12-12-2026' })).rejects.toThrow(
    'from: the event does not take place on that date',
  );
  const lasting = await saveEvent(anna, { style: 'duration', duration: 3, durationtype: 'days' });
  const { data: later } = await anna.call(moveevent, { id: lasting.id, from: '04-12-2026', to: '05-12-2026' });
  expect(later).toMatchObject({ date: '04-12-2026', until: '06-12-2026' });
  const last = await saveEvent(anna, { date: '31-12-9999' });
  await expect(anna.call(moveevent, { id: last.id, from: '31-12-9998', to: '31-12-9999' })).rejects.toThrow('from: ');
  const unmoved = await anna.call(moveevent, { id: last.id, from: '31-12-9999', to: '31-12-9999' });
  expect(unmoved.data.revision).toBe(last.revision);
});

testOnBothDatabases('a day of a repeat that is moved alone becomes an event of its own', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const repeat = await saveEvent(anna, {
    style: 'repeat',
    repeatuntilltype: 'relative',
    repeatuntill: 1,
    participants: ['work'],
    pinned: 'work',
    description: 'bring it',
    time: '10:00',
  });
  // Counted from today on, the first two are 26 November and 3 December.
  const { data: moved } = await anna.call(moveevent, {
    id: repeat.id,
    from: '03-12-2026',
    to: '08-12-2026',
    only: true,
  });
  expect(moved).toMatchObject({
    style: 'calendar',
    date: '08-12-2026',
    name: 'Dentist',
    description: 'bring it',
    participants: ['work', 'Pinned'],
    time: '10:00',
  });
  expect(moved.id).not.toBe(repeat.id);
  expect(await read(anna, repeat.id)).toMatchObject({ exceptions: ['03-12-2026'] });
  expect(await listDays(anna)).toEqual(['2026-12-08']);
  // Moving the last remaining day moves the repeat.
  await anna.call(moveevent, { id: repeat.id, from: '26-11-2026', to: '09-12-2026', only: true });
  await expect(read(anna, repeat.id)).rejects.toThrow('There is no such event');
  expect(await listDays(anna)).toEqual(['2026-12-08', '2026-12-09']);
});

testOnBothDatabases('every change is sent to the pages of the account only', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await using page = await openSocket(server, { token: anna.token });
  const created = await saveEvent(anna, {});
  expect(await page.nextEvent(calendarChanged)).toEqual({ revision: created.revision });
  const { revision } = await anna.call(deleteevent, { id: created.id });
  expect(await page.nextEvent(calendarChanged)).toEqual({ revision });
  expect(revision).toBeGreaterThan(created.revision);
  expect((await anna.call(getevents, {})).revision).toBe(revision);
});
