import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NEW_ITEM, NEW_TYPE, UNSORTED, type Change, type List } from '../../lists/domain/list.ts';
import { createEmptyState, toList, type ListState } from './listState.ts';
import { toWireChanges } from './listWire.ts';
import { mergeBatch } from './mergeBatch.ts';
import { parseChanges } from './parseChanges.ts';
import {
  addChanges,
  createUnloadedReplica,
  freeze,
  getVisibleList,
  hasGap,
  receiveAnswer,
  receiveEvent,
  receiveList,
  toRequestBody,
  type Replica,
} from './replica.ts';

/** The JSON of the page, in its order: Ben's batch and its answer, Ann's batch and its answer. */
const [benBatch, benAnswer, annBatch, annAnswer] = [
  ...readFileSync('docs/sync-protocol.md', 'utf8').matchAll(/```json\n(.*?)```/gs),
].map(([, json = '']): unknown => JSON.parse(json));

const MILK = '2';
const BREAD = '3';
const BEFORE: List = {
  name: 'Home',
  items: new Map([
    [MILK, { ...NEW_ITEM, name: 'Milk', desired: 6, actual: 1 }],
    [BREAD, { ...NEW_ITEM, name: 'Bread', desired: 2 }],
  ]),
  types: new Map([['1', { ...NEW_TYPE, name: UNSORTED, isOwn: false }]]),
  links: new Map(),
};
/** Returns epoch milliseconds of this minute after nine. */
const at = (minute: number): number => 1_800_000_000_000 + minute * 60_000;

function createState(): ListState {
  const changes = [...BEFORE.items].flatMap(([id, { name, desired, actual }]): readonly Change[] => [
    { kind: 'item', id: `new${id}`, field: 'name', value: name },
    { kind: 'item', id: `new${id}`, field: 'desired', value: desired },
    { kind: 'item', id: `new${id}`, field: 'actual', value: actual },
  ]);
  const batch = { client: 'maker', base: 1, changes: changes.map((change) => ({ change, time: at(-60) })) };
  return { ...mergeBatch(createEmptyState('Home'), batch).state, revision: 12 };
}

const createReplica = (client: string, seq: number): Replica => ({
  ...receiveList(createUnloadedReplica(7, client, BEFORE), { list: BEFORE, revision: 12, ids: {}, seq: 0 }),
  seq,
});
const plus: Change = { kind: 'count', id: MILK, by: 1 };
const rename = (value: string): Change => ({ kind: 'item', id: MILK, field: 'name', value });

test('two phones that change the same list offline converge as the example of the protocol says', () => {
  let state = createState();
  const steps: readonly (readonly ['ann' | 'ben', number, Change])[] = [
    ['ann', 0, plus],
    ['ann', 0, plus],
    ['ann', 1, rename('Oat milk')],
    ['ben', 2, plus],
    ['ben', 3, rename('Soy milk')],
    ['ben', 4, { kind: 'remove', thing: 'item', id: BREAD }],
    ['ann', 5, { kind: 'item', id: BREAD, field: 'desired', value: 3 }],
  ];
  const phones = { ann: createReplica('phone-ann', 3), ben: createReplica('phone-ben', 8) };
  for (const [who, minute, change] of steps) phones[who] = addChanges(phones[who], [change], at(minute));

  function send(who: 'ann' | 'ben', minute: number) {
    const replica = freeze(phones[who]);
    const { frozen } = replica;
    if (!frozen) throw new Error('Nothing was frozen');
    const { timesent: _, ...body } = toRequestBody(replica, frozen, at(minute));
    const changes = parseChanges(body.changes, body).map(({ change, path }) => ({
      change,
      time: at(minute) - (body.age[path] ?? 0),
    }));
    const outcome = mergeBatch(state, { client: body.client, base: body.base, changes });
    state = outcome.state;
    const answer = {
      revision: state.revision,
      changed: true,
      changes: toWireChanges(outcome.changes, toList(state)),
      ids: Object.fromEntries(outcome.ids),
    };
    phones[who] = receiveAnswer(replica, { ...answer, seq: body.seq });
    return { body, answer, event: { ...answer, client: body.client, seq: body.seq } };
  }

  const ben = send('ben', 10);
  expect([ben.body, ben.answer]).toEqual([benBatch, benAnswer]);
  const ann = send('ann', 12);
  expect([ann.body, ann.answer]).toEqual([annBatch, annAnswer]);
  // Ann's own changes stay visible until the event that she missed has arrived.
  expect(hasGap(phones.ann)).toBe(true);
  expect(getVisibleList(phones.ann).items.get(MILK)).toMatchObject({ name: 'Oat milk', actual: 3 });
  phones.ann = receiveEvent(phones.ann, ben.event);
  phones.ben = receiveEvent(phones.ben, ann.event);
  for (const { base, revision } of Object.values(phones)) expect([base, revision]).toEqual([toList(state), 14]);
  expect(getVisibleList(phones.ann).items.get(MILK)).toMatchObject({ name: 'Soy milk', actual: 4, desired: 6 });
  expect(getVisibleList(phones.ben).items.get(BREAD)).toMatchObject({ name: 'Bread', actual: 0, desired: 3 });
});
