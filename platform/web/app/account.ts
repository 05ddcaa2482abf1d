import { createUnreachableError } from '#platform/contract/client.ts';
import { call } from './call.ts';
import { reachability } from './reachability.ts';

// The contract brings zod along, which stays out of the first load: it is loaded when the page stands.
const contract = () =>
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

/** The calls that make, name and end sessions. */
export const accountClient = {
  /** Loads ahead what the calls need. */
  prepare: (): void => void contract().catch(() => undefined),
  logIn: async (credentials: Credentials) => call((await contract()).log, credentials),
  signUp: async (credentials: Credentials & { readonly setupCode?: string }) =>
    call((await contract()).signup, credentials),
  /** The name behind the token of this page. */
  fetchUsername: async (): Promise<string> => (await call((await contract()).tokenconv, {})).username,
  logOut: async () => call((await contract()).logout, {}),
  fetchServerInfo: async () => call((await contract()).serverinfo, {}),
};
