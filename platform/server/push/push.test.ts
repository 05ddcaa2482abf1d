import { createECDH } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { pushkey, pushsubscribe, pushtest, pushunsubscribe } from '#platform/contract/push.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { log, logout } from '#platform/contract/session.ts';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import { startPushService, type DeliveredMessage } from '#testing/kits/server/pushService.ts';
import { TEST_PASSWORD, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { MAX_SUBSCRIPTIONS_PER_ACCOUNT } from './subscriptionStore.ts';

const MESSAGE = { title: 'Today', body: 'Dentist, 09:40', path: '/calendar', tag: 'reminder' } as const;

async function startTestServer(options: Parameters<typeof startServerWithContext>[0] = {}) {
  const { server, context } = await startServerWithContext({
    egressAllow: ['127.0.0.1'],
    pushOverHttp: true,
    ...options,
  });
  return { server, push: context.push, identity: context.identity };
}

/** Starts a server and a push service, with one subscribed browser of the account 'ann'. */
async function startWithBrowser() {
  const { server, push } = await startTestServer();
  const service = await startPushService();
  const ann = await server.createAccount('ann');
  const browser = service.subscribeBrowser((await ann.call(pushkey, {})).key);
  await ann.call(pushsubscribe, browser.subscription);
  async function stop(): Promise<void> {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  }
  return { server, push, browser, [Symbol.asyncDispose]: stop };
}

async function logInAgain({ origin }: TestServer, { name }: TestAccount): Promise<TestAccount> {
  const { token } = await createClient({ origin })(log, { username: name, password: TEST_PASSWORD });
  return { name, password: TEST_PASSWORD, token, call: createClient({ origin, token: () => token }) };
}

testOnBothDatabases(
  'a message reaches each browser of the account, signed and encrypted',
  async ({ dataDir, databaseUrl }) => {
    const { server, push, identity } = await startTestServer({ dataDir, databaseUrl });
    await using _ = server;
    await using service = await startPushService();
    const [ann, ben] = [await server.createAccount('ann'), await server.createAccount('ben')];
    const { key } = await ann.call(pushkey, {});
    const [phone, laptop, bens] = [
      service.subscribeBrowser(key),
      service.subscribeBrowser(key),
      service.subscribeBrowser(key),
    ];
    for (const { subscription } of [phone, laptop]) await ann.call(pushsubscribe, subscription);
    await ben.call(pushsubscribe, bens.subscription);
    expect(await push.send(1, MESSAGE)).toEqual({ sent: 2, failed: 0 });
    for (const { delivered } of [phone, laptop])
      expect(delivered.map(({ text }) => JSON.parse(text))).toEqual([MESSAGE]);
    expect(bens.delivered).toEqual([]);
    expect(phone.delivered[0]?.headers).toMatchObject({
      ttl: '43200',
      urgency: 'normal',
      'content-encoding': 'aes128gcm',
      topic: expect.stringMatching(/^[\w-]{32}$/) as string,
    });
    expect(await push.listAccounts()).toEqual([1, 2]);

    // The same browser subscribes again: it remains one subscription, also if two tabs do it concurrently.
    await ann.call(pushsubscribe, phone.subscription);
    for (let round = 0; round < 5; round += 1)
      await Promise.all([1, 2, 3].map(() => ann.call(pushsubscribe, phone.subscription)));
    expect(await push.send(1, MESSAGE)).toEqual({ sent: 2, failed: 0 });
    await ann.call(pushunsubscribe, { endpoint: laptop.subscription.endpoint });
    await ben.call(pushunsubscribe, { endpoint: phone.subscription.endpoint });
    expect(await push.send(1, MESSAGE)).toEqual({ sent: 1, failed: 0 });

    for (const [isSuspended, sent] of [
      [true, 0],
      [false, 1],
    ] as const) {
      await identity.setSuspended(2, isSuspended, { address: '' });
      expect(await push.send(2, MESSAGE)).toEqual({ sent, failed: 0 });
      expect(await push.listAccounts()).toHaveLength(1 + sent);
    }
  },
);

testOnBothDatabases('a browser is notified while its session lasts', async ({ dataDir, databaseUrl }) => {
  const clock = { now: Temporal.Instant.from('2026-11-21T08:00:00Z') };
  const { server, push } = await startTestServer({ dataDir, databaseUrl, now: () => clock.now });
  await using _ = server;
  await using service = await startPushService();
  const ann = await server.createAccount('ann');
  const { key } = await ann.call(pushkey, {});
  const [first, second] = [service.subscribeBrowser(key), service.subscribeBrowser(key)];
  await ann.call(pushsubscribe, first.subscription);
  const secondLogin = await logInAgain(server, ann);
  await secondLogin.call(pushsubscribe, second.subscription);
  await secondLogin.call(logout, {});
  expect(await push.send(1, MESSAGE)).toEqual({ sent: 1, failed: 0 });
  // The login of the second browser is reported to the first one as well.
  const isMessage = ({ text }: DeliveredMessage): boolean => text === JSON.stringify(MESSAGE);
  expect([first.delivered.filter(isMessage).length, second.delivered.length]).toEqual([1, 0]);
  clock.now = clock.now.add({ hours: 24 * 401 });
  expect(await push.listAccounts()).toEqual([]);
  expect(await push.send(1, MESSAGE)).toEqual({ sent: 0, failed: 0 });
});

testOnBothDatabases(
  'a browser where another account logs in is only notified of that account',
  async ({ dataDir, databaseUrl }) => {
    const { server, push } = await startTestServer({ dataDir, databaseUrl });
    await using _ = server;
    await using service = await startPushService();
    const [ann, ben] = [await server.createAccount('ann'), await server.createAccount('ben')];
    const { subscription } = service.subscribeBrowser((await ann.call(pushkey, {})).key);
    await ann.call(pushsubscribe, subscription);
    await ben.call(pushsubscribe, subscription);
    expect([await push.send(1, MESSAGE), await push.send(2, MESSAGE)]).toEqual([
      { sent: 0, failed: 0 },
      { sent: 1, failed: 0 },
    ]);
  },
);

testOnBothDatabases('the newest twenty browsers of an account are notified', async ({ dataDir, databaseUrl }) => {
  const { server, push } = await startTestServer({ dataDir, databaseUrl });
  await using _ = server;
  await using service = await startPushService();
  const [ann, ben] = [await server.createAccount('ann'), await server.createAccount('ben')];
  const { key } = await ann.call(pushkey, {});
  await ben.call(pushsubscribe, service.subscribeBrowser(key).subscription);
  const browsers = Array.from({ length: MAX_SUBSCRIPTIONS_PER_ACCOUNT + 2 }, () => service.subscribeBrowser(key));
  for (const { subscription } of browsers) await ann.call(pushsubscribe, subscription);
  expect(await push.send(1, MESSAGE)).toEqual({ sent: 20, failed: 0 });
  expect(browsers.map(({ delivered }) => delivered.length)).toEqual([0, 0, ...Array.from({ length: 20 }, () => 1)]);
  expect(await push.send(2, MESSAGE)).toEqual({ sent: 1, failed: 0 });
});

test.each([404, 410])('a subscription that no longer exists at the service (%i) is removed', async (status) => {
  await using setup = await startWithBrowser();
  const { push, browser } = setup;
  browser.setStatus(status);
  expect(await push.send(1, MESSAGE)).toEqual({ sent: 0, failed: 0 });
  expect(await push.listAccounts()).toEqual([]);
});

test.each([403, 413, 429, 500, 302])(
  'a service that responds %i is tried again with the next message',
  async (status) => {
    await using setup = await startWithBrowser();
    const { server, push, browser } = setup;
    browser.setStatus(status);
    expect(await push.send(1, MESSAGE)).toEqual({ sent: 0, failed: 1 });
    browser.setStatus(201);
    expect(await push.send(1, MESSAGE)).toEqual({ sent: 1, failed: 0 });
    expect(server.log.filter((line) => line.includes('/push/') || line.includes('Dentist'))).toEqual([]);
  },
);

test('a long message is cut to the size that push services accept', async () => {
  await using setup = await startWithBrowser();
  const { push, browser: phone } = setup;
  await push.send(1, { ...MESSAGE, title: '👋'.repeat(300), body: '👩‍👩‍👧'.repeat(2000) });
  const [{ text, headers } = { text: '', headers: {} }] = phone.delivered;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3072);
  expect(Number(headers['content-length'])).toBeLessThanOrEqual(4096);
  expect((JSON.parse(text) as typeof MESSAGE).title).toBe(`${'👋'.repeat(200)}…`);
});

