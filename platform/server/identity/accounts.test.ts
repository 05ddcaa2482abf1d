import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';
import {
  CLIENT_ADDRESS,
  createLoginRequest,
  createLocalSignUp,
  startIdentity,
  START_TIME,
} from '#testing/security/identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { createPasswordHasher } from './passwords.ts';

testOnBothDatabases('only the first account is the owner', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  expect(await identity.hasOwner()).toBe(false);
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob'));
  expect(ada.account).toEqual({ id: 1, name: 'Ada', isOwner: true, created: START_TIME });
  expect(bob.account.isOwner).toBe(false);
  expect(await identity.hasOwner()).toBe(true);
  expect(await identity.findAccount(ada.account.id)).toEqual(ada.account);
  expect(await identity.findAccountByName(' aDA ')).toEqual(ada.account);
  expect(await identity.findAccountByName('a\u{0}')).toBeUndefined();
});

testOnBothDatabases('one of several concurrent first sign-ups becomes the owner', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const all = await Promise.all(['Ada', 'Bob', 'Cyd', 'Dan'].map((name) => identity.signUp(createLocalSignUp(name))));
  expect(all.filter(({ account }) => account.isOwner)).toHaveLength(1);
  expect(new Set(all.map(({ account }) => account.id)).size).toBe(4);
});

testOnBothDatabases('one of several concurrent sign-ups with the same name succeeds', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const names = ['Ada', 'ADA', 'ada', 'ａｄａ'];
  const settled = await Promise.allSettled(names.map((name) => identity.signUp(createLocalSignUp(name))));
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of settled)
    if (result.status === 'rejected') expect(result.reason.message).toBe('That username is taken. Choose another one');
  const rows = await database.db.$extendTables<IdentityTables>().selectFrom('account').select('id').execute();
  expect(rows).toHaveLength(1);
});

testOnBothDatabases('names ignore case at sign-up and at login', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(createLocalSignUp('Zoë'));
  await expect(identity.signUp(createLocalSignUp('ZOË'))).rejects.toThrow('That username is taken. Choose another one');
  expect((await identity.logIn(createLoginRequest(' zoË '))).account.name).toBe('Zoë');
});

testOnBothDatabases('no credential is stored in plain text', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { token, knownBrowser, account } = await identity.signUp(createLocalSignUp('Ada'));
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
    expect(identity.logLines.join('')).not.toContain(secret);
  }
});

testOnBothDatabases('a login replaces a hash with outdated parameters', async ({ open }) => {
  await using database = await open();
  const readHash = async () =>
    (await database.db.$extendTables<IdentityTables>().selectFrom('account').select('password').execute())[0]?.password;
  {
    await using before = await startIdentity(database);
    await before.signUp(createLocalSignUp('Ada'));
    expect(await readHash()).toMatch(/m=64,t=1/);
  }
  await using identity = await startIdentity(database, { hasher: createPasswordHasher('light') });
  await Promise.all([identity.logIn(createLoginRequest('Ada')), identity.logIn(createLoginRequest('Ada'))]);
  const renewed = await readHash();
  expect(renewed).toMatch(/m=19456,t=2/);
  await identity.logIn(createLoginRequest('Ada'));
  expect(await readHash()).toBe(renewed);
});

testOnBothDatabases('a new password ends all other sessions of persons, but not of devices', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { token, account } = await identity.signUp(createLocalSignUp('Ada'));
  const other = await identity.logIn(createLoginRequest('Ada'));
  const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, account.id, 1));
  const session = await identity.findSession(token);
  await identity.findSession(other.token);
  await expect(identity.changePassword(account.id, 'short', session?.id)).rejects.toThrow(
    'This password is too short. Enter at least 8 characters',
  );
  await expect(identity.changePassword(account.id, 'ADA', session?.id)).rejects.toThrow('at least 8');
  expect(await identity.changePassword(account.id, 'a better horse', session?.id)).toBe(1);
  expect(await identity.findSession(token)).toEqual(session);
  expect(await identity.findSession(other.token)).toBeUndefined();
  expect(await identity.findSession(device)).toMatchObject({ kind: 'device', device: 1 });
  await expect(identity.logIn(createLoginRequest('Ada'))).rejects.toThrow('Wrong username or password');
  await identity.logIn(createLoginRequest('Ada', { password: 'a better horse' }));
});

testOnBothDatabases('a login with the old password is refused if it changes meanwhile', async ({ open }) => {
  await using database = await open();
  const real = createPasswordHasher('test');
  const verified = Promise.withResolvers<void>();
  const allowLogin = Promise.withResolvers<void>();
  async function verify(phc: string, password: string): Promise<boolean> {
    const isMatch = await real.verify(phc, password);
    verified.resolve();
    await allowLogin.promise;
    return isMatch;
  }
  await using identity = await startIdentity(database, { hasher: { ...real, verify } });
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const login = identity.logIn(createLoginRequest('Ada'));
  await verified.promise;
  await identity.changePassword(account.id, 'a better horse', undefined);
  allowLogin.resolve();
  await expect(login).rejects.toThrow('Wrong username or password');
  expect(await identity.listSessions(account.id)).toEqual([]);
});

