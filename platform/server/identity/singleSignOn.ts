import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { toPublicAccount, type AccountStore, type StoredAccount } from './accountStore.ts';
import type { ExternalLoginStore, ExternalSubject } from './externalLoginStore.ts';
import type { Account, ClientInfo, LoginRequest, LoginResult, SessionDays, SingleSignOn } from './identity.ts';
import type { LinkAccount, OpenedSession, SessionRequest } from './loginService.ts';
import type { ExternalPerson, OpenIdProvider, SignOnSecrets, SingleSignOnOptions } from './openIdProvider.ts';
import type { Ownership } from './ownership.ts';
import { validateNewPassword } from './passwords.ts';
import type { PasswordVerifier } from './passwordVerifier.ts';
import type { SecondFactorService } from './secondFactors.ts';
import type { SecondStepService } from './secondStep.ts';
import { refuseTicket, type OpenedTicket, type Tickets } from './tickets.ts';
import { hashSecret } from './tokens.ts';
import { parseAccountName } from './username.ts';

const START_CONTEXT = 'sign-on';
const CHOICE_CONTEXT = 'sign-on choice';

/** A login at the provider that was started. It is in a cookie, so that another browser can't finish it. */
interface StartTicket extends SignOnSecrets {
  readonly days: SessionDays;
  readonly path: string | undefined;
  /** The account to link, with the hash of its stored password hash. */
  readonly link: { readonly account: number; readonly password: string } | undefined;
}

/** A person at the provider without an account here. */
interface ChoiceTicket {
  readonly person: ExternalPerson;
  readonly days: SessionDays;
}

type CompleteRequest = LoginRequest & { readonly isLocal: boolean; readonly origin: string };

interface SingleSignOnDeps {
  readonly options: SingleSignOnOptions;
  readonly provider: OpenIdProvider;
  readonly externalLogins: ExternalLoginStore;
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly ownership: Ownership;
  readonly verifier: PasswordVerifier;
  readonly factors: SecondFactorService;
  readonly secondStep: Pick<SecondStepService, 'isNeeded' | 'createStep'>;
  readonly tickets: Tickets;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly withVerifiedPassword: <T>(
    request: LoginRequest,
    proceed: (tx: Transaction<unknown>, account: StoredAccount) => Promise<T>,
  ) => Promise<{ readonly result: T; readonly isKnownBrowser: boolean }>;
  readonly openSession: (tx: Transaction<unknown>, account: Account, request: SessionRequest) => Promise<OpenedSession>;
  readonly completeLogin: (opened: OpenedSession, client: LoginRequest['client'], isKnown: boolean) => LoginResult;
  readonly isKnownBrowser: (account: number, knownBrowser: string | undefined) => Promise<boolean>;
  readonly link: LinkAccount;
  readonly countSignup: (address: string, isLocal: boolean) => Promise<void>;
}

