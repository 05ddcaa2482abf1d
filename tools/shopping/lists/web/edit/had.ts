import { session } from '#platform/web/app/session.ts';
import type { List } from '../../domain/list.ts';
import { sameName } from '../../domain/suggest.ts';
import { typesNamed } from './itemChanges.ts';

/** By the name of an item, the names of the types that it had last: in this visit, of this account, in any list. */
let who: string | undefined;
const had = new Map<string, readonly string[]>();

const ofThisAccount = (): typeof had => {
  const now = session.getCurrent()?.token;
  if (now !== who) had.clear();
  who = now;
  return had;
};

/** Remembers the types of an item that goes. */
export const rememberTypes = (list: List, id: string): void => {
  const item = list.items.get(id);
  const types = [...(list.links.get(id) ?? [])].flatMap((type) => list.types.get(type)?.name ?? []);
  if (item && types.length > 0) ofThisAccount().set(sameName(item.name), types);
};

/** Those types of this list that an item of this name had last. */
export const typesHad = (list: List, name: string): readonly string[] =>
  typesNamed(list, ofThisAccount().get(sameName(name)) ?? []);
