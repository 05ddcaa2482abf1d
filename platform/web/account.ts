import { unreachable } from '#platform/contract/client.ts';
import { call } from './call.ts';
import { reach } from './reach.ts';

// The contract brings zod along, which stays out of the first load: it is loaded when the page stands.
const contract = () =>
  import('#platform/contract/session.ts').catch((cause: unknown) => {
    reach.set(false);
    throw unreachable(cause);
  });

interface Credentials {
  readonly username: string;
  readonly password: string;
  /** How long the session lasts unused (platform/contract/session.ts). */
  readonly days: 1 | 7 | 30 | 300;
}

/** The calls that make, name and end sessions. */
export const account = {
  /** Loads ahead what the calls need. */
  prepare: (): void => void contract().catch(() => undefined),
  logIn: async (credentials: Credentials) => call((await contract()).log, credentials),
  signUp: async (credentials: Credentials & { readonly setupCode?: string }) =>
    call((await contract()).signup, credentials),
  /** The name behind the token of this page. */
  whoAmI: async (): Promise<string> => (await call((await contract()).tokenconv, {})).username,
  logOut: async () => call((await contract()).logout, {}),
  serverInfo: async () => call((await contract()).serverinfo, {}),
};
