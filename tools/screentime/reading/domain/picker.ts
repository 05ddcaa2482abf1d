import { foldSearch } from '#platform/contract/fold.ts';

/** An application in the picker. */
interface PickerEntry {
  readonly name: string;
  /** Used in the last two weeks. */
  readonly '2w': boolean;
}

export interface PickerGroup {
  readonly category: string;
  /** Groups 'Recently used' and 'Over two weeks ago'. */
  readonly recent: readonly string[];
  readonly older: readonly string[];
}

/** Compares by hours, descending, then by name. */
export function byHours(hours: ReadonlyMap<string, number>) {
  return (a: string, b: string): number => (hours.get(b) ?? 0) - (hours.get(a) ?? 0) || (a < b ? -1 : Number(a > b));
}

const contains = (name: string, part: string): boolean => foldSearch(name).includes(part);

/** Groups applications by category, filtered by `found` in either name. Omits empty categories. */
export function pickerGroups(
  data: Readonly<Record<string, readonly PickerEntry[]>>,
  hours: ReadonlyMap<string, number>,
  found: string,
): readonly PickerGroup[] {
  const part = foldSearch(found.trim());
  return Object.entries(data).flatMap(([category, listed]) => {
    const shown = contains(category, part) ? listed : listed.filter(({ name }) => contains(name, part));
    if (shown.length === 0) return [];
    const names = (recently: boolean): readonly string[] =>
      shown.flatMap((each) => (each['2w'] === recently ? [each.name] : [])).toSorted(byHours(hours));
    return [{ category, recent: names(true), older: names(false) }];
  });
}

/** Switches a whole group, to the opposite of its last application (docs/specification/screentime.md section 1.3). */
export function toggleGroup(on: readonly string[], group: readonly string[]): readonly string[] {
  const last = group.at(-1);
  if (last === undefined) return on;
  const others = on.filter((name) => !group.includes(name));
  return on.includes(last) ? others : [...others, ...group];
}

/** Switches one application. */
export function toggleApplication(on: readonly string[], name: string): readonly string[] {
  return on.includes(name) ? on.filter((each) => each !== name) : [...on, name];
}
