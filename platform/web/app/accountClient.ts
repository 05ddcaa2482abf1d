import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import { createUnreachableError } from '#platform/contract/client.ts';
import { Refusal, SECOND_FACTOR_REQUIRED } from '#platform/contract/refusal.ts';
import type { finishlogin, startsecondstep } from '#platform/contract/secondFactor.ts';
import { call } from './call.ts';
import { reachability } from './reachability.ts';

function reportUnreachable(cause: unknown): never {
  reachability.set(false);
  throw createUnreachableError(cause);
}

// The contracts import zod, which must not be part of the first load.
const loadContract = () => import('#platform/contract/session.ts').catch(reportUnreachable);
const loadSecondFactorContract = () => import('#platform/contract/secondFactor.ts').catch(reportUnreachable);

interface Credentials {
  readonly username: string;
  readonly password: string;
  /** How long the session lasts unused (platform/contract/session.ts). */
  readonly days: 1 | 7 | 30 | 300;
}

/** The second step of a login: which second factors the account has. */
export type SecondStep = AnswerOf<typeof startsecondstep>;

/** A new session, or the second step that it needs. */
export type LoginOutcome =
  | { readonly token: string; readonly username: string; readonly secondStep?: undefined }
  | { readonly secondStep: SecondStep };

/** Calls that start, name and end sessions. */
export const accountClient = {
  /** Preloads the code that the calls need. */
  prepare: (): void => void loadContract().catch(() => undefined),
  /** @throws Refusal with `SECOND_FACTOR_REQUIRED` if the password alone is not enough. */
  logIn: async (credentials: Credentials) => call((await loadContract()).log, credentials),
  /** Logs in, or starts the second step if the account has a second factor. */
  startLogin: async (credentials: Credentials): Promise<LoginOutcome> => {
    try {
      return await accountClient.logIn(credentials);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== SECOND_FACTOR_REQUIRED) throw error;
      const { username, password } = credentials;
      return { secondStep: await call((await loadSecondFactorContract()).startsecondstep, { username, password }) };
    }
  },
  /** Returns what `provePasskey` needs to log in without a password. */
  startPasskeyLogin: async () => call((await loadSecondFactorContract()).startpasskeylogin, {}),
  /** Completes the second step, or a login with a passkey. */
  finishLogin: async (request: RequestInputOf<typeof finishlogin>) =>
    call((await loadSecondFactorContract()).finishlogin, request),
  signUp: async (credentials: Credentials & { readonly setupCode?: string }) =>
    call((await loadContract()).signup, credentials),
  /** Returns the name of the account that the token of this page belongs to. */
  fetchUsername: async (): Promise<string> => (await call((await loadContract()).tokenconv, {})).username,
  logOut: async () => call((await loadContract()).logout, {}),
  fetchServerInfo: async () => call((await loadContract()).serverinfo, {}),
};
