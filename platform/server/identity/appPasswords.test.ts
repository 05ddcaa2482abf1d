import { hash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import { CLIENT_ADDRESS, createLoginRequest, createLocalSignUp, startIdentity } from '#testing/security/identity.ts';
import type { IdentityTables } from './identityTables.ts';

const CLIENT = { address: CLIENT_ADDRESS };
const CALENDAR = { kind: 'calendar', address: CLIENT_ADDRESS } as const;
const MUSIC = { kind: 'music', address: CLIENT_ADDRESS } as const;
const forCalendar = (name: string) => ({ name, kind: 'calendar' }) as const;
const forMusic = (name: string) => ({ name, kind: 'music' }) as const;
const withUsername = (username: string, password: string) => ({ username, password });
/** Computes the token like music players do. */
const computeToken = (username: string, password: string, salt = 'c19b2d') => ({
  username,
  salt,
  token: hash('md5', password + salt, 'hex'),
});

testOnBothDatabases(
  'an app password identifies its account, however it is typed, until it is revoked',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    const { account } = await identity.signUp(createLocalSignUp('Zoë of: Ada'));
    const { appPasswords } = identity;
    const created = await appPasswords.create(account.id, forCalendar('  My \u202Ephone\n'), CLIENT);
    expect(created.password).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(created).toMatchObject({ name: 'My phone', lastUsed: undefined, address: '' });
    const user = { id: created.id, account: account.id, username: 'Zoë of: Ada' };
    const typed = [
      created.password,
      created.password.toLowerCase(),
      created.password.replaceAll('-', ''),
      ` ${created.password.replaceAll('-', ' ')} `,
      created.password.replaceAll('0', 'o').replaceAll('1', 'l'),
    ];
    for (const typedPassword of typed)
      expect(await appPasswords.verify(withUsername(' zOË of: ADA', typedPassword), CALENDAR)).toEqual(user);
    await appPasswords.revoke(account.id, created.id, CLIENT);
    expect(await appPasswords.verify(withUsername('Zoë of: Ada', created.password), CALENDAR)).toBeUndefined();
    await expect(appPasswords.revoke(account.id, created.id, CLIENT)).rejects.toThrow('There is no such app password');
  },
);

testOnBothDatabases('an app password identifies no other account, and opens no session', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob'));
  const { appPasswords } = identity;
  const { id, password } = await appPasswords.create(ada.account.id, forCalendar('Phone'), CLIENT);
  const wrong = [
    ['Bob', password],
    ['nobody', password],
    ['Ada', ada.token],
    ['Ada', createLoginRequest('Ada').password],
    ['Ada', `${password.slice(0, -1)}${password.endsWith('0') ? '1' : '0'}`],
    ['Ada', ''],
    ['', password],
    ['\u0000', password],
    ['Ada', 'x'.repeat(100_000)],
  ] as const;
  for (const [name, tried] of wrong)
    expect(await appPasswords.verify(withUsername(name, tried), CALENDAR)).toBeUndefined();
  expect(await identity.findSession(password)).toBeUndefined();
  await expect(identity.logIn(createLoginRequest('Ada', { password }))).rejects.toThrow('Wrong username or password');
  await expect(appPasswords.revoke(bob.account.id, id, CLIENT)).rejects.toThrow('There is no such app password');
  expect(await appPasswords.list(bob.account.id)).toEqual([]);
  expect(await appPasswords.verify(withUsername('Ada', password), CALENDAR)).toBeDefined();
});

testOnBothDatabases('only the hash of an app password is stored, and its last use, with a delay', async ({ open }) => {
  await using database = await open();
  const used = await (async () => {
    await using identity = await startIdentity(database);
    const { account } = await identity.signUp(createLocalSignUp('Ada'));
    const { password } = await identity.appPasswords.create(account.id, forCalendar('Phone'), CLIENT);
    const rows = () => database.db.$extendTables<IdentityTables>().selectFrom('app_password').selectAll().execute();
    identity.advance({ hours: 2 });
    await identity.appPasswords.verify(withUsername('Ada', password), { ...CALENDAR, address: '203.0.113.4' });
    expect(await rows()).toMatchObject([{ last_used: null, address: '' }]);
    expect(JSON.stringify(await rows())).not.toContain(password.replaceAll('-', ''));
    expect(await identity.appPasswords.list(account.id)).toMatchObject([
      { name: 'Phone', lastUsed: identity.now(), address: '203.0.113.4' },
    ]);
    return identity.now();
  })();
  await using identity = await startIdentity(database);
  expect(await identity.appPasswords.list(1)).toMatchObject([{ lastUsed: used, address: '203.0.113.4' }]);
});

