import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { SECOND_FACTOR_REQUIRED } from '#platform/contract/refusal.ts';
import { createAuthenticator, type Authenticator } from '#testing/kits/server/authenticator.ts';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import {
  createLocalSignUp,
  createLoginRequest,
  CLIENT_ADDRESS,
  startIdentity,
  type TestIdentity,
} from '#testing/security/identity.ts';
import type { FinishLoginRequest } from './identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { computeTotp, decodeBase32, getTotpStep } from './totp.ts';

const ORIGIN = 'https://pegboard.example';
const PAGE = { address: CLIENT_ADDRESS, origin: ORIGIN };

/** Computes the code that an authenticator app shows now. */
const showCode = (identity: TestIdentity, secret: string): string =>
  computeTotp(decodeBase32(secret), getTotpStep(identity.now().epochMilliseconds));

async function addTotp(identity: TestIdentity, account: number) {
  const { ticket, secret } = await identity.secondFactors.startTotp(account, PAGE);
  const request = { ticket, oneTimeCode: showCode(identity, secret) };
  const { recoveryCodes = [] } = await identity.secondFactors.addTotp(account, request, PAGE);
  return { secret, recoveryCodes };
}

async function addPasskey(
  identity: TestIdentity,
  account: number,
  { origin = ORIGIN, name = 'Key' }: { readonly origin?: string; readonly name?: string } = {},
): Promise<{ readonly key: Authenticator; readonly id: number; readonly recoveryCodes: readonly string[] }> {
  const page = { ...PAGE, origin };
  const key = createAuthenticator(origin);
  const { ticket, options } = await identity.secondFactors.startPasskey(account, page);
  const request = { ticket, name, passkey: key.register(options) };
  const { id, recoveryCodes = [] } = await identity.secondFactors.addPasskey(account, request, page);
  return { key, id, recoveryCodes };
}

const startLogin = (identity: TestIdentity, more: Parameters<typeof createLoginRequest>[1] = {}, origin = ORIGIN) =>
  identity.startSecondStep({ ...createLoginRequest('Ada', more), origin });

const createFinish = (ticket: string, more: Partial<FinishLoginRequest> = {}): FinishLoginRequest => ({
  ticket,
  oneTimeCode: undefined,
  passkey: undefined,
  isRemembered: false,
  sessionDays: undefined,
  client: { address: CLIENT_ADDRESS, browser: 'Test browser' },
  knownBrowser: undefined,
  origin: ORIGIN,
  ...more,
});

const getCode = (error: unknown): unknown => (error as { readonly code?: string }).code;
const getOutcome = (login: Promise<unknown>): Promise<unknown> => login.then(() => 'in', getCode);

testOnBothDatabases('an authenticator app is needed after the password, and each code works once', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { secret, recoveryCodes } = await addTotp(identity, account.id);
  expect(recoveryCodes).toHaveLength(10);
  expect(await identity.secondFactors.get(account.id)).toEqual({
    totpSince: identity.now(),
    passkeys: [],
    recoveryCodeCount: 10,
  });
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada')))).toBe(SECOND_FACTOR_REQUIRED);
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada', { password: 'wrong horse' })))).toBe(
    'auth.wrong_credentials',
  );
  const { ticket, hasTotp, passkeyOptions, otherHosts } = await startLogin(identity);
  expect({ hasTotp, passkeyOptions, otherHosts }).toEqual({ hasTotp: true, passkeyOptions: undefined, otherHosts: [] });
  const logInWith = (oneTimeCode: string) => getOutcome(identity.finishLogin(createFinish(ticket, { oneTimeCode })));
  // The code that set up the app is used already.
  expect(await logInWith(showCode(identity, secret))).toBe('auth.wrong_second_factor');
  identity.advance({ seconds: 30 });
  const code = showCode(identity, secret);
  const outcomes = await Promise.all([logInWith(code), logInWith(code)]);
  expect(outcomes.toSorted()).toEqual(['auth.wrong_second_factor', 'in']);
  identity.advance({ seconds: 30 });
  // The ticket is used as well.
  expect(await logInWith(showCode(identity, secret))).toBe('auth.step_expired');
});

