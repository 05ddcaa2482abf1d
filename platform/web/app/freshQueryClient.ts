import {
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';

/**
 * An answer that was on its way when what it tells of changed would come as it was before, and count as fresh. TanStack drops it where
 * a page shows an older one; where it is the first, or no page waits for it, it is let through here and asked for again behind it:
 * dropping it would leave a page empty for as long as changes come quicker than answers.
 */
export class FreshQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const coming = this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
    void this.#againBehind(coming.filter((query) => !query.isActive()));
    const again = this.#againBehind(coming.filter((query) => query.isActive() && query.state.data === undefined));
    await super.invalidateQueries(filters, options);
    await again;
  }

  async #againBehind(coming: readonly Query[]): Promise<void> {
    if (coming.length === 0) return;
    await Promise.allSettled(coming.flatMap(({ promise }) => promise ?? []));
    const these = new Set(coming.map(({ queryHash }) => queryHash));
    // Of several who wait for the same answer the first one asks.
    await super.invalidateQueries({ predicate: ({ queryHash }) => these.has(queryHash) }, { cancelRefetch: false });
  }
}
