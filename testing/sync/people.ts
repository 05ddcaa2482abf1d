import type { SeededRandom } from '#testing/kits/random.ts';
import { LIMITS, STATES, UNSORTED_ID, type Change, type List } from '#tools/shopping/lists/domain/list.ts';

/** Initial value of counters: far from 0, where decrements of two users meet the limit. */
export const AMOUNT = 10_000;
export const COUNTER = 'Counter';
const COUNTERS = ['newc0', 'newc1'];
const SHARED = 'Shared';

/** Prefix of the names of things that only one user touches. */
export function getOwnPrefix(who: number): string {
  return `P${who} `;
}

/** The list as its creator makes it. */
export function createFirstChanges(name: string): readonly Change[] {
  return [
    { kind: 'rename', name },
    ...COUNTERS.flatMap((id): readonly Change[] => [
      { kind: 'item', id, field: 'name', value: `${COUNTER} ${id}` },
      { kind: 'item', id, field: 'actual', value: AMOUNT },
    ]),
    ...[0, 1, 2].map((which): Change => ({ kind: 'item', id: `news${which}`, field: 'name', value: SHARED })),
    { kind: 'type', id: 'newt', field: 'name', value: 'Shelf' },
  ];
}
export const TOTAL_AMOUNT = COUNTERS.length * AMOUNT;

const listIds = (things: ReadonlyMap<string, { readonly name: string }>, letters: string): readonly string[] =>
  [...things].filter(([, { name }]) => name.startsWith(letters)).map(([id]) => id);

/** The next action of a user, as far as they see things to apply it to. */
export type PersonAction = (dice: SeededRandom, seen: List, who: number, fresh: () => string) => readonly Change[];

const onItem =
  (
    letters: (who: number) => string,
    createChange: (id: string, dice: SeededRandom, seen: List) => Change,
  ): PersonAction =>
  (dice, seen, who) => {
    const id = dice.pick(listIds(seen.items, letters(who)));
    return id === undefined ? [] : [createChange(id, dice, seen)];
  };
const shared = (): string => SHARED;
const counter = (): string => COUNTER;
let named = 0;
const freshName = (letters: string): string => `${letters}${(named += 1)}`;

const createOwnItem: PersonAction = (_dice, _seen, who, fresh) => [
  { kind: 'item', id: fresh(), field: 'name', value: freshName(getOwnPrefix(who)) },
];
const renameOwn: PersonAction = (dice, seen, who) =>
  onItem(getOwnPrefix, (id) => ({ kind: 'item', id, field: 'name', value: freshName(getOwnPrefix(who)) }))(
    dice,
    seen,
    who,
    () => '',
  );
const tickOwn = onItem(getOwnPrefix, (id, dice) => ({
  kind: 'item',
  id,
  field: 'state',
  value: dice.nextInt(STATES.question + 1),
}));
const removeOwn = onItem(getOwnPrefix, (id) => ({ kind: 'remove', thing: 'item', id }));
const linkOwn: PersonAction = (dice, seen, who, fresh) => {
  const item = dice.pick(listIds(seen.items, getOwnPrefix(who)));
  const type = dice.pick(listIds(seen.types, getOwnPrefix(who)));
  if (type === undefined) return [{ kind: 'type', id: fresh(), field: 'name', value: freshName(getOwnPrefix(who)) }];
  return item === undefined ? [] : [{ kind: 'link', item, type, isLinked: !dice.isOneOf(3) }];
};
const plus = onItem(counter, (id, dice) => ({ kind: 'count', id, by: dice.nextInt(7) - 3 || 1 }));

/** Actions of all users on the same things: all must see the same result. */
export const SHARED_ACTIONS: readonly PersonAction[] = [
  onItem(shared, (id, dice) => ({ kind: 'item', id, field: 'name', value: `${SHARED} ${dice.nextInt(9)}` })),
  onItem(shared, (id, dice) => ({ kind: 'item', id, field: 'actual', value: dice.nextInt(9) })),
  onItem(shared, (id, dice) => ({ kind: 'count', id, by: dice.nextInt(5) - 2 || 1 })),
  onItem(shared, (id) => ({ kind: 'remove', thing: 'item', id })),
  onItem(shared, (item, dice, { types }) => ({
    kind: 'link',
    item,
    type: dice.pick([...types.keys()]) ?? UNSORTED_ID,
    isLinked: !dice.isOneOf(3),
  })),
  (_dice, _seen, who, fresh) => [{ kind: 'item', id: fresh(), field: 'name', value: `${SHARED} of ${who}` }],
  (dice, _seen, who) => [{ kind: 'rename', name: `List ${who} ${dice.nextInt(9)}` }],
  (dice, { types }) => {
    const id = dice.pick([...types.keys()]);
    return id === undefined ? [] : [{ kind: 'type', id, field: 'order', value: dice.nextInt(9) }];
  },
];

/** Actions of a user with our page. */
export const PERSON_ACTIONS: readonly PersonAction[] = [
  ...SHARED_ACTIONS,
  createOwnItem,
  createOwnItem,
  renameOwn,
  renameOwn,
  tickOwn,
  tickOwn,
  removeOwn,
  linkOwn,
  linkOwn,
  plus,
  plus,
  plus,
  plus,
  plus,
  plus,
];
/** Actions of a user with the specified client, which has no counters. */
export const PLAIN_PERSON_ACTIONS: readonly PersonAction[] = [
  ...SHARED_ACTIONS,
  createOwnItem,
  createOwnItem,
  renameOwn,
  tickOwn,
  tickOwn,
  removeOwn,
];

/** Refused with its whole batch. */
export const TOO_LONG_CHANGE: Change = { kind: 'rename', name: 'x'.repeat(LIMITS.name + 1) };
export function isTooLong(change: Change): boolean {
  return change.kind === 'rename' && change.name.length > LIMITS.name;
}
