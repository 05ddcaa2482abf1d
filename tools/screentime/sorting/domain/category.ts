import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { CATEGORIES_LIMIT, CATEGORY_LIMIT, UNASSIGNED } from '../../contract/limits.ts';
import { normalHotkey } from './hotkeyNotation.ts';

/** What a hotkey does with the volume of a category's applications. */
export const ACTIONS = ['up', 'down', 'mute'] as const;
/** As they are written; empty where there is none. */
export type Hotkeys = Readonly<Record<(typeof ACTIONS)[number], string>>;
export const NO_KEYS: Hotkeys = { up: '', down: '', mute: '' };
export function hasKeys(keys: Hotkeys): boolean {
  return ACTIONS.some((action) => keys[action] !== '');
}

export interface Category {
  readonly name: string;
  readonly keys: Hotkeys;
}

/** An account's categories in their order, and what category each of its applications is in. `UNASSIGNED` is none of them, and always there. */
export interface CategoryAssignment {
  readonly categories: readonly Category[];
  readonly unassignedKeys: Hotkeys;
  readonly categoryOf: ReadonlyMap<string, string>;
}

/** A sorting as a page wants it. */
export interface WantedSorting {
  readonly keys: Readonly<Record<string, Hotkeys>>;
  /** By category the names of its applications. */
  readonly cats: Readonly<Record<string, readonly string[]>>;
  /** Applications and categories that the page knew of; undefined: all. What came since stays as it is. */
  readonly known?: readonly string[] | undefined;
  readonly knownCategories?: readonly string[] | undefined;
}

/** As a sentence quotes it: on one line, its beginning where it is long. */
export function quoted(text: string): string {
  const shown = Array.from(replaceUnstorable(text).replaceAll(/\s+/gu, ' ').trim());
  return `“${shown.length > 40 ? `${shown.slice(0, 40).join('')}…` : shown.join('')}”`;
}

/** @throws Refusal for what no category can be called. */
export function checkCategoryName(name: string): void {
  if (name.trim() === '') throw new Refusal('A category needs a name');
  if (name !== name.trim()) throw new Refusal(`The category ${quoted(name)} begins or ends with a space: take it away`);
  // The wire has categories as the names of fields, and this one is none there.
  if (name === '__proto__') throw new Refusal(`A category cannot be called ${quoted(name)}`);
  if (replaceUnstorable(name) !== name)
    throw new Refusal(`The name ${quoted(name)} has characters that cannot be kept`);
  if (countCodePoints(name) > CATEGORY_LIMIT)
    throw new Refusal(
      `The name ${quoted(name)} is too long at ${countCodePoints(name)} characters, limit is ${CATEGORY_LIMIT}`,
    );
}

/** In the one way in which they are kept. @throws Refusal where one is no key's. Whether a computer has such a key it says itself. */
const checkedKeys = (category: string, keys: Hotkeys): Hotkeys => {
  const checked = (action: keyof Hotkeys): string => {
    try {
      return normalHotkey(keys[action]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(`The key for ${action} of ${quoted(category)}: ${error.message}`, { cause: error });
    }
  };
  return { up: checked('up'), down: checked('down'), mute: checked('mute') };
};

/** @throws Refusal for hotkeys of what is not there. */
const checkKeyed = ({ keys, cats }: WantedSorting): void => {
  for (const name of Object.keys(keys))
    if (name !== UNASSIGNED && !Object.hasOwn(cats, name))
      throw new Refusal(`There are hotkeys for ${quoted(name)}, but there is no such category`);
};

/** Categories as wanted, behind them those that the page did not know of. @throws Refusal */
const wantedCategories = (standing: CategoryAssignment, wanted: WantedSorting): readonly Category[] => {
  checkKeyed(wanted);
  const { keys, cats } = wanted;
  const named = Object.keys(cats).filter((name) => name !== UNASSIGNED);
  const here = named.map((name): Category => {
    checkCategoryName(name);
    const given = Object.hasOwn(keys, name) ? keys[name] : undefined;
    return { name, keys: given ? checkedKeys(name, given) : NO_KEYS };
  });
  const taken = new Set(named);
  const known = wanted.knownCategories && new Set(wanted.knownCategories);
  const since = known ? standing.categories.filter(({ name }) => !known.has(name) && !taken.has(name)) : [];
  const all = [...here, ...since];
  if (all.length > CATEGORIES_LIMIT)
    throw new Refusal(`There would be ${all.length} categories, limit is ${CATEGORIES_LIMIT}`);
  return all;
};

/** Where each application is wanted. @throws Refusal for one that is not there, or is named twice. */
const wantedPlaces = ({ categoryOf }: CategoryAssignment, { cats }: WantedSorting): ReadonlyMap<string, string> => {
  const places = new Map<string, string>();
  for (const [category, applications] of Object.entries(cats))
    for (const name of applications) {
      if (!categoryOf.has(name)) throw new Refusal(`There is no application ${quoted(name)}`);
      const other = places.get(name);
      if (other !== undefined)
        throw new Refusal(
          other === category
            ? `${quoted(name)} stands twice in ${quoted(category)}`
            : `${quoted(name)} stands in ${quoted(other)} and in ${quoted(category)}: it can be in one only`,
        );
      places.set(name, category);
    }
  return places;
};

/**
 * What stands once a page's wish is done. An application that the page knew and left out becomes unassigned; one that it did not know
 * stays where it is, as long as its category does.
 * @throws Refusal where any of it cannot be; nothing is done then.
 */
export function sortedAs(standing: CategoryAssignment, wanted: WantedSorting): CategoryAssignment {
  const categories = wantedCategories(standing, wanted);
  const given = wanted.keys[UNASSIGNED];
  const unassignedKeys = given ? checkedKeys(UNASSIGNED, given) : standing.unassignedKeys;
  const places = wantedPlaces(standing, wanted);
  const known = wanted.known && new Set(wanted.known);
  const stay = new Set(categories.map(({ name }) => name));
  const placeOf = (name: string, before: string): string => {
    const place = places.get(name);
    if (place !== undefined) return place;
    return known && !known.has(name) && stay.has(before) ? before : UNASSIGNED;
  };
  const categoryOf = new Map([...standing.categoryOf].map(([name, before]) => [name, placeOf(name, before)]));
  return { categories, unassignedKeys, categoryOf };
}