test('invalid subscriptions are refused, and private addresses never contacted', async () => {
  const { server, push } = await startTestServer({ egressAllow: [] });
  await using _ = server;
  await using service = await startPushService();
  const ann = await server.createAccount('ann');
  const browser = service.subscribeBrowser((await ann.call(pushkey, {})).key);
  const { endpoint, keys } = browser.subscription;
  for (const wrong of [
    { endpoint: 'file:///etc/passwd', keys: { ...keys, auth: 'x' } },
    { endpoint: 'no address', keys },
    { endpoint, keys: { ...keys, p256dh: 'x' } },
  ])
    await expect(ann.call(pushsubscribe, wrong)).rejects.toThrow(
      new Refusal(
        'push.invalid_subscription',
        'The notification subscription of this browser is not valid. Turn its notifications off and on again',
      ),
    );
  await ann.call(pushsubscribe, { endpoint, keys });
  expect(await push.send(1, MESSAGE)).toEqual({ sent: 0, failed: 1 });
  expect(browser.delivered).toEqual([]);
});

test('without the option for tests, only HTTPS push services are accepted', async () => {
  const { server } = await startTestServer({ pushOverHttp: false });
  await using _ = server;
  await using service = await startPushService();
  const ann = await server.createAccount('ann');
  const { subscription } = service.subscribeBrowser((await ann.call(pushkey, {})).key);
  await expect(ann.call(pushsubscribe, subscription)).rejects.toThrow(
    'The notification subscription of this browser is not valid. Turn its notifications off and on again',
  );
});

