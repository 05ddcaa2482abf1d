import { describe, expect, test } from 'vitest';
import { LIMITS, UNSORTED, UNSORTED_ID, type Change, type Item } from '../../lists/domain/list.ts';
import { createEmptyState, toList, type ListState } from './listState.ts';
import { mergeBatch, type MergeResult } from './mergeBatch.ts';

const createNameChange = (id: string, value: string): Change => ({ kind: 'item', id, field: 'name', value });
const createAmountChange = (id: string, value: number): Change => ({ kind: 'item', id, field: 'actual', value });
const createCountChange = (id: string, by: number): Change => ({ kind: 'count', id, by });
const createRemoval = (id: string): Change => ({ kind: 'remove', thing: 'item', id });
const createLinkChange = (item: string, type: string, isLinked = true): Change => ({
  kind: 'link',
  item,
  type,
  isLinked,
});

/** Client, the revision that it had seen (undefined: a plain client), and time. */
type ChangeAuthor = readonly [string, number | undefined, number];
const merge = (state: ListState, [client, base, time]: ChangeAuthor, ...changes: readonly Change[]): MergeResult =>
  mergeBatch(state, { client, base, changes: changes.map((change) => ({ change, time })) });

/** Milk is item 2, Dairy type 3, linked; created at 100, revision 2. */
const start = merge(
  createEmptyState('Home'),
  ['maker', 1, 100],
  createNameChange('newm', 'Milk'),
  { kind: 'type', id: 'newd', field: 'name', value: 'Dairy' },
  createLinkChange('newm', 'newd'),
).state;
const findMilk = ({ state }: MergeResult): Item | undefined => toList(state).items.get('2');
const listLinks = ({ state }: MergeResult): readonly string[] => [...(toList(state).links.get('2') ?? [])].toSorted();

