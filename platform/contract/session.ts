import * as z from 'zod/mini';
import { call } from './call.ts';

/** Days that a session lasts unused: 1 without 'Stay logged in', 7 from sign-up, 30 from login, 300 from the login forms in place (contract.md section 3). */
const days = z.optional(z.literal([1, 7, 30, 300]));
const credentials = z.object({ username: z.string(), password: z.string(), days });
const opened = z.object({ token: z.string(), username: z.string() });

/** `setupCode` is asked for the first account only, from another address than the server's own. */
export const signup = call({
  method: 'POST',
  path: '/api/signup',
  summary: 'Makes an account and opens a session.',
  access: 'anyone',
  request: z.extend(credentials, { setupCode: z.optional(z.string().check(z.maxLength(40))) }),
  answer: opened,
});

export const log = call({
  method: 'POST',
  path: '/api/log',
  summary: 'Opens a session for a username and password.',
  access: 'anyone',
  request: credentials,
  answer: opened,
});

export const tokenconv = call({
  method: 'POST',
  path: '/api/tokenconv',
  summary: 'Gives the username behind a token.',
  access: 'account',
  request: z.object({}),
  answer: z.object({ username: z.string() }),
});

export const logout = call({
  method: 'POST',
  path: '/api/logout',
  summary: 'Ends the session whose token is sent.',
  access: 'account',
  request: z.object({}),
  answer: z.object({}),
});

/** How this server serves https by itself (`HTTPS_PORT`), and what a person needs to trust its authority. */
const https = z.object({
  port: z.number(),
  /** Hosts that its certificate stands for, as `location.hostname` writes them, best first; none where the caller is no business of the network's. */
  hosts: z.array(z.string()),
  /** The authority's name, as the lists of trusted certificates show it. */
  name: z.string(),
  /** SHA-256 of the authority's certificate: pairs of hex digits with colons. */
  fingerprint: z.string(),
  /** What the authority may stand for outside private networks: none but what `PUBLIC_ORIGIN` named. */
  beyond: z.array(z.string()),
});

/** What a page may know of the server before anybody is signed in. */
export const serverinfo = call({
  method: 'GET',
  path: '/api/serverinfo',
  summary: 'Says whether the server has an owner, whether this caller may become it, and where https is.',
  access: 'anyone',
  request: z.object({}),
  answer: z.object({
    version: z.string(),
    hasOwner: z.boolean(),
    /** The first sign-up from here needs the set-up code. */
    needsSetupCode: z.boolean(),
    signupOpen: z.boolean(),
    /** Addresses under which a phone on the network finds this server, best first, such as `http://192.168.1.5:8300`. */
    addresses: z.array(z.string()),
    /** Absent where `HTTPS_PORT` is off. */
    https: z.optional(https),
  }),
});

export type OwnHttps = z.output<typeof https>;
