import {
  type Query,
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type QueryKey,
} from '@tanstack/react-query';
import { CallError, isUnreachableError } from '#platform/contract/client.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

/**
 * Refetches queries that were in flight when they were invalidated, because their answers may be outdated. TanStack
 * only does so if a page shows older data. Cancelling first fetches would leave a page empty if changes are frequent.
 */
export class FreshQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const fetching = this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
    void this.#refetchAfter(fetching.filter((query) => !query.isActive()));
    const firstFetches = fetching.filter((query) => query.isActive() && query.state.data === undefined);
    const refetched = this.#refetchAfter(firstFetches);
    await super.invalidateQueries(filters, options);
    await refetched;
  }

  async #refetchAfter(fetching: readonly Query[]): Promise<void> {
    if (fetching.length === 0) return;
    await Promise.allSettled(fetching.flatMap(({ promise }) => promise ?? []));
    const hashes = new Set(fetching.map(({ queryHash }) => queryHash));
    // Without `cancelRefetch`, several callers that wait for the same answer share one refetch.
    await super.invalidateQueries({ predicate: ({ queryHash }) => hashes.has(queryHash) }, { cancelRefetch: false });
  }
}

const MAX_RETRIES = 2;

/** Returns whether a retry makes sense: no answer, or a fault of the server. A refusal is an answer. */
const isTransientError = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status >= 500);

/**
 * Removes cached answers of one account before anything is rendered for the next one. Visible queries are refetched.
 */
function clearOnSessionChange(queryClient: QueryClient): void {
  let lastToken = session.getCurrent()?.token;
  session.subscribe(() => {
    const token = session.getCurrent()?.token;
    if (token === lastToken) return;
    lastToken = token;
    queryClient.removeQueries({ type: 'inactive' });
    // Without a session the pages that query are about to close, and their calls would be refused.
    if (token !== undefined) void queryClient.resetQueries({ type: 'active' });
  });
}

/** Limits refetches of a call that fails although the server can be reached. */
const REFETCH_INTERVAL_MS = 10_000;

/** Refetches queries that failed because the server could not be reached, once it is back. */
function refetchWhenReachable(queryClient: QueryClient): void {
  const refetchedAt = new WeakMap<Query, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  function refetch(): void {
    if (!reachability.isReachable()) return;
    const now = Date.now();
    let hasSkipped = false;
    function predicate(query: Query): boolean {
      if (!isUnreachableError(query.state.error)) return false;
      const isTooSoon = now - (refetchedAt.get(query) ?? 0) < REFETCH_INTERVAL_MS;
      if (isTooSoon) hasSkipped = true;
      else refetchedAt.set(query, now);
      return !isTooSoon;
    }
    void queryClient.refetchQueries({ type: 'active', predicate });
    // A restarting server may be back for good by now, and nothing else would refetch.
    if (hasSkipped) timer ??= setTimeout(refetchLater, REFETCH_INTERVAL_MS);
  }
  function refetchLater(): void {
    timer = undefined;
    refetch();
  }
  reachability.subscribe(refetch);
}

const STALE_AFTER_MS = 5000;

/**
 * Loads data again when it is next shown after no page showed it: the events that change it were not heard meanwhile.
 * Queries with a stale time of their own take care of that themselves.
 */
function expireUnobserved(queryClient: QueryClient): void {
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'observerRemoved' || event.query.getObserversCount() > 0) return;
    if (event.observer.options.staleTime === STALE_AFTER_MS) event.query.invalidate();
  });
}

/** Creates the cache of server data. `networkMode` is always, because a local server is reachable without internet. */
export function createQueryClient(): QueryClient {
  const queryClient = new FreshQueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: STALE_AFTER_MS,
        retry: (failures, error) => failures < MAX_RETRIES && isTransientError(error),
      },
      // A mutation without an answer may have succeeded, so it is never repeated automatically.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  clearOnSessionChange(queryClient);
  refetchWhenReachable(queryClient);
  expireUnobserved(queryClient);
  return queryClient;
}
