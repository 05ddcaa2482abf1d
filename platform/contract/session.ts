import * as z from 'zod/mini';
import { call } from './call.ts';

/**
 * Days that an unused session lasts: 1 without 'Stay logged in', 7 from sign-up, 30 from the login page, 300 from a
 * form in another page (docs/specification/platform.md section 2.2).
 */
export const days = z.optional(z.literal([1, 7, 30, 300]));
const credentials = z.object({ username: z.string(), password: z.string(), days });
export const newSession = z.object({ token: z.string(), username: z.string() });

/** Who may create an account, as the owner decides. The first account can always be created. */
export const SIGNUP_RULES = ['open', 'invitation', 'closed'] as const;
export type SignupRule = (typeof SIGNUP_RULES)[number];

/** `setupCode` is only needed for the first account, and only from another computer. */
export const signup = call({
  route: 'POST /api/signup',
  summary: 'Creates an account and starts a session.',
  access: 'anyone',
  request: z.extend(credentials, {
    setupCode: z.optional(z.string().check(z.maxLength(40))),
    /** Secret of an invitation link. */
    invitation: z.optional(z.string().check(z.maxLength(100))),
  }),
  answer: newSession,
});

export const log = call({
  route: 'POST /api/log',
  usesReserve: true,
  summary: 'Starts a session for a username and password.',
  access: 'anyone',
  request: credentials,
  answer: newSession,
});

export const tokenconv = call({
  route: 'POST /api/tokenconv',
  usesReserve: true,
  summary: 'Returns the username that a token belongs to.',
  access: 'account',
  answer: z.object({ username: z.string() }),
});

export const logout = call({
  route: 'POST /api/logout',
  usesReserve: true,
  summary: 'Ends the session of the token.',
  access: 'account',
});

/** HTTPS listener of this server (`HTTPS_PORT`), and what a person needs to trust its authority. */
const https = z.object({
  port: z.number(),
  /**
   * Hosts of the certificate in the format of `location.hostname`, best first. Empty for callers outside the network.
   */
  hosts: z.array(z.string()),
  /** Name of the authority in lists of trusted certificates. */
  name: z.string(),
  /** SHA-256 of the authority's certificate: pairs of hex digits with colons. */
  fingerprint: z.string(),
  /** Public hosts that the authority may sign for: only those in `PUBLIC_ORIGIN`. */
  beyond: z.array(z.string()),
});

/** What a page may know about the server before login. */
export const serverinfo = call({
  route: 'GET /api/serverinfo',
  summary: 'Returns whether the server has an owner, whether the caller can become the owner, and the https address.',
  access: 'anyone',
  answer: z.object({
    version: z.string(),
    hasOwner: z.boolean(),
    /** The first sign-up from this address needs the set-up code. */
    needsSetupCode: z.boolean(),
    /** Whether anybody may sign up. */
    signupOpen: z.boolean(),
    signupRule: z.enum(SIGNUP_RULES),
    /** The OpenID provider at which accounts log in; absent without one. */
    singleSignOn: z.optional(
      z.object({
        name: z.string(),
        /** Whether passwords log in as well. */
        allowsPasswords: z.boolean(),
      }),
    ),
    /** Addresses of this server for a phone on the network, best first, such as `http://192.168.1.5:8300`. */
    addresses: z.array(z.string()),
    /** Absent if `HTTPS_PORT` is off. */
    https: z.optional(https),
  }),
});

export type OwnHttps = z.output<typeof https>;
