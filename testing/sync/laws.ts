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

const arbitraryStep = (who: readonly number[], what: readonly HistoryStep['what'][]): fc.Arbitrary<HistoryStep> =>
  fc.record({
    who: fc.constantFrom(...who),
    what: fc.constantFrom(...what),
    one: fc.nat(20),
    other: fc.nat(20),
    wait: fc.constantFrom(0, 1, 700, 5000),
  });
const arbitraryHistory = (
  who: readonly number[],
  what: readonly HistoryStep['what'][],
  maxLength = 24,
): fc.Arbitrary<readonly HistoryStep[]> => fc.array(arbitraryStep(who, what), { maxLength, size: 'max' });
/** Network actions are as frequent as user actions. */
const EVERYTHING = [...EDITS, ...NETWORK, 'trip', 'event'] as const;
const everyone = arbitraryHistory([0, 1, 2, 3], EVERYTHING);
const replicasOnly = arbitraryHistory([0, 1, 2], EVERYTHING);
const twoMore = fc.tuple(everyone, fc.array(arbitraryStep([0, 1], EDITS), { maxLength: 6 }));

function after(steps: readonly HistoryStep[], eachTime?: (world: SimulatedWorld) => void): SimulatedWorld {
  const world = createSimulation();
  for (const step of steps) {
    world.step(step);
    eachTime?.(world);
  }
  return world;
}
/** A statement that holds for every history of some kind. */
export interface HistoryLaw {
  readonly name: string;
  /** @throws with the seed and the smallest history that breaks it. */
  readonly check: (runs: { readonly numRuns: number; readonly seed?: number }) => void;
}
const law = <T>(name: string, histories: fc.Arbitrary<T>, holds: (history: T) => void): HistoryLaw => ({
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
  law('all replicas end equal to the server', everyone, (steps) => {
    const world = after(steps);
    world.settle();
    for (const { replica } of world.pages) {
      assert.equal(countUnsent(replica), 0);
      assert.deepEqual(toComparableList(getVisibleList(replica)), toComparableList(toList(world.state())));
    }
  }),

  law(
    'no counter change is lost or doubled',
    arbitraryHistory([0, 1, 2], ['count', 'addItem', 'setName', 'link', ...NETWORK]),
    (steps) => {
      let due = 0;
      const world = createSimulation();
      for (const step of steps) {
        const before = step.what === 'count' ? total(world.seenBy(step.who)) : 0;
        world.step(step);
        if (step.what === 'count') due += total(world.seenBy(step.who)) - before;
      }
      const before = total(toList(createSimulation().state()));
      world.settle();
      assert.equal(total(toList(world.state())), before + due);
    },
  ),

  law('the same batch twice changes nothing', everyone, (steps) => {
    for (const batch of after(steps).taken) {
      // A replica's batch is identified by its number; repeating a plain client's must be harmless.
      if (batch.seq !== undefined) continue;
      const once = batch.outcome.state;
      assert.deepEqual(toComparableList(toList(mergeBatch(once, batch).state)), toComparableList(toList(once)));
      assert.equal(mergeBatch(once, batch).state.revision, once.revision);
    }
  }),

  law('a repeated answer or event changes nothing, however late', replicasOnly, (steps) => {
    after(steps, ({ pages, taken }) => {
      for (const { replica } of pages) for (const batch of taken) expectNoNews(replica, batch);
    });
  }),

  law(
    'nothing that one user does alone is ever reverted on their screen',
    arbitraryHistory([0], EVERYTHING, 30),
    (steps) => {
      const world = createSimulation();
      for (const step of steps) {
        const before = byKey(world);
        world.step(step);
        if ((NETWORK as readonly string[]).includes(step.what)) assert.deepEqual(byKey(world), before);
      }
      const seen = byKey(world);
      world.settle();
      assert.deepEqual(byKey(world), seen);
    },
  ),

  law('an own edit is never reverted by an older answer', everyone, (steps) => {
    after(steps, ({ pages }) => {
      for (const { replica } of pages) {
        const seen = getVisibleList(replica);
        for (const [path, value] of unsettledSets(replica)) {
          const [id = '', field = ''] = path.split('/');
          const item = seen.items.get(id);
          if (item) assert.equal({ ...item }[field], value);
        }
      }
    });
  }),

  law('a plain client that writes alone is correct after its own answers', arbitraryHistory([3], EDITS), (steps) => {
    const world = after(steps, ({ plain, post }) => {
      for (const text of plain.requests.splice(0)) {
        post(text);
        const answer: { changes: readonly WireChange[] } = JSON.parse(post(text));
        plain.list = applyWireChanges(plain.list, answer.changes);
      }
    });
    assert.deepEqual(toComparableList(world.plain.list), toComparableList(toList(world.state())));
  }),

  law(
    'a removed thing stays removed, unless it is edited later by someone who had not seen that',
    arbitraryHistory([0, 1, 2, 3], ['removeItem', 'removeType', 'setName', 'setType', ...NETWORK, 'trip', 'event']),
    (steps) => {
      for (const batch of after(steps).taken) {
        const { before, outcome, base, client, changes } = batch;
        for (const path of getThings(before).filter((each) => !isThere(before, each) && isThere(outcome.state, each))) {
          const grave = before.leaves.get(path);
          const seen = base !== undefined && grave && (base >= grave.revision || grave.client === client);
          assert.notEqual(seen, true);
          assert.equal(
            changes.some(({ change, time }) => editsThing(batch, change, path) && grave && time > grave.time),
            true,
          );
        }
      }
    },
  ),

  law(
    'a later edit survives a removal by someone who had not seen it',
    arbitraryHistory([0, 1, 2, 3], ['removeItem', 'removeType', 'setName', 'setType', 'count', ...NETWORK, 'event']),
    (steps) => {
      for (const { before, outcome, base, client, changes } of after(steps).taken)
        for (const path of getThings(before).filter((each) => isThere(before, each) && !isThere(outcome.state, each))) {
          const leaves = [...before.leaves].filter(([each]) => each === path || each.startsWith(`${path}/`));
          const times = changes.flatMap(({ change, time }) => (change.kind === 'remove' ? [time] : []));
          for (const [, leaf] of leaves) {
            const seen = base !== undefined && (base >= leaf.revision || leaf.client === client);
            assert.ok(seen || times.some((time) => time >= leaf.time));
          }
        }
    },
  ),

  law('links never point to missing things', everyone, (steps) => {
    after(steps, (world) => {
      const missing = getLists(world).flatMap(({ items, types, links }) =>
        [...links].filter(([item, linked]) => !items.has(item) || [...linked].some((type) => !types.has(type))),
      );
      assert.deepEqual(missing, []);
    });
  }),

  law('the built-in type is never removed, even on request', everyone, (steps) => {
    after(steps, (world) => {
      const remove: Change = { kind: 'remove', thing: 'type', id: UNSORTED_ID };
      if (world.now() % 3 === 0) world.change(0, [remove]);
      assert.throws(
        () => mergeBatch(world.state(), { client: 'other', base: 0, changes: [{ change: remove, time: world.now() }] }),
        /built-in/,
      );
      for (const list of getLists(world)) assert.equal(list.types.get(UNSORTED_ID)?.isOwn, false);
    });
  }),

  law('quantities are whole and never below 0', everyone, (steps) => {
    after(steps, (world) => {
      const amounts = getLists(world).flatMap(({ items }) =>
        [...items.values()].flatMap(({ actual, desired }) => [actual, desired]),
      );
      assert.deepEqual(
        amounts.filter((each) => !Number.isInteger(each) || each < 0 || each > LIMITS.quantity),
        [],
      );
    });
  }),

  law('ids map one to one, indefinitely', everyone, (steps) => {
    const mapped = new Map<string, string>();
    after(steps, (world) => {
      const { ids, leaves } = world.state();
      assert.equal(new Set(ids.values()).size, ids.size);
      for (const [sent, id] of mapped) assert.equal(ids.get(sent), id);
      for (const [sent, id] of ids) {
        mapped.set(sent, id);
        assert.equal(leaves.has(`items/${id}`) !== leaves.has(`types/${id}`), true);
      }
    });
  }),

  law('a refused batch changes nothing', everyone, (steps) => {
    const world = after(steps);
    const state = world.state();
    const before = JSON.stringify(roundTrip(state));
    const sound = world.taken.flatMap(({ changes }) => changes);
    const removal = { change: { kind: 'remove', thing: 'type', id: UNSORTED_ID } as const, time: world.now() };
    const bad: Batch = { client: 'other-client', base: state.revision, changes: [...sound, removal] };
    assert.throws(() => mergeBatch(state, bad), /built-in/);
    assert.equal(JSON.stringify(roundTrip(state)), before);
    assert.throws(() => parseChanges({ name: 'Other', items: { 2: { name: 'Other', price: 3 } } }), /no field 'price/);
  }),

  law('the order in which independent changes arrive does not matter', twoMore, ([steps, more]) => {
    const world = after(steps);
    const [mine, theirs] = [0, 1].map((who) => independent(world, who, more));
    if (!mine || !theirs) return;
    const [one, other] = [
      mergeBatch(mergeBatch(world.state(), mine).state, theirs),
      mergeBatch(mergeBatch(world.state(), theirs).state, mine),
    ];
    assert.deepEqual(byName(toList(one.state)), byName(toList(other.state)));
  }),

  law(
    'a refusal is reported once, with everything that it refused, whichever message is lost',
    arbitraryHistory([0, 1, 2], ['tooLong', 'setName', 'count', 'addItem', ...NETWORK]),
    (steps) => {
      const world = after(steps);
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

  law(
    'a reload at any moment shows the acknowledged list plus pending changes',
    arbitraryHistory([0, 1], [...EVERYTHING, 'send', 'arrive', 'event']),
    (steps) => {
      const world = createSimulation();
      for (const step of steps) {
        world.step(step);
        const { replica } = world.pages[step.who] ?? {};
        if (!replica) continue;
        assert.equal(
          JSON.stringify(toComparableList(getVisibleList(roundTrip(replica)))),
          JSON.stringify(toComparableList(getVisibleList(replica))),
        );
        assert.equal(JSON.stringify(toComparableList(replica.base)), world.snapshots.get(replica.revision));
        const { frozen, client } = replica;
        const at = frozen && world.committed.get(`${client}/${frozen.seq}`);
        // A batch that the base contains is no longer shown on top of it.
        const wrote =
          frozen &&
          world.taken.some(
            (each) => each.client === client && each.seq === frozen.seq && each.outcome.state !== each.before,
          );
        if (at !== undefined && wrote) assert.ok(at > replica.revision);
      }
    },
  ),
];

/** Sums items far from 0: near 0, decrements of two users meet the limit. */
const total = ({ items }: List): number =>
  [...items.values()].reduce((sum, { actual }) => sum + (actual > START_AMOUNT / 2 ? actual : 0), 0);

/** A replica has seen a batch: sending it again, even with nonsense, is ignored. */
function expectNoNews(replica: Replica, { outcome, before, client, seq = 0 }: ServerStep): void {
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

/** Values that were set last and are not acknowledged, by `id/field`; amounts can still be counted. */
const unsettledSets = ({ frozen, pending, ids }: Replica): ReadonlyMap<string, unknown> =>
  new Map(
    [...(frozen?.changes ?? []), ...pending].flatMap(({ change }) =>
      change.kind === 'item' && change.field !== 'actual'
        ? [[`${ids.get(change.id) ?? change.id}/${change.field}`, change.value] as const]
        : [],
    ),
  );

/** What the first replica shows, under keys that stay the same when ids are assigned. */
function byKey({ pages }: SimulatedWorld): unknown {
  const [page] = pages;
  if (!page) return undefined;
  const { name, items, types, links } = getVisibleList(page.replica);
  const named = (id: string): string => getKey(page.replica, id);
  return {
    name,
    items: new Map([...items].map(([id, item]) => [named(id), item])),
    types: new Map([...types].map(([id, type]) => [named(id), type])),
    links: new Map([...links].map(([id, linked]) => [named(id), new Set([...linked].map(named))])),
  };
}

/** Things of a list by name, as new ones get their ids in the order of arrival. */
function byName({ name, items, types, links }: List): unknown {
  const typeName = (id: string): string => `${types.get(id)?.name ?? ''} ${types.get(id)?.order ?? ''}`;
  return [
    name,
    [...items]
      .map(([id, item]) => JSON.stringify([item, [...(links.get(id) ?? [])].map(typeName).toSorted()]))
      .toSorted(),
    [...types.values()].map((type) => JSON.stringify(type)).toSorted(),
  ];
}

/** Edits by two users of different things: even ids belong to the first one, odd ones to the second. */
function independent(world: SimulatedWorld, who: number, steps: readonly HistoryStep[]): Batch {
  const { items, types } = toList(world.state());
  const own = (ids: Iterable<string>): readonly string[] =>
    [...ids].filter((id) => Number(id) % 2 === who && id !== UNSORTED_ID);
  const [mine, shelves] = [own(items.keys()), own(types.keys())];
  const changes = steps
    .filter((step) => step.who === who)
    .flatMap(({ what, one, other }, at): readonly Change[] => {
      const id = mine[one % Math.max(1, mine.length)];
      if (what === 'addItem') return [{ kind: 'item', id: `newx${at}`, field: 'name', value: `Person ${who} ${at}` }];
      if (id === undefined) return [];
      const type = shelves[other % Math.max(1, shelves.length)];
      if (what === 'removeItem') return [{ kind: 'remove', thing: 'item', id }];
      if (what === 'link' && type !== undefined) return [{ kind: 'link', item: id, type, isLinked: other % 2 === 0 }];
      if (what === 'count') return [{ kind: 'count', id, by: other - 10 }];
      return [{ kind: 'item', id, field: 'name', value: `Name ${who} ${at}` }];
    });
  return {
    client: `person-${who}`,
    base: world.state().revision,
    changes: changes.map((change, at) => ({ change, time: world.now() + at })),
  };
}
