import { foldSearch } from '#platform/contract/fold.ts';

/** An application in the picker. */
interface PickerEntry {
  readonly name: string;
  /** Used in the last two weeks. */
  readonly '2w': boolean;
}

export interface PickerGroup {
  readonly category: string;
  /** Shown as 'Recently used'. */
  readonly recent: readonly string[];
  /** Shown as 'Over two weeks ago'. */
  readonly older: readonly string[];
}

/** Returns a comparison by hours, descending, then by name. */
export function compareByHours(hours: ReadonlyMap<string, number>) {
  return (a: string, b: string): number => (hours.get(b) ?? 0) - (hours.get(a) ?? 0) || (a < b ? -1 : Number(a > b));
}

const contains = (name: string, part: string): boolean => foldSearch(name).includes(part);

/** Returns applications by category, filtered by a text in either name. Empty categories are omitted. */
export function listPickerGroups(
  data: Readonly<Record<string, readonly PickerEntry[]>>,
  hours: ReadonlyMap<string, number>,
  searchText: string,
): readonly PickerGroup[] {
  const part = foldSearch(searchText.trim());
  return Object.entries(data).flatMap(([category, entries]) => {
    const matches = contains(category, part) ? entries : entries.filter(({ name }) => contains(name, part));
    if (matches.length === 0) return [];
    const listNames = (isRecent: boolean): readonly string[] =>
      matches.flatMap((entry) => (entry['2w'] === isRecent ? [entry.name] : [])).toSorted(compareByHours(hours));
    return [{ category, recent: listNames(true), older: listNames(false) }];
  });
}

/**
 * Returns the selection with a whole group switched to the opposite of its last application
 * (docs/specification/screentime.md section 1.3).
 */
export function toggleGroup(selected: readonly string[], group: readonly string[]): readonly string[] {
  const last = group.at(-1);
  if (last === undefined) return selected;
  const otherNames = selected.filter((name) => !group.includes(name));
  return selected.includes(last) ? otherNames : [...otherNames, ...group];
}

/** Returns the selection with one application switched. */
export function toggleApplication(selected: readonly string[], name: string): readonly string[] {
  return selected.includes(name) ? selected.filter((other) => other !== name) : [...selected, name];
}
