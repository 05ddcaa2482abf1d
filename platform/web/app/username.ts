import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountClient } from './account.ts';
import { session, useSession } from './session.ts';

/** Asks who is behind a token that came without a name (the cookie's), and puts the name into the session. */
export function useUsername(): { readonly username: string | undefined; readonly error: Error | null } {
  const current = useSession();
  const token = current?.token;
  const asked = useQuery({
    queryKey: ['username', token],
    enabled: current !== undefined && current.username === '',
    staleTime: Infinity,
    queryFn: accountClient.fetchUsername,
  });
  useEffect(() => {
    if (token !== undefined && asked.data !== undefined) session.setUsername(token, asked.data);
  }, [token, asked.data]);
  return { username: current?.username || undefined, error: asked.error };
}
