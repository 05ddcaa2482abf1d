import { setImmediate as waitForEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { command } from '#platform/contract/command.ts';
import {
  browserBye,
  browserHello,
  deviceChanged,
  deviceHello,
  RECONNECT_TIMEOUT_MS,
} from '#platform/contract/device.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startTestPlatform, type TestPlatform } from '#testing/kits/server/serverContext.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import { MAX_BROWSERS_PER_ACCOUNT, MAX_UNUSED_DAYS } from './browserDevices.ts';

const FIREFOX = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0';
const getKey = (name: string): string => name.padEnd(22, '-');
const testCommand = command({ name: 'say', request: z.object({}), answer: z.object({}) });

/** Opens a messages page in the browser with this key. */
async function openMessages(testPlatform: TestPlatform, token: string, key: string, userAgent = FIREFOX) {
  const page = await openSocket(testPlatform, { token, headers: { 'user-agent': userAgent } });
  return { page, ...(await page.request(browserHello, { key: getKey(key) })) };
}

async function startPlatformWithAnn() {
  const testPlatform = await startTestPlatform();
  const ann = await testPlatform.createAccount('Ann');
  async function waitForState(device: number, state: string): Promise<void> {
    while (testPlatform.devices.getState(device) !== state) await waitForEventLoop();
  }
  return { testPlatform, ann, waitForState, [Symbol.asyncDispose]: () => testPlatform[Symbol.asyncDispose]() };
}

test('a browser with the messages page open is a device, named after browser and system, with a number if needed', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann } = setup;
  const first = await openMessages(testPlatform, ann.token, 'first');
  const second = await openMessages(testPlatform, ann.token, 'second');
  expect([first.name, second.name]).toEqual(['Firefox on Android', 'Firefox on Android 2']);
  expect(await testPlatform.devices.list(ann.id)).toMatchObject([
    { id: first.id, kind: 'browser', name: first.name },
    { id: second.id, kind: 'browser' },
  ]);
  expect(testPlatform.devices.getState(first.id)).toBe('Connected');
});

test('two pages of one browser are one device, connected until the last one closes', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann, waitForState } = setup;
  await using otherPage = await openSocket(testPlatform, { token: ann.token });
  const first = await openMessages(testPlatform, ann.token, 'same');
  const second = await openMessages(testPlatform, ann.token, 'same');
  expect(second.id).toBe(first.id);
  expect(first.page.raw.connected).toBe(true);
  first.page.raw.disconnect();
  await first.page.closed;
  await second.page.request(browserHello, { key: getKey('same') });
  expect(testPlatform.devices.getState(first.id)).toBe('Connected');
  second.page.raw.disconnect();
  await waitForState(first.id, 'Reconnecting');
  const reconnected = await openMessages(testPlatform, ann.token, 'same');
  expect(testPlatform.devices.getState(reconnected.id)).toBe('Connected');
  testPlatform.timers.advance(RECONNECT_TIMEOUT_MS);
  expect(testPlatform.devices.getState(reconnected.id)).toBe('Connected');
  reconnected.page.raw.disconnect();
  await waitForState(first.id, 'Reconnecting');
  testPlatform.timers.advance(RECONNECT_TIMEOUT_MS);
  expect(testPlatform.devices.getState(first.id)).toBe('Disconnected');
  expect(await otherPage.nextEvent(deviceChanged)).toMatchObject({ id: first.id, state: 'Connected' });
});

test('two pages that open at the same moment create one device', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann } = setup;
  const pages = await Promise.all(Array.from({ length: 6 }, () => openMessages(testPlatform, ann.token, 'same')));
  expect(new Set(pages.map(({ id }) => id)).size).toBe(1);
  expect(await testPlatform.devices.list(ann.id)).toHaveLength(1);
});

test('a page that leaves the screen disconnects immediately, and reconnects on the same socket', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann } = setup;
  const { page, id } = await openMessages(testPlatform, ann.token, 'one');
  await page.request(browserBye, {});
  expect(testPlatform.devices.getState(id)).toBe('Disconnected');
  const [remaining] = await testPlatform.devices.list(ann.id);
  expect(remaining?.lastSeen).toBeDefined();
  expect((await page.request(browserHello, { key: getKey('one') })).id).toBe(id);
  expect(testPlatform.devices.getState(id)).toBe('Connected');
});

test('a browser whose session ends is Disconnected immediately, without Reconnecting', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann, waitForState } = setup;
  const { page, id } = await openMessages(testPlatform, ann.token, 'one');
  const session = await testPlatform.identity.findSession(ann.token);
  page.raw.disconnect();
  await waitForState(id, 'Reconnecting');
  const reconnected = await openMessages(testPlatform, ann.token, 'one');
  expect(testPlatform.devices.getState(id)).toBe('Connected');
  await testPlatform.identity.endSessions(ann.id, { ids: [session?.id ?? 0] });
  expect(testPlatform.devices.getState(id)).toBe('Disconnected');
  expect(await reconnected.page.closed).toBe('session ended');
});

