import { expect, test } from 'vitest';
import { pushkey, pushsubscribe } from '#platform/contract/push.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { type PushBrowser, startPushService, type TestPushService } from '#testing/kits/server/pushService.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { getevents, newevent } from '../../contract/events.ts';
import { calendarreminder, setcalendarreminder } from '../../contract/exchange.ts';
import { createCalendar } from './calendar.ts';
import { createReminderTask } from './reminders.ts';

const ZONE = 'Europe/Berlin';

/** Starts a server whose clock the test sets, and a push service. */
async function startWithAccount(service: TestPushService, options: Parameters<typeof startServerWithContext>[0] = {}) {
  const clock = { now: Temporal.Instant.from('2026-11-21T00:00:00Z') };
  const { server, context } = await startServerWithContext({
    egressAllow: ['127.0.0.1'],
    pushOverHttp: true,
    now: () => clock.now,
    ...options,
  });
  const task = createReminderTask(context, createCalendar(context));
  return {
    server,
    /** Runs the scheduled task at a local time of Berlin. */
    at: async (local: string): Promise<void> => {
      clock.now = Temporal.PlainDateTime.from(local).toZonedDateTime(ZONE).toInstant();
      await task.run();
    },
    /** Creates a browser of the account with pages in Berlin. */
    browser: async (account: TestAccount): Promise<PushBrowser> => {
      await account.call(getevents, { tz: ZONE });
      const browser = service.subscribeBrowser((await account.call(pushkey, {})).key);
      await account.call(pushsubscribe, browser.subscription);
      return browser;
    },
  };
}

