import { expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { pushkey, pushsubscribe } from '#platform/contract/push.ts';
import { SECOND_FACTOR_REQUIRED } from '#platform/contract/refusal.ts';
import { finishlogin, startpasskeylogin, startsecondstep } from '#platform/contract/secondFactor.ts';
import { tokenconv } from '#platform/contract/session.ts';
import { computeTotp, decodeBase32, getTotpStep } from '#platform/server/identity/totp.ts';
import { createAuthenticator } from '#testing/kits/server/authenticator.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startPushService } from '#testing/kits/server/pushService.ts';
import { startServer, TEST_PASSWORD, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { postRaw } from '#testing/security/postRaw.ts';
import {
  addpasskey,
  addtotp,
  exportaccount,
  makerecoverycodes,
  removepasskey,
  removetotp,
  renamepasskey,
  secondfactor,
  securityevents,
  startpasskey,
  starttotp,
} from '../contract.ts';

const START = Temporal.Instant.from('2026-11-30T12:00:00Z');
const PASSWORD = { password: TEST_PASSWORD };

function createClock() {
  let now = START;
  return { read: () => now, advance: (seconds: number) => void (now = now.add({ seconds })) };
}

const showCode = (secret: string, now: Temporal.Instant): string =>
  computeTotp(decodeBase32(secret), getTotpStep(now.epochMilliseconds));

/** Passkeys need a name instead of an IP address. */
const getNamedOrigin = ({ origin }: TestServer): string => origin.replace('127.0.0.1', 'localhost');

async function addApp({ call }: TestAccount, now: Temporal.Instant) {
  const { ticket, secret, uri } = await call(starttotp, PASSWORD);
  const { recoveryCodes = [] } = await call(addtotp, { ticket, oneTimeCode: showCode(secret, now) });
  return { secret, uri, recoveryCodes };
}

async function addKey(server: TestServer, { token }: TestAccount) {
  const origin = getNamedOrigin(server);
  const call = createClient({ origin, token: () => token });
  const key = createAuthenticator(origin);
  const { ticket, options } = await call(startpasskey, PASSWORD);
  const { id } = await call(addpasskey, { ticket, name: 'Laptop', passkey: key.register(options) });
  return { key, id, call };
}

testOnBothDatabases(
  'an app is set up, and the refusal of a plain client says what to do instead',
  async ({ databaseUrl }) => {
    const clock = createClock();
    await using server = await startServer({ now: clock.read, databaseUrl });
    const ada = await server.createAccount('Ada');
    const { secret, uri, recoveryCodes } = await addApp(ada, clock.read());
    expect(uri).toContain(`secret=${secret}`);
    expect(recoveryCodes).toHaveLength(10);
    const { status, answer } = await postRaw(server.origin, '/api/log', { username: 'ada', ...PASSWORD });
    expect([status, answer]).toEqual([
      200,
      {
        code: SECOND_FACTOR_REQUIRED,
        message:
          "This account has a second factor, so its password alone isn't enough. Log in at /login, or use an app password in apps",
      },
    ]);
    clock.advance(30);
    const { ticket } = await server.call(startsecondstep, { username: 'ada', ...PASSWORD });
    const oneTimeCode = showCode(secret, clock.read());
    const { token, username } = await server.call(finishlogin, { ticket, oneTimeCode, days: 1 });
    expect(username).toBe('Ada');
    expect(await createClient({ origin: server.origin, token: () => token })(tokenconv, {})).toEqual({
      username: 'Ada',
    });
  },
);

test('a remembered browser logs in with `log` again', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const { recoveryCodes } = await addApp(ada, Temporal.Now.instant());
  const { ticket } = await server.call(startsecondstep, { username: 'Ada', ...PASSWORD });
  const request = { ticket, oneTimeCode: recoveryCodes[0], remember: true };
  const { answer, headers } = await postRaw(server.origin, '/api/finishlogin', request);
  expect(answer).toMatchObject({ message: 'ok' });
  const cookie =
    headers
      .getSetCookie()
      .find((line) => line.startsWith('pb_known='))
      ?.split(';')[0] ?? '';
  const credentials = { username: 'Ada', ...PASSWORD };
  expect((await postRaw(server.origin, '/api/log', credentials, { cookie })).answer).toMatchObject({ message: 'ok' });
  expect((await postRaw(server.origin, '/api/log', credentials)).answer).toMatchObject({
    code: SECOND_FACTOR_REQUIRED,
  });
  // The first step sets no cookie, so a right password alone makes no known browser.
  const started = await postRaw(server.origin, '/api/startsecondstep', credentials);
  expect(started.headers.getSetCookie().filter((line) => line.startsWith('pb_known='))).toEqual([]);
});

testOnBothDatabases('a passkey logs in without username and password', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const ada = await server.createAccount('Ada');
  const { key, id, call } = await addKey(server, ada);
  const { ticket, options } = await call(startpasskeylogin, {});
  expect(await call(finishlogin, { ticket, passkey: key.authenticate(options) })).toMatchObject({ username: 'Ada' });
  await call(renamepasskey, { id, name: 'Old laptop' });
  expect((await call(secondfactor, {})).passkeys).toEqual([
    { id, name: 'Old laptop', host: 'localhost', created: expect.any(String), lastUsed: expect.any(String) },
  ]);
  await call(removepasskey, { id, ...PASSWORD });
  expect(await call(secondfactor, {})).toEqual({ passkeys: [], recoveryCodes: 0 });
});

