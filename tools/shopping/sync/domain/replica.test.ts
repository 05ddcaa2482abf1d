import { describe, expect, test } from 'vitest';
import { NEW_ITEM, NEW_LIST_NAME, NEW_TYPE, UNSORTED, type Change, type List } from '../../lists/domain/list.ts';
import { createEmptyState, toList } from './listState.ts';
import {
  addChanges,
  countUnsent,
  dropRefusedBatch,
  createUnloadedReplica,
  findRefusal,
  freeze,
  getVisibleList,
  hasGap,
  getKey,
  createNewReplica,
  receiveAnswer,
  receiveEvent,
  receiveList,
  toRequestBody,
} from './replica.ts';

const LIST: List = {
  name: 'Home',
  items: new Map([['2', { ...NEW_ITEM, name: 'Milk', actual: 1 }]]),
  types: new Map([['1', { ...NEW_TYPE, name: UNSORTED, isOwn: false }]]),
  links: new Map(),
};
const openReplica = receiveList(createUnloadedReplica(7, 'client-a', LIST), {
  list: LIST,
  revision: 2,
  ids: {},
  seq: 0,
});
const createNameChange = (id: string, value: string): Change => ({ kind: 'item', id, field: 'name', value });
const createCountChange = (by: number): Change => ({ kind: 'count', id: '2', by });
const eggs = { name: 'Eggs', emoji: '❓', defaultquantity: 10, actualquantity: 0, state: 0 };
const made = {
  revision: 3,
  changes: [[['items', '3'], eggs]] as const,
  ids: { new1: '3' },
  client: 'client-a',
  seq: 1,
};

