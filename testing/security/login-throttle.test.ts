import { expect, test } from 'vitest';
import { RateLimitError } from '#platform/server/http/rateLimiter.ts';
import { createPasswordHasher } from '#platform/server/identity/passwords.ts';
import { testOnSqlite } from '../kits/server/database.ts';
import { startServer, TEST_PASSWORD } from '../kits/server/server.ts';
import { createLoginRequest, createLocalSignUp, startIdentity } from './identity.ts';
import { postRaw } from './postRaw.ts';

const wrong = (username: string, address: string) =>
  createLoginRequest(username, { password: 'not the password', client: { address, browser: '' } });

const remote = (username: string) => ({ ...createLoginRequest(username), isLocal: false, setupCode: undefined });

test('the sixth wrong password in a row is answered with 429 and the time to wait', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const tries = { username: 'ada', password: 'not the password' };
  for (let at = 0; at < 5; at += 1) {
    const { status, answer } = await postRaw(server.origin, '/api/log', tries);
    expect([status, answer]).toEqual([200, { code: 'auth.wrong_credentials', message: 'Wrong username or password' }]);
  }
  const throttled = await postRaw(server.origin, '/api/log', { ...tries, password: TEST_PASSWORD });
  expect(throttled.status).toBe(429);
  expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(throttled.answer['message']).toMatch(/^Too many wrong passwords\. Try again in \d+ seconds$/);
  expect(server.log.some((line) => line.includes('login.failed'))).toBe(true);
  expect(server.log.some((line) => line.includes('login.throttled'))).toBe(true);
  // The account itself still works.
  expect(await postRaw(server.origin, '/api/tokenconv', { token: ada.token })).toMatchObject({
    answer: { message: 'ok', username: 'Ada' },
  });
});

test('a wrong token does not count as a wrong password', async () => {
  await using server = await startServer();
  await server.createAccount('Ada');
  for (let at = 0; at < 10; at += 1)
    expect((await postRaw(server.origin, '/api/tokenconv', { token: `pgu_${'x'.repeat(43)}` })).answer).toEqual({
      message: 'invalid token, please re-log',
      code: 'auth.invalid_token',
    });
  const { answer } = await postRaw(server.origin, '/api/log', { username: 'Ada', password: TEST_PASSWORD });
  expect(answer['message']).toBe('ok');
});

testOnSqlite('unknown users are throttled like known ones, with the same message', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(createLocalSignUp('Ada'));
  async function answers(username: string, address: string): Promise<string[]> {
    const messages = [];
    for (let at = 0; at < 7; at += 1)
      messages.push(await identity.logIn(wrong(username, address)).catch((error: Error) => error.message));
    return messages.map(String);
  }
  expect(await answers('Nobody', '192.0.2.1')).toEqual(await answers('Ada', '192.0.2.2'));
});

testOnSqlite('delays end by the monotonic clock', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(createLocalSignUp('Ada'));
  for (let at = 0; at < 5; at += 1)
    await expect(identity.logIn(wrong('Ada', '192.0.2.7'))).rejects.toThrow('Wrong username or password');
  identity.setWallClockForward({ hours: 48 });
  await expect(identity.logIn(createLoginRequest('Ada'))).rejects.toThrow(RateLimitError);
  identity.advance({ seconds: 30 });
  await identity.logIn(createLoginRequest('Ada'));
  for (let at = 0; at < 4; at += 1)
    await expect(identity.logIn(wrong('Ada', '192.0.2.7'))).rejects.toThrow('Wrong username or password');
});

testOnSqlite('the current password has a separate throttle', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const origin = { address: '192.0.2.7', browser: '' };
  for (let at = 0; at < 5; at += 1)
    await expect(identity.checkPassword(account.id, 'not the password', origin)).rejects.toThrow('Wrong password');
  await expect(identity.checkPassword(account.id, TEST_PASSWORD, origin)).rejects.toThrow(RateLimitError);
  await identity.logIn(createLoginRequest('Ada'));
  await identity.checkPassword(account.id, TEST_PASSWORD, { ...origin, address: '192.0.2.8' });
});

testOnSqlite(
  'two passwords are hashed concurrently, 32 wait, and the next is refused without an attempt',
  async ({ open }) => {
    await using database = await open();
    const go = Promise.withResolvers<void>();
    const real = createPasswordHasher('test');
    let concurrentCount = 0;
    let max = 0;
    async function verify(): Promise<boolean> {
      concurrentCount += 1;
      max = Math.max(max, concurrentCount);
      await go.promise;
      concurrentCount -= 1;
      return false;
    }
    await using identity = await startIdentity(database, { hasher: { ...real, verify } });
    await identity.signUp(createLocalSignUp('Ada'));
    const tries = Array.from({ length: 40 }, (_one, at) =>
      identity.logIn(wrong('Ada', `192.0.2.${at}`)).then(
        () => 'in',
        (error: Error) => error.message,
      ),
    );
    // Requests that find the queue full are answered while it is full.
    await Promise.race(tries);
    go.resolve();
    const messages = await Promise.all(tries);
    expect(messages.filter((message) => message === 'Wrong username or password')).toHaveLength(34);
    expect(messages.filter((message) => message.startsWith('The server is busy'))).toHaveLength(6);
    expect(max).toBe(2);
  },
);

testOnSqlite(
  'thirty accounts an hour can be created from one address, ten times as many from this computer',
  async ({ open }) => {
    await using database = await open();
    const real = createPasswordHasher('test');
    await using identity = await startIdentity(database, { hasher: { ...real, hash: async () => real.dummyHash } });
    for (let at = 0; at < 35; at += 1) await identity.signUp(createLocalSignUp(`Local ${at}`));
    for (let at = 0; at < 30; at += 1) await identity.signUp(remote(`Remote ${at}`));
    await expect(identity.signUp(remote('Remote 30'))).rejects.toThrow(RateLimitError);
    identity.advance({ hours: 1 });
    await identity.signUp(remote('Remote 30'));
  },
);
