import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { testOnBothDatabases, type TestStorage } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { devicemessage, messagesDeleted, retrievemessages, sendmessage } from '#tools/messages/contract.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import {
  clearhistory,
  deletehistoryentry,
  historyChanged,
  historyDeleted,
  historyretention,
  keyboardinput,
  remotehistory,
  sethistoryretention,
} from '../contract.ts';

const PASSWORD = 'Tr0ub4dor&3-ünïque';
let clock = 1_795_000_000;

const createContent = (target: string, inputValue: string, extra: { keep?: boolean; key?: string } = {}) => ({
  content: { inputtype: 1 as const, inputValue, target, timesent: (clock += 0.001), ...extra },
});
const unstored = (target: string, text: string, key = crypto.randomUUID()) =>
  createContent(target, text, { keep: false, key });

const listHistory = async (account: TestAccount, target: string) =>
  (await account.call(remotehistory, { target })).history.map(({ inputValue, outcome, kept: stored }) => [
    inputValue,
    outcome,
    stored,
  ]);

/** Returns the files below a folder that contain the text. */
async function listFilesWith(folder: string, text: string): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const names = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const bytes = await readFile(join(parentPath, name)).catch(() => Buffer.alloc(0));
      return bytes.includes(text) ? [name] : [];
    }),
  );
  return names.flat();
}

const start = (storage: TestStorage, extra = {}): Promise<TestServer> =>
  startServer({ dataDir: storage.dataDir, databaseUrl: storage.databaseUrl, logLevel: 'debug', ...extra });

testOnBothDatabases('a text that must not be stored is typed, and is nowhere afterwards', async (storage) => {
  await using server = await start(storage);
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  await using page = await openSocket(server, { token: anna.token });
  const { target } = laptop;
  const events: unknown[] = [];
  page.raw.on(historyChanged.name, (data: unknown) => void events.push(data));
  await anna.call(keyboardinput, unstored(target, PASSWORD));
  laptop.drivers.behave({ drops: ['ü'] });
  const refused = anna.call(keyboardinput, unstored(target, PASSWORD));
  await expect(refused).rejects.toThrow('could not type 1 character');
  expect(laptop.drivers.listTypedTexts()).toEqual([PASSWORD, PASSWORD.replace('ü', '')]);
  await expect
    .poll(() => listHistory(anna, target))
    .toEqual([
      ['', 'ok', false],
      ['', 'could not type 1 character', false],
    ]);
  await expect.poll(() => events.length).toBe(4);
  expect(JSON.stringify(events)).not.toMatch(/Tr0ub|ü/);
  expect(server.log.join('\n')).not.toContain('Tr0ub');
  expect(laptop.printedLines.join('\n')).not.toContain('Tr0ub');
  expect(await listFilesWith(storage.dataDir, 'Tr0ub')).toEqual([]);
  expect(await listFilesWith(laptop.stateDir, 'Tr0ub')).toEqual([]);
  expect(await listFilesWith(laptop.stateDir, '"ü"')).toEqual([]);
});

testOnBothDatabases('a text that must not be stored is typed once for each key', async (storage) => {
  await using server = await start(storage);
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const once = unstored(laptop.target, PASSWORD);
  await Promise.all([anna.call(keyboardinput, once), anna.call(keyboardinput, once)]);
  await anna.call(keyboardinput, once);
  await anna.call(keyboardinput, { content: { ...once.content, key: 'another', inputValue: 'second' } });
  await anna.call(keyboardinput, { content: { ...once.content, keep: true } });
  expect(laptop.drivers.listTypedTexts()).toEqual([PASSWORD, 'second', PASSWORD]);
  await expect
    .poll(() => listHistory(anna, laptop.target))
    .toEqual([
      ['', 'ok', false],
      ['', 'ok', false],
      [PASSWORD, 'ok', undefined],
    ]);
});