describe('the replica of a list', () => {
  test('an offline count is visible once, before and after it is acknowledged', () => {
    const sent = freeze(addChanges(openReplica, [createCountChange(1)], 1000));
    expect(getVisibleList(sent).items.get('2')?.actual).toBe(2);
    const event = { ...made, changes: [[['items', '2', 'actualquantity'], 2]] as const, ids: {} };
    const both = receiveAnswer(receiveEvent(sent, event), { ...event, changed: true });
    expect(getVisibleList(both).items.get('2')?.actual).toBe(2);
    expect(countUnsent(both)).toBe(0);
  });

  test('a decrement at 0 subtracts no more than there was', () => {
    const pressed = addChanges(
      addChanges(openReplica, [createCountChange(-1), createCountChange(-1)], 1000),
      [createCountChange(1)],
      1001,
    );
    expect(getVisibleList(pressed).items.get('2')?.actual).toBe(1);
    const { frozen } = freeze(pressed);
    expect(frozen && toRequestBody(pressed, frozen, 2000).inc).toEqual({ 'items/2/actualquantity': 0 });
  });

  test('a new thing keeps its key when it gets a server id, and has one id per batch', () => {
    const sent = freeze(addChanges(openReplica, [createNameChange('new1', 'Eggs')], 1000));
    const taken = receiveEvent(addChanges(sent, [createNameChange('new1', 'Brown eggs')], 1100), made);
    expect([...getVisibleList(taken).items.keys()]).toEqual(['2', '3']);
    expect(getKey(taken, '3')).toBe('new1');
    const { frozen } = freeze(addChanges(taken, [createNameChange('3', 'White eggs')], 1200));
    expect(frozen?.changes.map(({ change }) => change)).toEqual([
      createNameChange('3', 'Brown eggs'),
      createNameChange('3', 'White eggs'),
    ]);
  });

  test('a pending own edit does not show a new thing again that others removed', () => {
    const taken = receiveEvent(
      addChanges(
        freeze(addChanges(openReplica, [createNameChange('new1', 'Eggs')], 1000)),
        [createNameChange('new1', 'Brown eggs')],
        1100,
      ),
      made,
    );
    const gone = receiveEvent(taken, { revision: 4, changes: [[['items', '3'], '_REMOVE']], ids: {} });
    expect([...getVisibleList(gone).items.keys()]).toEqual(['2']);
  });

  test('a batch stays visible until the events up to its acknowledgement have arrived', () => {
    const sent = freeze(addChanges(openReplica, [createNameChange('new1', 'Eggs')], 1000));
    const ahead = receiveAnswer(sent, { ...made, revision: 4, changed: true });
    expect(hasGap(ahead)).toBe(true);
    expect(getVisibleList(ahead)).toEqual(getVisibleList(sent));
    const all = receiveEvent(ahead, { revision: 3, changes: [[['name'], 'Camping']], ids: {} });
    expect(hasGap(all)).toBe(false);
    expect([...getVisibleList(all).items.keys()]).toEqual(['2', '3']);
    expect(getVisibleList(all).name).toBe('Camping');
  });

  test('an answer or refusal of an older batch does not affect the current one', () => {
    const first = receiveEvent(freeze(addChanges(openReplica, [createNameChange('new1', 'Eggs')], 1000)), made);
    const second = freeze(addChanges(first, [createNameChange('2', 'Oat milk')], 2000));
    expect(receiveAnswer(second, { ...made, changed: true })).toEqual(second);
    expect(dropRefusedBatch(second, 1)).toEqual(second);
    expect(getVisibleList(dropRefusedBatch(second, 2)).items.get('2')?.name).toBe('Milk');
  });

  test('pending changes carry the revision that they had seen, not a newer one', () => {
    const waiting = addChanges(
      freeze(addChanges(openReplica, [createNameChange('2', 'Oat milk')], 1000)),
      [createNameChange('2', 'Soy milk')],
      1100,
    );
    const later = receiveList(waiting, { list: LIST, revision: 9, ids: {}, seq: 1 });
    expect(freeze(later).frozen).toMatchObject({ seq: 2, base: 2 });
  });

  test('each change sends its age, even if the clock was set back', () => {
    const sent = freeze(
      addChanges(
        addChanges(openReplica, [createNameChange('2', 'Oat milk')], 1000),
        [{ kind: 'rename', name: 'Camping' }],
        9000,
      ),
    );
    expect(sent.frozen && toRequestBody(sent, sent.frozen, 4000)).toMatchObject({
      id: 7,
      seq: 1,
      base: 2,
      age: { 'items/2/name': 3000, name: 0 },
    });
  });

  test('removing the built-in type is ignored and does not fail the batch', () => {
    expect(addChanges(openReplica, [{ kind: 'remove', thing: 'type', id: '1' }], 1000)).toEqual(openReplica);
  });

  test('a refusal whose answer was lost is found in the loaded list, with the refused changes', () => {
    const sent = addChanges(
      freeze(addChanges(openReplica, [createNameChange('2', 'Oat milk')], 1000)),
      [createCountChange(1)],
      1100,
    );
    const whole = { list: LIST, revision: 2, ids: {}, seq: 1, refused: 'The item name must be text' };
    expect(findRefusal(sent, whole)).toEqual({ seq: 1, why: whole.refused, changes: sent.frozen?.changes });
    const after = receiveList(sent, whole);
    expect(getVisibleList(after).items.get('2')).toMatchObject({ name: 'Milk', actual: 2 });
    expect(findRefusal(after, whole)).toBeUndefined();
    // An older list is ignored, but its refusal counts.
    expect(receiveList({ ...sent, revision: 9 }, whole).frozen).toBeUndefined();
    expect(findRefusal(sent, { ...whole, refused: undefined })).toBeUndefined();
    expect(findRefusal(freeze(after), whole)).toBeUndefined();
  });

  test('a new list looks as the server creates it, and is not sent twice', () => {
    const fresh = createNewReplica('client-a');
    const state = createEmptyState(NEW_LIST_NAME);
    expect([fresh.base, fresh.revision]).toEqual([toList(state), state.revision]);
    const sent = freeze(addChanges(fresh, [{ kind: 'rename', name: 'Camping' }], 1000));
    expect(sent.frozen && toRequestBody(sent, sent.frozen, 1000).id).toBe(-1);
    const taken = receiveAnswer(sent, {
      id: 8,
      revision: 2,
      changes: [[['name'], 'Camping']],
      ids: {},
      changed: true,
      seq: 1,
    });
    expect([taken.list, hasGap(taken), countUnsent(taken), getVisibleList(taken).name]).toEqual([
      8,
      false,
      0,
      'Camping',
    ]);
  });
});
