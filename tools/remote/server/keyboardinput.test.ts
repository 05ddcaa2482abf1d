import { io } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import { COMMAND_EVENT, type CommandEnvelope } from '#platform/contract/command.ts';
import { deviceHello } from '#platform/contract/device.ts';
import { getInputType } from '#platform/contract/message.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';
import { fileupload, historyChanged, keyboardinput, remotehistory } from '../contract.ts';

let clock = 1_795_000_000;
/** Returns a message as a page sends it, with its own time. */
const createContent = (target: string, text: string) => ({
  content: { inputtype: getInputType(text), inputValue: text, target, timesent: (clock += 0.001) },
});

/** Pairs a computer that has never been connected. */
async function pairComputer(account: TestAccount, name: string) {
  const { code, secret } = await account.call(requestpairing, { name, system: 'Test' });
  const { id } = await account.call(pairdevice, { code });
  const { token = '' } = await account.call(takepairing, { secret });
  return { target: String(id), token };
}

/** Connects a device of raw sockets, which answers each command with the result of `runCommand`, if it has one. */
async function connect(
  origin: string,
  token: string,
  runCommand: (command: CommandEnvelope) => object | undefined,
): Promise<Disposable> {
  const socket = io(origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token }, forceNew: true });
  socket.on(COMMAND_EVENT, (command: CommandEnvelope, acknowledge: (result: object) => void) => {
    const result = runCommand(command);
    if (result) acknowledge(result);
  });
  const hello = { version: '1', system: 'Test', abilities: { keyboard: { able: true } } };
  await socket.timeout(30_000).emitWithAck(deviceHello.name, hello);
  return { [Symbol.dispose]: () => void socket.disconnect() };
}

test('texts, shortcuts and scripts are done on the device before ok is answered', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const text = 'Grüße, "мир" — 你好 👋\n<b>[[key]]</b>';
  await anna.call(keyboardinput, createContent(laptop.target, text));
  await anna.call(keyboardinput, createContent(laptop.target, '[[keys]]ctrl-alt-T'));
  expect(laptop.drivers.actions).toEqual([
    { kind: 'type', text },
    { kind: 'press', keys: ['Ctrl', 'Alt', 't'] },
  ]);
  await anna.call(fileupload, { content: { name: 'hello.sh', text: 'exit 0\n' } });
  await expect(anna.call(keyboardinput, createContent(laptop.target, '[[file]]hello.sh'))).resolves.toEqual({});
});

