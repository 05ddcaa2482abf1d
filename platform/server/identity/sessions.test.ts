import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import {
  CLIENT_ADDRESS,
  createLoginRequest,
  createLocalSignUp,
  startIdentity,
  START_TIME,
} from '#testing/security/identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { createSessions } from './sessions.ts';

testOnBothDatabases('a token is valid until its session ends, and then immediately invalid', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { token, account } = await identity.signUp(createLocalSignUp('Ada'));
  const session = await identity.findSession(token);
  expect(session).toEqual({ id: 1, account: account.id, kind: 'person', device: undefined });
  const ended: number[] = [];
  identity.onSessionsEnded((ids) => ended.push(...ids));
  expect(await identity.endSessions(account.id, { ids: [1] })).toBe(1);
  expect(ended).toEqual([1]);
  expect(await identity.findSession(token)).toBeUndefined();
  expect(await identity.endSessions(account.id, { ids: [1] })).toBe(0);
});

testOnBothDatabases('ending sessions does not affect those of other accounts', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob'));
  const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, ada.account.id, 5));
  expect(await identity.endSessions(bob.account.id, { ids: [1, 3, 99] })).toBe(0);
  expect(await identity.endSessions(bob.account.id, { ids: [] })).toBe(0);
  expect(await identity.endSessions(bob.account.id, { allBut: 2 })).toBe(0);
  expect(await identity.endSessions(bob.account.id, { device: 5 })).toBe(0);
  for (const token of [ada.token, bob.token, device]) expect(await identity.findSession(token)).toBeDefined();
  expect(await identity.endSessions(ada.account.id, { allBut: 99 })).toBe(1);
  expect(await identity.findSession(device)).toBeDefined();
  expect(await identity.endSessions(ada.account.id, { device: 5 })).toBe(1);
  expect(await identity.findSession(device)).toBeUndefined();
});

testOnBothDatabases('a read during the end of a session does not restore it', async ({ open }) => {
  await using database = await open();
  let delayedRead: Promise<void> | undefined;
  const readStarted = Promise.withResolvers<void>();
  const slowPlugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const [row] = result.rows;
      if (delayedRead === undefined || row === undefined || !('unused_limit' in row)) return result;
      const readDelay = delayedRead;
      delayedRead = undefined;
      readStarted.resolve();
      await readDelay;
      return result;
    },
  };
  await using identity = await startIdentity({ ...database, db: database.db.withPlugin(slowPlugin) });
  const { token, account } = await identity.signUp(createLocalSignUp('Ada'));
  const readAllowed = Promise.withResolvers<void>();
  delayedRead = readAllowed.promise;
  const pendingSession = identity.findSession(token);
  await readStarted.promise;
  await identity.endSessions(account.id, { ids: [1] });
  readAllowed.resolve();
  expect(await pendingSession).toBeUndefined();
  expect(await identity.findSession(token)).toBeUndefined();
});

testOnSqlite('a known token costs no query, and an unknown one costs one in ten seconds', async ({ open }) => {
  await using database = await open();
  let readCount = 0;
  const countingPlugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'SelectQueryNode') readCount += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await using identity = await startIdentity({ ...database, db: database.db.withPlugin(countingPlugin) });
  const { token, account } = await identity.signUp(createLocalSignUp('Ada'));
  async function countReads(work: () => Promise<unknown>): Promise<number> {
    const before = readCount;
    await work();
    return readCount - before;
  }
  const unknown = `pgu_${'x'.repeat(43)}`;
  expect(await countReads(() => Promise.all([identity.findSession(token), identity.findSession(token)]))).toBe(1);
  expect(await countReads(() => identity.findSession(token))).toBe(0);
  await identity.findAccount(account.id);
  expect(await countReads(() => identity.findAccount(account.id))).toBe(0);
  expect(await countReads(() => identity.findSession(unknown))).toBe(1);
  expect(await countReads(() => identity.findSession(unknown))).toBe(0);
  identity.advance({ seconds: 10 });
  expect(await countReads(() => identity.findSession(unknown))).toBe(1);
  expect(await countReads(() => identity.findSession('no token at all'))).toBe(0);
});

testOnBothDatabases('a session ends after the requested number of unused days', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  await identity.signUp(createLocalSignUp('Ada'));
  const tokens = new Map<number, string>();
  for (const days of [1, 7, 30, 300, undefined])
    tokens.set(days ?? 0, (await identity.logIn(createLoginRequest('Ada', { sessionDays: days }))).token);
  async function listValid(): Promise<number[]> {
    const validDays = [];
    for (const [days, token] of tokens) if (await identity.findSession(token)) validDays.push(days);
    return validDays;
  }
  expect(await listValid()).toEqual([1, 7, 30, 300, 0]);
  identity.advance({ hours: 23, minutes: 59 });
  expect(await listValid()).toEqual([1, 7, 30, 300, 0]);
  identity.advance({ minutes: 1 });
  expect(await listValid()).toEqual([7, 30, 300, 0]);
  identity.advance({ hours: 29 * 24 });
  expect(await listValid()).toEqual([300, 0]);
  identity.advance({ hours: 270 * 24 });
  expect(await listValid()).toEqual([]);
});

