import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { finishlogin } from '#platform/contract/secondFactor.ts';
import { log, serverinfo, signup, tokenconv } from '#platform/contract/session.ts';
import { completesinglesignon, finishsinglesignon } from '#platform/contract/singleSignOn.ts';
import { computeTotp, decodeBase32, getTotpStep } from '#platform/server/identity/totp.ts';
import { startOpenIdProvider, type TestOpenIdProvider } from '#testing/kits/server/openIdProvider.ts';
import { startServer, TEST_PASSWORD, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { postRaw } from '#testing/security/postRaw.ts';
import { addtotp, changepassword, securityevents, starttotp } from '../contract.ts';
import { serveraccounts, suspendaccount } from '../contract/access.ts';
import { linksinglesignon, singlesignon, unlinksinglesignon } from '../contract/singleSignOn.ts';

let provider: TestOpenIdProvider;
let server: TestServer;
let owner: TestAccount;
let skippedMs = 0;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  server = await startServer({
    singleSignOn: provider.options,
    now: () => Temporal.Now.instant().add({ milliseconds: skippedMs }),
  });
  provider.register(`${server.origin}/login`);
  owner = await server.createAccount('owner');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Starts a login, and returns its address and the cookie of the browser. */
async function start({ origin }: Pick<TestServer, 'origin'> = server) {
  const { answer, headers } = await postRaw(origin, '/api/startsinglesignon', { days: 7, path: '/mixer' });
  return { address: String(answer['address']), cookie: headers.getSetCookie()[0]?.split(';', 1)[0] ?? '' };
}

/** Finishes a login in the browser with the cookie. @throws Refusal */
const finish = (response: string, cookie: string) =>
  createClient({
    origin: server.origin,
    fetch: (url, request) => fetch(url, { ...request, headers: { ...request.headers, cookie } }),
  })(finishsinglesignon, { response });

/** Logs in at the provider, and finishes the login. */
async function logIn(
  subject: string,
  { name = subject, methods }: { name?: string; methods?: readonly string[] } = {},
) {
  provider.setPerson({ subject, name, ...(methods === undefined ? {} : { methods }) });
  const { address, cookie } = await start();
  return finish(await provider.logIn(address), cookie);
}

async function getUsername(token: string | undefined): Promise<string> {
  return (await createClient({ origin: server.origin, token: () => token ?? '' })(tokenconv, {})).username;
}

/** Creates an account that is linked to a person with the same name. */
async function createLinked(name: string): Promise<TestAccount> {
  const account = await server.createAccount(name);
  const { choice } = await logIn(name);
  await server.call(completesinglesignon, {
    ticket: choice?.ticket ?? '',
    username: name,
    password: TEST_PASSWORD,
    create: false,
  });
  return account;
}

test('a new person chooses a name, gets an account, and logs in without asking from then on', async () => {
  const { choice, days, path, session } = await logIn('id-1', { name: 'Grete' });
  expect({ days, path, session }).toEqual({ days: 7, path: '/mixer', session: undefined });
  expect(choice).toMatchObject({ username: 'Grete', canCreate: true });
  const request = { ticket: choice?.ticket ?? '', username: 'Grete', password: TEST_PASSWORD, create: true };
  await expect(server.call(completesinglesignon, { ...request, password: 'short' })).rejects.toThrow('too short');
  await expect(server.call(completesinglesignon, { ...request, username: 'owner' })).rejects.toThrow('taken');
  const created = await server.call(completesinglesignon, request);
  expect(await getUsername(created.session?.token)).toBe('Grete');
  await expect(server.call(completesinglesignon, { ...request, username: 'Grete2' })).rejects.toThrow('already done');
  expect(await getUsername((await logIn('id-1')).session?.token)).toBe('Grete');
  expect(await server.call(serverinfo, {})).toMatchObject({
    singleSignOn: { name: 'Authelia', allowsPasswords: true },
  });
});

test('an existing account is linked by its password at the first login', async () => {
  await server.createAccount('Hans');
  const { choice } = await logIn('id-2', { name: 'hans@example.org' });
  expect(choice?.username).toBe('hans');
  const request = { ticket: choice?.ticket ?? '', username: 'Hans', password: TEST_PASSWORD, create: false };
  await expect(server.call(completesinglesignon, { ...request, password: 'wrong password' })).rejects.toThrow(
    'Wrong username or password',
  );
  const { session } = await server.call(completesinglesignon, request);
  expect(await getUsername(session?.token)).toBe('Hans');
  expect(await getUsername((await logIn('id-2')).session?.token)).toBe('Hans');

  // Somebody else who knows the password can't replace the link.
  const thief = { ...request, ticket: (await logIn('id-8')).choice?.ticket ?? '' };
  await expect(server.call(completesinglesignon, thief)).rejects.toThrow('is linked to another login at Authelia');
  expect(await getUsername((await logIn('id-2')).session?.token)).toBe('Hans');
});

test('a new password ends a single sign-on that is under way', async () => {
  const olga = await createLinked('Olga');
  provider.setPerson({ subject: 'Olga' });
  for (let password: string = TEST_PASSWORD, round = 0; round < 4; round += 1) {
    const { address, cookie } = await start();
    const response = await provider.logIn(address);
    const newPassword = `a better horse ${round}`;
    const [login] = await Promise.allSettled([
      finish(response, cookie),
      olga.call(changepassword, { password, newPassword }),
    ]);
    const { session, choice } = login.status === 'fulfilled' ? login.value : {};
    if (session !== undefined) await expect(getUsername(session.token)).rejects.toThrow('invalid token');
    password = newPassword;
    const ticket = choice?.ticket ?? (await logIn('Olga')).choice?.ticket ?? '';
    await server.call(completesinglesignon, { ticket, username: 'Olga', password, create: false });
  }
});

test('the page to open after the login is one of this site', async () => {
  for (const path of ['//evil.example', '/\\evil.example', '/\t/evil.example', 'https://evil.example', '/a\\b'])
    expect((await postRaw(server.origin, '/api/startsinglesignon', { path })).status).toBe(400);
});

test('an account is linked and unlinked in its settings, with its password, by one person only', async () => {
  const ida = await server.createAccount('Ida');
  expect(await ida.call(singlesignon, {})).toEqual({ provider: 'Authelia' });
  await expect(ida.call(linksinglesignon, { password: 'wrong password' })).rejects.toThrow('Wrong password');
  async function link(account: TestAccount): Promise<unknown> {
    const body = { token: account.token, password: TEST_PASSWORD };
    const { answer, headers } = await postRaw(server.origin, '/api/linksinglesignon', body);
    const response = await provider.logIn(String(answer['address']));
    return finish(response, headers.getSetCookie()[0]?.split(';', 1)[0] ?? '');
  }
  provider.setPerson({ subject: 'id-3', name: 'ida' });
  expect(await link(ida)).toEqual({ isLinked: true, path: '/dashboard/settings?tab=account' });
  expect(await ida.call(singlesignon, {})).toMatchObject({ provider: 'Authelia', link: { label: 'ida' } });
  expect(await getUsername((await logIn('id-3')).session?.token)).toBe('Ida');
  await expect(link(owner)).rejects.toThrow('is linked to another account');
  await expect(ida.call(unlinksinglesignon, { password: 'wrong password' })).rejects.toThrow('Wrong password');
  await ida.call(unlinksinglesignon, { password: TEST_PASSWORD });
  await expect(ida.call(unlinksinglesignon, { password: TEST_PASSWORD })).rejects.toThrow('not linked');
  expect((await logIn('id-3')).choice).toBeDefined();
  await link(ida);
  await ida.call(changepassword, { password: TEST_PASSWORD, newPassword: 'a better horse' });
  expect(await ida.call(singlesignon, {})).toEqual({ provider: 'Authelia' });
  expect((await ida.call(securityevents, {})).events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['signon.linked', 'signon.unlinked']),
  );
});

