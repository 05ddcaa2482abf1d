import { setImmediate as waitForEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { startTestPlatform } from '#testing/kits/server/serverContext.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import { type Caller, type JoinableRoom, listen, type Listener } from '../tool.ts';
import type { Room } from './realtime.ts';

const whoami = clientEvent({
  name: 'who',
  access: 'account',
  data: z.object({ word: z.optional(z.string().check(z.maxLength(5))) }),
  answer: z.object({ account: z.int() }),
});
const device = clientEvent({ name: 'whichdevice', access: 'device', data: z.object({}), answer: z.object({}) });
const broken = clientEvent({
  name: 'broken',
  access: 'anyone',
  data: z.object({ typed: z.string() }),
  answer: z.object({}),
});
const joinMany = clientEvent({ name: 'joinmany', access: 'anyone', data: z.object({}), answer: z.object({}) });
const received = serverEvent({ name: 'told', delivery: 'all', data: z.object({ text: z.string() }) });
const level = serverEvent({ name: 'level', delivery: 'newest', data: z.object({ is: z.int() }) });

const listeners: readonly Listener[] = [
  listen(whoami, async (_data, { account }) => ({ account, secretOfOurs: 1 })),
  listen(device, async () => ({})),
  listen(broken, async ({ typed }) => {
    throw Object.assign(new Error('a fault of ours'), { parameters: [typed] });
  }),
  listen(joinMany, async (_data, _caller, connection) => {
    for (let room = 0; room < 9; room += 1) connection.join(`test:${room}`);
    return {};
  }),
];
const getVisitorRoom = ({ address, cookie: read }: Pick<Caller, 'address' | 'cookie'>): Room =>
  `shop:${read('pb_visitor') ?? address}`;
const rooms: readonly JoinableRoom[] = [
  { id: '0', getRoom: getVisitorRoom },
  { tokenSuffix: 'news', getRoom: (account: number) => `news:${account}` as const },
];
const startPlatform = () => startTestPlatform({ listeners, rooms });
const withCookie = (visitor: string) => ({ headers: { cookie: `pb_visitor=${visitor}` } });

test('ending a session closes its sockets before the call that ended it returns', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using socket = await openSocket(testPlatform, { token: ann.token });
  const session = await testPlatform.identity.findSession(ann.token);
  await testPlatform.identity.endSessions(ann.id, { ids: [session?.id ?? 0] });
  expect(testPlatform.realtime.isEmpty(`account:${ann.id}`)).toBe(true);
  expect(await socket.closed).toBe('session ended');
  await expect(openSocket(testPlatform, { token: ann.token })).rejects.toThrow(InvalidTokenRefusal);
});

test('ending a session closes sockets that only joined a room with its token', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const ben = await testPlatform.createAccount('Ben');
  await using socket = await openSocket(testPlatform, { token: ben.token });
  await socket.request(roomInit, { id: `${ann.token}news` });
  const session = await testPlatform.identity.findSession(ann.token);
  await testPlatform.identity.endSessions(ann.id, { ids: [session?.id ?? 0] });
  expect(await socket.closed).toBe('session ended');
});

test('a handshake with an unknown token is refused, one without a token is not', async () => {
  await using testPlatform = await startPlatform();
  await expect(openSocket(testPlatform, { token: `pgu_${'x'.repeat(43)}` })).rejects.toThrow(InvalidTokenRefusal);
  await using socket = await openSocket(testPlatform);
  expect(await socket.request(connectEvent, { message: 'aiquery' })).toEqual({});
});

test('an event that needs an account is refused without one, and counted', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using socket = await openSocket(testPlatform);
  await expect(socket.request(whoami, {})).rejects.toThrow(InvalidTokenRefusal);
  expect(testPlatform.realtime.getMetrics().refused).toBe(1);
  expect(await socket.request(whoami, { token: ann.token })).toEqual({ account: ann.id });
  expect(await socket.request(whoami, {}), 'its token has proven the socket').toEqual({ account: ann.id });
});

test('events right after a token count as sent with that token', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using socket = await openSocket(testPlatform);
  const [, answer] = await Promise.all([socket.request(roomInit, { id: ann.token }), socket.request(whoami, {})]);
  expect(answer).toEqual({ account: ann.id });
});

