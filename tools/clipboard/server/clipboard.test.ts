import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { MAX_CLIPBOARD_LENGTH, fetchclipboard, sendclipboard } from '../contract.ts';

const createSendContent = (target: string, text: string) => ({ content: { target, text } });
const createFetchContent = (target: string) => ({ content: { target } });

test('a text goes to the computer’s clipboard and back, and the person there reads who did it', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('Anna');
  await using laptop = await startDevice(server, anna);
  const { target, drivers } = laptop;
  const text = '<b>Grüße</b> 👩‍🚀\r\n\t\u202e"\\';
  await anna.call(sendclipboard, createSendContent(target, text));
  expect(await anna.call(fetchclipboard, createFetchContent(target))).toEqual({ text });
  drivers.copy('');
  expect(await anna.call(fetchclipboard, createFetchContent(target))).toEqual({ text: '' });
  await drivers.waitForActions((acts) => acts.length === 4);
  expect(drivers.actions).toEqual([
    { kind: 'copy', text },
    { kind: 'show', title: 'Pegboard', text: 'Clipboard set by Anna' },
    { kind: 'show', title: 'Pegboard', text: 'Clipboard fetched by Anna' },
    { kind: 'show', title: 'Pegboard', text: 'Clipboard fetched by Anna' },
  ]);
  expect(laptop.printedLines).toEqual([
    'Clipboard set by Anna',
    'Clipboard fetched by Anna',
    'Clipboard fetched by Anna',
  ]);
});

test.each([
  ['the widest', '👋'],
  ['those that JSON writes longest', '\u0001'],
])(
  '%s 10,000 characters are transferred both ways, one more is refused and nothing of it is cut',
  async (_, character) => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna);
    const { target, drivers } = laptop;
    const longest = character.repeat(MAX_CLIPBOARD_LENGTH);
    await anna.call(sendclipboard, createSendContent(target, longest));
    expect((await anna.call(fetchclipboard, createFetchContent(target))).text).toBe(longest);
    const tooLong = new Refusal('clipboard.too_long', 'The text is too long. Send at most 10,000 characters');
    await expect(anna.call(sendclipboard, createSendContent(target, longest + character))).rejects.toThrow(tooLong);
    drivers.copy(longest + character);
    await expect(anna.call(fetchclipboard, createFetchContent(target))).rejects.toThrow(tooLong);
    expect(laptop.agent.isConnected()).toBe(true);
  },
);

test('NUL characters and lone surrogates become replacement characters, in both directions', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  const { target, drivers } = laptop;
  await anna.call(sendclipboard, createSendContent(target, 'a\0b\ud800c'));
  expect(drivers.actions[0]).toEqual({ kind: 'copy', text: 'a\u{fffd}b\u{fffd}c' });
  drivers.copy('a\0b\udc00c');
  expect((await anna.call(fetchclipboard, createFetchContent(target))).text).toBe('a\u{fffd}b\u{fffd}c');
});

test('impossible requests are refused in the words of every other call', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  const laptop = await startDevice(server, anna);
  const { target } = laptop;
  for (const [to, text, sentence] of [
    ['no id', '', 'No text to send'],
    ['no id', 'x'.repeat(MAX_CLIPBOARD_LENGTH + 1), 'no device selected'],
    [target, 'x'.repeat(MAX_CLIPBOARD_LENGTH + 1), 'The text is too long. Send at most 10,000 characters'],
    ['4711', 'x', 'There is no such device'],
  ] as const)
    await expect(anna.call(sendclipboard, createSendContent(to, text))).rejects.toThrow(sentence);
  const unknown = new Refusal('device.not_found', 'There is no such device');
  await expect(anna.call(fetchclipboard, createFetchContent('4711'))).rejects.toThrow(unknown);
  await expect(ben.call(sendclipboard, createSendContent(target, 'x'))).rejects.toThrow(unknown);
  await expect(ben.call(fetchclipboard, createFetchContent(target))).rejects.toThrow(unknown);
  const asDevice = createClient({ origin: server.origin, token: () => laptop.token });
  await expect(asDevice(sendclipboard, createSendContent(target, 'x'))).rejects.toThrow(InvalidTokenRefusal);
  await expect(asDevice(fetchclipboard, createFetchContent(target))).rejects.toThrow(InvalidTokenRefusal);
  await expect(server.call(fetchclipboard, createFetchContent(target))).rejects.toThrow(InvalidTokenRefusal);
  laptop.setPaused(true);
  await expect(anna.call(fetchclipboard, createFetchContent(target))).rejects.toThrow('paused on that computer');
  expect(laptop.drivers.actions).toEqual([]);
  await laptop[Symbol.asyncDispose]();
});