test('only pages of persons are browsers, and an account cannot use those of others', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann } = setup;
  const ben = await testPlatform.createAccount('Ben');
  const laptop = await testPlatform.pairDevice(ann.id, 'Laptop');
  await using agent = await openSocket(testPlatform, { token: laptop.token });
  await expect(agent.request(browserHello, { key: getKey('agent') })).rejects.toThrow(InvalidTokenRefusal);
  await using visitor = await openSocket(testPlatform, {});
  await expect(visitor.request(browserHello, { key: getKey('none') })).rejects.toThrow(InvalidTokenRefusal);
  const anns = await openMessages(testPlatform, ann.token, 'shared');
  await expect(anns.page.request(browserHello, { key: 'short' })).rejects.toThrow('key');
  const bens = await openMessages(testPlatform, ben.token, 'shared');
  expect(bens.id).not.toBe(anns.id);
  await expect(testPlatform.devices.getOwned(ben.id, String(anns.id))).rejects.toThrow('There is no such device');
});

test('a browser only takes messages: it gets no commands, and pages that need a computer never select it', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann, waitForState } = setup;
  const laptop = await testPlatform.pairDevice(ann.id, 'Laptop');
  const agent = await openSocket(testPlatform, { token: laptop.token });
  await agent.request(deviceHello, { version: '1', system: 'Debian', abilities: {} });
  const { id, name } = await openMessages(testPlatform, ann.token, 'one');
  const message = `${name} is a browser, so it only receives messages. Choose a computer`;
  await expect(
    testPlatform.devices.send(await testPlatform.devices.getOwned(ann.id, String(id)), testCommand, {}),
  ).rejects.toThrow(message);
  await expect(testPlatform.devices.getSelected(ann.id, String(id))).rejects.toThrow(message);
  expect(await testPlatform.devices.getSelected(ann.id, undefined)).toMatchObject({ name: 'Laptop' });
  agent.raw.disconnect();
  await waitForState(laptop.device.id, 'Reconnecting');
  expect(await testPlatform.devices.getSelected(ann.id, undefined)).toMatchObject({ name: 'Laptop' });
});

test('a removed browser disappears immediately, and becomes a new device if its page is open', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann } = setup;
  const { page, id } = await openMessages(testPlatform, ann.token, 'one');
  await testPlatform.devices.remove(ann.id, id);
  expect(testPlatform.devices.getState(id)).toBe('Disconnected');
  const reconnected = await page.request(browserHello, { key: getKey('one') });
  expect(reconnected.id).not.toBe(id);
  expect(reconnected.name).toBe('Firefox on Android');
  await testPlatform.devices.rename(ann.id, reconnected.id, 'Phone');
  expect((await openMessages(testPlatform, ann.token, 'one')).name).toBe('Phone');
});

async function openBriefly(testPlatform: TestPlatform, token: string, key: string): Promise<number> {
  const { page, id } = await openMessages(testPlatform, token, key);
  await page.request(browserBye, {});
  page.raw.disconnect();
  return id;
}

testOnBothDatabases('unused browsers are removed, computers and open browsers are not', async ({ databaseUrl }) => {
  let laterDays = 0;
  await using testPlatform = await startTestPlatform({
    databaseUrl,
    now: () => Temporal.Now.instant().add({ hours: 24 * laterDays }),
  });
  const ann = await testPlatform.createAccount('Ann');
  await testPlatform.pairDevice(ann.id, 'Laptop');
  const old = await openBriefly(testPlatform, ann.token, 'old');
  const open = await openMessages(testPlatform, ann.token, 'open');
  laterDays = MAX_UNUSED_DAYS - 1;
  const recent = await openBriefly(testPlatform, ann.token, 'recent');
  const listIds = async () => (await testPlatform.devices.list(ann.id)).map(({ id }) => id);
  expect(await listIds()).toContain(old);
  laterDays = MAX_UNUSED_DAYS + 1;
  await openBriefly(testPlatform, ann.token, 'recent');
  expect(await listIds()).not.toContain(old);
  expect(await listIds()).toEqual(expect.arrayContaining([open.id, recent]));
  expect(await testPlatform.devices.list(ann.id)).toHaveLength(3);
});

test('above the limit, the browsers unused longest are removed', async () => {
  await using setup = await startPlatformWithAnn();
  const { testPlatform, ann } = setup;
  const page: TestSocket = await openSocket(testPlatform, { token: ann.token, headers: { 'user-agent': FIREFOX } });
  const ids: number[] = [];
  for (let count = 0; count <= MAX_BROWSERS_PER_ACCOUNT; count += 1) {
    ids.push((await page.request(browserHello, { key: getKey(`${count}`) })).id);
    await page.request(browserBye, {});
  }
  const remaining = (await testPlatform.devices.list(ann.id)).map(({ id }) => id);
  expect(remaining).toHaveLength(MAX_BROWSERS_PER_ACCOUNT);
  expect(remaining).not.toContain(ids[0]);
  expect(remaining).toContain(ids.at(-1));
});
