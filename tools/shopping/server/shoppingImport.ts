import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { iterateParsed } from '#platform/server/storage/importSource.ts';
import type { AccountImport, ServerContext } from '#platform/server/tool.ts';
import { MAX_LISTS, shoplistsChanged } from '../contract.ts';
import { LIMITS, UNSORTED_ID, type Change } from '../lists/domain/list.ts';
import type { LeafPath, LeafValue } from '../sync/domain/listReducer.ts';
import { createEmptyState, type ListState } from '../sync/domain/listState.ts';
import { parseChanges } from '../sync/domain/parseChanges.ts';
import type { Stores } from './shoppingStores.ts';

const things = z.record(z.string(), z.unknown());
const list = z.object({
  isOwn: z.boolean(),
  isArchived: z.optional(z.boolean()),
  isDeleted: z.optional(z.boolean()),
  name: z.string().check(z.maxLength(2 * LIMITS.name)),
  items: things,
  types: things,
  links: things,
});

const SERVER_ID_PATTERN = /^[1-9]\d{0,14}$/;

/** Lists the leaves that a change of an exported thing has. */
function listLeaves(change: Change): readonly (readonly [LeafPath, LeafValue])[] {
  switch (change.kind) {
    case 'rename':
      return [['name', change.name]];
    case 'item':
    case 'type': {
      const path = `${change.kind}s/${change.id}`;
      return [
        [path, true],
        [`${path}/${change.field}`, change.value],
      ];
    }
    case 'links':
      return change.types.map((type) => [`links/${change.item}/${type}`, true]);
    case 'count':
    case 'link':
    case 'remove':
      return [];
  }
}

/** Parses each thing on its own, because a list has more of them than one batch may change. */
const splitThings = (kind: string, entries: Readonly<Record<string, unknown>>) =>
  Object.entries(entries).flatMap(([id, value]) => parseChanges({ [kind]: { [id]: value } }));

/**
 * Converts an exported list to the state of a new list, in which its things have the same ids.
 * @throws Refusal if it is damaged or exceeds a limit
 */
export function toImportedState(exported: z.output<typeof list>, time: number): ListState {
  const { name, items, types, links } = exported;
  const ids = [...Object.keys(items), ...Object.keys(types)];
  if (!ids.every((id) => SERVER_ID_PATTERN.test(id)))
    throw new Refusal('import.entry_invalid', 'This part is damaged: a list has an invalid id');
  if (Object.keys(items).length > LIMITS.items || Object.keys(types).length > LIMITS.types)
    throw new Refusal('shopping.list_full', `A list can have at most ${LIMITS.items} items and ${LIMITS.types} types`);
  const changes = [
    ...parseChanges({ name }),
    ...splitThings('types', types),
    ...splitThings('items', items),
    ...splitThings('links', links),
  ];
  const { leaves, ...state } = createEmptyState(name);
  const importedLeaves = new Map(leaves);
  for (const { change } of changes)
    for (const [path, value] of listLeaves(change))
      importedLeaves.set(path, { value, revision: state.revision, time, client: '' });
  const lastId = ids.reduce((last, id) => Math.max(last, Number(id)), Number(UNSORTED_ID));
  return { ...state, leaves: importedLeaves, nextId: lastId + 1 };
}

const MAX_NAMED_LISTS = 5;

const describeShared = (names: readonly string[]): string =>
  `Not imported: lists of other people (${names.join(', ')}). Ask them to share them with this account`;

/** Creates the import of own lists. Lists of other people stay with them. */
export function createShoppingImport(
  { database, realtime, now }: Pick<ServerContext, 'database' | 'realtime' | 'now'>,
  { lists, states }: Pick<Stores, 'lists' | 'states'>,
): AccountImport {
  return {
    isEmpty: async (account) =>
      (await lists.list(account)).every(({ owner }) => owner !== account) &&
      (await lists.listDeleted(account)).length === 0,
    run: async (account, source) =>
      database.transaction(async ({ tx, afterCommit }) => {
        const time = now().epochMilliseconds;
        const sharedNames: string[] = [];
        let listCount = await lists.count(tx, account);
        let importedCount = 0;
        for await (const exported of iterateParsed(source, 'lists', list)) {
          if (!exported.isOwn) {
            if (sharedNames.length < MAX_NAMED_LISTS) sharedNames.push(exported.name);
            continue;
          }
          const state = toImportedState(exported, time);
          if (exported.isDeleted !== true) listCount += 1;
          importedCount += 1;
          if (listCount > MAX_LISTS || importedCount > 2 * MAX_LISTS)
            throw new Refusal('shopping.too_many_lists', `An account can have at most ${MAX_LISTS} lists`);
          const { revision, nextId } = state;
          const id = await lists.insert(tx, { account, revision, nextId, now: time });
          await states.fill(tx, id, state);
          if (exported.isArchived === true) await lists.archive(tx, id, account, true);
          // They are exported most recently deleted first.
          if (exported.isDeleted === true) await lists.setDeleted(tx, id, account, time - importedCount);
        }
        afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
        return {
          counts: { lists: importedCount },
          problems: sharedNames.length === 0 ? [] : [describeShared(sharedNames)],
        };
      }),
  };
}
