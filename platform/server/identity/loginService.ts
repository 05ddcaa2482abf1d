import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { DAY_MS, HOUR_MS } from '#platform/contract/duration.ts';
import { Refusal, SECOND_FACTOR_REQUIRED } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { getAddressKey } from '../http/address.ts';
import { LOCAL_RATE_FACTOR } from '../http/callRoutes.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { toPublicAccount, type AccountStore, type BrowserStore, type StoredAccount } from './accountStore.ts';
import type { ExternalLoginStore, ExternalSubject } from './externalLoginStore.ts';
import type {
  Account,
  ClientInfo,
  LoginRequest,
  LoginResult,
  LoginService,
  NewBrowserLogin,
  SingleSignOn,
} from './identity.ts';
import { createWindowCounter, assertNotThrottled, type CounterStorage } from './loginThrottle.ts';
import type { OpenIdProvider, SingleSignOnOptions } from './openIdProvider.ts';
import type { Ownership } from './ownership.ts';
import { validateNewPassword } from './passwords.ts';
import type { PasswordVerifier } from './passwordVerifier.ts';
import type { SecondFactorService } from './secondFactors.ts';
import type { SecondFactorStore } from './secondFactorStore.ts';
import { createSecondStep, getTrust } from './secondStep.ts';
import type { Sessions } from './sessions.ts';
import { createSingleSignOn } from './singleSignOn.ts';
import type { Tickets } from './tickets.ts';
import { hashSecret, isSecret, generateSecret } from './tokens.ts';
import { foldAccountName, isAccountName, parseAccountName } from './username.ts';

const MAX_SIGNUPS_PER_HOUR = 30;
const MAX_ATTEMPTS = 3;
/** How long a browser needs no second factor after the last one, if the user chose so. */
const SECOND_FACTOR_TTL_MS = 30 * DAY_MS;

interface LoginServiceDeps {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly browsers: BrowserStore;
  readonly sessions: Sessions;
  readonly ownership: Ownership;
  readonly verifier: PasswordVerifier;
  readonly now: () => Temporal.Instant;
  readonly counters: CounterStorage;
  readonly rateLimits: boolean;
  readonly factors: SecondFactorService;
  readonly factorStore: SecondFactorStore;
  readonly tickets: Tickets;
  readonly log: FastifyBaseLogger;
  readonly externalLogins: ExternalLoginStore;
  /** Undefined without an OpenID provider. */
  readonly openId: { readonly options: SingleSignOnOptions; readonly provider: OpenIdProvider } | undefined;
  /** Called after a login from a browser that the account does not know. */
  readonly onNewBrowserLogin: (login: NewBrowserLogin) => void;
}

/** What `openSession` needs of a request. */
export interface SessionRequest extends Pick<LoginRequest, 'sessionDays' | 'client' | 'knownBrowser' | 'isProgram'> {
  /** Whether the browser needs no second factor for 30 days. */
  readonly isRemembered?: boolean;
}

/** Links an account to a person at the OpenID provider. @throws Refusal if one of them is linked already. */
export type LinkAccount = (
  tx: Transaction<unknown>,
  account: number,
  external: ExternalSubject,
  client: Pick<ClientInfo, 'address'>,
) => Promise<void>;

/** A session that was opened in a transaction. `completeLogin` needs it after the commit. */
export interface OpenedSession {
  readonly loginResult: LoginResult;
  /** Sessions over the limit, which ended. */
  readonly endedIds: readonly number[];
  /** Whether a program without a cookie has logged in like this before. */
  readonly isKnownProgram: boolean;
}

/**
 * Returns a hash that stays the same at each login of a program that stores no cookies, so that it counts as new only
 * once. Anyone can imitate it, so it never makes a client trusted. Undefined for browsers.
 */
function hashProgram({ knownBrowser, isProgram, client }: SessionRequest): string | undefined {
  if (isProgram !== true || knownBrowser !== undefined) return undefined;
  return hashSecret(`${getAddressKey(client.address)} ${client.browser}`);
}

