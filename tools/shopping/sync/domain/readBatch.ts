import { Refusal } from '#platform/contract/refusal.ts';
import { LIMITS, UNSORTED_ID, isNewId, type Change, type ItemField, type TypeField } from '../../lists/domain/list.ts';
import { REMOVED, ITEM_NAMES, TYPE_NAMES, isRecord } from './listWire.ts';

const SERVER_ID = /^[1-9]\d{0,14}$/;
const isId = (id: string): boolean => SERVER_ID.test(id) || isNewId(id);
const idOf = (id: string, what: string): string => {
  if (!isId(id)) throw new Refusal(`'${id.slice(0, 30)}' is no ${what} of a list`);
  return id;
};

const textOf = (value: unknown, what: string, limit: number): string => {
  // A name of digits stays text, though a plain client has made it a number.
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string' || text.includes('\0')) throw new Refusal(`${what} is a text`);
  if (Array.from(text).length > limit) throw new Refusal(`${what} has at most ${limit} characters`);
  return text;
};
const wholeOf = (value: unknown, what: string, most: number): number => {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > most)
    throw new Refusal(`${what} is a whole number from 0 to ${most.toLocaleString('en')}`);
  // Not -0.
  return number + 0;
};
const COLOUR = /^[-#(),.%/ \w]{1,100}$/;
const colourOf = (value: unknown): readonly [string, string] => {
  const pair: readonly unknown[] = Array.isArray(value) ? value : [];
  const [light, dark] = pair;
  if (
    pair.length !== 2 ||
    typeof light !== 'string' ||
    typeof dark !== 'string' ||
    ![light, dark].every((c) => COLOUR.test(c))
  )
    throw new Refusal('The colour of a type is a pair of colours');
  return [light, dark];
};
const switchOf = (value: unknown): boolean => {
  if (typeof value !== 'boolean') throw new Refusal('Whether a type is visible is true or false');
  return value;
};
const orderOf = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > 1e9)
    throw new Refusal('The place of a type is a number');
  return value;
};

const ITEM_VALUES: Readonly<Record<ItemField, (value: unknown) => string | number>> = {
  name: (value) => textOf(value, 'The name of an item', LIMITS.name),
  emoji: (value) => textOf(value, 'The emoji of an item', LIMITS.emoji),
  desired: (value) => wholeOf(value, 'A quantity', LIMITS.quantity),
  actual: (value) => wholeOf(value, 'A quantity', LIMITS.quantity),
  state: (value) => wholeOf(value, 'The state of an item', 3),
};
const TYPE_VALUES: Readonly<
  Record<TypeField, (value: unknown) => string | number | boolean | readonly [string, string]>
> = {
  name: (value) => textOf(value, 'The name of a type', LIMITS.name),
  colour: colourOf,
  isVisible: switchOf,
  order: orderOf,
};

/** A change and where it stands in the tree, '/' between its keys: what `age` and `inc` name it by. */
export interface ReadChange {
  readonly change: Change;
  readonly path: string;
}

/** What our own page tells besides the tree. */
export interface Differences {
  /** Plus and minus, by path. */
  readonly inc?: Readonly<Record<string, number>> | undefined;
  /** Links made and taken away, by `item/type`. */
  readonly linked?: Readonly<Record<string, boolean>> | undefined;
}

const readItem = (id: string, value: unknown, inc: Differences['inc']): readonly ReadChange[] => {
  const path = `items/${idOf(id, 'item')}`;
  if (value === REMOVED) return [{ change: { kind: 'remove', thing: 'item', id }, path }];
  if (!isRecord(value)) throw new Refusal('An item is changed field by field, or removed');
  return Object.entries(value).map(([name, its]): ReadChange => {
    const field = Object.hasOwn(ITEM_NAMES, name) ? ITEM_NAMES[name] : undefined;
    if (field === undefined) throw new Refusal(`An item has no '${name.slice(0, 30)}'`);
    const own = `${path}/${name}`;
    const by = field === 'actual' && inc && Object.hasOwn(inc, own) ? inc[own] : undefined;
    const read = ITEM_VALUES[field](its);
    if (by === undefined) return { change: { kind: 'item', id, field, value: read }, path: own };
    if (!Number.isInteger(by) || Math.abs(by) > LIMITS.quantity) throw new Refusal('A difference is a whole number');
    return { change: { kind: 'count', id, by }, path: own };
  });
};

