import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountClient } from './accountClient.ts';
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
