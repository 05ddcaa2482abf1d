import { QueryClient, type InvalidateOptions, type InvalidateQueryFilters, type QueryKey } from '@tanstack/react-query';

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
    const late = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter((query) => query.state.data === undefined || !query.isActive());
    const coming = late.flatMap(({ promise }) => promise ?? []);
    await super.invalidateQueries(filters, options);
    if (late.length === 0) return;
    await Promise.allSettled(coming);
    const again = new Set(late.map(({ queryHash }) => queryHash));
    // Of several who wait for the same answer the first one asks.
    await super.invalidateQueries({ predicate: ({ queryHash }) => again.has(queryHash) }, { cancelRefetch: false });
  }
}
