import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createUnreachableError } from '#platform/contract/client.ts';
import { call } from './call.ts';
import { reachability } from './reachability.ts';
import { session, useSession } from './session.ts';

/** Loads the username for a token without one, such as the cookie's, and adds it to the session. */
export function useUsername(): { readonly username: string | undefined; readonly error: Error | null } {
  const current = useSession();
  const token = current?.token;
  const query = useQuery({
    queryKey: ['username', token],
    enabled: current !== undefined && current.username === '',
    staleTime: Infinity,
    queryFn: accountClient.fetchUsername,
  });
  useEffect(() => {
    if (token !== undefined && query.data !== undefined) session.setUsername(token, query.data);
  }, [token, query.data]);
  return { username: current?.username || undefined, error: query.error };
}

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