test('a token in an event is checked each time', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const ben = await testPlatform.createAccount('Ben');
  await using socket = await openSocket(testPlatform, { token: ben.token });
  expect(await socket.request(whoami, { token: ann.token })).toEqual({ account: ann.id });
  const session = await testPlatform.identity.findSession(ann.token);
  await testPlatform.identity.endSessions(ann.id, { ids: [session?.id ?? 0] });
  await expect(socket.request(whoami, { token: ann.token })).rejects.toThrow(InvalidTokenRefusal);
  expect(await socket.request(whoami, {})).toEqual({ account: ben.id });
});

test('a device is unauthenticated for events of accounts, and a person for events of devices', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const { token } = await testPlatform.pairDevice(ann.id, 'Laptop');
  await using agent = await openSocket(testPlatform, { token });
  await using page = await openSocket(testPlatform, { token: ann.token });
  await expect(agent.request(whoami, {})).rejects.toThrow(InvalidTokenRefusal);
  await expect(agent.request(roomInit, { id: token })).rejects.toThrow(InvalidTokenRefusal);
  await expect(page.request(device, {})).rejects.toThrow(InvalidTokenRefusal);
  expect(await agent.request(device, {})).toEqual({});
});

test('invalid data is answered with the field, a fault with an id, and an unknown event not at all', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using socket = await openSocket(testPlatform, { token: ann.token });
  await expect(socket.request(whoami, { word: 'longer' })).rejects.toThrow(/^word: /);
  for (const data of [null, 3, 'text', [], { word: 3.5 }]) {
    const { message } = (await socket.raw.timeout(30_000).emitWithAck('who', data)) as { readonly message: string };
    expect(message).toMatch(/^(word|data): /);
  }
  await expect(socket.request(broken, { typed: 'my secret words' })).rejects.toThrow('server error');
  expect(testPlatform.log.join('')).toContain('a fault of ours');
  expect(testPlatform.log.join('')).not.toContain('my secret words');
  socket.raw.emit('nobody listens to this', {});
  await socket.request(whoami, {});
  expect(testPlatform.realtime.getMetrics()).toMatchObject({ malformed: 6, unknown: 1 });
});

test('only a valid token opens a room', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const ben = await testPlatform.createAccount('Ben');
  await using socket = await openSocket(testPlatform, { token: ben.token });
  for (const id of [`account:${ann.id}`, `session:1`, '1', '', 'news', `device:1`, `${ann.token}x`, `x${ann.token}`])
    await expect(socket.request(roomInit, { id })).rejects.toThrow(InvalidTokenRefusal);
  testPlatform.realtime.send(`account:${ann.id}`, received, { text: 'for Ann' });
  testPlatform.realtime.send(`account:${ben.id}`, received, { text: 'for Ben' });
  expect(await socket.nextEvent(received)).toEqual({ text: 'for Ben' });
});

test('a token joins its own room, and with the suffix of a tool the room of the tool', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using socket = await openSocket(testPlatform);
  await socket.request(roomInit, { id: ann.token });
  testPlatform.realtime.send(`account:${ann.id}`, received, { text: 'own' });
  expect(await socket.nextEvent(received)).toEqual({ text: 'own' });
  await socket.request(roomInit, { id: `${ann.token}news` });
  testPlatform.realtime.send(`news:${ann.id}`, received, { text: 'news' });
  expect(await socket.nextEvent(received)).toEqual({ text: 'news' });
});

test('an event to several rooms arrives once per socket, and an event to no room nowhere', async () => {
  await using testPlatform = await startPlatform();
  const [ann, ben, eve] = [
    await testPlatform.createAccount('Ann'),
    await testPlatform.createAccount('Ben'),
    await testPlatform.createAccount('Eve'),
  ];
  await using both = await openSocket(testPlatform, { token: ann.token });
  await both.request(roomInit, { id: ben.token });
  await using onlyBen = await openSocket(testPlatform, { token: ben.token });
  await using none = await openSocket(testPlatform, { token: eve.token });
  const { realtime } = testPlatform;
  realtime.send([`account:${ann.id}`, `account:${ben.id}`], received, { text: 'for both' });
  realtime.send([`account:${ann.id}`, `account:${ben.id}`], level, { is: 1 });
  realtime.send([], received, { text: 'for nobody' });
  realtime.send([`account:${ann.id}`, `account:${ben.id}`, `account:${eve.id}`], received, { text: 'for all' });
  for (const socket of [both, onlyBen]) {
    expect([await socket.nextEvent(received), await socket.nextEvent(received)]).toEqual([
      { text: 'for both' },
      { text: 'for all' },
    ]);
    expect(await socket.nextEvent(level)).toMatchObject({ is: 1 });
  }
  expect(await none.nextEvent(received)).toEqual({ text: 'for all' });
});

