import { expect } from 'vitest';
import { testOnSqlite } from '../kits/server/database.ts';
import { createLoginRequest, createLocalSignUp, startIdentity } from './identity.ts';

testOnSqlite('a login costs one run of argon2, whether the user exists or not', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(createLocalSignUp('Ada'));
  async function getRuns(username: string): Promise<[number, string]> {
    const before = identity.hasher.getRunCount();
    const outcome = await identity.logIn(createLoginRequest(username, { password: 'not the password' })).then(
      () => 'in',
      (error: Error) => error.message,
    );
    return [identity.hasher.getRunCount() - before, outcome];
  }
  const same = [1, 'Wrong username or password'];
  expect(await getRuns('Ada')).toEqual(same);
  expect(await getRuns('Nobody')).toEqual(same);
  expect(await getRuns('')).toEqual(same);
  expect(await getRuns('no\u{0}name')).toEqual(same);
  expect(await getRuns('far too long '.repeat(100))).toEqual(same);
});
