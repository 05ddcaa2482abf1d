import type { Transaction } from 'kysely';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { getAddressKey } from '../http/address.ts';
import { LOCAL_RATE_FACTOR } from '../http/callRoutes.ts';
import { toPublicAccount, type AccountStore, type BrowserStore } from './accountStore.ts';
import type { Account, LoginResult, LoginRequest, LoginService } from './identity.ts';
import { createWindowCounter, assertNotThrottled } from './loginThrottle.ts';
import type { Ownership } from './ownership.ts';
import { validateNewPassword } from './passwords.ts';
import type { PasswordVerifier } from './passwordVerifier.ts';
import type { Sessions } from './sessions.ts';
import { hashSecret, isSecret, generateSecret } from './tokens.ts';
import { foldAccountName, isAccountName, parseAccountName } from './username.ts';

const MAX_SIGNUPS_PER_HOUR = 30;
const MAX_ATTEMPTS = 3;

interface LoginServiceDeps {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly browsers: BrowserStore;
  readonly sessions: Sessions;
  readonly ownership: Ownership;
  readonly verifier: PasswordVerifier;
  readonly now: () => Temporal.Instant;
  readonly clock: () => number;
  readonly rateLimits: boolean;
}

/** Creates the login service, which verifies passwords and opens sessions. */
export function createLoginService(deps: LoginServiceDeps): LoginService {
  const { database, accounts, browsers, sessions, ownership, verifier, now, clock, rateLimits } = deps;
  const signups = createWindowCounter(MAX_SIGNUPS_PER_HOUR, HOUR_MS, clock);
  const localSignups = createWindowCounter(MAX_SIGNUPS_PER_HOUR * LOCAL_RATE_FACTOR, HOUR_MS, clock);

  function countSignup(address: string, isLocal: boolean): void {
    if (!rateLimits) return;
    const counter = isLocal ? localSignups : signups;
    assertNotThrottled(counter, getAddressKey(address), 'Too many sign-ups from your network');
    counter.add(getAddressKey(address));
  }

  /** Opens the session and stores the known browser, in the transaction that verified or created the account. */
  async function openSession(
    tx: Transaction<unknown>,
    account: Account,
    { sessionDays, client, knownBrowser }: LoginRequest,
  ) {
    const secret = knownBrowser !== undefined && isSecret(knownBrowser) ? knownBrowser : generateSecret();
    await browsers.save(tx, account.id, hashSecret(secret), now().epochMilliseconds);
    const { token, endedIds } = await sessions.openPerson(tx, { account: account.id, days: sessionDays, client });
    return { loginResult: { token, account, knownBrowser: secret }, endedIds };
  }

  function completeLogin({ loginResult, endedIds }: Awaited<ReturnType<typeof openSession>>): LoginResult {
    if (endedIds.length > 0) sessions.evict(endedIds);
    return loginResult;
  }

  async function validateNameFree(name: string): Promise<void> {
    if (await accounts.findByName(name))
      throw new Refusal('account.name_taken', 'That username is taken. Choose another one');
  }

  const signUp: LoginService['signUp'] = async (request) => {
    const name = parseAccountName(request.username);
    validateNewPassword(request.password, name);
    if (!request.isOperator) countSignup(request.client.address, request.isLocal);
    const canBecomeOwner = await ownership.canBecomeOwner(request);
    if (!request.isOperator) await ownership.validateSignupOpen();
    await validateNameFree(name);
    const password = await verifier.hashNew(request.password, 'unauthenticated');
    for (let attemptsLeft = MAX_ATTEMPTS; attemptsLeft > 0; attemptsLeft -= 1) {
      const opened = await database.transaction(async ({ tx }) => {
        const isOwner = !(await accounts.lockOwner(tx));
        if (isOwner && !canBecomeOwner) ownership.refuseWithoutOwner();
        const created = now();
        const id = await accounts.insert(tx, { name, password, isOwner, created });
        return id === undefined ? undefined : openSession(tx, { id, name, isOwner, created }, request);
      });
      if (opened) {
        if (opened.loginResult.account.isOwner) ownership.onOwnerCreated();
        return completeLogin(opened);
      }
      // Otherwise another account became the owner at the same moment: retry without ownership.
      await validateNameFree(name);
    }
    throw new Error('an account could not be added, though its name is free');
  };

  const logIn: LoginService['logIn'] = async (request) => {
    const name = isAccountName(request.username) ? foldAccountName(request.username) : '';
    const readAccount = () => accounts.findByName(name);
    const id = (await readAccount())?.id;
    const browser = await browsers.find(id ?? 0, hashSecret(request.knownBrowser ?? ''));
    const trustedBy = browser === undefined ? undefined : `browser ${browser}`;
    const attempt = { name, address: request.client.address, trustedBy };
    const wrongMessage = 'Wrong username or password';
    for (let attemptsLeft = MAX_ATTEMPTS; attemptsLeft > 0; attemptsLeft -= 1) {
      const account = await verifier.verifyAccount({
        attempt,
        account: id,
        password: request.password,
        readAccount,
        refusalMessage: wrongMessage,
      });
      const to = await verifier.renewHash(account, request.password);
      const opened = await database.transaction(async ({ tx }) => {
        // A password change since the check has ended all sessions, so the old password must not open one now.
        const isUnchanged = await accounts.replacePassword(tx, account.id, { from: account.password, to });
        return isUnchanged ? openSession(tx, toPublicAccount(account), request) : undefined;
      });
      if (opened) return completeLogin(opened);
    }
    throw new Refusal('auth.wrong_credentials', wrongMessage);
  };

  return { signUp, logIn };
}
