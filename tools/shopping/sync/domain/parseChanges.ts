import { Refusal } from '#platform/contract/refusal.ts';
import { LIMITS, UNSORTED_ID, isNewId, type Change, type ItemField, type TypeField } from '../../lists/domain/list.ts';
import { REMOVED, ITEM_FIELD_BY_WIRE_NAME, TYPE_FIELD_BY_WIRE_NAME, isRecord } from './listWire.ts';

const SERVER_ID_PATTERN = /^[1-9]\d{0,14}$/;
const isId = (id: string): boolean => SERVER_ID_PATTERN.test(id) || isNewId(id);
function parseId(id: string, thing: string): string {
  if (!isId(id)) throw new Refusal('shopping.invalid_id', `'${id.slice(0, 30)}' is not the id of a list ${thing}`);
  return id;
}

function parseText(value: unknown, label: string, limit: number): string {
  // A plain client may send a name of digits as a number.
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string' || text.includes('\0'))
    throw new Refusal('shopping.invalid_value', `${label} must be text`);
  if (Array.from(text).length > limit)
    throw new Refusal('shopping.text_too_long', `${label} is too long. Enter at most ${limit} characters`);
  return text;
}
function parseInteger(value: unknown, label: string, max: number): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > max)
    throw new Refusal(
      'shopping.invalid_value',
      `${label} must be a whole number from 0 to ${max.toLocaleString('en')}`,
    );
  // Turns -0 into 0.
  return number + 0;
}
const COLOUR_PATTERN = /^[-#(),.%/ \w]{1,100}$/;
function parseColour(value: unknown): readonly [string, string] {
  const pair: readonly unknown[] = Array.isArray(value) ? value : [];
  const [light, dark] = pair;
  if (
    pair.length !== 2 ||
    typeof light !== 'string' ||
    typeof dark !== 'string' ||
    ![light, dark].every((colour) => COLOUR_PATTERN.test(colour))
  )
    throw new Refusal('shopping.invalid_value', 'The colour of a type must be a pair of colours');
  return [light, dark];
}
function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean')
    throw new Refusal('shopping.invalid_value', 'The visibility of a type must be true or false');
  return value;
}
function parseOrder(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > 1e9)
    throw new Refusal('shopping.invalid_value', 'The position of a type must be a number');
  return value;
}

const ITEM_VALUE_PARSERS: Readonly<Record<ItemField, (value: unknown) => string | number>> = {
  name: (value) => parseText(value, 'The item name', LIMITS.name),
  emoji: (value) => parseText(value, 'The item emoji', LIMITS.emoji),
  desired: (value) => parseInteger(value, 'A quantity', LIMITS.quantity),
  actual: (value) => parseInteger(value, 'A quantity', LIMITS.quantity),
  state: (value) => parseInteger(value, 'The item state', 3),
};
const TYPE_VALUE_PARSERS: Readonly<
  Record<TypeField, (value: unknown) => string | number | boolean | readonly [string, string]>
> = {
  name: (value) => parseText(value, 'The type name', LIMITS.name),
  colour: parseColour,
  isVisible: parseBoolean,
  order: parseOrder,
};

/** A change and its path in the tree, joined with '/'; `age` and `inc` use this path as key. */
export interface ParsedChange {
  readonly change: Change;
  readonly path: string;
}

/** Fields that the planner's own page sends in addition to the tree. */
export interface Differences {
  /** Differences of counters, by path. */
  readonly inc?: Readonly<Record<string, number>> | undefined;
  /** Added and removed links, by `item/type`. */
  readonly linked?: Readonly<Record<string, boolean>> | undefined;
}

function parseItem(id: string, value: unknown, inc: Differences['inc']): readonly ParsedChange[] {
  const path = `items/${parseId(id, 'item')}`;
  if (value === REMOVED) return [{ change: { kind: 'remove', thing: 'item', id }, path }];
  if (!isRecord(value))
    throw new Refusal('shopping.invalid_change', 'An item change must be an object of fields or _REMOVE');
  return Object.entries(value).map(([name, fieldValue]): ParsedChange => {
    const field = Object.hasOwn(ITEM_FIELD_BY_WIRE_NAME, name) ? ITEM_FIELD_BY_WIRE_NAME[name] : undefined;
    if (field === undefined) throw new Refusal('shopping.unknown_field', `An item has no field '${name.slice(0, 30)}'`);
    const fieldPath = `${path}/${name}`;
    const by = field === 'actual' && inc && Object.hasOwn(inc, fieldPath) ? inc[fieldPath] : undefined;
    const parsed = ITEM_VALUE_PARSERS[field](fieldValue);
    if (by === undefined) return { change: { kind: 'item', id, field, value: parsed }, path: fieldPath };
    if (!Number.isInteger(by) || Math.abs(by) > LIMITS.quantity)
      throw new Refusal('shopping.invalid_value', 'A difference must be a whole number');
    return { change: { kind: 'count', id, by }, path: fieldPath };
  });
}

