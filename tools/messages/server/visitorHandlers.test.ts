import { expect, test } from 'vitest';
import { CallError, createClient } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { exportaccount } from '#tools/accounts/contract.ts';
import { deletevisitormessage, spmessage, visitorArrived, visitormessages } from '../contract.ts';

const createLetter = (message: string, message2: string) => ({ type: 'toserver' as const, message, message2 });
const HOSTILE = '<img src=x onerror=alert(1)> \u202e👋\n{{7*7}} \u2028end';

test('a visitor sends a message, and only the owner reads and deletes it', async () => {
  const now = Temporal.Instant.from('2026-11-21T10:00:00Z');
  await using server = await startServer({ now: () => now });
  const [owner, ben] = [await server.createAccount('owner'), await server.createAccount('ben')];
  await server.call(spmessage, createLetter('  Cléo <b>', HOSTILE));
  await ben.call(spmessage, createLetter('ben', 'second'));
  const { visitors } = await owner.call(visitormessages, {});
  expect(visitors).toEqual([
    { id: expect.any(Number) as number, name: 'Cléo <b>', text: HOSTILE, received: '2026-11-21T10:00:00Z' },
    { id: expect.any(Number) as number, name: 'ben', text: 'second', received: '2026-11-21T10:00:00Z' },
  ]);
  const [first] = visitors;
  const refused = new Refusal('account.owner_only', "Only the owner of this server can see visitors' messages");
  await expect(ben.call(visitormessages, {})).rejects.toThrow(refused);
  await expect(ben.call(deletevisitormessage, { id: first?.id ?? 0 })).rejects.toThrow(refused);
  await expect(server.call(visitormessages, {})).rejects.toThrow(InvalidTokenRefusal);
  await using laptop = await startDevice(server, owner);
  const asDevice = createClient({ origin: server.origin, token: () => laptop.token });
  await expect(asDevice(visitormessages, {})).rejects.toThrow(InvalidTokenRefusal);
  await owner.call(deletevisitormessage, { id: first?.id ?? 0 });
  await expect(owner.call(deletevisitormessage, { id: first?.id ?? 0 })).rejects.toThrow(
    new Refusal('messages.message_not_found', 'There is no such message. It may have been deleted'),
  );
  expect((await owner.call(visitormessages, {})).visitors.map(({ name }) => name)).toEqual(['ben']);
});

test('invalid messages are refused with a sentence and not stored', async () => {
  await using server = await startServer();
  const owner = await server.createAccount('owner');
  for (const [name, text, sentence] of [
    ['', 'x', 'Enter a name'],
    [' \u200b\u2060\t', 'x', 'Enter a name'],
    ['x', '', 'Enter a message'],
    ['x', ' \n\0\u200b ', 'Enter a message'],
    ['👋'.repeat(101), 'x', 'Name is too long. Enter at most 100 characters'],
    ['x', '👋'.repeat(5001), 'Message is too long. Enter at most 5,000 characters'],
  ] as const)
    await expect(server.call(spmessage, createLetter(name, text))).rejects.toThrow(sentence);
  await server.call(spmessage, createLetter('👋'.repeat(100), '👋'.repeat(5000)));
  await server.call(spmessage, createLetter('n\0\ud800', 'a\0b\udfff'));
  const { visitors } = await owner.call(visitormessages, {});
  expect(visitors.map(({ name, text }) => [name, text])).toEqual([
    ['👋'.repeat(100), '👋'.repeat(5000)],
    ['n\u{fffd}\u{fffd}', 'a\u{fffd}b\u{fffd}'],
  ]);
});

test('a bot that fills in the hidden field gets the usual answer, and nothing is stored', async () => {
  await using server = await startServer();
  const owner = await server.createAccount('owner');
  expect(await server.call(spmessage, { ...createLetter('bot', 'buy'), website: 'https://x.example' })).toEqual({});
  await server.call(spmessage, { ...createLetter('person', 'hello'), website: '' });
  expect((await owner.call(visitormessages, {})).visitors.map(({ name }) => name)).toEqual(['person']);
});

test('a flood from one address ends with 429 and the time to retry', async () => {
  await using server = await startServer();
  await server.createAccount('owner');
  // This computer may send ten times as much as others.
  for (let count = 0; count < 50; count += 1) await server.call(spmessage, createLetter('x', `${count}`));
  await expect(server.call(spmessage, createLetter('x', 'one more'))).rejects.toThrow(CallError);
  const answer = await fetch(server.origin + spmessage.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(createLetter('x', 'one more')),
  });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(await answer.json()).toMatchObject({ message: expect.stringMatching(/try again/i) as string });
});

test('without an owner no one would read the message, and the visitor learns that', async () => {
  await using server = await startServer();
  await expect(server.call(spmessage, createLetter('early', 'bird'))).rejects.toThrow('has no owner yet');
  const owner = await server.createAccount('owner');
  expect((await owner.call(visitormessages, {})).visitors).toEqual([]);
});

test('when the disk is almost full, no message is accepted', async () => {
  await using server = await startServer({ disk: { reserveBytes: 0, read: async () => 400 * 1024 * 1024 } });
  await server.createAccount('owner');
  await expect(server.call(spmessage, createLetter('x', 'x'))).rejects.toThrow('low on disk space');
});

async function exportMessages({ call, password }: TestAccount): Promise<unknown> {
  const { content } = await call(exportaccount, { password });
  return readJsonFromZip(readZip(await content.bytes()), 'messages.json');
}

test('a message is sent live to the owner’s pages only, is in the owner’s export only, and in no log', async () => {
  await using server = await startServer({ logLevel: 'debug' });
  const [owner, ben] = [await server.createAccount('owner'), await server.createAccount('ben')];
  await using mine = await openSocket(server, { token: owner.token });
  await using theirs = await openSocket(server, { token: ben.token });
  const received: string[] = [];
  theirs.raw.onAny((name: string) => void received.push(name));
  await server.call(spmessage, createLetter('Cléo', HOSTILE));
  const arrived = await mine.nextEvent(visitorArrived);
  expect((await owner.call(visitormessages, {})).visitors).toEqual([arrived]);
  expect(received).not.toContain(visitorArrived.name);
  expect(server.log.join('\n')).not.toContain('onerror');
  expect(await exportMessages(owner)).toMatchObject({ visitors: [arrived] });
  expect(await exportMessages(ben)).toMatchObject({ visitors: [] });
});