testOnBothDatabases('app passwords end with a new account password, and with the account', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob'));
  const { appPasswords } = identity;
  const [adasPassword, bobsPassword] = [
    await appPasswords.create(ada.account.id, forCalendar('Phone'), CLIENT),
    await appPasswords.create(bob.account.id, forCalendar('Phone'), CLIENT),
  ];
  await identity.changePassword(ada.account.id, 'another horse staple', undefined);
  expect(await appPasswords.verify(withUsername('Ada', adasPassword.password), CALENDAR)).toBeUndefined();
  expect(await appPasswords.list(ada.account.id)).toEqual([]);
  expect(await appPasswords.verify(withUsername('Bob', bobsPassword.password), CALENDAR)).toBeDefined();
  await identity.deleteAccount(bob.account.id);
  expect(await appPasswords.verify(withUsername('Bob', bobsPassword.password), CALENDAR)).toBeUndefined();
});

testOnBothDatabases(
  'an account has at most 50 app passwords, also if many are created concurrently',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    const { account } = await identity.signUp(createLocalSignUp('Ada'));
    const { appPasswords } = identity;
    const creations = Array.from({ length: 55 }, (_, index) =>
      appPasswords.create(account.id, forCalendar(`Phone ${index}`), CLIENT),
    );
    const settled = await Promise.allSettled(creations);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    await expect(appPasswords.create(account.id, forCalendar('One more'), CLIENT)).rejects.toThrow(
      'You have the maximum of 50 app passwords',
    );
    expect((await appPasswords.list(account.id)).map(({ id }) => id)).toEqual(
      (await appPasswords.list(account.id)).map(({ id }) => id).toSorted((one, other) => other - one),
    );
  },
);

testOnSqlite('a valid name is required', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  for (const name of ['', '  ', '\u200B', '\u0007'])
    await expect(identity.appPasswords.create(account.id, forCalendar(name), CLIENT)).rejects.toThrow('Enter a name');
  await expect(identity.appPasswords.create(account.id, forCalendar('👋'.repeat(61)), CLIENT)).rejects.toThrow(
    'Enter at most 60 characters',
  );
  expect(await identity.appPasswords.create(account.id, forCalendar('👋'.repeat(60)), CLIENT)).toBeDefined();
});

testOnSqlite('many wrong app passwords from one address must wait, a correct one never', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { appPasswords } = identity;
  const { password } = await appPasswords.create(account.id, forCalendar('Phone'), CLIENT);
  const wrong = '0000-0000-0000-0000-0000-0000';
  for (let at = 0; at < 30; at += 1)
    expect(await appPasswords.verify(withUsername('Ada', wrong), CALENDAR)).toBeUndefined();
  await expect(appPasswords.verify(withUsername('Ada', wrong), CALENDAR)).rejects.toThrow(
    'Too many wrong app passwords',
  );
  expect(await appPasswords.verify(withUsername('Ada', password), CALENDAR)).toBeDefined();
  expect(
    await appPasswords.verify(withUsername('Ada', wrong), { ...CALENDAR, address: '198.51.100.1' }),
  ).toBeUndefined();
  // The login has a separate throttle, which does not count these attempts.
  expect((await identity.logIn(createLoginRequest('Ada'))).account.name).toBe('Ada');
  identity.advance({ minutes: 16 });
  expect(await appPasswords.verify(withUsername('Ada', wrong), CALENDAR)).toBeUndefined();
});

testOnSqlite('the log has a named event for each action, but not the password', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const created = await identity.appPasswords.create(account.id, forCalendar('Phone'), CLIENT);
  await identity.appPasswords.verify(withUsername('Ada', '0000-0000-0000-0000-0000-0000'), CALENDAR);
  await identity.appPasswords.verify(withUsername('nobody', created.password), CALENDAR);
  await identity.appPasswords.revoke(account.id, created.id, CLIENT);
  const events = identity.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(events.filter(({ event }) => String(event).startsWith('apppassword.'))).toMatchObject([
    { event: 'apppassword.made', account: account.id, address: CLIENT_ADDRESS },
    { event: 'apppassword.failed', account: account.id, address: CLIENT_ADDRESS },
    { event: 'apppassword.failed', address: CLIENT_ADDRESS },
    { event: 'apppassword.revoked', account: account.id },
  ]);
  const secrets = [created.password, created.password.replaceAll('-', ''), '0000-0000'];
  expect(identity.logLines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
});

