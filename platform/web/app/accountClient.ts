import { createUnreachableError } from '#platform/contract/client.ts';
import { call } from './call.ts';
import { reachability } from './reachability.ts';

// The contract imports zod, which must not be part of the first load.
const loadContract = () =>
  import('#platform/contract/session.ts').catch((cause: unknown) => {
    reachability.set(false);
    throw createUnreachableError(cause);
  });

interface Credentials {
  readonly username: string;
  readonly password: string;
  /** How long the session lasts unused (platform/contract/session.ts). */
  readonly days: 1 | 7 | 30 | 300;
}

/** Calls that start, name and end sessions. */
export const accountClient = {
  /** Preloads the code that the calls need. */
  prepare: (): void => void loadContract().catch(() => undefined),
  logIn: async (credentials: Credentials) => call((await loadContract()).log, credentials),
  signUp: async (credentials: Credentials & { readonly setupCode?: string }) =>
    call((await loadContract()).signup, credentials),
  /** Returns the name of the account that the token of this page belongs to. */
  fetchUsername: async (): Promise<string> => (await call((await loadContract()).tokenconv, {})).username,
  logOut: async () => call((await loadContract()).logout, {}),
  fetchServerInfo: async () => call((await loadContract()).serverinfo, {}),
};
