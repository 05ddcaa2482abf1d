import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { MAX_CATEGORIES, MAX_CATEGORY_LENGTH, UNASSIGNED } from '../../contract/limits.ts';
import { normalizeHotkey } from './hotkeyNotation.ts';

/** Effect of a hotkey on the volume of a category's applications. */
export const HOTKEY_ACTIONS = ['up', 'down', 'mute'] as const;
/** As written; empty if there is none. */
export type Hotkeys = Readonly<Record<(typeof HOTKEY_ACTIONS)[number], string>>;
export const NO_KEYS: Hotkeys = { up: '', down: '', mute: '' };
export function hasKeys(keys: Hotkeys): boolean {
  return HOTKEY_ACTIONS.some((action) => keys[action] !== '');
}

export interface Category {
  readonly name: string;
  readonly keys: Hotkeys;
}

/**
 * Categories of an account in order, and the category of each application. `UNASSIGNED` is not listed and always
 * exists.
 */
export interface CategoryAssignment {
  readonly categories: readonly Category[];
  readonly unassignedKeys: Hotkeys;
  readonly categoryByApplication: ReadonlyMap<string, string>;
}

/** A sorting as a page requests it. */
export interface SortingRequest {
  readonly keys: Readonly<Record<string, Hotkeys>>;
  /** Names of applications by category. */
  readonly cats: Readonly<Record<string, readonly string[]>>;
  /** Applications and categories that the page knows; undefined: all. Newer ones stay as they are. */
  readonly known?: readonly string[] | undefined;
  readonly knownCategories?: readonly string[] | undefined;
}

/** Quotes a text in a sentence: one line, shortened. */
export function quote(text: string): string {
  const characters = Array.from(replaceUnstorable(text).replaceAll(/\s+/gu, ' ').trim());
  return `“${characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('')}”`;
}

/**
 * Validates a name.
 * @throws Refusal if a category can't have it.
 */
export function validateCategoryName(name: string): void {
  if (name.trim() === '') throw new Refusal('screentime.category_name_empty', 'Enter a name for the category');
  if (name !== name.trim())
    throw new Refusal(
      'screentime.category_name_spaces',
      `The category name ${quote(name)} starts or ends with a space. Remove it`,
    );
  // The wire uses categories as object keys, and this name is special there.
  if (name === '__proto__')
    throw new Refusal(
      'screentime.category_name_invalid',
      `A category can't be called ${quote(name)}. Choose another name`,
    );
  if (replaceUnstorable(name) !== name)
    throw new Refusal(
      'screentime.category_name_invalid',
      `The name ${quote(name)} has characters that can't be stored. Remove them`,
    );
  if (countCodePoints(name) > MAX_CATEGORY_LENGTH)
    throw new Refusal(
      'screentime.category_name_too_long',
      `The name ${quote(name)} is too long. Enter at most ${MAX_CATEGORY_LENGTH} characters`,
    );
}

/**
 * Normalizes hotkeys. Each computer decides whether it has such a key.
 * @throws Refusal for an invalid hotkey.
 */
function normalizeKeys(category: string, keys: Hotkeys): Hotkeys {
  function normalizeKey(action: keyof Hotkeys): string {
    try {
      return normalizeHotkey(keys[action]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal('screentime.invalid_hotkey', `The key for ${action} of ${quote(category)}: ${error.message}`, {
        cause: error,
      });
    }
  }
  return { up: normalizeKey('up'), down: normalizeKey('down'), mute: normalizeKey('mute') };
}

/**
 * Checks that hotkeys belong to existing categories.
 * @throws Refusal if not.
 */
function validateKeyedCategories({ keys, cats }: SortingRequest): void {
  for (const name of Object.keys(keys))
    if (name !== UNASSIGNED && !Object.hasOwn(cats, name))
      throw new Refusal(
        'screentime.hotkey_without_category',
        `There are hotkeys for ${quote(name)}, but there is no such category`,
      );
}

/**
 * Returns the requested categories, followed by those that the page did not know.
 * @throws Refusal if they are invalid.
 */
function listRequestedCategories(current: CategoryAssignment, request: SortingRequest): readonly Category[] {
  validateKeyedCategories(request);
  const { keys, cats } = request;
  const requestedNames = Object.keys(cats).filter((name) => name !== UNASSIGNED);
  const requestedCategories = requestedNames.map((name): Category => {
    validateCategoryName(name);
    const requestedKeys = Object.hasOwn(keys, name) ? keys[name] : undefined;
    return { name, keys: requestedKeys ? normalizeKeys(name, requestedKeys) : NO_KEYS };
  });
  const requestedNameSet = new Set(requestedNames);
  const knownNames = request.knownCategories && new Set(request.knownCategories);
  const unknownToPage = knownNames
    ? current.categories.filter(({ name }) => !knownNames.has(name) && !requestedNameSet.has(name))
    : [];
  const all = [...requestedCategories, ...unknownToPage];
  if (all.length > MAX_CATEGORIES)
    throw new Refusal(
      'screentime.too_many_categories',
      `You can have at most ${MAX_CATEGORIES} categories. Delete one first`,
    );
  return all;
}

/**
 * Returns the requested category of each application.
 * @throws Refusal for unknown or duplicate applications.
 */
function mapRequestedCategories(
  { categoryByApplication }: CategoryAssignment,
  { cats }: SortingRequest,
): ReadonlyMap<string, string> {
  const categoryByName = new Map<string, string>();
  for (const [category, applications] of Object.entries(cats))
    for (const name of applications) {
      if (!categoryByApplication.has(name))
        throw new Refusal('screentime.application_not_found', `There is no application ${quote(name)}`);
      const earlierCategory = categoryByName.get(name);
      if (earlierCategory !== undefined)
        throw new Refusal(
          'screentime.application_twice',
          earlierCategory === category
            ? `${quote(name)} is in ${quote(category)} twice`
            : `${quote(name)} is in both ${quote(earlierCategory)} and ${quote(category)}. Choose one of them`,
        );
      categoryByName.set(name, category);
    }
  return categoryByName;
}

/**
 * Applies a page's request. Known applications that are left out become unassigned; unknown ones stay if their category
 * does.
 * @throws Refusal if any part is invalid; then nothing changes.
 */
export function applySorting(current: CategoryAssignment, request: SortingRequest): CategoryAssignment {
  const categories = listRequestedCategories(current, request);
  const requestedKeys = request.keys[UNASSIGNED];
  const unassignedKeys = requestedKeys ? normalizeKeys(UNASSIGNED, requestedKeys) : current.unassignedKeys;
  const categoryByName = mapRequestedCategories(current, request);
  const knownNames = request.known && new Set(request.known);
  const existing = new Set(categories.map(({ name }) => name));
  function getCategoryAfter(name: string, before: string): string {
    const requestedCategory = categoryByName.get(name);
    if (requestedCategory !== undefined) return requestedCategory;
    return knownNames && !knownNames.has(name) && existing.has(before) ? before : UNASSIGNED;
  }
  const categoryByApplication = new Map(
    [...current.categoryByApplication].map(([name, before]) => [name, getCategoryAfter(name, before)]),
  );
  return { categories, unassignedKeys, categoryByApplication };
}