testOnBothDatabases(
  'a music password works by name, alone, and as a digest, but not for calendars',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    const { account } = await identity.signUp(createLocalSignUp('Zoë'));
    const { appPasswords } = identity;
    await appPasswords.create(account.id, forMusic('Tablet'), CLIENT);
    const { password, id } = await appPasswords.create(account.id, forMusic('Phone'), CLIENT);
    const user = { id, account: account.id, username: 'Zoë' };
    const typed = [
      password,
      password.toLowerCase(),
      password.replaceAll('-', ''),
      password.replaceAll('-', '').toLowerCase(),
    ];
    for (const typedPassword of typed) {
      expect(await appPasswords.verify(withUsername('zoë', typedPassword), MUSIC)).toEqual(user);
      expect(await appPasswords.verify({ key: typedPassword }, MUSIC)).toEqual(user);
      expect(await appPasswords.verify(computeToken('ZOË', typedPassword), MUSIC)).toEqual(user);
      expect(await appPasswords.verify(computeToken('ZOË', typedPassword, ''), MUSIC)).toEqual(user);
    }
    const { salt, token } = computeToken('Zoë', password);
    expect(await appPasswords.verify({ username: 'Zoë', salt, token: token.toUpperCase() }, MUSIC)).toEqual(user);
    for (const credential of [withUsername('Zoë', password), { key: password }, computeToken('Zoë', password)])
      expect(await appPasswords.verify(credential, CALENDAR)).toBeUndefined();
    await appPasswords.revoke(account.id, id, CLIENT);
    for (const credential of [withUsername('Zoë', password), { key: password }, computeToken('Zoë', password)])
      expect(await appPasswords.verify(credential, MUSIC)).toBeUndefined();
  },
);

testOnBothDatabases('wrong digests are refused, and those of other accounts or kinds', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database, { rateLimits: false });
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob'));
  const { appPasswords } = identity;
  const { password } = await appPasswords.create(ada.account.id, forMusic('Phone'), CLIENT);
  const phone = await appPasswords.create(ada.account.id, forCalendar('Calendar'), CLIENT);
  await appPasswords.create(bob.account.id, forMusic('Phone'), CLIENT);
  const validToken = computeToken('Ada', password);
  const wrong = [
    { ...validToken, username: 'Bob' },
    { ...validToken, username: 'nobody' },
    { ...validToken, username: '\u0000' },
    { ...validToken, salt: 'other' },
    { ...validToken, token: '' },
    { ...validToken, token: validToken.token.slice(1) },
    { ...validToken, token: 'z'.repeat(32) },
    { ...validToken, token: 'x'.repeat(100_000) },
    computeToken('Ada', password, 's'.repeat(201)),
    computeToken('Ada', phone.password),
    computeToken('Ada', createLoginRequest('Ada').password),
    computeToken('Ada', ''),
    { key: phone.password },
    { key: ada.token },
    { key: createLoginRequest('Ada').password },
    { key: '' },
  ];
  for (const credential of wrong) expect(await appPasswords.verify(credential, MUSIC)).toBeUndefined();
  expect(await appPasswords.verify(validToken, MUSIC)).toBeDefined();
});

testOnBothDatabases(
  'the database alone does not reveal an app password, even to a server with another key',
  async ({ open }) => {
    await using database = await open();
    const password = await (async () => {
      await using identity = await startIdentity(database);
      const { account } = await identity.signUp(createLocalSignUp('Ada'));
      const created = await identity.appPasswords.create(account.id, forMusic('Phone'), CLIENT);
      const rows = await database.db.$extendTables<IdentityTables>().selectFrom('app_password').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(created.password);
      expect(JSON.stringify(rows)).not.toContain(created.password.replaceAll('-', ''));
      return created.password;
    })();
    await using identity = await startIdentity(database, { key: randomBytes(32) });
    expect(await identity.appPasswords.verify(computeToken('Ada', password), MUSIC)).toBeUndefined();
    expect(await identity.appPasswords.verify(withUsername('Ada', password), MUSIC)).toBeDefined();
  },
);
