import { array, assert, constantFrom, integer, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS, UNSORTED, UNSORTED_ID, type Change, type Item } from '../../lists/domain/list.ts';
import { createEmptyState, toList, type ListState } from './listState.ts';
import { mergeBatch, type Outcome, withWrites } from './mergeBatch.ts';

const readAll = <Key, Value>(map: ReadonlyMap<Key, Value>) => {
  const each: [Key, Value][] = [];
  map.forEach((value, key) => void each.push([key, value]));
  return { size: map.size, all: [...map], keys: [...map.keys()], values: [...map.values()], each };
};

/** Large enough not to be copied with every write. */
const large = new Map(Array.from({ length: 300 }, (_, at) => [at, `first ${at}`]));
const writes = array(array(tuple(integer({ min: 290, max: 330 }), string()), { maxLength: 9 }), {
  maxLength: 30,
});

test('a written map equals a copy with the writes, and earlier maps are unchanged', () => {
  assert(
    property(constantFrom(large, new Map([[295, 'alone']])), writes, (first, batches) => {
      let map: ReadonlyMap<number, string> = first;
      let copy: ReadonlyMap<number, string> = new Map(first);
      const before: (readonly [ReadonlyMap<number, string>, ReadonlyMap<number, string>])[] = [];
      for (const batch of batches) {
        before.push([map, copy]);
        map = withWrites(map, new Map(batch));
        copy = new Map([...copy, ...batch]);
      }
      for (const [one, other] of [...before, [map, copy] as const]) {
        expect(readAll(one)).toEqual(readAll(other));
        for (let key = 285; key < 335; key += 1) {
          expect(one.get(key)).toBe(other.get(key));
          expect(one.has(key)).toBe(other.has(key));
        }
      }
    }),
  );
});

test('a map without writes is the same object', () => {
  expect(withWrites(large, new Map())).toBe(large);
});

const name = (id: string, value: string): Change => ({ kind: 'item', id, field: 'name', value });
const amount = (id: string, value: number): Change => ({ kind: 'item', id, field: 'actual', value });
const count = (id: string, by: number): Change => ({ kind: 'count', id, by });
const remove = (id: string): Change => ({ kind: 'remove', thing: 'item', id });
const link = (item: string, type: string, isLinked = true): Change => ({ kind: 'link', item, type, isLinked });

/** Client, the revision that it had seen (undefined: a plain client), and time. */
type Hand = readonly [string, number | undefined, number];
const by = (state: ListState, [client, base, time]: Hand, ...changes: readonly Change[]): Outcome =>
  mergeBatch(state, { client, base, changes: changes.map((change) => ({ change, time })) });

/** Milk is item 2, Dairy type 3, linked; created at 100, revision 2. */
const start = by(
  createEmptyState('Home'),
  ['maker', 1, 100],
  name('newm', 'Milk'),
  { kind: 'type', id: 'newd', field: 'name', value: 'Dairy' },
  link('newm', 'newd'),
).state;
const milk = ({ state }: Outcome): Item | undefined => toList(state).items.get('2');
const listLinks = ({ state }: Outcome): readonly string[] => [...(toList(state).links.get('2') ?? [])].toSorted();

