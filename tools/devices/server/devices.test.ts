import { describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { browserHello, deviceChanged, deviceHello } from '#platform/contract/device.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { tokenconv } from '#platform/contract/session.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { startServerWithContext, type ServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  changecomputername,
  checkdevices,
  devicedetails,
  getcomputernames,
  pairdevice,
  renamedevice,
  requestpairing,
  revokedevice,
  takepairing,
} from '../contract.ts';

const WRONG_CODE_MESSAGE = 'No computer shows this code';
const EXPIRED_MESSAGE = 'The code has expired';

const renameComputer = (account: TestAccount, data: { readonly id: number | string; readonly name: string }) =>
  account.call(changecomputername, { type: 'changename', data });

const requestCode = (server: TestServer, name = 'media box') =>
  server.call(requestpairing, { name, system: 'Debian 12, X11' });

async function pairComputer(server: TestServer, account: TestAccount, name?: string) {
  const { code, secret } = await requestCode(server, name);
  const { id } = await account.call(pairdevice, { code });
  const { token = '', account: owner } = await server.call(takepairing, { secret });
  return { id, token, owner };
}

/** Starts a server with a clock that the test advances. */
async function startClockedServer(databaseUrl?: string) {
  let time = Temporal.Instant.from('2026-11-21T10:00:00Z');
  const server = await startServer({ now: () => time, databaseUrl });
  return { ...server, advanceClock: (seconds: number) => void (time = time.add({ seconds })) };
}