test('every change asks for the password', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const { id, call } = await addKey(server, ada);
  const password = 'not the password';
  for (const change of [
    () => call(starttotp, { password }),
    () => call(removetotp, { password }),
    () => call(startpasskey, { password }),
  ])
    await expect(change()).rejects.toThrow('Wrong password');
  await expect(call(removepasskey, { id, password })).rejects.toThrow('Wrong password');
  await expect(call(makerecoverycodes, { password })).rejects.toThrow('Wrong password');
  expect((await call(secondfactor, {})).passkeys).toHaveLength(1);
});

test('passkeys are refused at an IP address, with the reason', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const sentence = "Passkeys don't work at an IP address. Open this server by its name, over https";
  await expect(ada.call(startpasskey, PASSWORD)).rejects.toThrow(sentence);
  await expect(server.call(startpasskeylogin, {})).rejects.toThrow(sentence);
});

test('the export lists factors without secrets, and the events say what happened', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const { secret, recoveryCodes } = await addApp(ada, Temporal.Now.instant());
  await addKey(server, ada);
  const { recoveryCodes: newCodes } = await ada.call(makerecoverycodes, PASSWORD);
  const { ticket } = await server.call(startsecondstep, { username: 'Ada', ...PASSWORD });
  await expect(server.call(finishlogin, { ticket, oneTimeCode: recoveryCodes[0] ?? '' })).rejects.toThrow('Wrong code');
  await server.call(finishlogin, { ticket, oneTimeCode: newCodes[0] ?? '' });
  const { content } = await ada.call(exportaccount, PASSWORD);
  const files = readZip(await content.bytes());
  const exported = readJsonFromZip(files, 'accounts.json') as { readonly secondFactor: unknown };
  expect(exported.secondFactor).toEqual({
    totpSince: expect.any(String),
    passkeys: [{ id: 1, name: 'Laptop', host: 'localhost', created: expect.any(String) }],
    recoveryCodes: 9,
  });
  const text = [...files.values()].map(String).join('') + server.log.join('');
  for (const hidden of [secret, ticket, ...recoveryCodes, ...newCodes]) expect(text).not.toContain(hidden);
  const { events } = await ada.call(securityevents, {});
  expect(events.map(({ event, times }) => [event, times])).toEqual([
    ['login.new_browser', 1],
    ['recoverycode.used', 1],
    ['secondfactor.failed', 1],
    ['recoverycode.made', 1],
    ['secondfactor.added', 2],
  ]);
});

test('a login from a new browser is reported to the subscribed browsers of the account, without secrets', async () => {
  await using service = await startPushService();
  await using server = await startServer({ egressAllow: ['127.0.0.1'], pushOverHttp: true });
  const [ada, bob] = [await server.createAccount('Ada'), await server.createAccount('Bob')];
  const { key } = await ada.call(pushkey, {});
  const [phone, bobsPhone] = [service.subscribeBrowser(key), service.subscribeBrowser(key)];
  await ada.call(pushsubscribe, phone.subscription);
  await bob.call(pushsubscribe, bobsPhone.subscription);
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  await postRaw(server.origin, '/api/log', { username: 'Ada', ...PASSWORD }, headers);
  await expect.poll(() => phone.delivered.length).toBe(1);
  expect(JSON.parse(phone.delivered[0]?.text ?? '')).toEqual({
    title: 'New login to your account',
    body: "Firefox on Linux, 127.0.0.1. If it wasn't you, end this session and change your password",
    path: '/dashboard/settings?tab=account',
    tag: 'login',
  });
  expect(bobsPhone.delivered).toEqual([]);
});