testOnBothDatabases('the owner cannot leave while others have accounts; the last account can', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob'));
  const sentence =
    "You own this server, and other people have accounts on it. Delete those first, with 'pegboard user delete'";
  await expect(identity.assertDeletable(ada.account.id)).rejects.toThrow(sentence);
  await expect(identity.deleteAccount(ada.account.id)).rejects.toThrow(sentence);
  expect(await identity.findSession(ada.token)).toBeDefined();
  await identity.assertDeletable(bob.account.id);
  await identity.deleteAccount(bob.account.id);
  expect(await identity.findSession(bob.token)).toBeUndefined();
  expect(await identity.findAccount(bob.account.id)).toBeUndefined();
  expect(await identity.hasOwner()).toBe(true);
  await identity.deleteAccount(ada.account.id);
  const db = database.db.$extendTables<IdentityTables>();
  expect(await db.selectFrom('session').select('id').execute()).toEqual([]);
  expect(await db.selectFrom('known_browser').select('id').execute()).toEqual([]);
  expect(await identity.hasOwner()).toBe(false);
  expect((await identity.signUp(createLocalSignUp('Cyd'))).account.isOwner).toBe(true);
});

testOnBothDatabases('the owner decides who may sign up', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(createLocalSignUp('Ada'));
  expect(await identity.getSignupRule()).toBe('open');
  await identity.setSignupRule('closed');
  expect(await identity.getSignupRule()).toBe('closed');
  await expect(identity.signUp(createLocalSignUp('Bob'))).rejects.toThrow(
    'Sign-up is closed on this server. Ask its owner',
  );
  await identity.logIn(createLoginRequest('Ada'));
  await identity.signUp({ ...createLocalSignUp('Operator made'), isOperator: true });
  await identity.setSignupRule('open');
  await identity.signUp(createLocalSignUp('Bob'));
});

const CREATOR = { account: 1, address: CLIENT_ADDRESS };
const ONE_USE = { name: '', days: 7, maxUses: 1 };

testOnBothDatabases(
  'an invitation creates as many accounts as it allows, also at the same moment',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    await identity.signUp(createLocalSignUp('Ada'));
    await identity.setSignupRule('invitation');
    const { secret } = await identity.invitations.create({ name: ' Grandma\u202e ', days: 7, maxUses: 2 }, CREATOR);
    await expect(identity.signUp(createLocalSignUp('Bob'))).rejects.toThrow('You need an invitation');
    for (const wrong of ['', 'no secret', 'A'.repeat(43)])
      await expect(identity.signUp({ ...createLocalSignUp('Bob'), invitation: wrong })).rejects.toThrow(
        'This invitation has expired, was revoked or was used',
      );
    const attempts = await Promise.allSettled(
      ['Bob', 'Cyd', 'Dan', 'Eve'].map((name) => identity.signUp({ ...createLocalSignUp(name), invitation: secret })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await identity.listAccounts()).toHaveLength(3);
    expect(await identity.invitations.list()).toMatchObject([{ name: 'Grandma', maxUses: 2, uses: 2 }]);
    expect(
      JSON.stringify(await database.db.$extendTables<IdentityTables>().selectFrom('invitation').selectAll().execute()),
    ).not.toContain(secret);
  },
);

testOnBothDatabases(
  'an invitation ends when it expires or is revoked, and counts only when needed',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    await identity.signUp(createLocalSignUp('Ada'));
    const [expiring, revoked] = [
      await identity.invitations.create(ONE_USE, CREATOR),
      await identity.invitations.create({ ...ONE_USE, days: 30 }, CREATOR),
    ];
    await identity.signUp({ ...createLocalSignUp('Bob'), invitation: revoked.secret });
    expect((await identity.invitations.list()).map(({ uses }) => uses)).toEqual([0, 0]);
    await identity.setSignupRule('closed');
    await expect(identity.signUp({ ...createLocalSignUp('Cyd'), invitation: revoked.secret })).rejects.toThrow(
      'Sign-up is closed',
    );
    await identity.setSignupRule('invitation');
    identity.advance({ days: 7 });
    await identity.invitations.revoke(revoked.id, CREATOR);
    await expect(identity.invitations.revoke(revoked.id, CREATOR)).rejects.toThrow('There is no such invitation');
    for (const { secret } of [expiring, revoked])
      await expect(identity.signUp({ ...createLocalSignUp('Cyd'), invitation: secret })).rejects.toThrow(
        'This invitation has expired',
      );
    expect(await identity.invitations.list()).toEqual([]);
  },
);