testOnBothDatabases(
  'a used session of a person lasts 400 days, one of a device as long as it is used',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    const { token, account } = await identity.signUp(createLocalSignUp('Ada', { sessionDays: 300 }));
    const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, account.id, 1));
    async function use(secret: string): Promise<boolean> {
      const session = await identity.findSession(secret);
      if (session) identity.recordUse(session.id, { address: CLIENT_ADDRESS, browser: '' });
      return session !== undefined;
    }
    identity.advance({ hours: 299 * 24 });
    expect([await use(token), await use(device)]).toEqual([true, true]);
    identity.advance({ hours: 100 * 24 });
    expect([await use(token), await use(device)]).toEqual([true, true]);
    identity.advance({ hours: 24 });
    expect([await use(token), await use(device)]).toEqual([false, true]);
    identity.advance({ hours: 399 * 24 });
    expect(await use(device)).toBe(true);
    identity.advance({ hours: 400 * 24 });
    expect(await use(device)).toBe(false);
  },
);

testOnBothDatabases('the last use of sessions survives a restart', async ({ open }) => {
  await using database = await open();
  const tokens: string[] = [];
  {
    await using identity = await startIdentity(database, { rateLimits: false });
    for (let at = 0; at < 3; at += 1)
      tokens.push((await identity.signUp(createLocalSignUp(`Ada ${at}`, { sessionDays: 1 }))).token);
    identity.advance({ hours: 23 });
    for (const [at, token] of tokens.slice(0, 2).entries()) {
      const session = await identity.findSession(token);
      identity.recordUse(session?.id ?? 0, { address: `192.0.2.${at}`, browser: `Browser ${at}` });
    }
    expect((await identity.listSessions(1))[0]?.address).toBe('192.0.2.0');
  }
  await using identity = await startIdentity(database, { now: START_TIME.add({ hours: 24 }) });
  expect(await identity.findSession(tokens[2] ?? '')).toBeUndefined();
  expect(await identity.listSessions(3)).toEqual([]);
  expect(await identity.listSessions(2)).toEqual([
    {
      id: 2,
      account: 2,
      kind: 'person',
      device: undefined,
      created: START_TIME,
      lastSeen: START_TIME.add({ hours: 23 }),
      expires: START_TIME.add({ hours: 47 }),
      address: '192.0.2.1',
      browser: 'Browser 1',
    },
  ]);
  expect(await identity.findSession(tokens[1] ?? '')).toBeDefined();
});

testOnBothDatabases('an expired session is removed, and listeners are notified', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { token } = await identity.signUp(createLocalSignUp('Ada', { sessionDays: 1 }));
  const { token: used } = await identity.logIn(createLoginRequest('Ada', { sessionDays: 1 }));
  const sessions = createSessions({ database, now: identity.now, clock: () => 0, log: pino({ level: 'silent' }) });
  const ended: number[] = [];
  sessions.onEnded((ids) => ended.push(...ids));
  await sessions.findByToken(token);
  const { id = 0 } = (await sessions.findByToken(used)) ?? {};
  identity.advance({ hours: 20 });
  sessions.markSeen(id, { address: CLIENT_ADDRESS, browser: '' });
  identity.advance({ hours: 10 });
  await sessions.cleanUp();
  expect(ended).toEqual([1]);
  expect(await sessions.findByToken(token)).toBeUndefined();
  expect(await sessions.findByToken(used)).toMatchObject({ id });
  await sessions.stop();
  const rows = await database.db.$extendTables<IdentityTables>().selectFrom('session').select('id').execute();
  expect(rows).toEqual([{ id }]);
});

testOnBothDatabases('above 100 sessions, the one unused longest ends', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const first = await identity.signUp(createLocalSignUp('Ada'));
  const device = await database.transaction(({ tx }) => identity.openDeviceSession(tx, first.account.id, 1));
  identity.advance({ seconds: 1 });
  const second = await identity.logIn(createLoginRequest('Ada'));
  const db = database.db.$extendTables<IdentityTables>();
  const row = await db.selectFrom('session').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const { id: _id, ...copied } = row;
  const later = Array.from({ length: 98 }, (_, index) => ({
    ...copied,
    hash: `hash ${index}`,
    last_seen: row.last_seen + 60_000,
  }));
  await db.insertInto('session').values(later).execute();
  identity.advance({ hours: 1 });
  const session = await identity.findSession(first.token);
  identity.recordUse(session?.id ?? 0, { address: CLIENT_ADDRESS, browser: '' });
  await identity.findSession(second.token);
  const ended: number[] = [];
  identity.onSessionsEnded((ids) => ended.push(...ids));
  const newest = await identity.logIn(createLoginRequest('Ada'));
  expect(ended).toEqual([3]);
  expect(await identity.findSession(second.token)).toBeUndefined();
  for (const token of [first.token, device, newest.token]) expect(await identity.findSession(token)).toBeDefined();
  expect(await identity.listSessions(first.account.id)).toHaveLength(100);
});
