import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { roundTrip } from '#testing/kits/planning/replicaText.ts';
import { LIMITS, UNSORTED_ID, type Change, type List } from '#tools/shopping/lists/domain/list.ts';
import { toList, type ListState } from '#tools/shopping/sync/domain/listState.ts';
import { applyWireChanges, type WireChange } from '#tools/shopping/sync/domain/listWire.ts';
import { mergeBatch, type Batch } from '#tools/shopping/sync/domain/mergeBatch.ts';
import { parseChanges } from '#tools/shopping/sync/domain/parseChanges.ts';
import {
  countUnsent,
  getVisibleList,
  getKey,
  receiveAnswer,
  receiveEvent,
  type Replica,
} from '#tools/shopping/sync/domain/replica.ts';
import { EDITS, NETWORK, type HistoryStep } from './actions.ts';
import {
  START_AMOUNT,
  toComparableList,
  createSimulation,
  type ServerStep,
  type SimulatedWorld,
} from './shoppingHistories.ts';

const createArbitraryStep = (
  clients: readonly number[],
  actions: readonly HistoryStep['action'][],
): fc.Arbitrary<HistoryStep> =>
  fc.record({
    client: fc.constantFrom(...clients),
    action: fc.constantFrom(...actions),
    targetIndex: fc.nat(20),
    valueIndex: fc.nat(20),
    delayMs: fc.constantFrom(0, 1, 700, 5000),
  });
const createArbitraryHistory = (
  clients: readonly number[],
  actions: readonly HistoryStep['action'][],
  maxLength = 24,
): fc.Arbitrary<readonly HistoryStep[]> => fc.array(createArbitraryStep(clients, actions), { maxLength, size: 'max' });
/** Network actions are as frequent as user actions. */
const EVERYTHING = [...EDITS, ...NETWORK, 'trip', 'event'] as const;
const anyHistory = createArbitraryHistory([0, 1, 2, 3], EVERYTHING);
const replicaHistory = createArbitraryHistory([0, 1, 2], EVERYTHING);
const historyWithEdits = fc.tuple(anyHistory, fc.array(createArbitraryStep([0, 1], EDITS), { maxLength: 6 }));

function play(steps: readonly HistoryStep[], onStep?: (world: SimulatedWorld) => void): SimulatedWorld {
  const world = createSimulation();
  for (const step of steps) {
    world.step(step);
    onStep?.(world);
  }
  return world;
}
/** A statement that holds for every history of some kind. */
export interface HistoryLaw {
  readonly name: string;
  /** @throws with the seed and the smallest history that breaks it. */
  readonly check: (runs: { readonly numRuns: number; readonly seed?: number }) => void;
}
const createLaw = <T>(name: string, histories: fc.Arbitrary<T>, holds: (history: T) => void): HistoryLaw => ({
  name,
  check: (runs) => fc.assert(fc.property(histories, holds), runs),
});

const getLists = (world: SimulatedWorld): readonly List[] => [
  toList(world.state()),
  world.plain.list,
  ...world.pages.flatMap(({ replica }) => [replica.base, getVisibleList(replica)]),
];
const getThings = ({ leaves }: ListState): readonly string[] =>
  [...leaves.keys()].filter((path) => /^(items|types)\/\d+$/.test(path));
const isThere = ({ leaves }: ListState, path: string): boolean => leaves.get(path)?.value === true;

function editsThing({ outcome, before, client }: ServerStep, change: Change, path: string): boolean {
  if (change.kind !== 'item' && change.kind !== 'type' && change.kind !== 'count') return false;
  const id = outcome.ids.get(change.id) ?? before.ids.get(`${client}/${change.id}`) ?? change.id;
  return path === `${change.kind === 'type' ? 'types' : 'items'}/${id}`;
}

