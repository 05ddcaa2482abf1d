import { LIMITS, STATES, UNSORTED_ID, type Change, type List } from '#tools/shopping/domain/list.ts';
import type { Dice } from './dice.ts';

/** What the counters of a history begin with: far from 0, where the minus of two people meets the floor. */
export const AMOUNT = 10_000;
export const COUNTER = 'Counter';
const COUNTERS = ['newc0', 'newc1'];
const SHARED = 'Shared';

/** Things that one person alone touches are called by these letters. */
export const ownLetters = (who: number): string => `P${who} `;

/** The list as its maker makes it. */
export const firstChanges = (name: string): readonly Change[] => [
  { kind: 'rename', name },
  ...COUNTERS.flatMap((id): readonly Change[] => [
    { kind: 'item', id, field: 'name', value: `${COUNTER} ${id}` },
    { kind: 'item', id, field: 'actual', value: AMOUNT },
  ]),
  ...[0, 1, 2].map((which): Change => ({ kind: 'item', id: `news${which}`, field: 'name', value: SHARED })),
  { kind: 'type', id: 'newt', field: 'name', value: 'Shelf' },
];
export const COUNTED = COUNTERS.length * AMOUNT;

const idsOf = (things: ReadonlyMap<string, { readonly name: string }>, letters: string): readonly string[] =>
  [...things].filter(([, { name }]) => name.startsWith(letters)).map(([id]) => id);

/** What one person does next, as far as they see things to do it to. */
export type Doing = (dice: Dice, seen: List, who: number, fresh: () => string) => readonly Change[];

const onItem =
  (letters: (who: number) => string, changeOf: (id: string, dice: Dice, seen: List) => Change): Doing =>
  (dice, seen, who) => {
    const id = dice.of(idsOf(seen.items, letters(who)));
    return id === undefined ? [] : [changeOf(id, dice, seen)];
  };
const shared = (): string => SHARED;
const counter = (): string => COUNTER;
let named = 0;
const freshName = (letters: string): string => `${letters}${(named += 1)}`;

const makeOwn: Doing = (_dice, _seen, who, fresh) => [
  { kind: 'item', id: fresh(), field: 'name', value: freshName(ownLetters(who)) },
];
const renameOwn: Doing = (dice, seen, who) =>
  onItem(ownLetters, (id) => ({ kind: 'item', id, field: 'name', value: freshName(ownLetters(who)) }))(
    dice,
    seen,
    who,
    () => '',
  );
const tickOwn = onItem(ownLetters, (id, dice) => ({
  kind: 'item',
  id,
  field: 'state',
  value: dice.whole(STATES.question + 1),
}));
const removeOwn = onItem(ownLetters, (id) => ({ kind: 'remove', thing: 'item', id }));
const linkOwn: Doing = (dice, seen, who, fresh) => {
  const item = dice.of(idsOf(seen.items, ownLetters(who)));
  const type = dice.of(idsOf(seen.types, ownLetters(who)));
  if (type === undefined) return [{ kind: 'type', id: fresh(), field: 'name', value: freshName(ownLetters(who)) }];
  return item === undefined ? [] : [{ kind: 'link', item, type, isLinked: !dice.isOneIn(3) }];
};
const plus = onItem(counter, (id, dice) => ({ kind: 'count', id, by: dice.whole(7) - 3 || 1 }));

/** What everyone does to the same things: whoever wins, all must see the same. */
export const TOGETHER: readonly Doing[] = [
  onItem(shared, (id, dice) => ({ kind: 'item', id, field: 'name', value: `${SHARED} ${dice.whole(9)}` })),
  onItem(shared, (id, dice) => ({ kind: 'item', id, field: 'actual', value: dice.whole(9) })),
  onItem(shared, (id, dice) => ({ kind: 'count', id, by: dice.whole(5) - 2 || 1 })),
  onItem(shared, (id) => ({ kind: 'remove', thing: 'item', id })),
  onItem(shared, (item, dice, { types }) => ({
    kind: 'link',
    item,
    type: dice.of([...types.keys()]) ?? UNSORTED_ID,
    isLinked: !dice.isOneIn(3),
  })),
  (_dice, _seen, who, fresh) => [{ kind: 'item', id: fresh(), field: 'name', value: `${SHARED} of ${who}` }],
  (dice, _seen, who) => [{ kind: 'rename', name: `List ${who} ${dice.whole(9)}` }],
  (dice, { types }) => {
    const id = dice.of([...types.keys()]);
    return id === undefined ? [] : [{ kind: 'type', id, field: 'order', value: dice.whole(9) }];
  },
];

/** A person with our page. */
export const PERSON: readonly Doing[] = [
  ...TOGETHER,
  makeOwn,
  makeOwn,
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
/** A person with the specification's client: it knows no plus. */
export const PLAIN_PERSON: readonly Doing[] = [...TOGETHER, makeOwn, makeOwn, renameOwn, tickOwn, tickOwn, removeOwn];

/** Refused with its whole batch. */
export const TOO_LONG: Change = { kind: 'rename', name: 'x'.repeat(LIMITS.name + 1) };
export const isTooLong = (change: Change): boolean => change.kind === 'rename' && change.name.length > LIMITS.name;