test('a login works once, in the browser that started it, and for ten minutes', async () => {
  await createLinked('Jan');
  provider.setPerson({ subject: 'Jan' });
  const { address, cookie } = await start();
  const response = await provider.logIn(address);
  await expect(finish(response, '')).rejects.toThrow('This took too long, or was already done');
  const other = await start();
  await expect(finish(response, other.cookie)).rejects.toThrow('did not work');
  expect((await finish(response, cookie)).session).toBeDefined();
  await expect(finish(response, cookie)).rejects.toThrow('did not work');
  const late = await start();
  const lateResponse = await provider.logIn(late.address);
  skippedMs = 10 * 60_000;
  await expect(finish(lateResponse, late.cookie)).rejects.toThrow('This took too long');
  skippedMs = 0;
});

test('a foreign state, a foreign nonce and a forged code are refused', async () => {
  await createLinked('Kim');
  provider.setPerson({ subject: 'Kim' });
  async function tryChanged(change: {
    readonly address?: (url: URL) => void;
    readonly response?: (query: URLSearchParams) => void;
  }): Promise<unknown> {
    const { address, cookie } = await start();
    const url = new URL(address);
    change.address?.(url);
    const query = new URLSearchParams(await provider.logIn(url.href));
    change.response?.(query);
    return finish(`?${query.toString()}`, cookie);
  }
  expect(await tryChanged({})).toHaveProperty('session');
  const changes = [
    { response: (query: URLSearchParams) => query.set('state', 'foreign') },
    { address: (url: URL) => url.searchParams.set('nonce', 'foreign') },
    { address: (url: URL) => url.searchParams.set('code_challenge', 'A'.repeat(43)) },
    { response: (query: URLSearchParams) => query.set('code', 'forged') },
    { response: (query: URLSearchParams) => query.set('iss', 'https://elsewhere.example') },
    { response: (query: URLSearchParams) => query.delete('code') },
  ];
  for (const change of changes) await expect(tryChanged(change)).rejects.toThrow('The login at Authelia did not work');
});