describe('an invalid message', () => {
  test('is refused with a sentence, and is neither typed nor stored', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    const { target } = laptop;
    const refusals: readonly (readonly [string, string, string])[] = [
      [target, '', 'No text to send'],
      [target, 'Enter text here', 'No text to send'],
      ['no id', '', 'No text to send'],
      ['no id', 'x'.repeat(201), 'no device selected'],
      ['', 'x', 'no device selected'],
      [target, 'x'.repeat(201), 'Message is too long at 201 characters, limit is 200 characters'],
      [target, '👋'.repeat(201), 'Message is too long at 201 characters, limit is 200 characters'],
      [target, 'now [[keys]]Ctrl-T', 'A shortcut must be sent alone. Remove the text before [[keys]]'],
      [target, '[[keys]]Ctrl-Foo', "There is no key called 'Foo'"],
      [target, 'now [[file]]a.sh', 'A script must be sent alone. Remove the text before [[file]]'],
      [target, '[[file]]none.sh', "There is no script called 'none.sh'"],
    ];
    for (const [to, text, sentence] of refusals)
      await expect(anna.call(keyboardinput, createContent(to, text))).rejects.toThrow(sentence);
    expect(laptop.drivers.actions).toEqual([]);
    expect(await anna.call(remotehistory, { target })).toEqual({ history: [] });
  });

  test('is never one of 200 characters, however wide they are', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    await anna.call(keyboardinput, createContent(laptop.target, '👋'.repeat(200)));
    expect(laptop.drivers.listTypedTexts()).toEqual(['👋'.repeat(200)]);
  });

  test('a device of another account is treated like a missing one', async () => {
    await using server = await startServer();
    const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
    await using laptop = await startDevice(server, anna);
    for (const target of [laptop.target, '4711', '0', '-1', 'x', '1e1', '99999999999999999999']) {
      await expect(ben.call(keyboardinput, createContent(target, 'x'))).rejects.toThrow(
        new Refusal('device.not_found', 'There is no such device'),
      );
      await expect(ben.call(remotehistory, { target })).rejects.toThrow(
        new Refusal('device.not_found', 'There is no such device'),
      );
    }
    expect(laptop.drivers.actions).toEqual([]);
  });

  test('the answer to a malformed call names the wrong field', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    const good = createContent('1', 'x').content;
    async function send(content: object) {
      const answer = await fetch(`${server.origin}${keyboardinput.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: anna.token, content }),
      });
      return { status: answer.status, message: ((await answer.json()) as { readonly message: string }).message };
    }
    for (const [field, value] of [
      ['inputtype', 4],
      ['inputtype', '1'],
      ['inputValue', 5.5],
      ['target', 1.5],
      ['timesent', 'now'],
      ['timesent', undefined],
    ] as const)
      expect(await send({ ...good, [field]: value })).toEqual({
        status: 400,
        message: expect.stringMatching(new RegExp(`^content\\.${field}: `)) as string,
      });
  });
});

describe('a message that a device does not do', () => {
  test('is refused immediately with the device’s reason if its owner turned the feature off', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna, { allow: { keyboard: false, scripts: false } });
    await anna.call(fileupload, { content: { name: 'a.sh', text: 'exit 0\n' } });
    for (const text of ['x', '[[keys]]Esc', '[[file]]a.sh'])
      await expect(anna.call(keyboardinput, createContent(laptop.target, text))).rejects.toThrow(Refusal);
    expect(laptop.drivers.actions).toEqual([]);
  });

  test('names the characters that it could not type', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    laptop.drivers.behave({ drops: ['ﷺ', '\u0007'] });
    const request = createContent(laptop.target, 'aﷺb\u0007cﷺ');
    const sentence = 'could not type: ﷺ U+0007';
    await expect(anna.call(keyboardinput, request)).rejects.toThrow(sentence);
    await expect(anna.call(keyboardinput, request)).rejects.toThrow(sentence);
    expect(laptop.drivers.listTypedTexts()).toEqual(['abc']);
  });

  test('is reported immediately if the device is not connected, and done once when it is sent again', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    const { target, token } = await pairComputer(anna, 'Laptop');
    const request = createContent(target, 'later');
    await expect(anna.call(keyboardinput, request)).rejects.toThrow('Laptop is not connected');
    const typed: unknown[] = [];
    using stack = new DisposableStack();
    const laptop = await connect(server.origin, token, ({ data }) => {
      typed.push(data);
      return { message: 'ok', dropped: [] };
    });
    stack.use(laptop);
    await anna.call(keyboardinput, request);
    await anna.call(keyboardinput, request);
    expect(typed).toEqual([{ text: 'later' }]);
    const { history } = await anna.call(remotehistory, { target });
    expect(history.map(({ inputValue, outcome }) => [inputValue, outcome])).toEqual([['later', 'ok']]);
  });

  test('is reported after five seconds without an answer, and repeated with the same key', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    const { target, token } = await pairComputer(anna, 'Laptop');
    const request = createContent(target, 'once');
    const keys: string[] = [];
    using stack = new DisposableStack();
    const laptop = await connect(server.origin, token, ({ id }) => {
      keys.push(id);
      return keys.length === 1 ? undefined : { message: 'ok', dropped: [] };
    });
    stack.use(laptop);
    await expect(anna.call(keyboardinput, request)).rejects.toThrow(
      new Refusal('device.no_response', 'device did not answer'),
    );
    // Its late answer replaces the earlier outcome.
    const readHistory = async () => (await anna.call(remotehistory, { target })).history;
    await expect.poll(readHistory).toMatchObject([{ inputValue: 'once', outcome: 'ok' }]);
    await anna.call(keyboardinput, request);
    expect(keys).toEqual([keys[0], keys[0]]);
  });
});

describe('the same message', () => {
  test('is done once and gets the same answer, however often it arrives', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    laptop.drivers.behave({ slowMs: 30 });
    const request = createContent(laptop.target, 'once');
    const answers = await Promise.all(Array.from({ length: 5 }, () => anna.call(keyboardinput, request)));
    expect(answers).toEqual(Array.from({ length: 5 }, () => ({})));
    await anna.call(keyboardinput, request);
    expect(laptop.drivers.listTypedTexts()).toEqual(['once']);
  });

  test('is a different one with another time, device or type', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    await using desktop = await startDevice(server, anna, { name: 'Desktop' });
    const { content } = createContent(laptop.target, '[[keys]]a');
    await anna.call(keyboardinput, { content });
    await anna.call(keyboardinput, { content: { ...content, timesent: content.timesent + 1 } });
    await anna.call(keyboardinput, { content: { ...content, inputtype: 1 } });
    await anna.call(keyboardinput, { content: { ...content, target: desktop.target } });
    expect(laptop.drivers.actions.map(({ kind }) => kind)).toEqual(['press', 'press', 'type']);
    expect(desktop.drivers.actions.map(({ kind }) => kind)).toEqual(['press']);
  });
});

describe('history', () => {
  test('is stored for each device, in order, as it was sent', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    await using desktop = await startDevice(server, anna, { name: 'Desktop' });
    const hostile = "<script>alert(1)</script> \u202e {{7*7}} '; drop table remote_message; --";
    await anna.call(keyboardinput, createContent(laptop.target, hostile));
    await anna.call(keyboardinput, createContent(desktop.target, '[[keys]]Esc'));
    const request = createContent(laptop.target, 'second');
    await anna.call(keyboardinput, request);
    const { history } = await anna.call(remotehistory, { target: laptop.target });
    expect(history.map(({ inputtype, inputValue, outcome }) => [inputtype, inputValue, outcome])).toEqual([
      [1, hostile, 'ok'],
      [1, 'second', 'ok'],
    ]);
    expect(history[1]?.timesent).toBe(request.content.timesent);
    const other = await anna.call(remotehistory, { target: desktop.target });
    expect(other.history.map(({ inputtype, inputValue }) => [inputtype, inputValue])).toEqual([[2, '[[keys]]Esc']]);
  });

  test('is sent live to the account’s pages, first pending and then with its outcome', async () => {
    await using server = await startServer();
    const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
    await using laptop = await startDevice(server, anna);
    const events: [string, unknown][] = [];
    const done = Promise.withResolvers<void>();
    async function connectPage({ name, token }: TestAccount) {
      const page = io(server.origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token }, forceNew: true });
      page.on(
        historyChanged.name,
        (data: { readonly target: string; readonly entry: { readonly outcome: string } }) => {
          events.push([name, data]);
          if (data.entry.outcome === 'ok') done.resolve();
        },
      );
      await page.timeout(30_000).emitWithAck('/api/connect', {});
      return page;
    }
    const pages = [await connectPage(anna), await connectPage(ben)];
    const request = createContent(laptop.target, 'x');
    await anna.call(keyboardinput, request);
    await done.promise;
    for (const page of pages) page.disconnect();
    const { history } = await anna.call(remotehistory, { target: laptop.target });
    expect(events).toEqual([
      ['anna', { target: laptop.target, entry: { ...history[0], outcome: '' } }],
      ['anna', { target: laptop.target, entry: history[0] }],
    ]);
  });
});
