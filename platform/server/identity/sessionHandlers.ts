import ipaddr from 'ipaddr.js';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { finishlogin, startpasskeylogin, startsecondstep } from '#platform/contract/secondFactor.ts';
import { log, logout, type OwnHttps, serverinfo, signup, tokenconv } from '#platform/contract/session.ts';
import { handle, type Caller, type Handler } from '../tool.ts';
import type { LoginResult, LoginRequest, LoginService, Identity } from './identity.ts';

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
});

function toSessionAnswer(caller: Caller, { token, account, knownBrowser }: LoginResult) {
  caller.setCookie(KNOWN_BROWSER_COOKIE, knownBrowser, { maxAgeSeconds: KNOWN_BROWSER_TTL_SECONDS });
  return { token, username: account.name };
}

/** Creates the platform's own calls: sign-up, login, sessions and server information. */
export function createSessionHandlers(deps: SessionHandlersDeps): readonly Handler[] {
  const { identity, listAddresses, version, getOwnHttps } = deps;
  return [
    handle(signup, async ({ setupCode, ...credentials }, caller) => {
      const request = { ...toLoginRequest(credentials, caller), setupCode, isLocal: caller.isLocal };
      return toSessionAnswer(caller, await identity.signUp(request));
    }),
    handle(log, async (credentials, caller) =>
      toSessionAnswer(caller, await identity.logIn(toLoginRequest(credentials, caller))),
    ),
    handle(startsecondstep, async (credentials, caller) => {
      const request = { ...toLoginRequest(credentials, caller), origin: caller.origin };
      const { ticket, hasTotp, passkeyOptions, otherHosts } = await identity.startSecondStep(request);
      return {
        ticket,
        hasTotp,
        ...(passkeyOptions === undefined ? {} : { passkeyOptions }),
        otherHosts: [...otherHosts],
      };
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
      return {
        version,
        hasOwner,
        needsSetupCode: !hasOwner && !caller.isLocal,
        signupOpen: await identity.isSignupOpen(),
        addresses: canSeeAddresses ? [...listAddresses()] : [],
        ...(ownHttps ? { https: canSeeAddresses ? ownHttps : { ...ownHttps, hosts: [] } } : {}),
      };
    }),
  ];
}
