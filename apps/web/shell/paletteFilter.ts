import { foldSearch } from '#platform/contract/fold.ts';

interface Action {
  readonly id: string;
  readonly label?: string;
  readonly description?: string;
  readonly keywords?: string | readonly string[];
}

interface ActionGroup<T> {
  readonly group: string;
  readonly actions: readonly T[];
}

/** Returns 0 for a match in the label, 1 in description or keywords, undefined for no match. */
const getRank = ({ label = '', description = '', keywords = [] }: Action, part: string): 0 | 1 | undefined => {
  if (foldSearch(label).includes(part)) return 0;
  return [description, ...[keywords].flat()].some((text) => foldSearch(text).includes(part)) ? 1 : undefined;
};

/** Filters actions by a query. Matches in labels come first. Text is compared as in all searches of the site. */
export function filterActions<T extends Action>(
  query: string,
  groups: readonly ActionGroup<T>[],
): { group: string; actions: T[] }[] {
  const part = foldSearch(query.trim());
  const matches = groups.flatMap(({ group, actions }) => {
    const ranked = actions
      .map((action) => ({ action, rank: getRank(action, part) ?? 2 }))
      .filter(({ rank }) => rank < 2)
      .toSorted((a, b) => a.rank - b.rank);
    return ranked[0] ? [{ rank: ranked[0].rank, group, actions: ranked.map(({ action }) => action) }] : [];
  });
  return matches.toSorted((a, b) => a.rank - b.rank).map(({ group, actions }) => ({ group, actions }));
}
