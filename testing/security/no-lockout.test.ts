import { expect, test } from 'vitest';
import { testOnSqlite } from '../kits/server/database.ts';
import { startServer, TEST_PASSWORD } from '../kits/server/server.ts';
import { createLoginRequest, createLocalSignUp, startIdentity } from './identity.ts';
import { postRaw } from './postRaw.ts';

testOnSqlite("10,000 wrong passwords from 500 addresses never delay the owner's own browser", async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { knownBrowser, token } = await identity.signUp(createLocalSignUp('Ada'));
  const createOwnLogin = (address: string) =>
    createLoginRequest('Ada', { knownBrowser, client: { address, browser: '' } });
  const attack = (attempt: number) =>
    identity
      .logIn(
        createLoginRequest('Ada', {
          password: `guess ${attempt}`,
          client: { address: `198.18.${attempt % 2}.${Math.floor(attempt / 2) % 250}`, browser: '' },
        }),
      )
      .then(
        () => 'in',
        (error: Error) => error.message,
      );
  const runsBefore = identity.hasher.getRunCount();
  const outcomes: string[] = [];
  for (let wave = 0; wave < 100; wave += 1) {
    const attempts = Array.from({ length: 100 }, (_, index) => attack(wave * 100 + index));
    // The login is in the middle of the attack, with a full queue, and from an attacking address as well.
    if (wave % 20 === 0) expect((await identity.logIn(createOwnLogin('198.18.0.1'))).account.name).toBe('Ada');
    outcomes.push(...(await Promise.all(attempts)));
  }
  expect(outcomes).toHaveLength(10_000);
  expect(outcomes).not.toContain('in');
  // 50 attempts a day, then ten an hour; two run concurrently, so one more is possible.
  expect(identity.hasher.getRunCount() - runsBefore).toBeLessThanOrEqual(61 + 5);
  expect((await identity.logIn(createOwnLogin('198.18.0.1'))).account.name).toBe('Ada');
  expect((await identity.logIn(createOwnLogin('192.0.2.7'))).account.name).toBe('Ada');
  expect(await identity.findSession(token)).toBeDefined();
});

test('the browser that signed up can log in although others have filled the queue', async () => {
  await using server = await startServer();
  const credentials = { username: 'Ada', password: TEST_PASSWORD };
  const signedUp = await postRaw(server.origin, '/api/signup', credentials);
  const cookie = signedUp.headers.getSetCookie().find((line) => line.startsWith('pb_known=')) ?? '';
  expect(cookie).toMatch(/^pb_known=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/);
  for (let at = 0; at < 6; at += 1)
    await postRaw(server.origin, '/api/log', { ...credentials, password: 'not the password' });
  expect((await postRaw(server.origin, '/api/log', credentials)).status).toBe(429);
  const known = { cookie: cookie.split(';')[0] ?? '' };
  expect((await postRaw(server.origin, '/api/log', credentials, known)).answer).toMatchObject({ message: 'ok' });
  // The cookie alone gives no access.
  expect((await postRaw(server.origin, '/api/tokenconv', {}, known)).answer).toEqual({
    message: 'invalid token, please re-log',
    code: 'auth.invalid_token',
  });
});
