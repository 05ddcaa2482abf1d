import { expect } from 'vitest';
import { onBothDatabases } from '#testing/database.ts';
import { entry, here, startIdentity, START } from '#testing/security/identity.ts';
import { TEST_PASSWORD } from '#testing/server.ts';
import { makeHasher } from './hashing.ts';
import type { IdentityTables } from './tables.ts';

onBothDatabases('the first account is the owner, the next ones are not', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  expect(await identity.hasOwner()).toBe(false);
  const ada = await identity.signUp(here('Ada'));
  const bob = await identity.signUp(here('Bob'));
  expect(ada.account).toEqual({ id: 1, name: 'Ada', isOwner: true, created: START });
  expect(bob.account.isOwner).toBe(false);
  expect(await identity.hasOwner()).toBe(true);
  expect(await identity.account(ada.account.id)).toEqual(ada.account);
  expect(await identity.accountNamed(' aDA ')).toEqual(ada.account);
  expect(await identity.accountNamed('a\u{0}')).toBeUndefined();
});

onBothDatabases('of first sign-ups at the same moment one becomes the owner', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const all = await Promise.all(['Ada', 'Bob', 'Cyd', 'Dan'].map((name) => identity.signUp(here(name))));
  expect(all.filter(({ account }) => account.isOwner)).toHaveLength(1);
  expect(new Set(all.map(({ account }) => account.id)).size).toBe(4);
});

onBothDatabases('of sign-ups with the same name at the same moment one gets it', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const names = ['Ada', 'ADA', 'ada', 'ａｄａ'];
  const settled = await Promise.allSettled(names.map((name) => identity.signUp(here(name))));
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of settled)
    if (one.status === 'rejected') expect(one.reason.message).toBe('That username is taken, choose another');
  const rows = await database.db.$extendTables<IdentityTables>().selectFrom('account').select('id').execute();
  expect(rows).toHaveLength(1);
});

onBothDatabases('a name is one name regardless of case, at sign-up and at login', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(here('Zoë'));
  await expect(identity.signUp(here('ZOË'))).rejects.toThrow('That username is taken, choose another');
  expect((await identity.logIn(entry(' zoË '))).account.name).toBe('Zoë');
});

onBothDatabases('nothing that opens a session is stored as it is', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { token, knownBrowser, account } = await identity.signUp(here('Ada'));
  const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, account.id, 1));
  expect(token).toMatch(/^pgu_[\w-]{43}$/);
  expect(device).toMatch(/^pgd_[\w-]{43}$/);
  const db = database.db.$extendTables<IdentityTables>();
  const stored = JSON.stringify([
    await db.selectFrom('account').selectAll().execute(),
    await db.selectFrom('session').selectAll().execute(),
    await db.selectFrom('known_browser').selectAll().execute(),
  ]);
  for (const secret of [token, device, knownBrowser, TEST_PASSWORD]) {
    expect(stored).not.toContain(secret);
    expect(identity.logged.join('')).not.toContain(secret);
  }
});

onBothDatabases('a login makes a hash of older parameters anew', async ({ open }) => {
  await using database = await open();
  const hashes = async () =>
    (await database.db.$extendTables<IdentityTables>().selectFrom('account').select('password').execute())[0]?.password;
  {
    await using before = await startIdentity(database);
    await before.signUp(here('Ada'));
    expect(await hashes()).toMatch(/m=64,t=1/);
  }
  await using identity = await startIdentity(database, { hasher: makeHasher('light') });
  await Promise.all([identity.logIn(entry('Ada')), identity.logIn(entry('Ada'))]);
  const renewed = await hashes();
  expect(renewed).toMatch(/m=19456,t=2/);
  await identity.logIn(entry('Ada'));
  expect(await hashes()).toBe(renewed);
});

