import { describe, expect, test } from 'vitest';
import { applyChanges } from '#tools/shopping/sync/domain/listReducer.ts';
import { NEW_ITEM, STATES, type List } from '../../domain/list.ts';
import { createCopyName, resetList, createUntickChanges } from './resetList.ts';

describe('a duplicate', () => {
  test('has the same items with nothing bought', () => {
    const list: List = {
      name: 'Shop',
      items: new Map([
        ['1', { ...NEW_ITEM, name: 'milk', desired: 4, actual: 3 }],
        ['2', { ...NEW_ITEM, name: 'soap', state: STATES.tick }],
      ]),
      types: new Map(),
      links: new Map([['1', new Set(['7'])]]),
    };
    const copy = resetList(list);
    expect([...copy.items.values()].map(({ name, desired, actual, state }) => [name, desired, actual, state])).toEqual([
      ['milk', 4, 0, STATES.counted],
      ['soap', 10, 0, STATES.question],
    ]);
    expect(copy.links).toBe(list.links);
    // Unticking everything makes the original equal to it.
    expect(applyChanges(list, createUntickChanges(list)).items).toEqual(copy.items);
    expect(createUntickChanges(copy)).toEqual([]);
  });

  test('has a unique name, even if it is copied repeatedly', () => {
    expect(createCopyName('Shop', ['Shop'])).toBe('Shop (copy)');
    expect(createCopyName('Shop', ['Shop', 'Shop (copy)'])).toBe('Shop (copy 2)');
    expect(createCopyName('Shop (copy)', ['Shop (copy)', 'Shop (copy 2)'])).toBe('Shop (copy 3)');
    expect(Array.from(createCopyName('🍎'.repeat(200), [])).length).toBeLessThanOrEqual(200);
  });
});
