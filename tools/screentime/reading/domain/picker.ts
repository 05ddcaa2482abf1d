import { foldSearch } from '#platform/contract/fold.ts';

interface NamedComputer {
  readonly id: number;
  readonly name: string;
  readonly origin: 'paired' | 'imported' | 'removed';
}

/** Names of computers by id, as they are chosen from: one that was removed says so. */
export function computerNames(computers: readonly NamedComputer[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    computers.map(({ id, name, origin }) => [id, origin === 'removed' ? `${name} (removed)` : name]),
  );
}

/** An application as the picker has it. */
interface PickerEntry {
  readonly name: string;
  /** In the last two weeks. */
  readonly '2w': boolean;
}

export interface PickerGroup {
  readonly category: string;
  /** 'Recently used', and 'Over two weeks ago'. */
  readonly recent: readonly string[];
  readonly older: readonly string[];
}

/** More hours first; alike ones by their names. */
export function byHours(hours: ReadonlyMap<string, number>) {
  return (a: string, b: string): number => (hours.get(b) ?? 0) - (hours.get(a) ?? 0) || (a < b ? -1 : Number(a > b));
}

const contains = (name: string, part: string): boolean => foldSearch(name).includes(part);

/**
 * The applications by category, those whose name or category has `found` in it. Categories without any are left out.
 */
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

/** What is on once all these were switched together: as their last one was not (specification 2, section 2.2). */
export function switchedTogether(on: readonly string[], group: readonly string[]): readonly string[] {
  const last = group.at(-1);
  if (last === undefined) return on;
  const others = on.filter((name) => !group.includes(name));
  return on.includes(last) ? others : [...others, ...group];
}

/** What is on once this one was switched. */
export function switched(on: readonly string[], name: string): readonly string[] {
  return on.includes(name) ? on.filter((each) => each !== name) : [...on, name];
}