testOnBothDatabases('a recovery code replaces the app once, and new ones end the old ones', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { recoveryCodes } = await addTotp(identity, account.id);
  const [first = '', second = ''] = recoveryCodes;
  async function logInWith(oneTimeCode: string): Promise<unknown> {
    const { ticket } = await startLogin(identity);
    return getOutcome(identity.finishLogin(createFinish(ticket, { oneTimeCode })));
  }
  expect(await logInWith(first.toLowerCase().replaceAll('-', ' '))).toBe('in');
  expect(await logInWith(first)).toBe('auth.wrong_second_factor');
  expect((await identity.secondFactors.get(account.id)).recoveryCodeCount).toBe(9);
  const renewed = await identity.secondFactors.createRecoveryCodes(account.id, PAGE);
  expect(await logInWith(second)).toBe('auth.wrong_second_factor');
  expect(await logInWith(renewed[0] ?? '')).toBe('in');
  expect(identity.logLines.filter((line) => line.includes('"recoverycode.used"'))).toHaveLength(2);
});

testOnBothDatabases('secrets and codes are not stored in plain text, and not logged', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { secret, recoveryCodes } = await addTotp(identity, account.id);
  const { ticket } = await startLogin(identity);
  await getOutcome(identity.finishLogin(createFinish(ticket, { oneTimeCode: recoveryCodes[0] })));
  const db = database.db.$extendTables<IdentityTables>();
  const stored = JSON.stringify([
    await db.selectFrom('totp').selectAll().execute(),
    await db.selectFrom('recovery_code').selectAll().execute(),
    await db.selectFrom('used_ticket').selectAll().execute(),
  ]);
  const secrets = [secret, ticket, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))];
  for (const text of secrets) expect(stored + identity.logLines.join('')).not.toContain(text);
});

testOnBothDatabases('a passkey is the second step, or logs in without a password', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { key, recoveryCodes } = await addPasskey(identity, account.id, { name: ' Ada’s\u{202E} phone ' });
  expect(recoveryCodes).toHaveLength(10);
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada')))).toBe(SECOND_FACTOR_REQUIRED);

  const { ticket, passkeyOptions } = await startLogin(identity);
  if (passkeyOptions === undefined) throw new Error('there are no options');
  expect(passkeyOptions.allowCredentials).toHaveLength(1);
  const passkey = key.authenticate(passkeyOptions, { isVerified: false });
  expect((await identity.finishLogin(createFinish(ticket, { passkey }))).account).toEqual(account);
  expect(await getOutcome(identity.finishLogin(createFinish(ticket, { passkey })))).toBe('auth.wrong_second_factor');

  const start = await identity.startPasskeyLogin(ORIGIN);
  expect(start.options).toMatchObject({ allowCredentials: [], userVerification: 'required', rpId: 'pegboard.example' });
  const proof = key.authenticate(start.options);
  expect((await identity.finishLogin(createFinish(start.ticket, { passkey: proof }))).account).toEqual(account);
  expect((await identity.secondFactors.get(account.id)).passkeys).toMatchObject([
    { name: 'Ada’s phone', host: 'pegboard.example', lastUsed: identity.now() },
  ]);
});

testOnBothDatabases('a passkey proof is refused if anything about it is wrong', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { key, id } = await addPasskey(identity, account.id);
  async function logInWith(
    changes: Parameters<Authenticator['authenticate']>[1],
    more: Partial<FinishLoginRequest> = {},
  ): Promise<unknown> {
    const { ticket, options } = await identity.startPasskeyLogin(ORIGIN);
    const passkey = key.authenticate(options, changes);
    return getOutcome(identity.finishLogin(createFinish(ticket, { passkey, ...more })));
  }
  const refused = 'auth.unknown_passkey';
  expect(await logInWith({ isVerified: false })).toBe(refused);
  expect(await logInWith({ origin: 'https://pegboard.example.evil.example' })).toBe(refused);
  expect(await logInWith({ rpId: 'evil.example' })).toBe(refused);
  expect(await logInWith({}, { origin: 'https://other.example' })).toBe(refused);
  expect(await logInWith({ counter: 9 })).toBe('in');
  expect(await logInWith({ counter: 9 })).toBe(refused);
  const { options } = await identity.startPasskeyLogin(ORIGIN);
  const proofOfOtherTicket = key.authenticate(options);
  expect(await logInWith({}, { passkey: proofOfOtherTicket })).toBe(refused);
  expect(await logInWith({}, { passkey: createAuthenticator(ORIGIN).authenticate(options) })).toBe(refused);
  expect(await logInWith({}, { passkey: undefined, oneTimeCode: '123456' })).toBe('auth.step_expired');
  expect(await logInWith({ counter: 20 })).toBe('in');
  await identity.secondFactors.removePasskey(account.id, id, PAGE);
  expect(await logInWith({ counter: 30 })).toBe(refused);
});