function parseType(id: string, value: unknown): readonly ParsedChange[] {
  const path = `types/${parseId(id, 'type')}`;
  if (value === REMOVED) {
    if (id === UNSORTED_ID) throw new Refusal('shopping.type_built_in', "A built-in type can't be deleted");
    return [{ change: { kind: 'remove', thing: 'type', id }, path }];
  }
  if (!isRecord(value))
    throw new Refusal('shopping.invalid_change', 'A type change must be an object of fields or _REMOVE');
  return Object.entries(value).flatMap(([name, fieldValue]): readonly ParsedChange[] => {
    // `userset` follows from the type and is ignored.
    if (name === 'userset' && typeof fieldValue === 'boolean') return [];
    const field = Object.hasOwn(TYPE_FIELD_BY_WIRE_NAME, name) ? TYPE_FIELD_BY_WIRE_NAME[name] : undefined;
    if (field === undefined) throw new Refusal('shopping.unknown_field', `A type has no field '${name.slice(0, 30)}'`);
    return [
      { change: { kind: 'type', id, field, value: TYPE_VALUE_PARSERS[field](fieldValue) }, path: `${path}/${name}` },
    ];
  });
}

function parseLinks(item: string, value: unknown, linked: Differences['linked']): readonly ParsedChange[] {
  const path = `links/${parseId(item, 'item')}`;
  const sent: unknown = value === REMOVED ? [] : value;
  const types: readonly unknown[] = Array.isArray(sent) ? sent : [];
  // A plain client may send ids as numbers.
  const ids = types.map((type) => (Number.isSafeInteger(type) ? String(type) : type));
  if (!Array.isArray(sent) || !ids.every((type) => typeof type === 'string' && isId(type)))
    throw new Refusal('shopping.invalid_value', 'The links of an item must be a list of type ids');
  if (linked === undefined) return [{ change: { kind: 'links', item, types: ids as readonly string[] }, path }];
  const prefix = `${item}/`;
  return Object.entries(linked)
    .filter(([pair]) => pair.startsWith(prefix))
    .map(([pair, isLinked]): ParsedChange => {
      const type = parseId(pair.slice(prefix.length), 'type');
      return { change: { kind: 'link', item, type, isLinked }, path: `links/${pair}` };
    });
}

function parseBranch(value: unknown, name: string): readonly [string, unknown][] {
  if (!isRecord(value)) throw new Refusal('shopping.invalid_change', `The ${name} of a list must be an object of ids`);
  return Object.entries(value);
}

/** Changes are applied in this order, so that the keys of a tree can be in any order. */
const APPLY_ORDER: Readonly<Record<Change['kind'], number>> = {
  rename: 0,
  type: 1,
  item: 1,
  count: 2,
  links: 3,
  link: 3,
  remove: 4,
};

/**
 * Parses the changes of a tree. State of the page (`id`, `editmode`) is ignored.
 * @throws Refusal if anything is invalid; then the whole tree is refused.
 */
export function parseChanges(
  tree: Readonly<Record<string, unknown>>,
  differences: Differences = {},
): readonly ParsedChange[] {
  const parsed = Object.entries(tree).flatMap(([key, value]): readonly ParsedChange[] => {
    switch (key) {
      case 'id':
      case 'editmode':
        return [];
      case 'name':
        return [{ change: { kind: 'rename', name: parseText(value, 'The list name', LIMITS.name) }, path: key }];
      case 'items':
        return parseBranch(value, key).flatMap(([id, item]) => parseItem(id, item, differences.inc));
      case 'types':
        return parseBranch(value, key).flatMap(([id, type]) => parseType(id, type));
      case 'links':
        return parseBranch(value, key).flatMap(([item, types]) => parseLinks(item, types, differences.linked));
      default:
        throw new Refusal('shopping.unknown_field', `A list has no field '${key.slice(0, 30)}'`);
    }
  });
  if (parsed.length > LIMITS.changes)
    throw new Refusal(
      'shopping.too_many_changes',
      `Send at most ${LIMITS.changes.toLocaleString('en')} changes at once`,
    );
  return parsed.toSorted((a, b) => APPLY_ORDER[a.change.kind] - APPLY_ORDER[b.change.kind]);
}