describe('pairing', () => {
  testOnBothDatabases('a computer gets the name and the unique key of its account', async (storage) => {
    await using server = await startServer(storage);
    const [ann, bob] = [await server.createAccount('Ann'), await server.createAccount('Bob')];
    const { owner } = await pairComputer(server, ann);
    expect(owner).toEqual({ key: expect.stringMatching(/^[\w-]{43}$/), name: 'Ann' });
    expect((await pairComputer(server, ann)).owner).toEqual(owner);
    expect((await pairComputer(server, bob)).owner?.key).not.toBe(owner?.key);
  });

  testOnBothDatabases('a computer requests a code, its user enters it, and it gets its token once', async (storage) => {
    await using server = await startServer(storage);
    const ann = await server.createAccount('Ann');
    const { code, secret, expires } = await requestCode(server);
    expect(code).toMatch(/^[0-9A-Z]{8}$/);
    expect(Temporal.Instant.from(expires).since(Temporal.Now.instant()).total('minutes')).toBeCloseTo(10, 0);
    expect(await server.call(takepairing, { secret })).toEqual({});
    const typedCode = ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `;
    const { id, name } = await ann.call(pairdevice, { code: typedCode });
    expect(name).toBe('media box');
    const [firstResult, secondResult] = await Promise.allSettled([
      server.call(takepairing, { secret }),
      server.call(takepairing, { secret }),
    ]);
    const tokens = [firstResult, secondResult].flatMap((result) =>
      result.status === 'fulfilled' ? [result.value.token ?? ''] : [],
    );
    expect(tokens).toEqual([expect.stringMatching(/^pgd_/)]);
    await expect(server.call(takepairing, { secret })).rejects.toThrow(EXPIRED_MESSAGE);

    await using agent = await openSocket(server, { token: tokens[0] ?? '' });
    await using page = await openSocket(server, { token: ann.token });
    const abilities = { keyboard: { able: true }, sound: { able: false, reason: 'No sound server runs' } };
    expect(await agent.request(deviceHello, { version: '1.0', system: 'Debian 13', abilities })).toMatchObject({
      id,
      name,
    });
    expect(await page.nextEvent(deviceChanged)).toEqual({ id, name, state: 'Connected' });
    expect(await ann.call(checkdevices, {})).toEqual({
      status: [[String(id), 'media box', 'Connected']],
      kinds: { [id]: 'computer' },
    });
    const { devices } = await ann.call(devicedetails, {});
    expect(devices).toMatchObject([{ id, name, state: 'Connected', system: 'Debian 13', version: '1.0', abilities }]);
  });

  test('a code is valid for ten minutes, and the computer can get its token after that', async () => {
    await using server = await startClockedServer();
    const ann = await server.createAccount('Ann');
    const first = await requestCode(server);
    server.advanceClock(599);
    const second = await requestCode(server);
    await ann.call(pairdevice, { code: first.code });
    server.advanceClock(60);
    expect(await server.call(takepairing, { secret: first.secret })).toHaveProperty('token');
    server.advanceClock(541);
    await expect(ann.call(pairdevice, { code: second.code })).rejects.toThrow(WRONG_CODE_MESSAGE);
    await expect(server.call(takepairing, { secret: second.secret })).rejects.toThrow(EXPIRED_MESSAGE);
  });

  testOnBothDatabases('if two accounts enter a code concurrently, one gets the computer', async (storage) => {
    await using server = await startServer(storage);
    const accounts = [await server.createAccount('Ann'), await server.createAccount('Ben')];
    const { code } = await requestCode(server);
    const results = await Promise.allSettled(accounts.map((account) => account.call(pairdevice, { code })));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const lists = await Promise.all(accounts.map((account) => account.call(checkdevices, {})));
    expect(lists.flatMap(({ status }) => status)).toHaveLength(1);
  });

  testOnBothDatabases(
    'an account waits for ten minutes after five wrong codes, even concurrent ones',
    async (storage) => {
      await using server = await startClockedServer(storage.databaseUrl);
      const ann = await server.createAccount('Ann');
      const ben = await server.createAccount('Ben');
      const { code } = await requestCode(server);
      const results = await Promise.allSettled(
        Array.from({ length: 9 }, (_, index) => ann.call(pairdevice, { code: `WRONG00${index}` })),
      );
      const outcomes = results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'ok'));
      expect(outcomes.filter((sentence) => sentence.includes(WRONG_CODE_MESSAGE))).toHaveLength(5);
      expect(outcomes.filter((sentence) => sentence.includes('Try again in 10 minutes'))).toHaveLength(4);
      await expect(ann.call(pairdevice, { code })).rejects.toMatchObject({ status: 429 });
      server.advanceClock(599);
      await expect(ann.call(pairdevice, { code })).rejects.toMatchObject({ status: 429 });
      server.advanceClock(1);
      const fresh = await requestCode(server);
      expect(await ann.call(pairdevice, { code: fresh.code })).toHaveProperty('id');
      expect(await ben.call(pairdevice, { code: (await requestCode(server)).code })).toHaveProperty('id');
    },
  );

  test('an account can enter 20 codes per hour', async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    for (let time = 0; time < 20; time += 1) await ann.call(pairdevice, { code: (await requestCode(server)).code });
    const { code } = await requestCode(server);
    await expect(ann.call(pairdevice, { code })).rejects.toMatchObject({ status: 429 });
  });

  test('codes, secrets and tokens are not logged', async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    const { code, secret } = await requestCode(server);
    await ann.call(pairdevice, { code });
    const { token = '' } = await server.call(takepairing, { secret });
    await (await openSocket(server, { token }))[Symbol.asyncDispose]();
    for (const value of [code, secret, token]) expect(server.log.join('')).not.toContain(value);
    expect(server.log.join('')).toContain('device.paired');
  });

  test('an unknown secret is refused with the same message as an expired one', async () => {
    await using server = await startServer();
    await expect(server.call(takepairing, { secret: 'x'.repeat(43) })).rejects.toThrow(EXPIRED_MESSAGE);
    await expect(server.call(takepairing, { secret: '' })).rejects.toThrow(EXPIRED_MESSAGE);
  });

  test('an invalid name of a computer is cleaned', async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    for (const name of ['\u0000', 'a\nb', 'x'.repeat(100)])
      await ann.call(pairdevice, { code: (await requestCode(server, name)).code });
    const { status } = await ann.call(checkdevices, {});
    expect(status.map(([, name]) => name)).toEqual(['computer', 'ab', 'x'.repeat(40)]);
  });
});

describe('devices of an account', () => {
  test('can be renamed within the rules', async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    const { id } = await pairComputer(server, ann);
    await pairComputer(server, ann);
    await ann.call(renamedevice, { id, name: '  Study 👋 ' });
    const { status } = await ann.call(checkdevices, {});
    expect(status.map(([, name]) => name)).toEqual(['Study 👋', 'media box 2']);
    await expect(ann.call(renamedevice, { id, name: 'MEDIA BOX 2' })).rejects.toThrow(
      'already have a device with that name',
    );
    await expect(ann.call(renamedevice, { id, name: ' ' })).rejects.toThrow('Enter a name for the device');
    await expect(ann.call(renamedevice, { id, name: 'x'.repeat(41) })).rejects.toThrow('40 characters');
    await expect(ann.call(renamedevice, { id, name: 'a\u0000b' })).rejects.toThrow('control characters');
  });

  test('are listed by name, without browsers, and can be renamed by the older call', async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    const ben = await server.createAccount('Ben');
    const { id } = await pairComputer(server, ann, 'laptop');
    const { id: other } = await pairComputer(server, ann);
    await using page = await openSocket(server, { token: ann.token });
    const browser = await page.request(browserHello, { key: 'a browser of its own'.replaceAll(' ', '-') });
    expect(await ann.call(getcomputernames, {})).toEqual({ computernames: { [id]: 'laptop', [other]: 'media box' } });
    const renamed = { [id]: 'thin laptop', [other]: 'media box' };
    expect(await renameComputer(ann, { id: String(id), name: ' thin laptop ' })).toEqual({ computernames: renamed });
    await expect(renameComputer(ann, { id, name: 'Media Box' })).rejects.toThrow(
      'already have a device with that name',
    );
    await expect(renameComputer(ann, { id, name: '' })).rejects.toThrow('Enter a name for the device');
    await expect(renameComputer(ann, { id: browser.id, name: 'mine' })).rejects.toThrow('There is no such device');
    for (const foreign of [id, String(id), 2 ** 40, 'constructor', '-1'])
      await expect(renameComputer(ben, { id: foreign, name: 'mine' })).rejects.toThrow('There is no such device');
    expect(await ann.call(getcomputernames, {})).toEqual({ computernames: renamed });
    expect(await ben.call(getcomputernames, {})).toEqual({ computernames: {} });
  });

  test('lose their token and their connection when they are revoked', async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    const { id, token } = await pairComputer(server, ann);
    await using agent = await openSocket(server, { token });
    await agent.request(deviceHello, { version: '', system: '', abilities: {} });
    await ann.call(revokedevice, { id });
    expect(await agent.closed).toBe('session ended');
    await expect(openSocket(server, { token })).rejects.toThrow(InvalidTokenRefusal);
    expect(await ann.call(checkdevices, {})).toEqual({ status: [], kinds: {} });
    await expect(ann.call(revokedevice, { id })).rejects.toThrow('There is no such device');
  });

  test("can't be changed by other accounts, which get the same refusal as for unknown ids", async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    const ben = await server.createAccount('Ben');
    const { id } = await pairComputer(server, ann);
    for (const other of [id, 999_999, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      await expect(ben.call(renamedevice, { id: other, name: 'Mine' })).rejects.toThrow('There is no such device');
      await expect(ben.call(revokedevice, { id: other })).rejects.toThrow('There is no such device');
    }
    expect((await ann.call(checkdevices, {})).status).toMatchObject([[String(id), 'media box', 'Disconnected']]);
    expect((await ben.call(checkdevices, {})).status).toEqual([]);
  });

  test("can't make calls of the account", async () => {
    await using server = await startServer();
    const ann = await server.createAccount('Ann');
    const { token } = await pairComputer(server, ann);
    const call = createClient({ origin: server.origin, token: () => token });
    await expect(call(checkdevices, {})).rejects.toThrow(InvalidTokenRefusal);
    await expect(call(tokenconv, {})).rejects.toThrow(InvalidTokenRefusal);
    await expect(call(pairdevice, { code: 'AAAAAAAA' })).rejects.toThrow(InvalidTokenRefusal);
  });
});

test('a socket of another site is refused', async () => {
  await using server = await startServer();
  await expect(openSocket(server, { headers: { origin: 'http://evil.example' } })).rejects.toThrow();
  await using sameOrigin = await openSocket(server, { headers: { origin: server.origin } });
  expect(sameOrigin.raw.connected).toBe(true);
  expect(server.log.join('')).toContain('origin.refused');
});

testOnBothDatabases(
  'after a restart a connected computer is Reconnecting until 15 s after its last connection',
  async (storage) => {
    let seconds = 0;
    const now = () => Temporal.Now.instant().add({ seconds });
    const options = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl, now };
    const firstServer = await startServer(options);
    const anna = await firstServer.createAccount('anna');
    const laptop = await startDevice(firstServer, anna);
    const { token, stateDir } = laptop;
    await using awayComputer = await startDevice(firstServer, anna, { name: 'Away' });
    await firstServer[Symbol.asyncDispose]();
    await laptop.agent[Symbol.asyncDispose]();
    await awayComputer.agent[Symbol.asyncDispose]();
    async function listStates({ origin }: { readonly origin: string }) {
      const call = createClient({ origin, token: () => anna.token });
      return (await call(checkdevices, {})).status.map(([, name, state]) => `${name} ${state}`);
    }
    seconds = 10;
    {
      await using restartedServer = await startServer(options);
      expect(await listStates(restartedServer)).toEqual(['Laptop Reconnecting', 'Away Reconnecting']);
      await using _again = await startDevice(restartedServer, anna, { again: { stateDir, token } });
      expect(await listStates(restartedServer)).toEqual(['Laptop Connected', 'Away Reconnecting']);
    }
    seconds = 40;
    await using lastServer = await startServer(options);
    expect(await listStates(lastServer)).toEqual(['Laptop Disconnected', 'Away Disconnected']);
  },
);

testOnBothDatabases(
  'a computer whose session ends while Reconnecting is Disconnected, and its last-seen time stays',
  async (storage) => {
    let seconds = 0;
    const now = () => Temporal.Now.instant().add({ seconds });
    const options = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl, now };
    const firstServer = await startServer(options);
    const anna = await firstServer.createAccount('anna');
    const laptop = await startDevice(firstServer, anna);
    await using awayComputer = await startDevice(firstServer, anna, { name: 'Away' });
    await firstServer[Symbol.asyncDispose]();
    await laptop.agent[Symbol.asyncDispose]();
    await awayComputer.agent[Symbol.asyncDispose]();
    async function readState({ server, context }: ServerWithContext) {
      const { account } = await context.devices.getOwned(
        Number((await context.identity.findSession(anna.token))?.account),
        laptop.target,
      );
      const call = createClient({ origin: server.origin, token: () => anna.token });
      const states = (await call(checkdevices, {})).status.map(([, name, state]) => `${name} ${state}`);
      const [{ lastSeen } = {}] = await context.devices.list(account);
      return { account, states, lastSeen: lastSeen?.epochMilliseconds };
    }
    seconds = 5;
    {
      const restarted = await startServerWithContext(options);
      await using _ = restarted.server;
      const { account, states, lastSeen } = await readState(restarted);
      expect(states).toEqual(['Laptop Reconnecting', 'Away Reconnecting']);
      seconds = 8;
      await restarted.context.identity.endSessions(account, { device: Number(laptop.target) });
      expect(await readState(restarted)).toEqual({
        account,
        states: ['Laptop Disconnected', 'Away Reconnecting'],
        lastSeen,
      });
    }
    seconds = 10;
    const lastServer = await startServerWithContext(options);
    await using _ = lastServer.server;
    expect((await readState(lastServer)).states).toEqual(['Laptop Disconnected', 'Away Reconnecting']);
  },
);
