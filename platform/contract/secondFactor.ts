import * as z from 'zod/mini';
import { call } from './call.ts';
import { HOUR_SECONDS } from './duration.ts';
import { days, newSession } from './session.ts';

/** Bytes as browsers send them for passkeys. */
const base64url = (maxLength: number) => z.string().check(z.regex(/^[\w-]*$/), z.maxLength(maxLength));
const CREDENTIAL_ID_LENGTH = 1400;
const type = z.enum(['public-key']);
const descriptor = z.object({ id: z.string(), type, transports: z.array(z.string()) });
const preference = z.enum(['required', 'preferred']);

/** Fields of `PublicKeyCredentialCreationOptionsJSON` (WebAuthn). */
export const registrationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type, alg: z.int() })),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({ residentKey: preference, userVerification: preference }),
  attestation: z.enum(['none']),
  timeout: z.int(),
});
export type RegistrationOptions = z.output<typeof registrationOptions>;

/** Fields of `PublicKeyCredentialRequestOptionsJSON` (WebAuthn). */
const authenticationOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  allowCredentials: z.array(descriptor),
  userVerification: preference,
  timeout: z.int(),
});
export type AuthenticationOptions = z.output<typeof authenticationOptions>;

const credential = { id: base64url(CREDENTIAL_ID_LENGTH), rawId: base64url(CREDENTIAL_ID_LENGTH), type };

/** A new passkey, as `RegistrationResponseJSON` (WebAuthn). */
export const registrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(10_000),
    attestationObject: base64url(30_000),
    transports: z.optional(z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/))).check(z.maxLength(10))),
  }),
});
export type RegistrationResponse = z.output<typeof registrationResponse>;

/** Proof of a passkey, as `AuthenticationResponseJSON` (WebAuthn). */
const authenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(10_000),
    authenticatorData: base64url(10_000),
    signature: base64url(10_000),
    userHandle: z.optional(base64url(200)),
  }),
});
export type AuthenticationResponse = z.output<typeof authenticationResponse>;

/** Text that the server sealed, and that `finishlogin` and the like take. Valid for ten minutes. */
export const ticket = z.string().check(z.maxLength(2000));
/** Code of an authenticator app, or a recovery code. */
export const oneTimeCode = z.string().check(z.maxLength(100));

/** Which second factors an account has, and a ticket for `finishlogin`. */
export const secondStep = z.object({
  ticket: z.string(),
  /** Whether codes of an authenticator app are accepted. Recovery codes always are. */
  hasTotp: z.boolean(),
  /** Absent if the account has no passkey for the address of the page. */
  passkeyOptions: z.optional(authenticationOptions),
  /** Other host names for which the account has passkeys. */
  otherHosts: z.array(z.string()),
});

/** For accounts whose `log` is refused with `SECOND_FACTOR_REQUIRED`. */
export const startsecondstep = call({
  route: 'POST /api/startsecondstep',
  summary: 'Checks username and password, and returns which second factors the account has.',
  access: 'anyone',
  usesReserve: true,
  request: z.object({ username: z.string(), password: z.string() }),
  answer: secondStep,
});

/** For a login with a passkey alone. */
export const startpasskeylogin = call({
  route: 'POST /api/startpasskeylogin',
  summary: 'Returns what a browser needs to log in with a passkey.',
  access: 'anyone',
  usesReserve: true,
  answer: z.object({ ticket: z.string(), options: authenticationOptions }),
  rates: [{ times: 300, seconds: HOUR_SECONDS }],
});

/** Takes the ticket of one of the calls above, and a code or a passkey. Only a ticket of the first takes a code. */
export const finishlogin = call({
  route: 'POST /api/finishlogin',
  summary: 'Starts a session after the second step, or for a passkey.',
  access: 'anyone',
  usesReserve: true,
  request: z.object({
    ticket,
    oneTimeCode: z.optional(oneTimeCode),
    passkey: z.optional(authenticationResponse),
    /** Whether this browser needs no second factor for 30 days. */
    remember: z.optional(z.boolean()),
    days,
  }),
  answer: newSession,
  rates: [{ times: 300, seconds: HOUR_SECONDS }],
});