/** Starts both, with one browser of the account 'ann'. */
async function startWithPhone() {
  const service = await startPushService();
  const { server, at, browser } = await startWithAccount(service);
  const ann = await server.createAccount('ann');
  async function stop(): Promise<void> {
    await server[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  }
  return { ann, phone: await browser(ann), at, [Symbol.asyncDispose]: stop };
}

async function pin(account: TestAccount, name: string, date: string, more: object = {}): Promise<number> {
  const data = { id: 0, name, date, participants: ['health'], pinned: 'health', tz: ZONE, ...more };
  return (await account.call(newevent, { data })).data.id;
}

const listReminders = ({ delivered }: PushBrowser) =>
  delivered.map(
    ({ text }) => JSON.parse(text) as { readonly title: string; readonly body: string; readonly path: string },
  );

testOnBothDatabases(
  'the morning reminder names the pinned events of the day, once',
  async ({ dataDir, databaseUrl }) => {
    await using service = await startPushService();
    const { server, at, browser } = await startWithAccount(service, { dataDir, databaseUrl });
    await using _ = server;
    const [ann, ben] = [await server.createAccount('ann'), await server.createAccount('ben')];
    const [phone, bens] = [await browser(ann), await browser(ben)];
    const dentist = await pin(ann, 'Dentist', '22-11-2026', { time: '09:40' });
    await pin(ann, 'Not pinned', '22-11-2026', { pinned: false });
    await pin(ann, 'Tomorrow', '23-11-2026');

    await at('2026-11-22T07:59');
    expect(listReminders(phone)).toEqual([]);
    await at('2026-11-22T08:00');
    await at('2026-11-22T08:01');
    await at('2026-11-22T10:00');
    expect(listReminders(phone)).toEqual([
      {
        title: 'Dentist, 09:40',
        body: 'Today',
        path: `/calendar?event=${dentist}&date=2026-11-22&type=calendar`,
        tag: 'calendar-reminder',
      },
    ]);
    expect(await ann.call(calendarreminder, {})).toMatchObject({ on: true, at: '08:00', sent: true });
    await at('2026-11-23T08:00');
    expect(listReminders(phone).map(({ title }) => title)).toEqual(['Dentist, 09:40', 'Tomorrow']);
    expect(listReminders(bens)).toEqual([]);
  },
);

testOnBothDatabases('each account can set the time, or switch the reminder off', async ({ dataDir, databaseUrl }) => {
  await using service = await startPushService();
  const { server, at, browser } = await startWithAccount(service, { dataDir, databaseUrl });
  await using _ = server;
  const ann = await server.createAccount('ann');
  const phone = await browser(ann);
  for (const date of ['22-11-2026', '23-11-2026', '24-11-2026']) await pin(ann, date, date);
  expect(await ann.call(setcalendarreminder, { on: true, at: '06:30' })).toEqual({
    on: true,
    at: '06:30',
    sent: false,
  });
  await at('2026-11-22T06:30');
  await ann.call(setcalendarreminder, { on: false, at: '06:30' });
  await at('2026-11-23T06:30');
  // Switched on again for a later time of the same day: today's reminder was already sent.
  await ann.call(setcalendarreminder, { on: true, at: '09:00' });
  await at('2026-11-23T09:00');
  await ann.call(setcalendarreminder, { on: true, at: '10:00' });
  await at('2026-11-23T10:00');
  expect(listReminders(phone).map(({ title }) => title)).toEqual(['22-11-2026', '23-11-2026']);
  for (const wrong of ['8:00', '24:00', '12:60', '', 'noon'])
    await expect(ann.call(setcalendarreminder, { on: true, at: wrong })).rejects.toThrow(Refusal);
});

test('a server that was off in the morning sends no reminder after three hours', async () => {
  await using setup = await startWithPhone();
  const { ann, phone, at } = setup;
  await pin(ann, 'Dentist', '22-11-2026');
  await pin(ann, 'Late', '23-11-2026');
  await at('2026-11-22T11:01');
  await at('2026-11-23T11:00');
  expect(listReminders(phone).map(({ title }) => title)).toEqual(['Late']);
});

test('a repeat is announced on each of its days, a duration on its first', async () => {
  await using setup = await startWithPhone();
  const { ann, phone, at } = setup;
  await pin(ann, 'Pills', '22-11-2026', { style: 'repeat', repeatevery: 'day', repeateveryamount: 2 });
  await pin(ann, 'Holiday', '23-11-2026', { style: 'duration', duration: 5, durationtype: 'days' });
  for (const day of ['22', '23', '24', '25']) await at(`2026-11-${day}T08:00`);
  expect(listReminders(phone).map(({ title }) => title)).toEqual(['Pills', 'Holiday', 'Pills']);
});

test('many events are listed and counted', async () => {
  await using setup = await startWithPhone();
  const { ann, phone, at } = setup;
  for (const time of ['11:00', '09:00', '12:00', '10:00', '13:00', '14:00'])
    await pin(ann, 'E', '22-11-2026', { time });
  await at('2026-11-22T08:00');
  expect(listReminders(phone)).toMatchObject([
    { title: 'Today: 6 pinned events', body: 'E, 09:00\nE, 10:00\nE, 11:00\nE, 12:00\nand 2 more', path: '/calendar' },
  ]);
});

test('a push service that is down is retried after ten minutes, and a working one gets one message', async () => {
  await using setup = await startWithPhone();
  const { ann, phone, at } = setup;
  await pin(ann, 'Dentist', '22-11-2026');
  phone.setStatus(503);
  await at('2026-11-22T08:00');
  expect(await ann.call(calendarreminder, {})).toMatchObject({ sent: false });
  phone.setStatus(201);
  await at('2026-11-22T08:09');
  expect(listReminders(phone)).toEqual([]);
  await at('2026-11-22T08:10');
  await at('2026-11-22T08:21');
  expect(listReminders(phone)).toHaveLength(1);
});

test.each([
  ['is skipped', '28-03-2027', ['2027-03-28T01:59', '2027-03-28T03:00', '2027-03-28T03:30']],
  ['occurs twice', '31-10-2027', ['2027-10-31T02:30', '2027-10-31T03:00', '2027-10-31T03:30']],
] as const)('a morning whose time %s has one reminder', async (_, date, times) => {
  await using service = await startPushService();
  const { server, at, browser } = await startWithAccount(service);
  await using _server = server;
  await at(times[0]);
  const ann = await server.createAccount('ann');
  const phone = await browser(ann);
  await ann.call(setcalendarreminder, { on: true, at: '02:30' });
  await pin(ann, 'Dentist', date);
  for (const time of times) await at(time);
  expect(listReminders(phone)).toHaveLength(1);
});
