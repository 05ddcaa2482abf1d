import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { AuthenticationResponse } from '#platform/contract/secondFactor.ts';
import type { Database } from '../database/database.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { toPublicAccount, type AccountStore, type BrowserStore, type StoredAccount } from './accountStore.ts';
import type { ExternalSubject } from './externalLoginStore.ts';
import type {
  Account,
  ClientInfo,
  FinishLoginRequest,
  LoginRequest,
  LoginResult,
  LoginService,
  SecondStep,
} from './identity.ts';
import type { LinkAccount, OpenedSession, SessionRequest } from './loginService.ts';
import type { PasswordVerifier } from './passwordVerifier.ts';
import { requireRelyingParty, type SecondFactorService } from './secondFactors.ts';
import type { SecondFactorStore, StoredPasskey } from './secondFactorStore.ts';
import { refuseTicket, type OpenedTicket, type Tickets } from './tickets.ts';
import { hashSecret } from './tokens.ts';
import { foldAccountName } from './username.ts';
import { createAuthenticationOptions, parseRelyingParty, verifyAuthentication } from './webAuthn.ts';

const PASSWORD_CONTEXT = 'password';
const PASSKEY_CONTEXT = 'passkey login';

/** Content of a ticket for a login whose password was right. */
interface PasswordTicket {
  readonly account: number;
  /** Hash of the stored password hash, so that a new password ends the ticket. */
  readonly password: string;
  /** The person at the OpenID provider to link with the login. */
  readonly link?: ExternalSubject | undefined;
}

/** Returns why a known browser is trusted by the throttle. */
export function getTrust(browser: number | undefined): string | undefined {
  return browser === undefined ? undefined : `browser ${browser}`;
}

interface SecondStepDeps {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly browsers: BrowserStore;
  readonly verifier: PasswordVerifier;
  readonly factors: SecondFactorService;
  readonly factorStore: SecondFactorStore;
  readonly tickets: Tickets;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly withVerifiedPassword: <T>(
    request: LoginRequest,
    proceed: (tx: Transaction<unknown>, account: StoredAccount) => Promise<T>,
  ) => Promise<{ readonly result: T }>;
  readonly openSession: (tx: Transaction<unknown>, account: Account, request: SessionRequest) => Promise<OpenedSession>;
  readonly completeLogin: (opened: OpenedSession, client: ClientInfo, isKnownBrowser: boolean) => LoginResult;
  readonly findBrowser: (account: number, knownBrowser: string | undefined) => Promise<number | undefined>;
  /** @throws Refusal if passwords don't log in. */
  readonly assertPasswordLogin: (tx: Transaction<unknown>, account: number) => Promise<void>;
  readonly link: LinkAccount;
}

type OpenSession = (tx: Transaction<unknown>) => Promise<OpenedSession>;

