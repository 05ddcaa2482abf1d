import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { deletescript, fileupload, keyboardinput, returnfilenames, scripts, scripttext } from '../contract.ts';

const createUpload = (name: string, text: string) => ({ content: { name, text } });

test('a script is stored, listed, shown, replaced and deleted', async () => {
  const now = Temporal.Instant.from('2026-11-21T10:00:00Z');
  await using server = await startServer({ now: () => now });
  const anna = await server.createAccount('anna');
  const hostile = '#!/bin/sh\r\necho "<script>é👋</script>" # \u202e';
  await anna.call(fileupload, createUpload('b.sh', 'old'));
  await anna.call(fileupload, createUpload('b.sh', hostile));
  await anna.call(fileupload, createUpload('a 👨‍👩‍👧.py', 'print(1)'));
  expect(await anna.call(returnfilenames, {})).toEqual({ names: ['a 👨‍👩‍👧.py', 'b.sh'] });
  const listed = await anna.call(scripts, {});
  expect(listed.scripts).toEqual([
    { name: 'a 👨‍👩‍👧.py', bytes: 8, changed: '2026-11-21T10:00:00Z' },
    { name: 'b.sh', bytes: new TextEncoder().encode(hostile).length, changed: '2026-11-21T10:00:00Z' },
  ]);
  expect(await anna.call(scripttext, { name: 'b.sh' })).toEqual({ text: hostile });
  await anna.call(deletescript, { name: 'b.sh' });
  const refusal = new Refusal('remote.script_not_found', "There is no script called 'b.sh'");
  await expect(anna.call(scripttext, { name: 'b.sh' })).rejects.toThrow(refusal);
  await expect(anna.call(deletescript, { name: 'b.sh' })).rejects.toThrow(refusal);
});

test.each([
  ['', 'x', 'No file selected'],
  ['a.sh', '', 'file has no data'],
  ['../../etc/passwd', 'x', "A file name can't contain a slash or backslash"],
  [String.raw`..\a.sh`, 'x', "A file name can't contain a slash or backslash"],
  ['a\u0007.sh', 'x', "A file name can't contain control characters"],
  ['a\0.sh', 'x', "A file name can't contain control characters"],
  ['..', 'x', "'..' is not a file name"],
  ['x'.repeat(300), 'x', 'This file name is too long. Enter at most 100 characters'],
  [
    'a.sh',
    '\x7fELF\0',
    'This is not a text file. To start a program on a computer, add a script that starts it, such as program.cmd',
  ],
])('the file %j is refused: %#', async (name, text, sentence) => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await expect(anna.call(fileupload, createUpload(name, text))).rejects.toThrow(sentence);
  expect(await anna.call(returnfilenames, {})).toEqual({ names: [] });
});

test('a script of another account is treated like a missing one', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using bensLaptop = await startDevice(server, ben);
  await anna.call(fileupload, createUpload('a.sh', 'exit 0\n'));
  const refusal = new Refusal('remote.script_not_found', "There is no script called 'a.sh'");
  const request = { inputtype: 3 as const, inputValue: '[[file]]a.sh', target: bensLaptop.target, timesent: 1 };
  await expect(ben.call(scripttext, { name: 'a.sh' })).rejects.toThrow(refusal);
  await expect(ben.call(deletescript, { name: 'a.sh' })).rejects.toThrow(refusal);
  await expect(ben.call(keyboardinput, { content: request })).rejects.toThrow(refusal);
  expect(await ben.call(returnfilenames, {})).toEqual({ names: [] });
  expect(await anna.call(scripttext, { name: 'a.sh' })).toEqual({ text: 'exit 0\n' });
});

test('a file of nearly the maximum size of a call is returned completely, and a larger one is refused', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  const text = `# ${'ö'.repeat(520_000)}\n`;
  await anna.call(fileupload, createUpload('large.sh', text));
  expect((await anna.call(scripttext, { name: 'large.sh' })).text === text).toBe(true);
  await expect(anna.call(fileupload, createUpload('larger.sh', text + text))).rejects.toMatchObject({ status: 413 });
});