testOnBothDatabases("a passkey of another account is no second step, and others can't change it", async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const ada = await identity.signUp(createLocalSignUp('Ada'));
  const eve = await identity.signUp(createLocalSignUp('Eve'));
  const { id } = await addPasskey(identity, ada.account.id);
  const { key: otherKey } = await addPasskey(identity, eve.account.id);
  const { ticket, passkeyOptions } = await startLogin(identity);
  if (passkeyOptions === undefined) throw new Error('there are no options');
  const passkey = otherKey.authenticate(passkeyOptions);
  expect(await getOutcome(identity.finishLogin(createFinish(ticket, { passkey })))).toBe('auth.wrong_second_factor');
  const { secondFactors } = identity;
  expect(await getOutcome(secondFactors.renamePasskey(eve.account.id, id, 'Mine'))).toBe('passkey.not_found');
  expect(await getOutcome(secondFactors.removePasskey(eve.account.id, id, PAGE))).toBe('passkey.not_found');
  // Tickets belong to the account that started.
  const start = await secondFactors.startPasskey(ada.account.id, PAGE);
  const request = { ...start, name: 'Key', passkey: createAuthenticator(ORIGIN).register(start.options) };
  expect(await getOutcome(secondFactors.addPasskey(eve.account.id, request, PAGE))).toBe('auth.step_expired');
  const totp = await secondFactors.startTotp(ada.account.id, PAGE);
  const oneTimeCode = showCode(identity, totp.secret);
  expect(await getOutcome(secondFactors.addTotp(eve.account.id, { ...totp, oneTimeCode }, PAGE))).toBe(
    'auth.step_expired',
  );
});

testOnBothDatabases('passkeys belong to the name under which the page was open', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  await addPasskey(identity, account.id);
  const { passkeyOptions, otherHosts } = await startLogin(identity, {}, 'https://other.example');
  expect([passkeyOptions, otherHosts]).toEqual([undefined, ['pegboard.example']]);
  await addPasskey(identity, account.id, { origin: 'https://other.example' });
  const both = await startLogin(identity, {}, 'https://other.example');
  expect([both.passkeyOptions?.rpId, both.passkeyOptions?.allowCredentials.length, both.otherHosts]).toEqual([
    'other.example',
    1,
    ['pegboard.example'],
  ]);
  for (const origin of ['http://192.168.1.5:8300', 'https://[fd00::1]:8443']) {
    expect(await getOutcome(identity.secondFactors.startPasskey(account.id, { ...PAGE, origin }))).toBe(
      'passkey.address_unsuitable',
    );
    expect(await getOutcome(identity.startPasskeyLogin(origin))).toBe('passkey.address_unsuitable');
    expect((await startLogin(identity, {}, origin)).passkeyOptions).toBeUndefined();
  }
});

testOnBothDatabases('a remembered browser needs no second factor for 30 days', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account, knownBrowser } = await identity.signUp(createLocalSignUp('Ada'));
  const bob = await identity.signUp(createLocalSignUp('Bob', { knownBrowser }));
  expect(bob.knownBrowser).toBe(knownBrowser);
  const { recoveryCodes } = await addTotp(identity, account.id);
  const codes = [...recoveryCodes];
  // A known browser is not a remembered one.
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada', { knownBrowser })))).toBe(SECOND_FACTOR_REQUIRED);
  async function logInRemembered(): Promise<string> {
    const { ticket } = await startLogin(identity);
    const request = createFinish(ticket, { oneTimeCode: codes.pop(), isRemembered: true, knownBrowser });
    return (await identity.finishLogin(request)).knownBrowser;
  }
  const remembered = await logInRemembered();
  // The secret is new, so no other program can have put it into the browser. Bob's account knows the new one.
  expect(remembered).not.toBe(knownBrowser);
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada', { knownBrowser })))).toBe(SECOND_FACTOR_REQUIRED);
  const db = database.db.$extendTables<IdentityTables>();
  expect(
    await db.selectFrom('known_browser').select('id').where('account', '=', bob.account.id).execute(),
  ).toHaveLength(1);
  identity.advance({ hours: 30 * 24 - 1 });
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada', { knownBrowser: remembered })))).toBe('in');
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada', { knownBrowser: remembered, password: 'x' })))).toBe(
    'auth.wrong_credentials',
  );
  identity.advance({ hours: 1 });
  expect(await getOutcome(identity.logIn(createLoginRequest('Ada', { knownBrowser: remembered })))).toBe(
    SECOND_FACTOR_REQUIRED,
  );
  // Ending all other sessions and a new password forget remembered browsers.
  for (const forget of [
    () => identity.endSessions(account.id, { allBut: 0 }),
    () => identity.changePassword(account.id, createLoginRequest('').password, undefined),
  ]) {
    const knownAgain = await logInRemembered();
    const logIn = () => getOutcome(identity.logIn(createLoginRequest('Ada', { knownBrowser: knownAgain })));
    expect(await logIn()).toBe('in');
    await forget();
    expect(await logIn()).toBe(SECOND_FACTOR_REQUIRED);
  }
});

