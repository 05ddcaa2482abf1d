import type { Change, List } from '#tools/shopping/lists/domain/list.ts';
import { type Json, type WireChange, applyWireChanges } from '#tools/shopping/sync/domain/listWire.ts';
import { writeChanges } from '#tools/shopping/sync/domain/writeBatch.ts';

type Tree = ReturnType<typeof writeChanges>['changes'];

/**
 * Converts changes to those of a plain client, which has no counters (docs/specification/shopping.md section 4.4).
 * The result is a tree of new values, applied to its list immediately, with all links of an item together.
 */
export function toPlainChanges(changes: readonly Change[], list: List): { readonly tree: Tree; readonly list: List } {
  const completeChanges = changes.map((each): Change => {
    if (each.kind === 'count')
      return {
        kind: 'item',
        id: each.id,
        field: 'actual',
        value: Math.max(0, (list.items.get(each.id)?.actual ?? 0) + each.by),
      };
    if (each.kind !== 'link') return each;
    const linked = new Set(list.links.get(each.item));
    if (each.isLinked) linked.add(each.type);
    else linked.delete(each.type);
    return { kind: 'links', item: each.item, types: [...linked] };
  });
  const { changes: tree } = writeChanges(completeChanges, list);
  return { tree, list: applyWireChanges(list, flattenTree(tree)) };
}

/** Flattens a tree of new values to single ones, as the plain client applies it to itself. */
const flattenTree = (tree: Tree): readonly WireChange[] => [
  ...(tree.name === undefined ? [] : [[['name'], tree.name] as const]),
  ...(['items', 'types'] as const)
    .flatMap((kind) => Object.entries(tree[kind]).map(([id, its]): WireChange => [[kind, id], its]))
    .flatMap(([path, its]): readonly WireChange[] =>
      typeof its === 'string'
        ? [[path, its]]
        : [
            ...(path[1]?.startsWith('new') === true
              ? [[path, FRESH[path[0] === 'items' ? 'items' : 'types']] as const]
              : []),
            ...Object.entries(its ?? {}).map(([field, value]): WireChange => [[...path, field], value as Json]),
          ],
    ),
  ...Object.entries(tree.links).map(([id, its]): WireChange => [['links', id], its]),
];
const FRESH: Readonly<Record<'items' | 'types', Json>> = {
  items: { name: 'New item', emoji: '❓', defaultquantity: 10, actualquantity: 0, state: 0 },
  types: { name: 'New type', colour: ['rgba(40,40,40,1)', 'rgba(0,0,0,1)'], visualised: true, userset: true, order: 0 },
};
