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

/** 0 where the label has it, 1 where the description or a keyword does; undefined where nothing does. */
const rankOf = ({ label = '', description = '', keywords = [] }: Action, part: string): 0 | 1 | undefined => {
  if (foldSearch(label).includes(part)) return 0;
  return [description, ...[keywords].flat()].some((text) => foldSearch(text).includes(part)) ? 1 : undefined;
};

/** Actions that have what is typed, the labels first, compared as every search of the site compares. */
export function filterActions<T extends Action>(
  query: string,
  groups: readonly ActionGroup<T>[],
): { group: string; actions: T[] }[] {
  const part = foldSearch(query.trim());
  const found = groups.flatMap(({ group, actions }) => {
    const ranked = actions
      .map((action) => ({ action, rank: rankOf(action, part) ?? 2 }))
      .filter(({ rank }) => rank < 2)
      .toSorted((one, other) => one.rank - other.rank);
    return ranked[0] ? [{ rank: ranked[0].rank, group, actions: ranked.map(({ action }) => action) }] : [];
  });
  return found.toSorted((one, other) => one.rank - other.rank).map(({ group, actions }) => ({ group, actions }));
}
