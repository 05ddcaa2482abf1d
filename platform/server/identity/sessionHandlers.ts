import ipaddr from 'ipaddr.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { finishlogin, startpasskeylogin, startsecondstep } from '#platform/contract/secondFactor.ts';
import { log, logout, type OwnHttps, serverinfo, signup, tokenconv } from '#platform/contract/session.ts';
import { completesinglesignon, finishsinglesignon, startsinglesignon } from '#platform/contract/singleSignOn.ts';
import { handle, type Caller, type Handler } from '../tool.ts';
import type {
  LoginResult,
  LoginRequest,
  LoginService,
  Identity,
  SecondStep,
  SignOnResult,
  SingleSignOn,
} from './identity.ts';

const PRIVATE_RANGES = ['loopback', 'private', 'linkLocal', 'uniqueLocal'];

/** Returns whether the address is this computer's or in a private network, such as one at home. */
export function isPrivateNetworkAddress(address: string): boolean {
  return ipaddr.isValid(address) && PRIVATE_RANGES.includes(ipaddr.process(address).range());
}

const KNOWN_BROWSER_COOKIE = 'pb_known';
const KNOWN_BROWSER_TTL_SECONDS = 400 * DAY_SECONDS;

interface SessionHandlersDeps {
  readonly identity: Identity & LoginService;
  /** Addresses of this server in its network, best first. */
  readonly listAddresses: () => readonly string[];
  readonly version: string;
  readonly publicOrigins: readonly string[];
  readonly basePath: string;
  /** The server's own HTTPS; undefined if it is off. */
  readonly getOwnHttps?: () => OwnHttps | undefined;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly days?: number | undefined;
}

const toLoginRequest = ({ username, password, days }: Credentials, caller: Caller): LoginRequest => ({
  username,
  password,
  sessionDays: days,
  client: { address: caller.address, browser: caller.browser },
  knownBrowser: caller.cookie(KNOWN_BROWSER_COOKIE),
  isProgram: !caller.isPage,
});

const SIGN_ON_COOKIE = 'pb_signon';
const SIGN_ON_TTL_SECONDS = 10 * MINUTE_SECONDS;

/**
 * Returns the address to which an OpenID provider sends people back: of the login page, under the name that they use.
 * Behind a proxy that is not trusted, only `PUBLIC_ORIGIN` knows that it is https.
 */
export function getRedirectUri(
  { origin }: Pick<Caller, 'origin'>,
  { publicOrigins, basePath }: { readonly publicOrigins: readonly string[]; readonly basePath: string },
): string {
  const { host } = new URL(origin);
  const publicOrigin = publicOrigins.find((each) => new URL(each).host === host);
  return `${publicOrigin ?? origin}${basePath}/login`;
}

/** Sets the cookie with which this browser alone can finish a single sign-on. */
export function setSignOnCookie({ setCookie }: Pick<Caller, 'setCookie'>, ticket: string): void {
  setCookie(SIGN_ON_COOKIE, ticket, { maxAgeSeconds: SIGN_ON_TTL_SECONDS });
}

function toSessionAnswer(caller: Caller, { token, account, knownBrowser }: LoginResult) {
  caller.setCookie(KNOWN_BROWSER_COOKIE, knownBrowser, { maxAgeSeconds: KNOWN_BROWSER_TTL_SECONDS });
  return { token, username: account.name };
}

const toSecondStepAnswer = ({ otherHosts, passkeyOptions, ...step }: SecondStep) => ({
  ...step,
  ...(passkeyOptions === undefined ? {} : { passkeyOptions }),
  otherHosts: [...otherHosts],
});

const toSignOnAnswer = (caller: Caller, result: SignOnResult) =>
  result.session === undefined
    ? { secondStep: toSecondStepAnswer(result.secondStep) }
    : { session: toSessionAnswer(caller, result.session) };

