import {
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';

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
    const first = fetching.filter((query) => query.isActive() && query.state.data === undefined);
    const refetched = this.#refetchAfter(first);
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