testOnBothDatabases(
  'the last factor takes recovery codes with it, and the password is enough again',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    const { account } = await identity.signUp(createLocalSignUp('Ada'));
    const { secondFactors } = identity;
    expect(await getOutcome(secondFactors.createRecoveryCodes(account.id, PAGE))).toBe('second_factor.off');
    const { recoveryCodes } = await addTotp(identity, account.id);
    const { id, recoveryCodes: none } = await addPasskey(identity, account.id);
    expect([recoveryCodes.length, none.length]).toEqual([10, 0]);
    expect(await getOutcome(secondFactors.startTotp(account.id, PAGE))).toBe('second_factor.totp_exists');
    await secondFactors.removeTotp(account.id, PAGE);
    expect(await getOutcome(secondFactors.removeTotp(account.id, PAGE))).toBe('second_factor.no_totp');
    expect((await secondFactors.get(account.id)).recoveryCodeCount).toBe(10);
    expect(await getOutcome(identity.logIn(createLoginRequest('Ada')))).toBe(SECOND_FACTOR_REQUIRED);
    await secondFactors.removePasskey(account.id, id, PAGE);
    expect(await secondFactors.get(account.id)).toEqual({ totpSince: undefined, passkeys: [], recoveryCodeCount: 0 });
    expect(await getOutcome(identity.logIn(createLoginRequest('Ada')))).toBe('in');
    expect(await getOutcome(startLogin(identity))).toBe('auth.no_second_factor');
  },
);

testOnBothDatabases('a ticket ends after ten minutes, and with the password', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { recoveryCodes } = await addTotp(identity, account.id);
  const [oneTimeCode] = recoveryCodes;
  const { ticket } = await startLogin(identity);
  identity.advance({ minutes: 10 });
  expect(await getOutcome(identity.finishLogin(createFinish(ticket, { oneTimeCode })))).toBe('auth.step_expired');
  const { ticket: second } = await startLogin(identity);
  await identity.changePassword(account.id, 'a better horse', undefined);
  expect(await getOutcome(identity.finishLogin(createFinish(second, { oneTimeCode })))).toBe('auth.step_expired');
  for (const forged of ['', 'x', ticket.slice(1), second.toUpperCase(), randomBytes(60).toString('base64url')])
    expect(await getOutcome(identity.finishLogin(createFinish(forged, { oneTimeCode })))).toBe('auth.step_expired');
});

testOnBothDatabases('deleting an account deletes its factors', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const { account } = await identity.signUp(createLocalSignUp('Ada'));
  const { recoveryCodes } = await addTotp(identity, account.id);
  await addPasskey(identity, account.id);
  const { ticket } = await startLogin(identity);
  await identity.finishLogin(createFinish(ticket, { oneTimeCode: recoveryCodes[0] }));
  await identity.deleteAccount(account.id);
  const db = database.db.$extendTables<IdentityTables>();
  for (const table of ['totp', 'passkey', 'recovery_code', 'used_ticket'] as const)
    expect(await db.selectFrom(table).select('account').execute()).toEqual([]);
});

