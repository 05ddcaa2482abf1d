import { createUnreachableError } from '#platform/contract/client.ts';
import { Refusal, SECOND_FACTOR_REQUIRED } from '#platform/contract/refusal.ts';
import { call } from './call.ts';
import { reachability } from './reachability.ts';
import type { SecondStep } from './secondStepClient.ts';

function reportUnreachable(cause: unknown): never {
  reachability.set(false);
  throw createUnreachableError(cause);
}

// The contracts import zod, which must not be part of the first load.
const loadContract = () => import('#platform/contract/session.ts').catch(reportUnreachable);

interface Credentials {
  readonly username: string;
  readonly password: string;
  /** How long the session lasts unused (platform/contract/session.ts). */
  readonly days: 1 | 7 | 30 | 300;
}

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
      const { secondStepClient } = await import('./secondStepClient.ts').catch(reportUnreachable);
      return { secondStep: await secondStepClient.start(credentials) };
    }
  },
  signUp: async (credentials: Credentials & { readonly setupCode?: string; readonly invitation?: string }) =>
    call((await loadContract()).signup, credentials),
  /** Returns the name of the account that the token of this page belongs to. */
  fetchUsername: async (): Promise<string> => (await call((await loadContract()).tokenconv, {})).username,
  logOut: async () => call((await loadContract()).logout, {}),
  fetchServerInfo: async () => call((await loadContract()).serverinfo, {}),
};