/** Creates the login service, which verifies passwords and opens sessions. */
export function createLoginService(
  deps: LoginServiceDeps,
): LoginService & { readonly singleSignOn: SingleSignOn | undefined } {
  const { database, accounts, browsers, sessions, ownership, verifier, now, counters, rateLimits } = deps;
  const signups = createWindowCounter(counters, 'sign-up', { maxAttempts: MAX_SIGNUPS_PER_HOUR, windowMs: HOUR_MS });
  const localSignups = createWindowCounter(counters, 'local sign-up', {
    maxAttempts: MAX_SIGNUPS_PER_HOUR * LOCAL_RATE_FACTOR,
    windowMs: HOUR_MS,
  });

  async function countSignup(address: string, isLocal: boolean): Promise<void> {
    if (!rateLimits) return;
    const counter = isLocal ? localSignups : signups;
    await assertNotThrottled(counter, getAddressKey(address), 'Too many sign-ups from your network');
    await counter.add(getAddressKey(address));
  }

  /**
   * Opens the session and stores the known browser, in the transaction that verified or created the account.
   * @throws Refusal if the account is suspended.
   */
  async function openSession(
    tx: Transaction<unknown>,
    account: Account,
    request: SessionRequest,
  ): Promise<OpenedSession> {
    const { sessionDays, client, knownBrowser, isRemembered = false } = request;
    await accounts.assertActive(tx, account.id);
    const known = knownBrowser !== undefined && isSecret(knownBrowser) ? knownBrowser : undefined;
    // A secret that replaces the second factor is never one that somebody else could have put into the browser.
    const secret = known === undefined || isRemembered ? generateSecret() : known;
    if (known !== undefined && known !== secret)
      await browsers.replaceSecret(tx, { from: hashSecret(known), to: hashSecret(secret) });
    const time = now().epochMilliseconds;
    const program = hashProgram(request);
    const isKnownProgram =
      program !== undefined && (await browsers.find(account.id, 'program', program, tx)) !== undefined;
    await browsers.save(tx, account.id, {
      hash: hashSecret(secret),
      program,
      now: time,
      ...(isRemembered ? { rememberedUntil: time + SECOND_FACTOR_TTL_MS } : {}),
    });
    const { token, endedIds } = await sessions.openPerson(tx, { account: account.id, days: sessionDays, client });
    return { loginResult: { token, account, knownBrowser: secret }, endedIds, isKnownProgram };
  }

  function completeLogin({ loginResult, endedIds }: OpenedSession): LoginResult {
    if (endedIds.length > 0) sessions.evict(endedIds);
    return loginResult;
  }

  /** Completes a login, and reports it if the account did not know the browser. */
  function completeAndReport(opened: OpenedSession, client: ClientInfo, isKnownBrowser: boolean): LoginResult {
    const loginResult = completeLogin(opened);
    if (!isKnownBrowser && !opened.isKnownProgram) deps.onNewBrowserLogin({ account: loginResult.account.id, client });
    return loginResult;
  }

  const { allowsPasswords = true, name: providerName = '' } = deps.openId?.options ?? {};
  async function assertPasswordLogin(tx: Transaction<unknown>, account: number): Promise<void> {
    if (allowsPasswords || (await accounts.isPasswordLoginAllowed(tx, account, now().epochMilliseconds))) return;
    throw new Refusal('auth.password_login_off', `Passwords don't log in on this server. Log in with ${providerName}`);
  }

  const link: LinkAccount = async (tx, account, external, { address }) => {
    if (!(await deps.externalLogins.save(tx, account, external, now().epochMilliseconds)))
      throw (await deps.externalLogins.findAccount(external, tx)) === undefined
        ? new Refusal(
            'signon.account_linked',
            `This account is linked to another login at ${providerName}. Log in with that one, and unlink it in the settings`,
          )
        : new Refusal(
            'signon.linked_elsewhere',
            `Your login at ${providerName} is linked to another account of this server. Unlink it there first`,
          );
    logSecurityEvent(deps.log, 'signon.linked', { account, address });
  };

  const findBrowser = (account: number, knownBrowser: string | undefined): Promise<number | undefined> =>
    browsers.find(account, 'hash', hashSecret(knownBrowser ?? ''));

  async function validateNameFree(name: string): Promise<void> {
    if (await accounts.findByName(name))
      throw new Refusal('account.name_taken', 'That username is taken. Choose another one');
  }

  const signUp: LoginService['signUp'] = async (request) => {
    const name = parseAccountName(request.username);
    validateNewPassword(request.password, name);
    if (!request.isOperator) await countSignup(request.client.address, request.isLocal);
    if (!request.isOperator && !allowsPasswords && (await ownership.hasOwner()))
      throw new Refusal(
        'account.signup_by_single_sign_on',
        `Accounts of this server log in at ${providerName}. Use it on the login page`,
      );
    const canBecomeOwner = await ownership.canBecomeOwner(request);
    const invitation = request.isOperator ? undefined : await ownership.checkSignup(request.invitation);
    await validateNameFree(name);
    const password = await verifier.hashNew(request.password, 'unauthenticated');
    for (let attemptsLeft = MAX_ATTEMPTS; attemptsLeft > 0; attemptsLeft -= 1) {
      const opened = await database.transaction(async ({ tx }) => {
        const isOwner = !(await accounts.lockOwner(tx));
        if (isOwner && !canBecomeOwner) ownership.refuseWithoutOwner();
        const created = now();
        const id = await accounts.insert(tx, { name, password, isOwner, created });
        if (id === undefined) return undefined;
        await invitation?.use(tx);
        return openSession(tx, { id, name, isOwner, created }, request);
      });
      if (opened) {
        if (invitation !== undefined)
          logSecurityEvent(deps.log, 'invitation.used', {
            account: opened.loginResult.account.id,
            address: request.client.address,
          });
        if (opened.loginResult.account.isOwner) ownership.onOwnerCreated();
        return completeLogin(opened);
      }
      // Otherwise another account became the owner at the same moment: retry without ownership.
      await validateNameFree(name);
    }
    throw new Error('an account could not be added, though its name is free');
  };

  /**
   * Verifies a password, and runs `proceed` in a transaction in which it is still the account's.
   * @throws Refusal if it is wrong, or changed meanwhile.
   */
  async function withVerifiedPassword<T>(
    request: LoginRequest,
    proceed: (tx: Transaction<unknown>, account: StoredAccount) => Promise<T>,
  ): Promise<{ readonly result: T; readonly isKnownBrowser: boolean }> {
    const name = isAccountName(request.username) ? foldAccountName(request.username) : '';
    const readAccount = () => accounts.findByName(name);
    const id = (await readAccount())?.id;
    const browser = await findBrowser(id ?? 0, request.knownBrowser);
    const attempt = { name, address: request.client.address, trustedBy: getTrust(browser) };
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
      const verified = await database.transaction(async ({ tx }) => {
        // A password change since the check has ended all sessions, so the old password must not open one now.
        const isUnchanged = await accounts.replacePassword(tx, account.id, { from: account.password, to });
        return isUnchanged ? { result: await proceed(tx, { ...account, password: to }) } : undefined;
      });
      if (verified) return { ...verified, isKnownBrowser: browser !== undefined };
    }
    throw new Refusal('auth.wrong_credentials', wrongMessage);
  }

  const logIn: LoginService['logIn'] = async (request) => {
    const { result: opened, isKnownBrowser } = await withVerifiedPassword(request, async (tx, account) => {
      await assertPasswordLogin(tx, account.id);
      if (await secondStep.isNeeded(tx, account.id, request.knownBrowser)) return undefined;
      return openSession(tx, toPublicAccount(account), request);
    });
    if (opened === undefined)
      throw new Refusal(
        SECOND_FACTOR_REQUIRED,
        "This account has a second factor, so its password alone isn't enough. Log in at /login, or use an app password in apps",
      );
    return completeAndReport(opened, request.client, isKnownBrowser);
  };

  const secondStep = createSecondStep({
    ...deps,
    withVerifiedPassword,
    openSession,
    completeLogin: completeAndReport,
    findBrowser,
    assertPasswordLogin,
    link,
  });
  const { startSecondStep, startPasskeyLogin, finishLogin } = secondStep;
  const singleSignOn =
    deps.openId &&
    createSingleSignOn({
      ...deps,
      ...deps.openId,
      secondStep,
      withVerifiedPassword,
      openSession,
      completeLogin: completeAndReport,
      isKnownBrowser: async (account, knownBrowser) => (await findBrowser(account, knownBrowser)) !== undefined,
      link,
      countSignup,
    });

  return { signUp, logIn, startSecondStep, startPasskeyLogin, finishLogin, singleSignOn };
}
