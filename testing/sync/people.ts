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

/** Returns the changes that create the list. */
export function createFirstChanges(name: string): readonly Change[] {
  return [
    { kind: 'rename', name },
    ...COUNTERS.flatMap((id): readonly Change[] => [
      { kind: 'item', id, field: 'name', value: `${COUNTER} ${id}` },
      { kind: 'item', id, field: 'actual', value: AMOUNT },
    ]),
    ...[0, 1, 2].map((index): Change => ({ kind: 'item', id: `news${index}`, field: 'name', value: SHARED })),
    { kind: 'type', id: 'newt', field: 'name', value: 'Shelf' },
  ];
}
export const TOTAL_AMOUNT = COUNTERS.length * AMOUNT;

const listIds = (things: ReadonlyMap<string, { readonly name: string }>, prefix: string): readonly string[] =>
  [...things].filter(([, { name }]) => name.startsWith(prefix)).map(([id]) => id);

/** Returns the next changes of a user; none if they see nothing to change. */
export type PersonAction = (
  random: SeededRandom,
  visibleList: List,
  who: number,
  createId: () => string,
) => readonly Change[];

const onItem =
  (
    prefix: (who: number) => string,
    createChange: (id: string, random: SeededRandom, visibleList: List) => Change,
  ): PersonAction =>
  (random, visibleList, who) => {
    const id = random.pick(listIds(visibleList.items, prefix(who)));
    return id === undefined ? [] : [createChange(id, random, visibleList)];
  };
const getSharedPrefix = (): string => SHARED;
const getCounterPrefix = (): string => COUNTER;
let nameCount = 0;
const createName = (prefix: string): string => `${prefix}${(nameCount += 1)}`;

const createOwnItem: PersonAction = (_random, _visibleList, who, createId) => [
  { kind: 'item', id: createId(), field: 'name', value: createName(getOwnPrefix(who)) },
];
const renameOwn: PersonAction = (random, visibleList, who) =>
  onItem(getOwnPrefix, (id) => ({ kind: 'item', id, field: 'name', value: createName(getOwnPrefix(who)) }))(
    random,
    visibleList,
    who,
    () => '',
  );
const setOwnState = onItem(getOwnPrefix, (id, random) => ({
  kind: 'item',
  id,
  field: 'state',
  value: random.nextInt(STATES.question + 1),
}));
const removeOwn = onItem(getOwnPrefix, (id) => ({ kind: 'remove', thing: 'item', id }));
const linkOwn: PersonAction = (random, visibleList, who, createId) => {
  const item = random.pick(listIds(visibleList.items, getOwnPrefix(who)));
  const type = random.pick(listIds(visibleList.types, getOwnPrefix(who)));
  if (type === undefined)
    return [{ kind: 'type', id: createId(), field: 'name', value: createName(getOwnPrefix(who)) }];
  return item === undefined ? [] : [{ kind: 'link', item, type, isLinked: !random.isOneOf(3) }];
};
const changeCounter = onItem(getCounterPrefix, (id, random) => ({ kind: 'count', id, by: random.nextInt(7) - 3 || 1 }));

/** Actions of all users on the same things: all must see the same result. */
export const SHARED_ACTIONS: readonly PersonAction[] = [
  onItem(getSharedPrefix, (id, random) => ({
    kind: 'item',
    id,
    field: 'name',
    value: `${SHARED} ${random.nextInt(9)}`,
  })),
  onItem(getSharedPrefix, (id, random) => ({ kind: 'item', id, field: 'actual', value: random.nextInt(9) })),
  onItem(getSharedPrefix, (id, random) => ({ kind: 'count', id, by: random.nextInt(5) - 2 || 1 })),
  onItem(getSharedPrefix, (id) => ({ kind: 'remove', thing: 'item', id })),
  onItem(getSharedPrefix, (item, random, { types }) => ({
    kind: 'link',
    item,
    type: random.pick([...types.keys()]) ?? UNSORTED_ID,
    isLinked: !random.isOneOf(3),
  })),
  (_random, _visibleList, who, createId) => [
    { kind: 'item', id: createId(), field: 'name', value: `${SHARED} of ${who}` },
  ],
  (random, _visibleList, who) => [{ kind: 'rename', name: `List ${who} ${random.nextInt(9)}` }],
  (random, { types }) => {
    const id = random.pick([...types.keys()]);
    return id === undefined ? [] : [{ kind: 'type', id, field: 'order', value: random.nextInt(9) }];
  },
];

/** Actions of a user with our page. */
export const PERSON_ACTIONS: readonly PersonAction[] = [
  ...SHARED_ACTIONS,
  createOwnItem,
  createOwnItem,
  renameOwn,
  renameOwn,
  setOwnState,
  setOwnState,
  removeOwn,
  linkOwn,
  linkOwn,
  changeCounter,
  changeCounter,
  changeCounter,
  changeCounter,
  changeCounter,
  changeCounter,
];
/** Actions of a user with the specified client, which has no counters. */
export const PLAIN_PERSON_ACTIONS: readonly PersonAction[] = [
  ...SHARED_ACTIONS,
  createOwnItem,
  createOwnItem,
  renameOwn,
  setOwnState,
  setOwnState,
  removeOwn,
];

/** Refused with its whole batch. */
export const TOO_LONG_CHANGE: Change = { kind: 'rename', name: 'x'.repeat(LIMITS.name + 1) };
export function isTooLong(change: Change): boolean {
  return change.kind === 'rename' && change.name.length > LIMITS.name;
}