testOnBothDatabases(
  'a deleted message is removed from pages, disk and export, and does not reappear',
  async (storage) => {
    await using server = await start(storage);
    const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
    await using laptop = await startDevice(server, anna);
    await using page = await openSocket(server, { token: anna.token });
    const { target } = laptop;
    await anna.call(keyboardinput, createContent(target, 'first'));
    await anna.call(keyboardinput, createContent(target, PASSWORD));
    await anna.call(keyboardinput, createContent(target, 'last'));
    const { history } = await anna.call(remotehistory, { target });
    const id = history[1]?.id ?? 0;
    await expect(ben.call(deletehistoryentry, { target, id })).rejects.toThrow(
      new Refusal('device.not_found', 'There is no such device'),
    );
    await expect(ben.call(clearhistory, { target })).rejects.toThrow(
      new Refusal('device.not_found', 'There is no such device'),
    );
    if (storage.dialect === 'sqlite') expect(await listFilesWith(storage.dataDir, 'Tr0ub')).not.toEqual([]);
    await anna.call(deletehistoryentry, { target, id });
    await expect.poll(() => listFilesWith(storage.dataDir, 'Tr0ub')).toEqual([]);
    expect(await page.nextEvent(historyDeleted)).toEqual({ target, ids: [id] });
    expect((await listHistory(anna, target)).map(([text]) => text)).toEqual(['first', 'last']);
    await anna.call(deletehistoryentry, { target, id });
    await anna.call(clearhistory, { target });
    expect(await listHistory(anna, target)).toEqual([]);
  },
);

testOnBothDatabases(
  'clearing deletes everything that was sent to a device or by it, and nothing else',
  async (storage) => {
    await using server = await start(storage, { rateLimits: false });
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    await using desktop = await startDevice(server, anna, { name: 'Desktop' });
    const { target } = laptop;
    const sendDeviceMessage = (device: { readonly token: string }, text: string) =>
      createClient({ origin: server.origin, token: () => device.token })(devicemessage, {
        inputtype: 1,
        text,
        key: text,
      });
    // More than any call returns.
    for (let at = 0; at < 201; at += 1) await sendDeviceMessage(laptop, `${PASSWORD} ${at}`);
    await sendDeviceMessage(desktop, 'of another');
    await anna.call(sendmessage, { inputtype: 1, inputValue: 'written under Messages', target, timesent: 1 });
    await anna.call(keyboardinput, createContent(target, PASSWORD));
    await anna.call(keyboardinput, createContent(desktop.target, 'to another'));
    const { details } = await anna.call(retrievemessages, { target });
    await using page = await openSocket(server, { token: anna.token });
    await anna.call(clearhistory, { target });
    expect(await page.nextEvent(historyDeleted)).toEqual({ target });
    const { ids } = await page.nextEvent(messagesDeleted);
    expect(ids).toHaveLength(201);
    expect(ids).toContain(details[0]?.id);
    expect(await listHistory(anna, target)).toEqual([]);
    expect(await anna.call(retrievemessages, { target })).toMatchObject({ messages: ['written under Messages'] });
    expect(await anna.call(retrievemessages, { target: desktop.target })).toMatchObject({ messages: ['of another'] });
    expect(await listHistory(anna, desktop.target)).toHaveLength(1);
    if (storage.dialect === 'sqlite') await expect.poll(() => listFilesWith(storage.dataDir, 'Tr0ub')).toEqual([]);
  },
);

testOnBothDatabases('clearing that fails halfway deletes nothing, and notifies no page', async (storage) => {
  const broken: ServerTool = {
    name: 'broken',
    migrations: [],
    start: () => ({
      calls: [],
      deleteDeviceTexts: async () => {
        throw new Refusal('test.refused', 'not now');
      },
    }),
  };
  await using server = await start(storage, { tools: [...serverTools, broken] });
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const { target, token } = laptop;
  await anna.call(keyboardinput, createContent(target, 'sent'));
  await createClient({ origin: server.origin, token: () => token })(devicemessage, {
    inputtype: 1,
    text: 'said',
    key: '1',
  });
  await using page = await openSocket(server, { token: anna.token });
  const deleted: unknown[] = [];
  for (const { name } of [historyDeleted, messagesDeleted])
    page.raw.on(name, (data: unknown) => void deleted.push(data));
  await expect(anna.call(clearhistory, { target })).rejects.toThrow('not now');
  await anna.call(keyboardinput, createContent(target, 'behind it'));
  expect((await listHistory(anna, target)).map(([text]) => text)).toEqual(['sent', 'behind it']);
  expect((await anna.call(retrievemessages, { target })).messages).toEqual(['said']);
  expect(deleted).toEqual([]);
});