/** Creates the login at an OpenID provider, and the links between its people and our accounts. */
export function createSingleSignOn(deps: SingleSignOnDeps): SingleSignOn {
  const { options, provider, externalLogins, database, accounts, factors, secondStep, tickets, now } = deps;
  const { issuer } = options;

  async function start(redirectUri: string, content: Pick<StartTicket, 'days' | 'path' | 'link'>) {
    const { address, secrets } = await provider.start(redirectUri);
    return { address, ticket: tickets.create(START_CONTEXT, { ...secrets, ...content }).ticket };
  }

  /** Locks an account until the transaction ends. @throws Refusal if its password, and so its link, has changed. */
  async function lockUnchanged(tx: Transaction<unknown>, { id, password }: StoredAccount): Promise<void> {
    if (!(await accounts.replacePassword(tx, id, { from: password, to: password }))) refuseTicket();
  }

  const toExternalSubject = ({ subject, label }: ExternalPerson): ExternalSubject => ({ issuer, subject, label });

  /** Links the account that started it. Its password has not changed since. */
  async function finishLink(
    ticket: OpenedTicket<StartTicket>,
    person: ExternalPerson,
    client: ClientInfo,
  ): Promise<void> {
    const { account: id, password } = ticket.link ?? refuseTicket();
    const account = await accounts.findById(id);
    if (account === undefined || hashSecret(account.password) !== password) refuseTicket();
    await database.transaction(async ({ tx }) => {
      await lockUnchanged(tx, account);
      await accounts.assertActive(tx, id);
      await factors.useTicket(tx, id, ticket);
      await deps.link(tx, id, toExternalSubject(person), client);
    });
  }

  /** Logs in an account that is linked. Our second factor is needed unless the provider has checked one. */
  const finishLogin = async (
    account: StoredAccount,
    ticket: OpenedTicket<StartTicket>,
    { person, request }: { readonly person: ExternalPerson; readonly request: Parameters<SingleSignOn['finish']>[0] },
  ) => {
    const { client, knownBrowser, origin } = request;
    const isKnown = await deps.isKnownBrowser(account.id, knownBrowser);
    const opened = await database.transaction(async ({ tx }) => {
      await lockUnchanged(tx, account);
      if ((await externalLogins.findAccount({ issuer, subject: person.subject }, tx)) !== account.id) refuseTicket();
      await accounts.assertActive(tx, account.id);
      await factors.useTicket(tx, account.id, ticket);
      if (!person.usedSeveralFactors && (await secondStep.isNeeded(tx, account.id, knownBrowser))) return undefined;
      return deps.openSession(tx, toPublicAccount(account), { sessionDays: ticket.days, client, knownBrowser });
    });
    return opened === undefined
      ? { secondStep: await secondStep.createStep(account, origin) }
      : { session: deps.completeLogin(opened, client, isKnown) };
  };

  /** Creates an account for a person without one. It has a password too, which confirms exports and the like. */
  async function createAccount(ticket: OpenedTicket<ChoiceTicket>, request: CompleteRequest) {
    if (!options.createsAccounts)
      throw new Refusal('signon.no_new_accounts', 'You have no account here. Ask the owner of this server for one');
    const name = parseAccountName(request.username);
    validateNewPassword(request.password, name);
    await deps.countSignup(request.client.address, request.isLocal);
    const password = await deps.verifier.hashNew(request.password, 'unauthenticated');
    const opened = await database.transaction(async ({ tx }) => {
      if (!(await accounts.lockOwner(tx))) deps.ownership.refuseWithoutOwner();
      const created = now();
      const id = await accounts.insert(tx, { name, password, isOwner: false, created });
      if (id === undefined) throw new Refusal('account.name_taken', 'That username is taken. Choose another one');
      await factors.useTicket(tx, id, ticket);
      await deps.link(tx, id, toExternalSubject(ticket.person), request.client);
      return deps.openSession(tx, { id, name, isOwner: false, created }, request);
    });
    return { session: deps.completeLogin(opened, request.client, true) };
  }

  /** Links an account whose password is right. If it has a second factor, that is needed as well. */
  async function linkExisting(ticket: OpenedTicket<ChoiceTicket>, request: CompleteRequest) {
    const { person } = ticket;
    const { result, isKnownBrowser } = await deps.withVerifiedPassword(request, async (tx, account) => {
      await accounts.assertActive(tx, account.id);
      if (await secondStep.isNeeded(tx, account.id, request.knownBrowser)) return { account, opened: undefined };
      await factors.useTicket(tx, account.id, ticket);
      await deps.link(tx, account.id, toExternalSubject(person), request.client);
      return { account, opened: await deps.openSession(tx, toPublicAccount(account), request) };
    });
    const { account, opened } = result;
    if (opened !== undefined) return { session: deps.completeLogin(opened, request.client, isKnownBrowser) };
    return { secondStep: await secondStep.createStep(account, request.origin, toExternalSubject(person)) };
  }

  return {
    name: options.name,
    allowsPasswords: options.allowsPasswords,
    start: ({ redirectUri, days, path }) => start(redirectUri, { days, path, link: undefined }),
    startLink: async (id, { redirectUri, path }) => {
      const account = await accounts.findById(id);
      if (account === undefined) refuseTicket();
      return start(redirectUri, {
        days: undefined,
        path,
        link: { account: id, password: hashSecret(account.password) },
      });
    },

    finish: async (request) => {
      const ticket = tickets.open<StartTicket>(START_CONTEXT, request.ticket ?? '') ?? refuseTicket();
      const { days, path } = ticket;
      const person = await provider.finish(request.response, ticket);
      if (ticket.link !== undefined) {
        await finishLink(ticket, person, request.client);
        return { isLinked: true, days, path };
      }
      const id = await externalLogins.findAccount({ issuer, subject: person.subject });
      const account = id === undefined ? undefined : await accounts.findById(id);
      if (account !== undefined) return { ...(await finishLogin(account, ticket, { person, request })), days, path };
      const choice: ChoiceTicket = { person, days };
      return {
        choice: {
          ticket: tickets.create(CHOICE_CONTEXT, choice).ticket,
          username: person.label.replace(/@.*/, ''),
          canCreate: options.createsAccounts && (await deps.ownership.hasOwner()),
        },
        days,
        path,
      };
    },

    complete: async ({ ticket: sealed, create, ...request }) => {
      const ticket = tickets.open<ChoiceTicket>(CHOICE_CONTEXT, sealed) ?? refuseTicket();
      const login = { ...request, sessionDays: ticket.days };
      return create ? createAccount(ticket, login) : linkExisting(ticket, login);
    },

    get: (account) => externalLogins.get(account, issuer),
    unlink: async (account, { address }) => {
      const wasLinked = await database.transaction(({ tx }) => externalLogins.remove(tx, account));
      if (wasLinked) logSecurityEvent(deps.log, 'signon.unlinked', { account, address });
      return wasLinked;
    },
  };
}