test('a browser can send itself a test notification, and learns if that fails', async () => {
  const { server } = await startTestServer();
  await using _ = server;
  await using service = await startPushService();
  const ann = await server.createAccount('ann');
  const { key } = await ann.call(pushkey, {});
  const [phone, laptop] = [service.subscribeBrowser(key), service.subscribeBrowser(key)];
  for (const { subscription } of [phone, laptop]) await ann.call(pushsubscribe, subscription);
  await ann.call(pushtest, { endpoint: phone.subscription.endpoint });
  expect([phone.delivered.length, laptop.delivered.length]).toEqual([1, 0]);
  phone.setStatus(500);
  await expect(ann.call(pushtest, { endpoint: phone.subscription.endpoint })).rejects.toThrow(
    'refused the notification',
  );
  phone.setStatus(410);
  await expect(ann.call(pushtest, { endpoint: phone.subscription.endpoint })).rejects.toThrow('no longer subscribed');
});

testOnSqlite('the key is created at first use, private to this user, and stays the same', async ({ dataDir }) => {
  const path = join(dataDir, 'push.json');
  async function readKeys(): Promise<readonly string[]> {
    const { server } = await startTestServer({ dataDir });
    await using _ = server;
    await expect(server.call(pushkey, {})).rejects.toThrow(InvalidTokenRefusal);
    const { token } = await server
      .call(log, { username: 'ann', password: TEST_PASSWORD })
      .catch(() => server.createAccount('ann'));
    const ann = createClient({ origin: server.origin, token: () => token });
    return await Promise.all(Array.from({ length: 5 }, async () => (await ann(pushkey, {})).key));
  }
  await expect(stat(path)).rejects.toThrow('ENOENT');
  const keys = [...(await readKeys()), ...(await readKeys())];
  expect(new Set(keys).size).toBe(1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a service that knows another key of this server refuses messages', async () => {
  const { server, push } = await startTestServer();
  await using _ = server;
  await using service = await startPushService();
  const ann = await server.createAccount('ann');
  const otherKey = createECDH('prime256v1').generateKeys('base64url');
  const phone = service.subscribeBrowser(otherKey);
  await ann.call(pushsubscribe, phone.subscription);
  expect(await push.send(1, MESSAGE)).toEqual({ sent: 0, failed: 1 });
});

test('a damaged key is reported and not replaced, because browsers subscribed with it', async () => {
  const { server } = await startTestServer();
  await using _ = server;
  const path = join(server.dataDir, 'push.json');
  await writeFile(path, '{"key":"-----BEGIN nothing"}');
  const ann = await server.createAccount('ann');
  await expect(ann.call(pushkey, {})).rejects.toThrow('push.json, the key for notifications, is damaged');
  expect(await readFile(path, 'utf8')).toContain('BEGIN nothing');
});