testOnBothDatabases('a suspended account is refused with every credential, and loses nothing', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account: owner } = await identity.signUp(createLocalSignUp('Ada'));
  const { account, token } = await identity.signUp(createLocalSignUp('Bob'));
  const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, account.id, 1));
  const client = { address: CLIENT_ADDRESS };
  const { password } = await identity.appPasswords.create(account.id, { name: 'Phone', kind: 'calendar' }, client);
  const verify = () => identity.appPasswords.verify({ username: 'Bob', password }, { ...client, kind: 'calendar' });
  const suspensions: unknown[] = [];
  identity.onSuspension((...change) => suspensions.push(change));
  for (const secret of [token, device]) expect(await identity.findSession(secret)).toBeDefined();

  await identity.setSuspended(account.id, true, client);
  for (const secret of [token, device])
    await expect(identity.findSession(secret)).rejects.toThrow('This account is suspended. Ask the owner');
  await expect(verify()).rejects.toThrow('This account is suspended');
  await expect(identity.logIn(createLoginRequest('Bob'))).rejects.toThrow('This account is suspended');
  await expect(identity.logIn(createLoginRequest('Bob', { password: 'wrong password' }))).rejects.toThrow(
    'Wrong username or password',
  );
  await expect(database.transaction(({ tx }) => identity.openDeviceSession(tx, account.id, 2))).rejects.toThrow(
    'This account is suspended',
  );
  await expect(identity.assertActive(account.id)).rejects.toThrow('This account is suspended');
  expect(await identity.getLinkGeneration(account.id)).toBeUndefined();
  expect(await identity.listAccounts()).toMatchObject([{ suspended: undefined }, { suspended: identity.now() }]);

  await identity.setSuspended(account.id, false, client);
  for (const secret of [token, device])
    expect(await identity.findSession(secret)).toMatchObject({ account: account.id });
  expect(await verify()).toMatchObject({ username: 'Bob' });
  await identity.logIn(createLoginRequest('Bob'));
  expect(await identity.getLinkGeneration(account.id)).toBe(0);
  expect(suspensions).toEqual([
    [account.id, true],
    [account.id, false],
  ]);
  await expect(identity.setSuspended(owner.id, true, client)).rejects.toThrow("The owner of this server can't be");
  await expect(identity.setSuspended(99, true, client)).rejects.toThrow('There is no such account');
});

testOnBothDatabases('a program without cookies is new once, and pushes no browser out', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { knownBrowser } = await identity.signUp(createLocalSignUp('Ada'));
  let reportCount = 0;
  identity.onNewBrowserLogin(() => (reportCount += 1));
  const program = { isProgram: true, client: { address: '2001:db8::1', browser: 'curl/8.5' } };
  for (let at = 0; at < 25; at += 1) await identity.logIn(createLoginRequest('Ada', program));
  await Promise.all([1, 2].map(() => identity.logIn(createLoginRequest('Ada', program))));
  await identity.logIn(createLoginRequest('Ada', { knownBrowser }));
  expect(reportCount).toBe(1);
  // Another program, another address, a page in the same place, and a program that sends a cookie of somebody else.
  for (const more of [
    { ...program, client: { ...program.client, browser: 'curl/8.6' } },
    { ...program, client: { ...program.client, address: '192.0.2.1' } },
    { ...program, isProgram: false },
    { ...program, knownBrowser: 'A'.repeat(43) },
  ])
    await identity.logIn(createLoginRequest('Ada', more));
  expect(reportCount).toBe(5);
});

testOnBothDatabases('an account knows the twenty browsers that were used last', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { knownBrowser, account } = await identity.signUp(createLocalSignUp('Ada'));
  for (let at = 0; at < 10; at += 1) await identity.logIn(createLoginRequest('Ada'));
  identity.advance({ seconds: 1 });
  expect((await identity.logIn(createLoginRequest('Ada', { knownBrowser }))).knownBrowser).toBe(knownBrowser);
  identity.advance({ seconds: 1 });
  for (let at = 0; at < 19; at += 1) await identity.logIn(createLoginRequest('Ada'));
  const listRows = () =>
    database.db
      .$extendTables<IdentityTables>()
      .selectFrom('known_browser')
      .select('used')
      .where('account', '=', account.id)
      .orderBy('used')
      .execute();
  const stored = await listRows();
  expect(stored).toHaveLength(20);
  expect(stored[0]?.used).toBe(START_TIME.epochMilliseconds + 1000);
  const forged = await identity.logIn(createLoginRequest('Ada', { knownBrowser: 'too short to be ours' }));
  expect(forged.knownBrowser).toMatch(/^[\w-]{43}$/);
});