/** Creates the calls of a login at an OpenID provider. */
function createSingleSignOnHandlers({ identity, publicOrigins, basePath }: SessionHandlersDeps): readonly Handler[] {
  function requireSingleSignOn(): SingleSignOn {
    if (identity.singleSignOn === undefined)
      throw new Refusal('signon.not_set_up', 'This server has no single sign-on. Log in with your password');
    return identity.singleSignOn;
  }
  return [
    handle(startsinglesignon, async ({ days, path }, caller) => {
      const redirectUri = getRedirectUri(caller, { publicOrigins, basePath });
      const { address, ticket } = await requireSingleSignOn().start({ redirectUri, days, path });
      setSignOnCookie(caller, ticket);
      return { address };
    }),
    handle(finishsinglesignon, async ({ response }, caller) => {
      const singleSignOn = requireSingleSignOn();
      const ticket = caller.cookie(SIGN_ON_COOKIE);
      const outcome = await singleSignOn.finish({
        response,
        ticket,
        origin: caller.origin,
        client: { address: caller.address, browser: caller.browser },
        knownBrowser: caller.cookie(KNOWN_BROWSER_COOKIE),
      });
      const { days, path } = outcome;
      const target = {
        ...(path === undefined ? {} : { path }),
        // Only these values can be in a ticket.
        ...(days === undefined ? {} : { days: days as 1 | 7 | 30 | 300 }),
      };
      if ('isLinked' in outcome) return { isLinked: true, ...target };
      if ('choice' in outcome) return { choice: outcome.choice, ...target };
      return { ...toSignOnAnswer(caller, outcome), ...target };
    }),
    handle(completesinglesignon, async ({ ticket, create, ...credentials }, caller) => {
      const { sessionDays: _default, ...request } = toLoginRequest(credentials, caller);
      const { origin, isLocal } = caller;
      return toSignOnAnswer(
        caller,
        await requireSingleSignOn().complete({ ...request, ticket, create, origin, isLocal }),
      );
    }),
  ];
}

/** Creates the platform's own calls: sign-up, login, sessions and server information. */
export function createSessionHandlers(deps: SessionHandlersDeps): readonly Handler[] {
  const { identity, listAddresses, version, getOwnHttps } = deps;
  return [
    handle(signup, async ({ setupCode, invitation, ...credentials }, caller) => {
      const request = { ...toLoginRequest(credentials, caller), setupCode, invitation, isLocal: caller.isLocal };
      return toSessionAnswer(caller, await identity.signUp(request));
    }),
    handle(log, async (credentials, caller) =>
      toSessionAnswer(caller, await identity.logIn(toLoginRequest(credentials, caller))),
    ),
    handle(startsecondstep, async (credentials, caller) => {
      const request = { ...toLoginRequest(credentials, caller), origin: caller.origin };
      return toSecondStepAnswer(await identity.startSecondStep(request));
    }),
    handle(startpasskeylogin, async (_request, { origin }) => identity.startPasskeyLogin(origin)),
    handle(finishlogin, async ({ ticket, oneTimeCode, passkey, remember = false, days }, caller) =>
      toSessionAnswer(
        caller,
        await identity.finishLogin({
          ticket,
          oneTimeCode,
          passkey,
          isRemembered: remember,
          sessionDays: days,
          client: { address: caller.address, browser: caller.browser },
          knownBrowser: caller.cookie(KNOWN_BROWSER_COOKIE),
          origin: caller.origin,
        }),
      ),
    ),
    ...createSingleSignOnHandlers(deps),
    handle(tokenconv, async (_request, caller) => {
      const account = await identity.findAccount(caller.account);
      if (account === undefined) throw new InvalidTokenRefusal();
      return { username: account.name };
    }),
    handle(logout, async (_request, { account, session }) => {
      await identity.endSessions(account, { ids: [session] });
    }),
    handle(serverinfo, async (_request, caller) => {
      const hasOwner = await identity.hasOwner();
      // Addresses in the private network are not shown to the internet.
      const canSeeAddresses = caller.account !== undefined || isPrivateNetworkAddress(caller.address);
      const ownHttps = getOwnHttps?.();
      const signupRule = await identity.getSignupRule();
      const { singleSignOn } = identity;
      return {
        version,
        hasOwner,
        needsSetupCode: !hasOwner && !caller.isLocal,
        signupOpen: signupRule === 'open',
        signupRule,
        ...(singleSignOn === undefined
          ? {}
          : { singleSignOn: { name: singleSignOn.name, allowsPasswords: singleSignOn.allowsPasswords } }),
        addresses: canSeeAddresses ? [...listAddresses()] : [],
        ...(ownHttps ? { https: canSeeAddresses ? ownHttps : { ...ownHttps, hosts: [] } } : {}),
      };
    }),
  ];
}