const readType = (id: string, value: unknown): readonly ReadChange[] => {
  const path = `types/${idOf(id, 'type')}`;
  if (value === REMOVED) {
    if (id === UNSORTED_ID) throw new Refusal('A built-in type cannot be removed');
    return [{ change: { kind: 'remove', thing: 'type', id }, path }];
  }
  if (!isRecord(value)) throw new Refusal('A type is changed field by field, or removed');
  return Object.entries(value).flatMap(([name, its]): readonly ReadChange[] => {
    // Who made a type follows from the type.
    if (name === 'userset' && typeof its === 'boolean') return [];
    const field = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
    if (field === undefined) throw new Refusal(`A type has no '${name.slice(0, 30)}'`);
    return [{ change: { kind: 'type', id, field, value: TYPE_VALUES[field](its) }, path: `${path}/${name}` }];
  });
};

const readLinks = (item: string, value: unknown, linked: Differences['linked']): readonly ReadChange[] => {
  const path = `links/${idOf(item, 'item')}`;
  const types: readonly unknown[] = Array.isArray(value) ? value : [];
  // A plain client makes numbers of ids.
  const ids = types.map((type) => (Number.isSafeInteger(type) ? String(type) : type));
  if (!Array.isArray(value) || !ids.every((type) => typeof type === 'string' && isId(type)))
    throw new Refusal('Links of an item are a list of type ids');
  if (linked === undefined) return [{ change: { kind: 'links', item, types: ids as readonly string[] }, path }];
  const before = `${item}/`;
  return Object.entries(linked)
    .filter(([pair]) => pair.startsWith(before))
    .map(([pair, isLinked]): ReadChange => {
      const type = idOf(pair.slice(before.length), 'type');
      return { change: { kind: 'link', item, type, isLinked }, path: `links/${pair}` };
    });
};

const branchOf = (value: unknown, name: string): readonly [string, unknown][] => {
  if (!isRecord(value)) throw new Refusal(`The ${name} of a list are told by their ids`);
  return Object.entries(value);
};

/** Things first, then what links them, removals last: a batch may make, link and remove in any order of its keys. */
const RANK: Readonly<Record<Change['kind'], number>> = {
  rename: 0,
  type: 1,
  item: 1,
  count: 2,
  links: 3,
  link: 3,
  remove: 4,
};

/**
 * The changes that a tree tells. What a page keeps for itself (`id`, `editmode`) is looked past.
 * @throws Refusal where anything in it is none, and the whole tree is left alone.
 */
export function readChanges(
  tree: Readonly<Record<string, unknown>>,
  differences: Differences = {},
): readonly ReadChange[] {
  const read = Object.entries(tree).flatMap(([key, value]): readonly ReadChange[] => {
    switch (key) {
      case 'id':
      case 'editmode':
        return [];
      case 'name':
        return [{ change: { kind: 'rename', name: textOf(value, 'The name of a list', LIMITS.name) }, path: key }];
      case 'items':
        return branchOf(value, key).flatMap(([id, its]) => readItem(id, its, differences.inc));
      case 'types':
        return branchOf(value, key).flatMap(([id, its]) => readType(id, its));
      case 'links':
        return branchOf(value, key).flatMap(([item, its]) => readLinks(item, its, differences.linked));
      default:
        throw new Refusal(`A list has no '${key.slice(0, 30)}'`);
    }
  });
  if (read.length > LIMITS.changes) throw new Refusal(`At most ${LIMITS.changes} changes are taken at once`);
  return read.toSorted((one, other) => RANK[one.change.kind] - RANK[other.change.kind]);
}