test('a room of a tool can be open to anyone, by what the tool knows of the caller', async () => {
  await using testPlatform = await startPlatform();
  const sockets: Record<string, TestSocket> = {
    one: await openSocket(testPlatform, withCookie('one')),
    two: await openSocket(testPlatform, withCookie('two')),
    near: await openSocket(testPlatform),
    far: await openSocket(testPlatform, { headers: { 'x-from': '10.1.1.1' } }),
  };
  for (const socket of Object.values(sockets)) await socket.request(roomInit, { id: '0' });
  const sendToVisitor = (visitor: string | undefined, address: string, text: string): void =>
    testPlatform.realtime.send(getVisitorRoom({ address, cookie: () => visitor }), received, { text });
  sendToVisitor('one', '127.0.0.1', 'one');
  sendToVisitor('two', '127.0.0.1', 'two');
  sendToVisitor(undefined, '127.0.0.1', 'near');
  sendToVisitor(undefined, '10.1.1.1', 'far');
  for (const [name, socket] of Object.entries(sockets))
    expect(await socket.nextEvent(received)).toEqual({ text: name });
  for (const socket of Object.values(sockets)) await socket[Symbol.asyncDispose]();
});

test('a socket has at most eight rooms', async () => {
  await using testPlatform = await startPlatform();
  await using socket = await openSocket(testPlatform);
  await expect(socket.request(joinMany, {})).rejects.toThrow('too many rooms');
});

test('with newest-wins delivery, a receiver without acknowledgements gets eight events, then the newest', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const events: { readonly is: number; readonly acknowledge: () => void }[] = [];
  const last = Promise.withResolvers<unknown>();
  function take({ is }: { readonly is: number }, acknowledge: () => void): void {
    events.push({ is, acknowledge });
    if (is === 100) last.resolve(undefined);
  }
  await using socket = await openSocket(testPlatform, { token: ann.token, takes: { [level.name]: take } });
  for (let is = 1; is <= 100; is += 1) testPlatform.realtime.send(`account:${ann.id}`, level, { is });
  testPlatform.realtime.send(`account:${ann.id}`, received, { text: 'that was all' });
  await socket.nextEvent(received);
  expect(events.map(({ is }) => is)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  events[0]?.acknowledge();
  await last.promise;
  expect(events).toHaveLength(9);
  expect(testPlatform.realtime.getMetrics().outdated).toBe(91);
});

const levels = serverEvent({
  name: 'levels',
  delivery: 'newest',
  data: z.record(z.string(), z.int()),
  about: z.object({ of: z.string() }),
  key: ({ metadata }) => metadata?.of ?? '',
  merge: (older, newer) => ({ data: { ...older.data, ...newer.data }, metadata: newer.metadata }),
});

test('a receiver without acknowledgements gets eight differences, and then all others merged by key', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const events: { readonly data: object; readonly about: { readonly of: string; readonly sentAt: number } }[] = [];
  const accepted: (() => void)[] = [];
  const last = Promise.withResolvers<unknown>();
  await using socket = await openSocket(testPlatform, { token: ann.token, takes: { [levels.name]: () => undefined } });
  socket.raw.off(levels.name).on(levels.name, (data, about, take) => {
    events.push({ data, about });
    accepted.push(take);
    if (events.length === 10) last.resolve(undefined);
  });
  const send = (data: Record<string, number>, of: string): void =>
    testPlatform.realtime.send(`account:${ann.id}`, levels, data, { of });
  for (let is = 1; is <= 8; is += 1) send({ film: is }, 'laptop');
  for (let is = 1; is <= 50; is += 1) send({ [`song ${is % 5}`]: is }, is % 2 === 0 ? 'laptop' : 'phone');
  testPlatform.realtime.send(`account:${ann.id}`, received, { text: 'that was all' });
  await socket.nextEvent(received);
  expect(events).toHaveLength(8);
  for (const take of accepted) take();
  await last.promise;
  expect(events.slice(8).map(({ data, about }) => [about.of, data])).toEqual([
    ['phone', { 'song 0': 45, 'song 1': 41, 'song 2': 47, 'song 3': 43, 'song 4': 49 }],
    ['laptop', { 'song 0': 50, 'song 1': 46, 'song 2': 42, 'song 3': 48, 'song 4': 44 }],
  ]);
  expect(events.every(({ about }) => about.sentAt > 1_700_000_000_000)).toBe(true);
  expect(testPlatform.realtime.getMetrics().outdated).toBe(0);
});

