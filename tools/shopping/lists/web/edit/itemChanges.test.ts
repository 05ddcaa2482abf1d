import { expect, test } from 'vitest';
import { applyChanges } from '#tools/shopping/sync/domain/listReducer.ts';
import type { Change, List } from '../../domain/list.ts';
import { createItemDraft, addDraft } from './itemChanges.ts';

const EMPTY: List = { name: 'Weekly shop', items: new Map(), types: new Map(), links: new Map() };
const named = (id: string): Change => ({ kind: 'item', id, field: 'name', value: 'Tomatoes' });

test('an empty draft is removed when it loses the focus', () => {
  const draft = createItemDraft();
  draft.start('new1');
  draft.setText('new1', 'tom');
  draft.setText('new1', ' ');
  expect(draft.removeIfEmpty('new1')).toBe(true);
  expect(draft.getId()).toBeUndefined();
});

test('a draft with an invalid text stays to be corrected', () => {
  const draft = createItemDraft();
  draft.start('new1');
  draft.setText('new1', 'x'.repeat(201));
  expect(draft.removeIfEmpty('new1')).toBe(false);
  expect(draft.getId()).toBe('new1');
});

test.each<readonly [string, Change]>([
  ['its name', named('new1')],
  ['its amount', { kind: 'item', id: 'new1', field: 'desired', value: 3 }],
  ['plus', { kind: 'count', id: 'new1', by: 1 }],
  ['a type', { kind: 'link', item: 'new1', type: '1', isLinked: true }],
  ['its removal', { kind: 'remove', thing: 'item', id: 'new1' }],
])('%s ends the draft', (_, change) => {
  const draft = createItemDraft();
  draft.start('new1');
  draft.settle([named('new2'), change]);
  expect(draft.getId()).toBeUndefined();
});

test("changes of other things don't end the draft", () => {
  const draft = createItemDraft();
  draft.start('new1');
  draft.settle([
    named('new2'),
    { kind: 'rename', name: 'Camping' },
    { kind: 'type', id: 'new1', field: 'order', value: 1 },
  ]);
  expect(draft.getId()).toBe('new1');
});

test('a new draft replaces the old one, and listeners are called once per change', () => {
  const draft = createItemDraft();
  const received: (string | undefined)[] = [];
  const stop = draft.subscribe(() => received.push(draft.getId()));
  draft.start('new1');
  draft.start('new2');
  expect(draft.removeIfEmpty('new1')).toBe(true);
  draft.removeIfEmpty('new2');
  stop();
  draft.start('new3');
  expect(received).toEqual(['new1', 'new2', undefined]);
});

test('the draft is shown as the last item but is not in the list itself', () => {
  const list = applyChanges(EMPTY, [named('5')]);
  const milk = applyChanges(EMPTY, [named('new5')]);
  expect(addDraft(list, undefined)).toBe(list);
  const shown = addDraft(milk, 'new1');
  expect([...shown.items.values()].map(({ name }) => name)).toEqual(['Tomatoes', 'New item']);
  expect(milk.items.size).toBe(1);
  expect(addDraft(milk, 'new5')).toBe(milk);
});
