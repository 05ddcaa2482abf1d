import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { browserHello } from '#platform/contract/device.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  clearmessages,
  conversations,
  deletemessages,
  MAX_DEVICE_TEXT_LENGTH,
  devicemessage,
  messageArrived,
  messagesDeleted,
  messagesretention,
  retrievemessages,
  sendmessage,
  setmessagesretention,
} from '../contract.ts';

let clock = 1_795_000_000;
const createMessage = (target: string, inputValue: string) => ({
  inputtype: 1 as const,
  inputValue,
  target,
  timesent: (clock += 0.001),
});

/** Creates a client that calls as the device. */
const createDeviceClient = ({ origin }: TestServer, token: string) => createClient({ origin, token: () => token });

async function post({ origin }: TestServer, path: string, body: unknown) {
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, ...((await answer.json()) as { readonly message: string }) };
}

test('both sides of a conversation are returned oldest first, with the names of their senders', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('Anna');
  await using laptop = await startDevice(server, anna, { name: 'Laptop' });
  await using desktop = await startDevice(server, anna, { name: 'Desktop' });
  const { target } = laptop;
  const first = createMessage(target, '<b>hé</b> 👋\n\u202e');
  await anna.call(sendmessage, first);
  await createDeviceClient(server, laptop.token)(devicemessage, {
    inputtype: 3,
    text: 'a.sh ended with 0',
    key: 'run:1',
  });
  await anna.call(sendmessage, { content: { ...createMessage(target, '[[keys]]Ctrl-T'), inputtype: 2 } });
  await anna.call(sendmessage, createMessage(desktop.target, 'elsewhere'));
  const conversation = await anna.call(retrievemessages, { target });
  expect(conversation).toMatchObject({
    messages: ['<b>hé</b> 👋\n\u202e', 'a.sh ended with 0', '[[keys]]Ctrl-T'],
    sentby: ['Anna', 'Laptop', 'Anna'],
    details: [{ inputtype: 1, timesent: first.timesent }, { inputtype: 3 }, { inputtype: 2 }],
  });
  expect(await anna.call(retrievemessages, { content: { target } })).toEqual(conversation);
});

test('the fields may be beside the token or inside content', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const { token } = anna;
  const fields = [1, 2, 3, 4].map((count) => createMessage(laptop.target, `${count}`));
  await post(server, sendmessage.path, { content: { ...fields[0], token } });
  await post(server, sendmessage.path, { token, content: fields[1] });
  await post(server, sendmessage.path, { token, ...fields[2] });
  await post(server, sendmessage.path, { token, ...fields[3], content: {} });
  for (const body of [
    { content: { target: laptop.target, token } },
    { token, content: { target: laptop.target } },
    { token, target: laptop.target },
  ])
    expect(await post(server, retrievemessages.path, body)).toMatchObject({
      message: 'ok',
      messages: ['1', '2', '3', '4'],
    });
});

test('a message that is sent twice is stored once, also concurrently, and gets the same answer', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const message = createMessage(laptop.target, 'once');
  await Promise.all(Array.from({ length: 5 }, () => anna.call(sendmessage, message)));
  await anna.call(sendmessage, message);
  await anna.call(sendmessage, { ...message, timesent: message.timesent + 1 });
  const asDevice = createDeviceClient(server, laptop.token);
  for (let count = 0; count < 2; count += 1)
    await asDevice(devicemessage, { inputtype: 1, text: 'result', key: 'one' });
  const { messages } = await anna.call(retrievemessages, { target: laptop.target });
  expect(messages).toEqual(['once', 'once', 'result']);
});