testOnBothDatabases(
  'without a key of the sender, two unstored messages of the same moment are both typed',
  async (storage) => {
    await using server = await start(storage);
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    const { content } = createContent(laptop.target, 'first', { keep: false });
    await Promise.all([
      anna.call(keyboardinput, { content }),
      anna.call(keyboardinput, { content: { ...content, inputValue: 'second' } }),
    ]);
    await anna.call(keyboardinput, { content: { ...content, inputValue: 'third', key: '' } });
    expect(laptop.drivers.listTypedTexts().toSorted()).toEqual(['first', 'second', 'third']);
    await expect.poll(() => listHistory(anna, laptop.target)).toEqual([1, 2, 3].map(() => ['', 'ok', false]));
  },
);

testOnBothDatabases('a message that is deleted while it is being sent stays deleted', async (storage) => {
  await using server = await start(storage);
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const { target } = laptop;
  laptop.drivers.behave({ slowMs: 500 });
  const sending = anna.call(keyboardinput, createContent(target, PASSWORD));
  await expect.poll(() => listHistory(anna, target)).toHaveLength(1);
  await using page = await openSocket(server, { token: anna.token });
  const events: unknown[] = [];
  page.raw.on(historyChanged.name, (data: unknown) => void events.push(data));
  await anna.call(clearhistory, { target });
  await sending;
  laptop.drivers.behave({ slowMs: 0 });
  await anna.call(keyboardinput, createContent(target, 'behind it'));
  await expect.poll(() => listHistory(anna, target)).toEqual([['behind it', 'ok', undefined]]);
  expect(JSON.stringify(events)).not.toContain('Tr0ub');
});

testOnBothDatabases('each account chooses how long its messages are stored', async (storage) => {
  let days = 0;
  const now = () => Temporal.Now.instant().add({ hours: 24 * days });
  await using server = await start(storage, { now });
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using hers = await startDevice(server, anna);
  await using his = await startDevice(server, ben);
  await anna.call(keyboardinput, createContent(hers.target, PASSWORD));
  await ben.call(keyboardinput, createContent(his.target, 'stays'));
  expect(await anna.call(historyretention, {})).toEqual({ period: 'forever' });
  await anna.call(sethistoryretention, { period: 'week' });
  expect(await anna.call(historyretention, {})).toEqual({ period: 'week' });
  expect(await listHistory(anna, hers.target)).toHaveLength(1);
  days = 6;
  await using page = await openSocket(server, { token: anna.token });
  await anna.call(sethistoryretention, { period: 'day' });
  expect(await page.nextEvent(historyDeleted)).toMatchObject({ target: hers.target });
  expect(await listHistory(anna, hers.target)).toEqual([]);
  expect(await listHistory(ben, his.target)).toHaveLength(1);
});

testOnBothDatabases(
  'rows are in the order in which the server received them, whatever the senders’ clocks say',
  async (storage) => {
    await using server = await start(storage);
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    const { target } = laptop;
    const before = Date.now() / 1000;
    const times = [before + 86_400, before - 86_400, before, -1e300, 1e300, 0];
    for (const timesent of times)
      await anna.call(keyboardinput, { content: { inputtype: 1, inputValue: 'x', target, timesent } });
    const { history } = await anna.call(remotehistory, { target });
    expect(history.map(({ timesent }) => timesent)).toEqual(times);
    const received = history.map((entry) => entry.received ?? 0);
    expect(received).toEqual(received.toSorted((one, other) => one - other));
    expect(received[0]).toBeGreaterThanOrEqual(Math.floor(before));
  },
);