test('a receiver that reads nothing is closed above 1 MiB of unsent data, and others are not', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using slow = await openSocket(testPlatform, { token: ann.token });
  await using quick = await openSocket(testPlatform, { token: ann.token });
  const { ws } = slow.raw.io.engine.transport as unknown as { readonly ws: { readonly pause: () => void } };
  ws.pause();
  const text = 'x'.repeat(60_000);
  for (let sent = 0; sent < 2000 && testPlatform.realtime.getMetrics().sockets === 2; sent += 1) {
    testPlatform.realtime.send(`account:${ann.id}`, received, { text });
    await waitForEventLoop();
  }
  expect(testPlatform.realtime.getMetrics()).toMatchObject({ sockets: 1, closed: { 'too slow': 1 } });
  expect(await quick.request(whoami, {})).toEqual({ account: ann.id });
});

test('a burst of 200 events is accepted, more are dropped, and 5 s over the rate close the socket', async () => {
  await using testPlatform = await startPlatform();
  await using socket = await openSocket(testPlatform);
  let answerCount = 0;
  for (let event = 0; event < 260; event += 1) socket.raw.emit(connectEvent.name, {}, () => (answerCount += 1));
  // The engine processes packets in order: once this one is counted, all earlier ones are.
  async function waitForDropped(events: number): Promise<void> {
    while (testPlatform.realtime.getMetrics().overRate < events) await waitForEventLoop();
  }
  await waitForDropped(60);
  testPlatform.timers.advance(10);
  await socket.request(connectEvent, {});
  expect(answerCount).toBe(200);
  for (let half = 1; half <= 11; half += 1) {
    testPlatform.timers.advance(500);
    for (let event = 0; event < 100; event += 1) socket.raw.emit(connectEvent.name, {});
    if (half < 10) await waitForDropped(60 + half * 50);
  }
  expect(await socket.closed).toBe('too many events');
});

test('a socket without credential and rooms is closed after 30 s', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  await using otherVisitor = await openSocket(testPlatform);
  await using visitor = await openSocket(testPlatform);
  await using authenticated = await openSocket(testPlatform, { token: ann.token });
  await visitor.request(roomInit, { id: '0' });
  testPlatform.timers.advance(29_999);
  expect(testPlatform.realtime.getMetrics().sockets).toBe(3);
  testPlatform.timers.advance(1);
  expect(await otherVisitor.closed).toBe('nothing proven');
  expect(await visitor.request(connectEvent, {})).toEqual({});
  expect(await authenticated.request(connectEvent, {})).toEqual({});
});

test('an address has at most 20 unauthenticated sockets, and other addresses are not affected', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const options = { headers: { 'x-from': '10.1.1.1' } };
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(testPlatform, options)));
  await expect(openSocket(testPlatform, options)).rejects.toThrow('too many connections');
  await using elsewhere = await openSocket(testPlatform, { headers: { 'x-from': '10.1.1.2' } });
  await using authenticated = await openSocket(testPlatform, { ...options, token: ann.token });
  expect(await elsewhere.request(connectEvent, {})).toEqual({});
  expect(await authenticated.request(connectEvent, {})).toEqual({});
  await sockets[0]?.request(whoami, { token: ann.token });
  sockets.push(await openSocket(testPlatform, options));
  for (const socket of sockets) await socket[Symbol.asyncDispose]();
});

test('an account has at most 50 sockets', async () => {
  await using testPlatform = await startPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(testPlatform, { token: ann.token })));
  await expect(openSocket(testPlatform, { token: ann.token })).rejects.toThrow('too many connections');
  await using unauthenticated = await openSocket(testPlatform);
  await expect(unauthenticated.request(roomInit, { id: ann.token })).rejects.toThrow(Refusal);
  const [first, ...rest] = sockets;
  first?.raw.disconnect();
  while (testPlatform.realtime.getMetrics().sockets > 50) await waitForEventLoop();
  rest.push(await openSocket(testPlatform, { token: ann.token }));
  for (const socket of rest) await socket[Symbol.asyncDispose]();
});

test('a stopping server sends each socket the reason, and accepts no new one', async () => {
  await using testPlatform = await startPlatform();
  await using socket = await openSocket(testPlatform);
  await testPlatform.realtime.stop();
  expect(await socket.closed).toBe('server restarting');
  await expect(openSocket(testPlatform)).rejects.toThrow();
});