test('a message that breaks a rule is refused in the words and order of the specification, and not stored', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const { target } = laptop;
  for (const [to, text, sentence] of [
    ['no id', '', 'No text to send'],
    [target, 'Enter text here', 'No text to send'],
    ['no id', 'x'.repeat(201), 'no device selected'],
    [target, 'x'.repeat(201), 'Message is too long at 201 characters, limit is 200 characters'],
    ['4711', 'x', 'There is no such device'],
  ] as const)
    await expect(anna.call(sendmessage, createMessage(to, text))).rejects.toThrow(sentence);
  await anna.call(sendmessage, createMessage(target, '👋'.repeat(200)));
  expect((await anna.call(retrievemessages, { target })).messages).toEqual(['👋'.repeat(200)]);
});

test('a missing field is named with status 400', async () => {
  await using server = await startServer();
  const { token } = await server.createAccount('anna');
  const validMessage = createMessage('1', 'x');
  for (const field of ['inputtype', 'inputValue', 'target', 'timesent']) {
    const message = expect.stringMatching(new RegExp(`^${field}: `)) as string;
    expect(await post(server, sendmessage.path, { token, ...validMessage, [field]: undefined })).toEqual({
      status: 400,
      message,
    });
    expect(await post(server, sendmessage.path, { token, content: { ...validMessage, [field]: undefined } })).toEqual({
      status: 400,
      message,
    });
  }
  expect(await post(server, sendmessage.path, { token, content: { ...validMessage, inputtype: 4 } })).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^content\.inputtype: /) as string,
  });
  expect(await post(server, retrievemessages.path, { token, content: {} })).toMatchObject({ status: 400 });
});

test('another account neither reads nor writes a conversation, and a device only its own', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using laptop = await startDevice(server, anna);
  const { target, token } = laptop;
  await expect(ben.call(sendmessage, createMessage(target, 'x'))).rejects.toThrow(
    new Refusal('device.not_found', 'There is no such device'),
  );
  await expect(ben.call(retrievemessages, { target })).rejects.toThrow(
    new Refusal('device.not_found', 'There is no such device'),
  );
  const asDevice = createDeviceClient(server, token);
  await expect(asDevice(sendmessage, createMessage(target, 'x'))).rejects.toThrow(InvalidTokenRefusal);
  await expect(asDevice(retrievemessages, { target })).rejects.toThrow(InvalidTokenRefusal);
  await expect(anna.call(devicemessage, { inputtype: 1, text: 'x', key: '1' })).rejects.toThrow(InvalidTokenRefusal);
  expect((await anna.call(retrievemessages, { target })).messages).toEqual([]);
});

test('a device sends the last 4 KB of a script’s output, whatever it contains, and no more', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const asDevice = createDeviceClient(server, laptop.token);
  const text = `${'x'.repeat(4096)}\0\u001b[31m\nbackup.sh ended with 1`;
  await asDevice(devicemessage, { inputtype: 3, text, key: 'a\0b' });
  const { messages } = await anna.call(retrievemessages, { target: laptop.target });
  expect(messages).toEqual([text.replace('\0', '\u{fffd}')]);
  await expect(asDevice(devicemessage, { inputtype: 3, text: '', key: '2' })).rejects.toThrow('No text to send');
  await expect(
    asDevice(devicemessage, { inputtype: 3, text: 'x'.repeat(MAX_DEVICE_TEXT_LENGTH + 1), key: '3' }),
  ).rejects.toThrow(`Message is too long at ${MAX_DEVICE_TEXT_LENGTH + 1} characters`);
});

test('a message is sent live to the account’s pages, and to no other pages', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using laptop = await startDevice(server, anna);
  const events: unknown[] = [];
  const secondEvent = Promise.withResolvers<void>();
  async function connectPage({ name, token }: TestAccount) {
    const page = io(server.origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token }, forceNew: true });
    page.on(messageArrived.name, (data: object) => {
      events.push({ name, ...data });
      if (events.length === 2) secondEvent.resolve();
    });
    await page.timeout(30_000).emitWithAck('/api/connect', {});
    return page;
  }
  const pages = [await connectPage(ben), await connectPage(anna)];
  const sent = createMessage(laptop.target, 'hello');
  await anna.call(sendmessage, sent);
  await createDeviceClient(server, laptop.token)(devicemessage, { inputtype: 1, text: 'answer', key: '1' });
  await secondEvent.promise;
  for (const page of pages) page.disconnect();
  const { details } = await anna.call(retrievemessages, { target: laptop.target });
  expect(events).toEqual([
    { name: 'anna', target: laptop.target, text: 'hello', sentby: 'anna', details: details[0] },
    { name: 'anna', target: laptop.target, text: 'answer', sentby: laptop.name, details: details[1] },
  ]);
});