describe('which of two changes wins', () => {
  test('the one that had seen the other, whatever the clocks say', () => {
    const first = merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'));
    expect(findMilk(merge(first.state, ['ben', 3, 400], createNameChange('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('if neither had seen the other, the later one, even if it arrives first', () => {
    const first = merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'));
    const late = merge(first.state, ['ben', 2, 400], createNameChange('2', 'Soy milk'), createAmountChange('2', 4));
    expect(findMilk(late)).toMatchObject({ name: 'Oat milk', actual: 4 });
    expect(late.corrections).toEqual([['items/2/name', 'Oat milk']]);
  });

  test('of two with the same time, the one that arrives last', () => {
    const first = merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'));
    expect(findMilk(merge(first.state, ['ben', 2, 500], createNameChange('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('of two by the same client, the second one, even if the first one was delayed', () => {
    const first = merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'));
    expect(findMilk(merge(first.state, ['anna', 2, 490], createNameChange('2', 'Soy milk')))?.name).toBe('Soy milk');
  });

  test('changes of a plain client are ordered by time only', () => {
    const first = merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'));
    expect(findMilk(merge(first.state, ['account', undefined, 499], createNameChange('2', 'Soy milk')))?.name).toBe(
      'Oat milk',
    );
    expect(findMilk(merge(first.state, ['account', undefined, 500], createNameChange('2', 'Soy milk')))?.name).toBe(
      'Soy milk',
    );
  });

  test('offline changes of the creator are older than the list, and still win', () => {
    const made = merge(
      createEmptyState('New list'),
      ['anna', 0, 5],
      { kind: 'rename', name: 'Camping' },
      { kind: 'type', id: UNSORTED_ID, field: 'order', value: 9 },
    );
    expect(toList(made.state).name).toBe('Camping');
    expect(toList(made.state).types.get(UNSORTED_ID)).toMatchObject({ name: UNSORTED, order: 9, isOwn: false });
  });

  test('the revision rises by one only for a batch that changed something', () => {
    expect(
      merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'), createAmountChange('2', 1)).state.revision,
    ).toBe(3);
    expect(merge(start, ['ben', 1, 50], createNameChange('2', 'Soy milk')).state).toBe(start);
  });
});

describe('counters', () => {
  test('of two concurrent users are added up', () => {
    const first = merge(start, ['anna', 2, 500], createCountChange('2', 2));
    expect(findMilk(merge(first.state, ['ben', 2, 400], createCountChange('2', 3)))?.actual).toBe(5);
  });

  test('stop at 0 and at the maximum', () => {
    expect(findMilk(merge(start, ['anna', 2, 500], createCountChange('2', -4)))?.actual).toBe(0);
    const max = merge(start, ['anna', 2, 500], createAmountChange('2', LIMITS.quantity));
    expect(findMilk(merge(max.state, ['ben', 3, 500], createCountChange('2', 1)))?.actual).toBe(LIMITS.quantity);
  });

  test('win over an older set amount whose author had not seen them', () => {
    const counted = merge(start, ['anna', 2, 500], createCountChange('2', 2));
    expect(findMilk(merge(counted.state, ['ben', 2, 400], createAmountChange('2', 9)))?.actual).toBe(2);
    expect(findMilk(merge(counted.state, ['ben', 2, 600], createAmountChange('2', 9)))?.actual).toBe(9);
  });

  test('an own amount replaces an own count, but not a later unseen amount of another client', () => {
    const counted = merge(start, ['anna', 2, 500], createCountChange('2', 2));
    expect(findMilk(merge(counted.state, ['anna', 2, 490], createAmountChange('2', 7)))?.actual).toBe(7);
    const both = merge(
      merge(start, ['ben', 2, 900], createAmountChange('2', 3)).state,
      ['anna', 2, 500],
      createCountChange('2', 2),
    );
    expect(findMilk(both)?.actual).toBe(5);
    expect(findMilk(merge(both.state, ['anna', 2, 510], createAmountChange('2', 1)))?.actual).toBe(5);
  });
});

describe('removing', () => {
  const gone = merge(start, ['anna', 2, 500], createRemoval('2'));

  test('removes the links too, and nothing else', () => {
    expect(findMilk(gone)).toBeUndefined();
    expect(toList(gone.state).links.size).toBe(0);
    expect(toList(gone.state).types.size).toBe(2);
    expect(gone.changes).toEqual([['items/2', undefined]]);
  });

  test('a removal that is older than an unseen edit is refused, and the whole thing is sent back', () => {
    const edited = merge(start, ['ben', 2, 600], createAmountChange('2', 4));
    const late = merge(edited.state, ['anna', 2, 500], createRemoval('2'));
    expect(findMilk(late)?.actual).toBe(4);
    expect(late.corrections).toContainEqual(['items/2/name', 'Milk']);
    expect(late.corrections).toContainEqual(['links/2/3', true]);
  });

  test('a later edit that had not seen the removal restores the whole thing', () => {
    const back = merge(gone.state, ['ben', 2, 600], createAmountChange('2', 4));
    expect(findMilk(back)).toMatchObject({ name: 'Milk', actual: 4 });
    expect(listLinks(back)).toEqual(['3']);
    expect(findMilk(merge(gone.state, ['account', undefined, 600], createAmountChange('2', 4)))?.actual).toBe(4);
  });

  test.each([
    ['an older edit', 'ben', 2, 400],
    ['an edit by one who had seen it', 'ben', 3, 600],
    ['an edit by who removed it', 'anna', 2, 600],
    ["a plain client's edit of the same moment", 'account', undefined, 500],
  ])('%s does not restore it, and is corrected to a removal', (_, who, seen, time) => {
    const late = merge(gone.state, [who, seen, time], createAmountChange('2', 4));
    expect(findMilk(late)).toBeUndefined();
    expect(late.corrections).toEqual([['items/2', undefined]]);
    expect(late.state).toBe(gone.state);
  });

  test('a change of an unknown or removed thing is corrected to a removal', () => {
    expect(
      merge(start, ['anna', 2, 500], createNameChange('999', 'Ghost'), createLinkChange('999', '3')).corrections,
    ).toEqual([['items/999', undefined]]);
    expect(merge(start, ['anna', 2, 500], createLinkChange('2', '999')).corrections).toEqual([
      ['types/999', undefined],
    ]);
  });

  test('removing the built-in type refuses the whole batch', () => {
    expect(() =>
      merge(start, ['anna', 2, 500], createNameChange('2', 'Oat milk'), {
        kind: 'remove',
        thing: 'type',
        id: UNSORTED_ID,
      }),
    ).toThrow("'Unsorted' is a built-in type and can't be deleted");
    expect(toList(start).items.get('2')?.name).toBe('Milk');
  });
});

describe('links', () => {
  test('of two users to two types both remain', () => {
    const shelf = merge(start, ['anna', 2, 200], { kind: 'type', id: 'newf', field: 'name', value: 'Fridge' });
    const first = merge(shelf.state, ['anna', 3, 500], createLinkChange('2', '4'));
    expect(listLinks(merge(first.state, ['ben', 3, 500], createLinkChange('2', UNSORTED_ID)))).toEqual(['1', '3', '4']);
  });

  test('a complete list of links removes only those that its sender knew', () => {
    const shelf = merge(start, ['anna', 2, 200], { kind: 'type', id: 'newf', field: 'name', value: 'Fridge' });
    const linked = merge(shelf.state, ['anna', 3, 500], createLinkChange('2', '4'));
    expect(listLinks(merge(linked.state, ['ben', 3, 600], { kind: 'links', item: '2', types: [] }))).toEqual(['4']);
    expect(
      listLinks(merge(linked.state, ['account', undefined, 400], { kind: 'links', item: '2', types: [] })),
    ).toEqual(['4']);
    expect(
      listLinks(merge(linked.state, ['account', undefined, 500], { kind: 'links', item: '2', types: ['3'] })),
    ).toEqual(['3']);
  });
});

describe('new things', () => {
  test('are created once per client and id, with defaults for the other fields', () => {
    const made = merge(start, ['anna', 2, 500], createNameChange('new1', 'Eggs'));
    expect([...made.ids]).toEqual([['new1', '4']]);
    expect(toList(made.state).items.get('4')).toEqual({ name: 'Eggs', emoji: '❓', desired: 10, actual: 0, state: 0 });
    const again = merge(made.state, ['anna', 2, 600], createCountChange('new1', 2), createLinkChange('new1', '3'));
    expect([...again.ids]).toEqual([['new1', '4']]);
    expect(toList(again.state).items.get('4')?.actual).toBe(2);
    expect([...merge(made.state, ['ben', 2, 600], createNameChange('new1', 'Eggs')).ids]).toEqual([['new1', '5']]);
  });

  test('can be removed under their `new…` id, which is never used for another one', () => {
    const made = merge(start, ['anna', 2, 500], createNameChange('new1', 'Eggs'));
    const gone = merge(made.state, ['anna', 2, 600], createRemoval('new1'));
    expect(toList(gone.state).items.has('4')).toBe(false);
    const after = merge(gone.state, ['anna', 2, 700], createNameChange('new1', 'Eggs again'));
    expect(toList(after.state).items.size).toBe(1);
    expect(after.corrections).toEqual([['items/4', undefined]]);
  });

  test('over the limit refuse the whole batch', () => {
    const many = Array.from({ length: LIMITS.types - 2 }, (_, index): Change => ({
      kind: 'type',
      id: `new${index}`,
      field: 'order',
      value: index,
    }));
    const full = merge(start, ['anna', 2, 500], ...many);
    const more: Change = { kind: 'type', id: 'newmore', field: 'order', value: 0 };
    expect(() => merge(full.state, ['anna', 3, 600], createNameChange('2', 'Oat milk'), more)).toThrow(
      'A list can have at most 200 types. Delete some',
    );
    const dropped = merge(full.state, ['anna', 3, 600], { kind: 'remove', thing: 'type', id: '3' });
    expect(toList(merge(dropped.state, ['anna', 4, 600], more).state).types.size).toBe(LIMITS.types);
  });
});
