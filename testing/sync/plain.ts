import type { Change, List } from '#tools/shopping/lists/domain/list.ts';
import { type Json, type WireChange, applyWireChanges } from '#tools/shopping/sync/domain/listWire.ts';
import { writeChanges } from '#tools/shopping/sync/domain/writeBatch.ts';

type Tree = ReturnType<typeof writeChanges>['changes'];

/**
 * Converts changes to those of a plain client, which has no counters (docs/specification/shopping.md section 4.4).
 * The result is a tree of new values, applied to its list immediately, with all links of an item together.
 */
export function toPlainChanges(changes: readonly Change[], list: List): { readonly tree: Tree; readonly list: List } {
  const completeChanges = changes.map((change): Change => {
    if (change.kind === 'count')
      return {
        kind: 'item',
        id: change.id,
        field: 'actual',
        value: Math.max(0, (list.items.get(change.id)?.actual ?? 0) + change.by),
      };
    if (change.kind !== 'link') return change;
    const linked = new Set(list.links.get(change.item));
    if (change.isLinked) linked.add(change.type);
    else linked.delete(change.type);
    return { kind: 'links', item: change.item, types: [...linked] };
  });
  const { changes: tree } = writeChanges(completeChanges, list);
  return { tree, list: applyWireChanges(list, flattenTree(tree)) };
}

/** Flattens a tree of new values to single ones, as the plain client applies it to itself. */
const flattenTree = (tree: Tree): readonly WireChange[] => [
  ...(tree.name === undefined ? [] : [[['name'], tree.name] as const]),
  ...(['items', 'types'] as const)
    .flatMap((kind) => Object.entries(tree[kind]).map(([id, value]): WireChange => [[kind, id], value]))
    .flatMap(([path, value]): readonly WireChange[] =>
      typeof value === 'string'
        ? [[path, value]]
        : [
            ...(path[1]?.startsWith('new') === true
              ? [[path, FRESH[path[0] === 'items' ? 'items' : 'types']] as const]
              : []),
            ...Object.entries(value ?? {}).map(([field, fieldValue]): WireChange => [
              [...path, field],
              fieldValue as Json,
            ]),
          ],
    ),
  ...Object.entries(tree.links).map(([id, value]): WireChange => [['links', id], value]),
];
const FRESH: Readonly<Record<'items' | 'types', Json>> = {
  items: { name: 'New item', emoji: '❓', defaultquantity: 10, actualquantity: 0, state: 0 },
  types: { name: 'New type', colour: ['rgba(40,40,40,1)', 'rgba(0,0,0,1)'], visualised: true, userset: true, order: 0 },
};