/** Creates the second step of a login, and the login with a passkey alone. */
export function createSecondStep(deps: SecondStepDeps) {
  const { database, accounts, browsers, verifier, factors, factorStore, tickets, now, log } = deps;

  /**
   * Creates the second step for an account whose password, or login at the OpenID provider, was checked.
   * @throws Refusal if it has no second factor.
   */
  async function createStep(account: StoredAccount, origin: string, link?: ExternalSubject): Promise<SecondStep> {
    const relyingParty = parseRelyingParty(origin);
    const { hasTotp, passkeys } = await database.transaction(async ({ tx }) => ({
      hasTotp: (await factorStore.findTotp(tx, account.id)) !== undefined,
      passkeys: await factorStore.listPasskeys(tx, account.id),
    }));
    if (!hasTotp && passkeys.length === 0)
      throw new Refusal('auth.no_second_factor', 'This account has no second factor any more. Log in again');
    const content: PasswordTicket = { account: account.id, password: hashSecret(account.password), link };
    const { ticket, id: challenge } = tickets.create(PASSWORD_CONTEXT, content);
    const allowed = passkeys.filter(({ host }) => host === relyingParty?.id);
    const passkeyOptions =
      relyingParty === undefined || allowed.length === 0
        ? undefined
        : createAuthenticationOptions({ relyingParty, challenge, allowed });
    const otherHosts = [...new Set(passkeys.map(({ host }) => host))].filter((host) => host !== relyingParty?.id);
    return { ticket, hasTotp, passkeyOptions, otherHosts };
  }

  const startSecondStep: LoginService['startSecondStep'] = async (request) => {
    const { result: account } = await deps.withVerifiedPassword(request, async (tx, verified) => {
      await deps.assertPasswordLogin(tx, verified.id);
      return verified;
    });
    return createStep(account, request.origin);
  };

  const startPasskeyLogin: LoginService['startPasskeyLogin'] = async (origin) => {
    const relyingParty = requireRelyingParty(origin);
    const { ticket, id: challenge } = tickets.create(PASSKEY_CONTEXT, {});
    return { ticket, options: createAuthenticationOptions({ relyingParty, challenge }) };
  };

  /** Verifies the proof of a passkey. Returns the passkey with its new counter; undefined if it is wrong or unknown. */
  async function verifyPasskey(
    response: AuthenticationResponse,
    options: { readonly origin: string; readonly challenge: string; readonly requiresVerification: boolean },
  ): Promise<{ readonly passkey: StoredPasskey; readonly newCounter: number } | undefined> {
    const relyingParty = requireRelyingParty(options.origin);
    const passkey = await factorStore.findPasskey(response.id);
    if (passkey === undefined || passkey.host !== relyingParty.id) return undefined;
    const newCounter = await verifyAuthentication(response, { ...options, relyingParty, credential: passkey });
    return newCounter === undefined ? undefined : { passkey, newCounter };
  }

  /** Uses the ticket, and opens the session of an account whose factor was verified in the same transaction. */
  async function openVerifiedSession(
    tx: Transaction<unknown>,
    account: StoredAccount,
    { ticket, request }: { readonly ticket: OpenedTicket<object>; readonly request: FinishLoginRequest },
  ): Promise<OpenedSession> {
    await factors.useTicket(tx, account.id, ticket);
    return deps.openSession(tx, toPublicAccount(account), request);
  }

  /** Opens the session if the code is right. */
  async function logInWithCode(account: StoredAccount, typed: string, open: OpenSession) {
    const result = await database.transaction(async ({ tx }) => {
      await factorStore.lock(tx, account.id);
      const kind = await factors.useOneTimeCode(tx, account.id, typed);
      return kind === undefined ? undefined : { kind, opened: await open(tx) };
    });
    return result;
  }

  /** Opens the session if the passkey belongs to the account and its proof is right. */
  async function logInWithPasskey(
    account: StoredAccount,
    verified: Awaited<ReturnType<typeof verifyPasskey>>,
    open: OpenSession,
  ) {
    if (verified?.passkey.account !== account.id) return undefined;
    const { passkey, newCounter } = verified;
    return database.transaction(async ({ tx }) => {
      await factorStore.lock(tx, account.id);
      const isUsed = await factorStore.usePasskey(tx, passkey, { newCounter, now: now().epochMilliseconds });
      return isUsed ? { kind: 'passkey' as const, opened: await open(tx) } : undefined;
    });
  }

  async function finishPasswordLogin(
    request: FinishLoginRequest,
    ticket: OpenedTicket<PasswordTicket>,
  ): Promise<LoginResult> {
    const { client, oneTimeCode, passkey, origin } = request;
    const account = await accounts.findById(ticket.account);
    if (account === undefined || hashSecret(account.password) !== ticket.password) refuseTicket();
    const browser = await deps.findBrowser(account.id, request.knownBrowser);
    const attempt = {
      name: foldAccountName(account.name),
      address: client.address,
      trustedBy: getTrust(browser),
    };
    async function open(tx: Transaction<unknown>): Promise<OpenedSession> {
      // The password may have changed since it was read.
      const { password } = account as StoredAccount;
      if (!(await accounts.replacePassword(tx, ticket.account, { from: password, to: password }))) refuseTicket();
      if (ticket.link !== undefined) await deps.link(tx, ticket.account, ticket.link, client);
      return openVerifiedSession(tx, account as StoredAccount, { ticket, request });
    }
    const { kind, opened } = await verifier.verifySecondFactor({
      attempt,
      account: account.id,
      refusalMessage:
        passkey === undefined
          ? 'Wrong code, or one that was used before. Enter the next code of the app'
          : 'This passkey was not accepted. Try again, or use another factor',
      verify: async () => {
        if (passkey === undefined) return logInWithCode(account, oneTimeCode ?? '', open);
        const options = { origin, challenge: ticket.id, requiresVerification: false };
        return logInWithPasskey(account, await verifyPasskey(passkey, options), open);
      },
    });
    if (kind === 'recovery')
      logSecurityEvent(log, 'recoverycode.used', { account: account.id, address: client.address });
    return deps.completeLogin(opened, client, browser !== undefined);
  }

  async function finishPasskeyLogin(request: FinishLoginRequest, ticket: OpenedTicket<object>): Promise<LoginResult> {
    const { client, passkey: response, origin } = request;
    if (response === undefined) refuseTicket();
    const verified = await verifyPasskey(response, { origin, challenge: ticket.id, requiresVerification: true });
    const account = verified && (await accounts.findById(verified.passkey.account));
    const { userHandle } = response.response;
    if (account === undefined || (userHandle !== undefined && userHandle !== verified?.passkey.userHandle))
      refusePasskey();
    const browser = await deps.findBrowser(account.id, request.knownBrowser);
    const result = await logInWithPasskey(account, verified, (tx) =>
      openVerifiedSession(tx, account, { ticket, request: { ...request, isRemembered: false } }),
    );
    if (result === undefined) refusePasskey();
    return deps.completeLogin(result.opened, client, browser !== undefined);
  }

  return {
    /** Returns whether the account has a second factor, and this browser is not remembered. */
    isNeeded: async (tx: Transaction<unknown>, account: number, knownBrowser: string | undefined): Promise<boolean> => {
      if (!(await factorStore.hasFactor(tx, account))) return false;
      const hash = hashSecret(knownBrowser ?? '');
      return !(await browsers.isRemembered(tx, account, hash, now().epochMilliseconds));
    },

    createStep,
    startSecondStep,
    startPasskeyLogin,

    finishLogin: async (request: FinishLoginRequest): Promise<LoginResult> => {
      const passwordTicket = tickets.open<PasswordTicket>(PASSWORD_CONTEXT, request.ticket);
      if (passwordTicket !== undefined) return finishPasswordLogin(request, passwordTicket);
      return finishPasskeyLogin(request, tickets.open(PASSKEY_CONTEXT, request.ticket) ?? refuseTicket());
    },
  };
}

export type SecondStepService = ReturnType<typeof createSecondStep>;

function refusePasskey(): never {
  throw new Refusal(
    'auth.unknown_passkey',
    'This passkey is not accepted here. It may have been removed. Log in with your password',
  );
}