testOnSqlite(
  'wrong codes are throttled, also between right passwords, but never for a known browser',
  async ({ open }) => {
    await using database = await open();
    await using identity = await startIdentity(database);
    const { account, knownBrowser } = await identity.signUp(createLocalSignUp('Ada'));
    const { secret, recoveryCodes } = await addTotp(identity, account.id);
    async function guess(attempt: number, address: string): Promise<unknown> {
      const client = { address, browser: '' };
      const { ticket } = await startLogin(identity, { client });
      const oneTimeCode = String(attempt).padStart(6, '0');
      return identity.finishLogin(createFinish(ticket, { oneTimeCode, client })).then(
        () => 'in',
        (error: Error) => error.name,
      );
    }
    const outcomes: unknown[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) outcomes.push(await guess(attempt, '198.51.100.1'));
    expect(outcomes.filter((outcome) => outcome === 'Refusal')).toHaveLength(5);
    expect(outcomes.slice(5)).toEqual(Array.from({ length: 5 }, () => 'RateLimitError'));
    // Many addresses share the attempts of new browsers.
    const wideOutcomes: unknown[] = [];
    for (let attempt = 0; attempt < 100; attempt += 1)
      wideOutcomes.push(await guess(attempt, `198.51.100.${10 + attempt}`));
    expect(wideOutcomes.filter((outcome) => outcome === 'Refusal').length).toBeLessThanOrEqual(55);
    expect(wideOutcomes.at(-1)).toBe('RateLimitError');
    identity.advance({ seconds: 30 });
    const { ticket } = await startLogin(identity, { knownBrowser });
    const known = createFinish(ticket, { oneTimeCode: showCode(identity, secret), knownBrowser });
    expect(await getOutcome(identity.finishLogin(known))).toBe('in');
    // Many concurrent guesses count one by one.
    const eve = await identity.signUp(createLocalSignUp('Eve'));
    await addTotp(identity, eve.account.id);
    const client = { address: '203.0.113.5', browser: '' };
    const start = await identity.startSecondStep({ ...createLoginRequest('Eve', { client }), origin: ORIGIN });
    const concurrent = await Promise.all(
      Array.from({ length: 30 }, () =>
        identity.finishLogin(createFinish(start.ticket, { oneTimeCode: '000000', client })).then(
          () => 'in',
          (error: Error) => error.name,
        ),
      ),
    );
    expect(concurrent.filter((outcome) => outcome === 'Refusal')).toHaveLength(5);
    expect(recoveryCodes).toHaveLength(10);
  },
);

testOnSqlite('without its key, the app stops working and recovery codes go on', async ({ open }) => {
  await using database = await open();
  const prepared = await (async () => {
    await using identity = await startIdentity(database);
    const { account } = await identity.signUp(createLocalSignUp('Ada'));
    return await addTotp(identity, account.id);
  })();
  await using identity = await startIdentity(database, { key: randomBytes(32) });
  identity.advance({ seconds: 60 });
  const { ticket } = await startLogin(identity);
  const logInWith = (oneTimeCode: string) => getOutcome(identity.finishLogin(createFinish(ticket, { oneTimeCode })));
  expect(await logInWith(showCode(identity, prepared.secret))).toBe('auth.wrong_second_factor');
  expect(await logInWith(prepared.recoveryCodes[0] ?? '')).toBe('in');
});

testOnSqlite('a login from a browser that the account does not know is reported', async ({ open }) => {
  await using database = await open();
  await using identity = await startIdentity(database);
  const reported: unknown[] = [];
  identity.onNewBrowserLogin((login) => reported.push(login));
  const { account, knownBrowser } = await identity.signUp(createLocalSignUp('Ada'));
  await identity.logIn(createLoginRequest('Ada', { knownBrowser }));
  await getOutcome(identity.logIn(createLoginRequest('Ada', { password: 'wrong horse' })));
  expect(reported).toEqual([]);
  const client = { address: '203.0.113.5', browser: 'Firefox' };
  await identity.logIn(createLoginRequest('Ada', { client }));
  expect(reported).toEqual([{ account: account.id, client }]);
  const { recoveryCodes } = await addTotp(identity, account.id);
  await getOutcome(identity.logIn(createLoginRequest('Ada', { client })));
  const { ticket } = await startLogin(identity);
  expect(reported).toHaveLength(1);
  await identity.finishLogin(createFinish(ticket, { oneTimeCode: recoveryCodes[0], client }));
  expect(reported).toHaveLength(2);
});