test('a computer whose owner has not allowed it is not touched, and one that can’t says why', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna, { allow: { clipboard: false } });
  laptop.drivers.copy('secret');
  const off = new Refusal('device.feature_off', 'Turned off on that computer. Start its agent with --allow-clipboard');
  await expect(anna.call(sendclipboard, createSendContent(laptop.target, 'x'))).rejects.toThrow(off);
  await expect(anna.call(fetchclipboard, createFetchContent(laptop.target))).rejects.toThrow(off);
  expect(laptop.drivers.actions).toEqual([]);
  await using desktop = await startDevice(server, anna, { name: 'Desktop' });
  desktop.drivers.behave({ gone: 'No display was found on that computer' });
  await expect(anna.call(fetchclipboard, createFetchContent(desktop.target))).rejects.toThrow('No display was found');
});

test('a computer that is disconnected or does not answer is reported', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  laptop.drivers.behave('silent');
  await expect(anna.call(sendclipboard, createSendContent(laptop.target, 'x'))).rejects.toThrow(
    new Refusal('device.no_response', 'device did not answer'),
  );
});

test('no text of a clipboard is stored or logged, on either side', async () => {
  await using server = await startServer({ logLevel: 'debug' });
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna);
  await anna.call(sendclipboard, createSendContent(laptop.target, 'sent-secret'));
  laptop.drivers.copy('copied-secret');
  await anna.call(fetchclipboard, createFetchContent(laptop.target));
  const files = [server.dataDir, laptop.stateDir].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name), 'latin1')).not.toMatch(/(sent|copied)-secret/);
  expect(server.log.join('\n')).not.toMatch(/(sent|copied)-secret/);
  expect(laptop.printedLines.join('\n')).not.toMatch(/(sent|copied)-secret/);
});

test('with --confirm each read is allowed on the computer, once', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('Anna');
  await using laptop = await startDevice(server, anna, { confirm: true });
  const { target, drivers } = laptop;
  await anna.call(sendclipboard, createSendContent(target, 'text'));
  const waitForQuestions = (times: number) =>
    drivers.waitForActions((acts) => acts.filter(({ kind }) => kind === 'ask').length === times);

  const first = anna.call(fetchclipboard, createFetchContent(target));
  await waitForQuestions(1);
  drivers.answerPrompt(true);
  expect(await first).toEqual({ text: 'text' });

  const second = anna.call(fetchclipboard, createFetchContent(target));
  await waitForQuestions(2);
  drivers.answerPrompt(false);
  await expect(second).rejects.toThrow('refused on that computer');
  // After a refusal it does not ask again immediately.
  await expect(anna.call(fetchclipboard, createFetchContent(target))).rejects.toThrow('refused on that computer');
  expect(drivers.actions.filter(({ kind }) => kind === 'ask')).toEqual([
    { kind: 'ask', title: 'Pegboard', text: "Anna wants to read this computer's clipboard" },
    { kind: 'ask', title: 'Pegboard', text: "Anna wants to read this computer's clipboard" },
  ]);
});

test('a late answer is valid for the next fetch', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna, { confirm: true });
  const { target, drivers } = laptop;
  drivers.copy('text');
  // It is reported after 3.5 s; on a slow machine the server has given up by then, and the question is still open.
  const fetchRefusal = () =>
    anna.call(fetchclipboard, createFetchContent(target)).then(
      () => '',
      (error: unknown) => String(error),
    );
  await expect.poll(fetchRefusal).toContain('Allow it there, then fetch again');
  drivers.answerPrompt(true);
  expect(await anna.call(fetchclipboard, createFetchContent(target))).toEqual({ text: 'text' });
  const again = anna.call(fetchclipboard, createFetchContent(target));
  await drivers.waitForActions((acts) => acts.filter(({ kind }) => kind === 'ask').length === 2);
  drivers.answerPrompt(undefined);
  await expect(again).rejects.toThrow('The request on that computer was not answered. Fetch again');
});

test('if the desktop can’t ask, the refusal says how to allow it', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna, { confirm: true, allow: { notifications: false } });
  await expect(anna.call(fetchclipboard, createFetchContent(laptop.target))).rejects.toThrow(
    'Start the agent without --confirm to allow it',
  );
});
