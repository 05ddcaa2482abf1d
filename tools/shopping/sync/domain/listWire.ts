import type { Item, ItemField, List, Type, TypeField } from '../../lists/domain/list.ts';

/** The tree of a list as the wire has it (specification 1, section 3), and changes of it. Names of the wire stand here and in the contract alone. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type WireChange = readonly [readonly string[], Json];

export const ITEM_NAMES: Readonly<Record<string, ItemField>> = {
  name: 'name',
  emoji: 'emoji',
  defaultquantity: 'desired',
  actualquantity: 'actual',
  state: 'state',
};
export const TYPE_NAMES: Readonly<Record<string, TypeField>> = {
  name: 'name',
  colour: 'colour',
  visualised: 'isVisible',
  order: 'order',
};
export const wireName = (names: Readonly<Record<string, string>>, field: string): string =>
  Object.keys(names).find((name) => names[name] === field) ?? field;

export const itemOnWire = ({ name, emoji, desired, actual, state }: Item): Json => ({
  name,
  emoji,
  defaultquantity: desired,
  actualquantity: actual,
  state,
});
export const typeOnWire = ({ name, colour, isVisible, isOwn, order }: Type): Json => ({
  name,
  colour: [...colour],
  visualised: isVisible,
  userset: isOwn,
  order,
});

/** A whole list. */
export const treeOf = ({ name, items, types, links }: List) => ({
  name,
  items: Object.fromEntries([...items].map(([id, item]) => [id, itemOnWire(item)])),
  types: Object.fromEntries([...types].map(([id, type]) => [id, typeOnWire(type)])),
  links: Object.fromEntries([...links].map(([id, linked]) => [id, [...linked]])),
});

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