test('a message to a computer is shown on it, and its own are not', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  await createDeviceClient(server, laptop.token)(devicemessage, { inputtype: 1, text: 'mine', key: '1' });
  await anna.call(sendmessage, createMessage(laptop.target, 'tea is ready'));
  await laptop.drivers.waitForActions((actions) => actions.some(({ kind }) => kind === 'show'));
  expect(laptop.drivers.actions).toEqual([{ kind: 'show', title: 'anna', text: 'tea is ready' }]);
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CHROME = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36';

/** Opens the messages page in a browser. */
async function openBrowser(server: TestServer, { token }: TestAccount, browser: string) {
  const page = await openSocket(server, { token, headers: { 'user-agent': browser } });
  const { id, name } = await page.request(browserHello, { key: `${browser.length}`.padEnd(20, 'k') });
  return { page, id: String(id), name, [Symbol.asyncDispose]: () => page[Symbol.asyncDispose]() };
}

test('two browsers have one conversation, each finds it under the other, and it contains no other messages', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('Anna');
  await using laptop = await openBrowser(server, anna, FIREFOX);
  await using phone = await openBrowser(server, anna, CHROME);
  await using computer = await startDevice(server, anna, { name: 'Computer' });
  const write = (from: string, to: string, text: string) =>
    anna.call(sendmessage, { content: { ...createMessage(to, text), from } });
  await write(phone.id, laptop.id, 'there');
  await write(laptop.id, phone.id, 'and back');
  await write(phone.id, computer.target, 'to all');
  await anna.call(sendmessage, createMessage(laptop.id, 'from a program'));
  const expected = { messages: ['there', 'and back'], sentby: ['Chrome on Android', 'Firefox on Linux'] };
  const read = (from: string, target: string) => anna.call(retrievemessages, { content: { from, target } });
  expect(await read(laptop.id, phone.id)).toMatchObject(expected);
  expect(await read(phone.id, laptop.id)).toMatchObject(expected);
  expect((await read(phone.id, laptop.id)).details.map(({ from }) => from)).toEqual([phone.id, laptop.id]);
  expect(await read(laptop.id, computer.target)).toMatchObject({ messages: ['to all'], sentby: [phone.name] });
  expect(await read(laptop.id, laptop.id)).toMatchObject({ messages: ['from a program'], sentby: ['Anna'] });
  expect((await anna.call(retrievemessages, { target: laptop.id })).messages).toHaveLength(3);
  const [first] = (await read(laptop.id, phone.id)).details;
  const after = await anna.call(retrievemessages, {
    content: { target: phone.id, from: laptop.id, after: first?.id ?? 0 },
  });
  expect(after.messages).toEqual(['and back']);
});