test('a person who cancels reads so, and can start again', async () => {
  provider.setPerson(undefined);
  const { address, cookie } = await start();
  await expect(finish(await provider.logIn(address), cookie)).rejects.toThrow('The login at Authelia was cancelled');
});

test('a suspended account is refused, also while it is linked', async () => {
  await createLinked('Lea');
  const accounts = (await owner.call(serveraccounts, {})).accounts;
  const id = accounts.find(({ username }) => username === 'Lea')?.id ?? 0;
  await owner.call(suspendaccount, { id, suspended: true });
  await expect(logIn('Lea')).rejects.toThrow('This account is suspended');
  const { choice } = await logIn('id-4');
  const request = { ticket: choice?.ticket ?? '', username: 'Lea', password: TEST_PASSWORD, create: false };
  await expect(server.call(completesinglesignon, request)).rejects.toThrow('This account is suspended');
});

test('our second factor is needed unless the provider has checked one, also for linking', async () => {
  const mia = await server.createAccount('Mia');
  const { ticket, secret } = await mia.call(starttotp, { password: TEST_PASSWORD });
  /** Returns the next code. */
  function getCode(): string {
    skippedMs += 30_000;
    return computeTotp(decodeBase32(secret), getTotpStep(Date.now() + skippedMs));
  }
  await mia.call(addtotp, { ticket, oneTimeCode: getCode() });

  const { choice } = await logIn('id-5', { methods: ['mfa'] });
  const request = { ticket: choice?.ticket ?? '', username: 'Mia', password: TEST_PASSWORD, create: false };
  const { secondStep, session } = await server.call(completesinglesignon, request);
  expect(session).toBeUndefined();
  expect((await logIn('id-5')).choice).toBeDefined();
  await server.call(finishlogin, { ticket: secondStep?.ticket ?? '', oneTimeCode: getCode() });

  expect(await getUsername((await logIn('id-5', { methods: ['pwd', 'mfa'] })).session?.token)).toBe('Mia');
  const plain = await logIn('id-5', { methods: ['pwd'] });
  expect(plain.session).toBeUndefined();
  const finished = await server.call(finishlogin, { ticket: plain.secondStep?.ticket ?? '', oneTimeCode: getCode() });
  expect(finished.username).toBe('Mia');
  skippedMs = 0;
});

test('the server starts and passwords log in while the provider is down, and nothing of a login is logged', async () => {
  await using other = await startServer({
    singleSignOn: { ...provider.options, issuer: 'http://127.0.0.1:1' },
    basePath: '/pegboard',
  });
  await other.createAccount('owner');
  const { answer } = await postRaw(other.origin, '/api/startsinglesignon', {});
  expect(answer['message']).toBe("Authelia can't be reached. Log in with your password, or try again later");
  await other.call(log, { username: 'owner', password: TEST_PASSWORD });
  expect(other.log.some((line) => line.includes('signon.failed'))).toBe(true);

  provider.setPerson({ subject: 'id-6' });
  const { address, cookie } = await start();
  const response = await provider.logIn(address);
  await finish(response, cookie);
  const logged = server.log.join('\n');
  for (const secret of [new URLSearchParams(response).get('code'), cookie.split('=')[1], provider.options.clientSecret])
    expect(logged).not.toContain(secret);
});

test('passwords can be off: only a reset by the operator lets one in, for a day', async () => {
  let now = Temporal.Now.instant();
  const { server: strict, context } = await startServerWithContext({
    singleSignOn: { ...provider.options, allowsPasswords: false, createsAccounts: false },
    now: () => now,
  });
  await using _ = strict;
  const { token } = await strict.createAccount('owner');
  const credentials = { username: 'owner', password: TEST_PASSWORD };
  await expect(strict.call(log, credentials)).rejects.toThrow("Passwords don't log in on this server");
  await expect(strict.call(log, { ...credentials, password: 'wrong password' })).rejects.toThrow('Wrong username');
  await expect(strict.call(signup, { username: 'Nora', password: TEST_PASSWORD })).rejects.toThrow(
    'Accounts of this server log in at Authelia',
  );
  await context.identity.allowPasswordLogin(1);
  await strict.call(log, credentials);
  now = now.add({ hours: 25 });
  await expect(strict.call(log, credentials)).rejects.toThrow("Passwords don't log in on this server");
  expect(await createClient({ origin: strict.origin, token: () => token })(tokenconv, {})).toEqual({
    username: 'owner',
  });
});