export const HISTORY_LAWS: readonly HistoryLaw[] = [
  createLaw('all replicas end equal to the server', anyHistory, (steps) => {
    const world = play(steps);
    world.settle();
    for (const { replica } of world.pages) {
      assert.equal(countUnsent(replica), 0);
      assert.deepEqual(toComparableList(getVisibleList(replica)), toComparableList(toList(world.state())));
    }
  }),

  createLaw(
    'no counter change is lost or doubled',
    createArbitraryHistory([0, 1, 2], ['count', 'addItem', 'setName', 'link', ...NETWORK]),
    (steps) => {
      let expectedChange = 0;
      const world = createSimulation();
      for (const step of steps) {
        const before = step.action === 'count' ? sumAmounts(world.getShownList(step.client)) : 0;
        world.step(step);
        if (step.action === 'count') expectedChange += sumAmounts(world.getShownList(step.client)) - before;
      }
      const before = sumAmounts(toList(createSimulation().state()));
      world.settle();
      assert.equal(sumAmounts(toList(world.state())), before + expectedChange);
    },
  ),

  createLaw('the same batch twice changes nothing', anyHistory, (steps) => {
    for (const batch of play(steps).serverSteps) {
      // A replica's batch is identified by its number; repeating a plain client's must be harmless.
      if (batch.seq !== undefined) continue;
      const stateAfter = batch.outcome.state;
      assert.deepEqual(
        toComparableList(toList(mergeBatch(stateAfter, batch).state)),
        toComparableList(toList(stateAfter)),
      );
      assert.equal(mergeBatch(stateAfter, batch).state.revision, stateAfter.revision);
    }
  }),

  createLaw('a repeated answer or event changes nothing, however late', replicaHistory, (steps) => {
    play(steps, ({ pages, serverSteps }) => {
      for (const { replica } of pages) for (const batch of serverSteps) expectNoChange(replica, batch);
    });
  }),

  createLaw(
    'nothing that one user does alone is ever reverted on their screen',
    createArbitraryHistory([0], EVERYTHING, 30),
    (steps) => {
      const world = createSimulation();
      for (const step of steps) {
        const before = getFirstListByKey(world);
        world.step(step);
        if ((NETWORK as readonly string[]).includes(step.action)) assert.deepEqual(getFirstListByKey(world), before);
      }
      const shownList = getFirstListByKey(world);
      world.settle();
      assert.deepEqual(getFirstListByKey(world), shownList);
    },
  ),

  createLaw('an own edit is never reverted by an older answer', anyHistory, (steps) => {
    play(steps, ({ pages }) => {
      for (const { replica } of pages) {
        const visibleList = getVisibleList(replica);
        for (const [path, value] of unsettledSets(replica)) {
          const [id = '', field = ''] = path.split('/');
          const item = visibleList.items.get(id);
          if (item) assert.equal({ ...item }[field], value);
        }
      }
    });
  }),

  createLaw(
    'a plain client that writes alone is correct after its own answers',
    createArbitraryHistory([3], EDITS),
    (steps) => {
      const world = play(steps, ({ plain, post }) => {
        for (const text of plain.requests.splice(0)) {
          post(text);
          const answer: { changes: readonly WireChange[] } = JSON.parse(post(text));
          plain.list = applyWireChanges(plain.list, answer.changes);
        }
      });
      assert.deepEqual(toComparableList(world.plain.list), toComparableList(toList(world.state())));
    },
  ),

  createLaw(
    'a removed thing stays removed, unless it is edited later by someone who had not seen that',
    createArbitraryHistory(
      [0, 1, 2, 3],
      ['removeItem', 'removeType', 'setName', 'setType', ...NETWORK, 'trip', 'event'],
    ),
    (steps) => {
      for (const batch of play(steps).serverSteps) {
        const { before, outcome, base, client, changes } = batch;
        for (const path of getThings(before).filter(
          (thing) => !isThere(before, thing) && isThere(outcome.state, thing),
        )) {
          const tombstone = before.leaves.get(path);
          const hasSeen =
            base !== undefined && tombstone && (base >= tombstone.revision || tombstone.client === client);
          assert.notEqual(hasSeen, true);
          assert.equal(
            changes.some(({ change, time }) => editsThing(batch, change, path) && tombstone && time > tombstone.time),
            true,
          );
        }
      }
    },
  ),

  createLaw(
    'a later edit survives a removal by someone who had not seen it',
    createArbitraryHistory(
      [0, 1, 2, 3],
      ['removeItem', 'removeType', 'setName', 'setType', 'count', ...NETWORK, 'event'],
    ),
    (steps) => {
      for (const { before, outcome, base, client, changes } of play(steps).serverSteps)
        for (const path of getThings(before).filter(
          (thing) => isThere(before, thing) && !isThere(outcome.state, thing),
        )) {
          const leaves = [...before.leaves].filter(
            ([leafPath]) => leafPath === path || leafPath.startsWith(`${path}/`),
          );
          const times = changes.flatMap(({ change, time }) => (change.kind === 'remove' ? [time] : []));
          for (const [, leaf] of leaves) {
            const hasSeen = base !== undefined && (base >= leaf.revision || leaf.client === client);
            assert.ok(hasSeen || times.some((time) => time >= leaf.time));
          }
        }
    },
  ),

  createLaw('links never point to missing things', anyHistory, (steps) => {
    play(steps, (world) => {
      const missing = getLists(world).flatMap(({ items, types, links }) =>
        [...links].filter(([item, linked]) => !items.has(item) || [...linked].some((type) => !types.has(type))),
      );
      assert.deepEqual(missing, []);
    });
  }),

  createLaw('the built-in type is never removed, even on request', anyHistory, (steps) => {
    play(steps, (world) => {
      const remove: Change = { kind: 'remove', thing: 'type', id: UNSORTED_ID };
      if (world.now() % 3 === 0) world.change(0, [remove]);
      assert.throws(
        () => mergeBatch(world.state(), { client: 'other', base: 0, changes: [{ change: remove, time: world.now() }] }),
        /built-in/,
      );
      for (const list of getLists(world)) assert.equal(list.types.get(UNSORTED_ID)?.isOwn, false);
    });
  }),

  createLaw('quantities are whole and never below 0', anyHistory, (steps) => {
    play(steps, (world) => {
      const amounts = getLists(world).flatMap(({ items }) =>
        [...items.values()].flatMap(({ actual, desired }) => [actual, desired]),
      );
      assert.deepEqual(
        amounts.filter((amount) => !Number.isInteger(amount) || amount < 0 || amount > LIMITS.quantity),
        [],
      );
    });
  }),

  createLaw('ids map one to one, indefinitely', anyHistory, (steps) => {
    const idByClientId = new Map<string, string>();
    play(steps, (world) => {
      const { ids, leaves } = world.state();
      assert.equal(new Set(ids.values()).size, ids.size);
      for (const [sent, id] of idByClientId) assert.equal(ids.get(sent), id);
      for (const [sent, id] of ids) {
        idByClientId.set(sent, id);
        assert.equal(leaves.has(`items/${id}`) !== leaves.has(`types/${id}`), true);
      }
    });
  }),

  createLaw('a refused batch changes nothing', anyHistory, (steps) => {
    const world = play(steps);
    const state = world.state();
    const before = JSON.stringify(roundTrip(state));
    const validChanges = world.serverSteps.flatMap(({ changes }) => changes);
    const removal = { change: { kind: 'remove', thing: 'type', id: UNSORTED_ID } as const, time: world.now() };
    const badBatch: Batch = { client: 'other-client', base: state.revision, changes: [...validChanges, removal] };
    assert.throws(() => mergeBatch(state, badBatch), /built-in/);
    assert.equal(JSON.stringify(roundTrip(state)), before);
    assert.throws(() => parseChanges({ name: 'Other', items: { 2: { name: 'Other', price: 3 } } }), /no field 'price/);
  }),

  createLaw('the order in which independent changes arrive does not matter', historyWithEdits, ([steps, moreSteps]) => {
    const world = play(steps);
    const [first, second] = [0, 1].map((client) => createIndependentBatch(world, client, moreSteps));
    if (!first || !second) return;
    const [one, other] = [
      mergeBatch(mergeBatch(world.state(), first).state, second),
      mergeBatch(mergeBatch(world.state(), second).state, first),
    ];
    assert.deepEqual(toNames(toList(one.state)), toNames(toList(other.state)));
  }),

  createLaw(
    'a refusal is reported once, with everything that it refused, whichever message is lost',
    createArbitraryHistory([0, 1, 2], ['tooLong', 'setName', 'count', 'addItem', ...NETWORK]),
    (steps) => {
      const world = play(steps);
      world.settle();
      const received = world.pages.flatMap(({ replica, refusals }) =>
        refusals.map(({ seq, why, changes }) => {
          assert.ok(changes.some(({ change }) => change.kind === 'rename'));
          return [`${replica.client}/${seq}`, why] as const;
        }),
      );
      assert.equal(received.length, world.refusals.size);
      assert.deepEqual(new Map(received), world.refusals);
      for (const { replica } of world.pages) {
        assert.equal(countUnsent(replica), 0);
        assert.deepEqual(toComparableList(getVisibleList(replica)), toComparableList(toList(world.state())));
      }
    },
  ),

  createLaw(
    'a reload at any moment shows the acknowledged list plus pending changes',
    createArbitraryHistory([0, 1], [...EVERYTHING, 'send', 'arrive', 'event']),
    (steps) => {
      const world = createSimulation();
      for (const step of steps) {
        world.step(step);
        const { replica } = world.pages[step.client] ?? {};
        if (!replica) continue;
        assert.equal(
          JSON.stringify(toComparableList(getVisibleList(roundTrip(replica)))),
          JSON.stringify(toComparableList(getVisibleList(replica))),
        );
        assert.equal(JSON.stringify(toComparableList(replica.base)), world.snapshots.get(replica.revision));
        const { frozen, client } = replica;
        const revision = frozen && world.committed.get(`${client}/${frozen.seq}`);
        // A batch that the base contains is no longer shown on top of it.
        const isApplied =
          frozen &&
          world.serverSteps.some(
            (batch) => batch.client === client && batch.seq === frozen.seq && batch.outcome.state !== batch.before,
          );
        if (revision !== undefined && isApplied) assert.ok(revision > replica.revision);
      }
    },
  ),
];

/** Returns the sum of items far from 0: near 0, decrements of two users meet the limit. */
const sumAmounts = ({ items }: List): number =>
  [...items.values()].reduce((sum, { actual }) => sum + (actual > START_AMOUNT / 2 ? actual : 0), 0);

/** Asserts that a replica ignores a batch that it already has, even if its content is nonsense now. */
function expectNoChange(replica: Replica, { outcome, before, client, seq = 0 }: ServerStep): void {
  const { revision } = outcome.state;
  const answer = { revision, changes: [[['name'], 'Nonsense']] as const, ids: {}, client, seq };
  if (client === replica.client && seq < (replica.frozen?.seq ?? replica.seq + 1))
    assert.deepEqual(receiveAnswer(replica, { ...answer, changed: true }), replica);
  // A batch that lost all of its conflicts has no event: its revision is the previous one.
  if (outcome.state !== before && revision <= replica.revision)
    assert.deepEqual(
      toComparableList(getVisibleList(receiveEvent(replica, answer))),
      toComparableList(getVisibleList(replica)),
    );
}

/** Returns values that were set last and are not acknowledged, by `id/field`; amounts can still be counted. */
const unsettledSets = ({ frozen, pending, ids }: Replica): ReadonlyMap<string, unknown> =>
  new Map(
    [...(frozen?.changes ?? []), ...pending].flatMap(({ change }) =>
      change.kind === 'item' && change.field !== 'actual'
        ? [[`${ids.get(change.id) ?? change.id}/${change.field}`, change.value] as const]
        : [],
    ),
  );

/** Returns what the first replica shows, under keys that stay the same when ids are assigned. */
function getFirstListByKey({ pages }: SimulatedWorld): unknown {
  const [page] = pages;
  if (!page) return undefined;
  const { name, items, types, links } = getVisibleList(page.replica);
  const getStableId = (id: string): string => getKey(page.replica, id);
  return {
    name,
    items: new Map([...items].map(([id, item]) => [getStableId(id), item])),
    types: new Map([...types].map(([id, type]) => [getStableId(id), type])),
    links: new Map([...links].map(([id, linked]) => [getStableId(id), new Set([...linked].map(getStableId))])),
  };
}

/** Returns the things of a list by name, as new ones get their ids in the order of arrival. */
function toNames({ name, items, types, links }: List): unknown {
  const typeName = (id: string): string => `${types.get(id)?.name ?? ''} ${types.get(id)?.order ?? ''}`;
  return [
    name,
    [...items]
      .map(([id, item]) => JSON.stringify([item, [...(links.get(id) ?? [])].map(typeName).toSorted()]))
      .toSorted(),
    [...types.values()].map((type) => JSON.stringify(type)).toSorted(),
  ];
}

/** Returns edits of one of two users. Even ids belong to the first one, odd ones to the second. */
function createIndependentBatch(world: SimulatedWorld, client: number, steps: readonly HistoryStep[]): Batch {
  const { items, types } = toList(world.state());
  const listOwn = (ids: Iterable<string>): readonly string[] =>
    [...ids].filter((id) => Number(id) % 2 === client && id !== UNSORTED_ID);
  const [ownItems, ownTypes] = [listOwn(items.keys()), listOwn(types.keys())];
  const changes = steps
    .filter((step) => step.client === client)
    .flatMap(({ action, targetIndex, valueIndex }, index): readonly Change[] => {
      const id = ownItems[targetIndex % Math.max(1, ownItems.length)];
      if (action === 'addItem')
        return [{ kind: 'item', id: `newx${index}`, field: 'name', value: `Person ${client} ${index}` }];
      if (id === undefined) return [];
      const type = ownTypes[valueIndex % Math.max(1, ownTypes.length)];
      if (action === 'removeItem') return [{ kind: 'remove', thing: 'item', id }];
      if (action === 'link' && type !== undefined)
        return [{ kind: 'link', item: id, type, isLinked: valueIndex % 2 === 0 }];
      if (action === 'count') return [{ kind: 'count', id, by: valueIndex - 10 }];
      return [{ kind: 'item', id, field: 'name', value: `Name ${client} ${index}` }];
    });
  return {
    client: `person-${client}`,
    base: world.state().revision,
    changes: changes.map((change, index) => ({ change, time: world.now() + index })),
  };
}
