import type { Query, QueryClient } from '@tanstack/react-query';
import { CallError, isUnreachableError } from '#platform/contract/client.ts';
import { FreshQueryClient } from './freshQueryClient.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

const MAX_RETRIES = 2;

/** No answer, or a fault of the server's: worth another try. A refusal is an answer. */
const isTransientError = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status >= 500);

/** Forgets what one account was answered before anything is drawn for the next one. What is on the page is asked for again. */
const clearOnSessionChange = (queries: QueryClient): void => {
  let owner = session.getCurrent()?.token;
  session.subscribe(() => {
    const token = session.getCurrent()?.token;
    if (token === owner) return;
    owner = token;
    queries.removeQueries({ type: 'inactive' });
    // Without anybody the pages that ask are about to go; they would only be refused.
    if (token !== undefined) void queries.resetQueries({ type: 'active' });
  });
};

/** A call that fails although the server is there is not asked again and again. */
const REFETCH_INTERVAL_MS = 10_000;

/** What a page could not be told while the server was away is asked for again once it is back. */
const refetchWhenReachable = (queries: QueryClient): void => {
  const askedAt = new WeakMap<Query, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refetch = (): void => {
    if (!reachability.isReachable()) return;
    const now = Date.now();
    let hasSkipped = false;
    const predicate = (query: Query): boolean => {
      if (!isUnreachableError(query.state.error)) return false;
      const isTooSoon = now - (askedAt.get(query) ?? 0) < REFETCH_INTERVAL_MS;
      if (isTooSoon) hasSkipped = true;
      else askedAt.set(query, now);
      return !isTooSoon;
    };
    void queries.refetchQueries({ type: 'active', predicate });
    // A server that flaps while it restarts may be back for good: nothing else asks again.
    if (hasSkipped) timer ??= setTimeout(refetchLater, REFETCH_INTERVAL_MS);
  };
  const refetchLater = (): void => {
    timer = undefined;
    refetch();
  };
  reachability.subscribe(refetch);
};

/** Server data of the pages, of who is logged in now. `networkMode` is always: a server in the house is reached without any internet. */
export function createQueryClient(): QueryClient {
  const queries = new FreshQueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 5000,
        retry: (failures, error) => failures < MAX_RETRIES && isTransientError(error),
      },
      // What was not answered may have been done: nothing is sent twice by itself, and nothing later.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  clearOnSessionChange(queries);
  refetchWhenReachable(queries);
  return queries;
}