test('each conversation has its last message and the browser’s unread count', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('Anna');
  await using laptop = await openBrowser(server, anna, FIREFOX);
  await using phone = await openBrowser(server, anna, CHROME);
  await using computer = await startDevice(server, anna, { name: 'Computer' });
  const asDevice = createDeviceClient(server, computer.token);
  for (const key of ['1', '2', '3'])
    await asDevice(devicemessage, { inputtype: 3, text: `${'x'.repeat(300)}${key}`, key });
  for (const text of ['one', 'two'])
    await anna.call(sendmessage, { ...createMessage(laptop.id, text), from: phone.id });
  const listSummaries = async (from: string, read: Record<string, number>) =>
    (await anna.call(conversations, { from, read })).conversations.toSorted((a, b) => b.details.id - a.details.id);
  const [withPhone, withComputer] = await listSummaries(laptop.id, {});
  expect(withPhone).toMatchObject({ target: phone.id, text: 'two', sentby: phone.name, unread: 2 });
  expect(withComputer).toMatchObject({ target: computer.target, text: 'x'.repeat(200), sentby: 'Computer', unread: 3 });
  expect(await listSummaries(phone.id, {})).toMatchObject([
    { target: laptop.id, unread: 0 },
    { target: computer.target, unread: 3 },
  ]);
  const lastReadIds = {
    [phone.id]: withPhone?.details.id ?? 0,
    [computer.target]: (withComputer?.details.id ?? 0) - 1,
  };
  expect((await listSummaries(laptop.id, lastReadIds)).map(({ unread }) => unread)).toEqual([0, 1]);
});

test('no one can write or read as another account’s browser, or as a computer', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using theirs = await openBrowser(server, ben, FIREFOX);
  await using computer = await startDevice(server, anna);
  const createMessageFrom = (from: string) => ({ content: { ...createMessage(computer.target, 'x'), from } });
  await expect(anna.call(sendmessage, createMessageFrom(theirs.id))).rejects.toThrow(
    new Refusal('device.not_found', 'There is no such device'),
  );
  await expect(anna.call(sendmessage, createMessageFrom(computer.target))).rejects.toThrow('is not a browser');
  await expect(anna.call(conversations, { from: theirs.id, read: {} })).rejects.toThrow('There is no such device');
  await expect(anna.call(sendmessage, createMessage(theirs.id, 'x'))).rejects.toThrow('There is no such device');
  expect((await anna.call(retrievemessages, { target: computer.target })).messages).toEqual([]);
});

test('messages are deleted only in the own account, one by one or a whole conversation, live', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using laptop = await startDevice(server, anna);
  await using desktop = await startDevice(server, anna, { name: 'Desktop' });
  const texts = async (target: string) => (await anna.call(retrievemessages, { target })).messages;
  for (const text of ['a', 'b', 'c']) await anna.call(sendmessage, createMessage(laptop.target, text));
  await anna.call(sendmessage, createMessage(desktop.target, 'elsewhere'));
  const ids = (await anna.call(retrievemessages, { target: laptop.target })).details.map(({ id }) => id);
  await ben.call(deletemessages, { ids });
  await expect(ben.call(clearmessages, { target: laptop.target })).rejects.toThrow(
    new Refusal('device.not_found', 'There is no such device'),
  );
  expect(await texts(laptop.target)).toEqual(['a', 'b', 'c']);
  await using page = await openSocket(server, { token: anna.token });
  const [first = 0, ...rest] = ids;
  await anna.call(deletemessages, { ids: [first, 2 ** 40] });
  expect(await page.nextEvent(messagesDeleted)).toEqual({ ids: [first] });
  expect(await texts(laptop.target)).toEqual(['b', 'c']);
  await anna.call(clearmessages, { target: laptop.target });
  expect((await page.nextEvent(messagesDeleted)).ids.toSorted((a, b) => a - b)).toEqual(rest);
  expect([await texts(laptop.target), await texts(desktop.target)]).toEqual([[], ['elsewhere']]);
});

test('an account’s messages are deleted at the end of its retention period', async () => {
  let days = 0;
  await using server = await startServer({ now: () => Temporal.Now.instant().add({ hours: 24 * days }) });
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  await anna.call(sendmessage, createMessage(laptop.target, 'old'));
  expect(await anna.call(messagesretention, {})).toEqual({ period: 'forever' });
  await anna.call(setmessagesretention, { period: 'month' });
  days = 31;
  await anna.call(sendmessage, createMessage(laptop.target, 'new'));
  await anna.call(setmessagesretention, { period: 'week' });
  expect((await anna.call(retrievemessages, { target: laptop.target })).messages).toEqual(['new']);
});