onBothDatabases('a new password ends all other sessions of persons and keeps devices', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { token, account } = await identity.signUp(here('Ada'));
  const other = await identity.logIn(entry('Ada'));
  const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, account.id, 1));
  const session = await identity.sessionOf(token);
  await identity.sessionOf(other.token);
  await expect(identity.changePassword(account.id, 'short', session?.id)).rejects.toThrow(
    'Password needs at least 8 characters',
  );
  await expect(identity.changePassword(account.id, 'ADA', session?.id)).rejects.toThrow('at least 8');
  expect(await identity.changePassword(account.id, 'a better horse', session?.id)).toBe(1);
  expect(await identity.sessionOf(token)).toEqual(session);
  expect(await identity.sessionOf(other.token)).toBeUndefined();
  expect(await identity.sessionOf(device)).toMatchObject({ kind: 'device', device: 1 });
  await expect(identity.logIn(entry('Ada'))).rejects.toThrow('Wrong username or password');
  await identity.logIn(entry('Ada', { password: 'a better horse' }));
});

onBothDatabases('a login by the old password is refused when it is changed meanwhile', async ({ open }) => {
  await using database = await open();
  const real = makeHasher('test');
  const proven = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const verify = async (phc: string, password: string): Promise<boolean> => {
    const fits = await real.verify(phc, password);
    proven.resolve();
    await go.promise;
    return fits;
  };
  await using identity = await startIdentity(database, { hasher: { ...real, verify } });
  const { account } = await identity.signUp(here('Ada'));
  const login = identity.logIn(entry('Ada'));
  await proven.promise;
  await identity.changePassword(account.id, 'a better horse', undefined);
  go.resolve();
  await expect(login).rejects.toThrow('Wrong username or password');
  expect(await identity.sessions(account.id)).toEqual([]);
});

onBothDatabases('an owner stays while others have accounts; the last account may go', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const ada = await identity.signUp(here('Ada'));
  const bob = await identity.signUp(here('Bob'));
  const sentence =
    "You own this server and others have accounts on it: delete theirs first, with 'pegboard user delete'";
  await expect(identity.checkDeletable(ada.account.id)).rejects.toThrow(sentence);
  await expect(identity.deleteAccount(ada.account.id)).rejects.toThrow(sentence);
  expect(await identity.sessionOf(ada.token)).toBeDefined();
  await identity.checkDeletable(bob.account.id);
  await identity.deleteAccount(bob.account.id);
  expect(await identity.sessionOf(bob.token)).toBeUndefined();
  expect(await identity.account(bob.account.id)).toBeUndefined();
  expect(await identity.hasOwner()).toBe(true);
  await identity.deleteAccount(ada.account.id);
  const db = database.db.$extendTables<IdentityTables>();
  expect(await db.selectFrom('session').select('id').execute()).toEqual([]);
  expect(await db.selectFrom('known_browser').select('id').execute()).toEqual([]);
  expect(await identity.hasOwner()).toBe(false);
  expect((await identity.signUp(here('Cyd'))).account.isOwner).toBe(true);
});

onBothDatabases('the owner can close sign-up and open it again', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(here('Ada'));
  expect(await identity.isSignupOpen()).toBe(true);
  await identity.setSignupOpen(false);
  expect(await identity.isSignupOpen()).toBe(false);
  await expect(identity.signUp(here('Bob'))).rejects.toThrow('Sign-up is closed on this server, ask its owner');
  await identity.logIn(entry('Ada'));
  await identity.signUp({ ...here('Operator made'), isOperator: true });
  await identity.setSignupOpen(true);
  await identity.signUp(here('Bob'));
});

onBothDatabases('twenty browsers are known at an account, those used last', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { knownBrowser, account } = await identity.signUp(here('Ada'));
  for (let at = 0; at < 10; at += 1) await identity.logIn(entry('Ada'));
  identity.pass({ seconds: 1 });
  expect((await identity.logIn(entry('Ada', { knownBrowser }))).knownBrowser).toBe(knownBrowser);
  identity.pass({ seconds: 1 });
  for (let at = 0; at < 19; at += 1) await identity.logIn(entry('Ada'));
  const rows = () =>
    database.db
      .$extendTables<IdentityTables>()
      .selectFrom('known_browser')
      .select('used')
      .where('account', '=', account.id)
      .orderBy('used')
      .execute();
  const kept = await rows();
  expect(kept).toHaveLength(20);
  expect(kept[0]?.used).toBe(START.epochMilliseconds + 1000);
  const planted = await identity.logIn(entry('Ada', { knownBrowser: 'too short to be ours' }));
  expect(planted.knownBrowser).toMatch(/^[\w-]{43}$/);
});