describe('which of two changes wins', () => {
  test('the one that had seen the other, whatever the clocks say', () => {
    const first = by(start, ['anna', 2, 500], name('2', 'Oat milk'));
    expect(milk(by(first.state, ['ben', 3, 400], name('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('if neither had seen the other, the later one, even if it arrives first', () => {
    const first = by(start, ['anna', 2, 500], name('2', 'Oat milk'));
    const late = by(first.state, ['ben', 2, 400], name('2', 'Soy milk'), amount('2', 4));
    expect(milk(late)).toMatchObject({ name: 'Oat milk', actual: 4 });
    expect(late.corrections).toEqual([['items/2/name', 'Oat milk']]);
  });

  test('of two with the same time, the one that arrives last', () => {
    const first = by(start, ['anna', 2, 500], name('2', 'Oat milk'));
    expect(milk(by(first.state, ['ben', 2, 500], name('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('of two by the same client, the second one, even if the first one was delayed', () => {
    const first = by(start, ['anna', 2, 500], name('2', 'Oat milk'));
    expect(milk(by(first.state, ['anna', 2, 490], name('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('changes of a plain client are ordered by time only', () => {
    const first = by(start, ['anna', 2, 500], name('2', 'Oat milk'));
    expect(milk(by(first.state, ['account', undefined, 499], name('2', 'Soy milk')))?.name).toBe('Oat milk');
    expect(milk(by(first.state, ['account', undefined, 500], name('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('offline changes of the creator are older than the list, and still win', () => {
    const made = by(
      createEmptyState('New list'),
      ['anna', 0, 5],
      { kind: 'rename', name: 'Camping' },
      { kind: 'type', id: UNSORTED_ID, field: 'order', value: 9 },
    );
    expect(toList(made.state).name).toBe('Camping');
    expect(toList(made.state).types.get(UNSORTED_ID)).toMatchObject({ name: UNSORTED, order: 9, isOwn: false });
  });

  test('the revision rises by one only for a batch that changed something', () => {
    expect(by(start, ['anna', 2, 500], name('2', 'Oat milk'), amount('2', 1)).state.revision).toBe(3);
    expect(by(start, ['ben', 1, 50], name('2', 'Soy milk')).state).toBe(start);
  });
});

describe('counters', () => {
  test('of two concurrent users are added up', () => {
    const first = by(start, ['anna', 2, 500], count('2', 2));
    expect(milk(by(first.state, ['ben', 2, 400], count('2', 3)))?.actual).toBe(5);
  });

  test('stop at 0 and at the maximum', () => {
    expect(milk(by(start, ['anna', 2, 500], count('2', -4)))?.actual).toBe(0);
    const max = by(start, ['anna', 2, 500], amount('2', LIMITS.quantity));
    expect(milk(by(max.state, ['ben', 3, 500], count('2', 1)))?.actual).toBe(LIMITS.quantity);
  });

  test('win over an older set amount whose author had not seen them', () => {
    const counted = by(start, ['anna', 2, 500], count('2', 2));
    expect(milk(by(counted.state, ['ben', 2, 400], amount('2', 9)))?.actual).toBe(2);
    expect(milk(by(counted.state, ['ben', 2, 600], amount('2', 9)))?.actual).toBe(9);
  });

  test('an own amount replaces an own count, but not a later unseen amount of another client', () => {
    const counted = by(start, ['anna', 2, 500], count('2', 2));
    expect(milk(by(counted.state, ['anna', 2, 490], amount('2', 7)))?.actual).toBe(7);
    const both = by(by(start, ['ben', 2, 900], amount('2', 3)).state, ['anna', 2, 500], count('2', 2));
    expect(milk(both)?.actual).toBe(5);
    expect(milk(by(both.state, ['anna', 2, 510], amount('2', 1)))?.actual).toBe(5);
  });
});

describe('removing', () => {
  const gone = by(start, ['anna', 2, 500], remove('2'));

  test('removes the links too, and nothing else', () => {
    expect(milk(gone)).toBeUndefined();
    expect(toList(gone.state).links.size).toBe(0);
    expect(toList(gone.state).types.size).toBe(2);
    expect(gone.changes).toEqual([['items/2', undefined]]);
  });

  test('a removal that is older than an unseen edit is refused, and the whole thing is sent back', () => {
    const edited = by(start, ['ben', 2, 600], amount('2', 4));
    const late = by(edited.state, ['anna', 2, 500], remove('2'));
    expect(milk(late)?.actual).toBe(4);
    expect(late.corrections).toContainEqual(['items/2/name', 'Milk']);
    expect(late.corrections).toContainEqual(['links/2/3', true]);
  });

  test('a later edit that had not seen the removal restores the whole thing', () => {
    const back = by(gone.state, ['ben', 2, 600], amount('2', 4));
    expect(milk(back)).toMatchObject({ name: 'Milk', actual: 4 });
    expect(listLinks(back)).toEqual(['3']);
    expect(milk(by(gone.state, ['account', undefined, 600], amount('2', 4)))?.actual).toBe(4);
  });

  test.each([
    ['an older edit', 'ben', 2, 400],
    ['an edit by one who had seen it', 'ben', 3, 600],
    ['an edit by who removed it', 'anna', 2, 600],
    ["a plain client's edit of the same moment", 'account', undefined, 500],
  ])('%s does not restore it, and is corrected to a removal', (_, who, seen, time) => {
    const late = by(gone.state, [who, seen, time], amount('2', 4));
    expect(milk(late)).toBeUndefined();
    expect(late.corrections).toEqual([['items/2', undefined]]);
    expect(late.state).toBe(gone.state);
  });

  test('a change of an unknown or removed thing is corrected to a removal', () => {
    expect(by(start, ['anna', 2, 500], name('999', 'Ghost'), link('999', '3')).corrections).toEqual([
      ['items/999', undefined],
    ]);
    expect(by(start, ['anna', 2, 500], link('2', '999')).corrections).toEqual([['types/999', undefined]]);
  });

  test('removing the built-in type refuses the whole batch', () => {
    expect(() =>
      by(start, ['anna', 2, 500], name('2', 'Oat milk'), { kind: 'remove', thing: 'type', id: UNSORTED_ID }),
    ).toThrow("'Unsorted' is a built-in type and can't be deleted");
    expect(toList(start).items.get('2')?.name).toBe('Milk');
  });
});

describe('links', () => {
  test('of two users to two types both remain', () => {
    const shelf = by(start, ['anna', 2, 200], { kind: 'type', id: 'newf', field: 'name', value: 'Fridge' });
    const first = by(shelf.state, ['anna', 3, 500], link('2', '4'));
    expect(listLinks(by(first.state, ['ben', 3, 500], link('2', UNSORTED_ID)))).toEqual(['1', '3', '4']);
  });

  test('a complete list of links removes only those that its sender knew', () => {
    const shelf = by(start, ['anna', 2, 200], { kind: 'type', id: 'newf', field: 'name', value: 'Fridge' });
    const linked = by(shelf.state, ['anna', 3, 500], link('2', '4'));
    expect(listLinks(by(linked.state, ['ben', 3, 600], { kind: 'links', item: '2', types: [] }))).toEqual(['4']);
    expect(listLinks(by(linked.state, ['account', undefined, 400], { kind: 'links', item: '2', types: [] }))).toEqual([
      '4',
    ]);
    expect(
      listLinks(by(linked.state, ['account', undefined, 500], { kind: 'links', item: '2', types: ['3'] })),
    ).toEqual(['3']);
  });
});

describe('new things', () => {
  test('are created once per client and id, with defaults for the other fields', () => {
    const made = by(start, ['anna', 2, 500], name('new1', 'Eggs'));
    expect([...made.ids]).toEqual([['new1', '4']]);
    expect(toList(made.state).items.get('4')).toEqual({ name: 'Eggs', emoji: '❓', desired: 10, actual: 0, state: 0 });
    const again = by(made.state, ['anna', 2, 600], count('new1', 2), link('new1', '3'));
    expect([...again.ids]).toEqual([['new1', '4']]);
    expect(toList(again.state).items.get('4')?.actual).toBe(2);
    expect([...by(made.state, ['ben', 2, 600], name('new1', 'Eggs')).ids]).toEqual([['new1', '5']]);
  });

  test('can be removed under their `new…` id, which is never used for another one', () => {
    const made = by(start, ['anna', 2, 500], name('new1', 'Eggs'));
    const gone = by(made.state, ['anna', 2, 600], remove('new1'));
    expect(toList(gone.state).items.has('4')).toBe(false);
    const after = by(gone.state, ['anna', 2, 700], name('new1', 'Eggs again'));
    expect(toList(after.state).items.size).toBe(1);
    expect(after.corrections).toEqual([['items/4', undefined]]);
  });

  test('over the limit refuse the whole batch', () => {
    const many = Array.from({ length: LIMITS.types - 2 }, (_, at): Change => ({
      kind: 'type',
      id: `new${at}`,
      field: 'order',
      value: at,
    }));
    const full = by(start, ['anna', 2, 500], ...many);
    const more: Change = { kind: 'type', id: 'newmore', field: 'order', value: 0 };
    expect(() => by(full.state, ['anna', 3, 600], name('2', 'Oat milk'), more)).toThrow(
      'A list can have at most 200 types. Delete some',
    );
    const dropped = by(full.state, ['anna', 3, 600], { kind: 'remove', thing: 'type', id: '3' });
    expect(toList(by(dropped.state, ['anna', 4, 600], more).state).types.size).toBe(LIMITS.types);
  });
});
