import { expect, test } from 'vitest';
import type { Change, List } from '../../lists/domain/list.ts';
import { applyChanges } from '../domain/listReducer.ts';
import { addChanges, createUnloadedReplica, createNewReplica } from '../domain/replica.ts';
import { createLists } from './openLists.ts';
import { createMemoryReplicaStore, type ReplicaStore, type Menu } from './persistedReplica.ts';
import type { Transport } from './transport.ts';

const EMPTY: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
const MILK: readonly Change[] = [
  { kind: 'rename', name: 'Groceries' },
  { kind: 'item', id: 'new1', field: 'name', value: 'Milk' },
];

/** The lists of a browser that has the server's list 7 stored under this key, and the calls to the server. */
async function browserWith(key: string, menu?: Transport['loadMenu']) {
  const keep = createMemoryReplicaStore();
  const replica = { ...createUnloadedReplica(7, 'client-one', applyChanges(EMPTY, MILK)), revision: 3 };
  await keep.change(key, () => replica);
  const calls: string[] = [];
  const silent = (what: string) => () => {
    calls.push(what);
    return new Promise<never>(() => undefined);
  };
  const transport: Transport = {
    send: silent('send'),
    load: silent('load'),
    loadMenu: menu ?? silent('menu'),
    onChanges: () => () => undefined,
    onMenuChange: () => () => undefined,
  };
  const clock = { now: () => 0, startTimer: () => () => undefined };
  const listeners = { onFailure: () => undefined, onRefused: () => undefined };
  return {
    calls,
    lists: createLists({ store: keep, transport, clock, createRandomId: () => 'random-id-1', ...listeners }),
  };
}

const namesIn = (list: List | undefined): readonly string[] | undefined =>
  list && [...list.items.values()].map(({ name }) => name);

test.each(['7', 'new-made-here'])('a list that is stored as %s is shown before the server is called', async (key) => {
  const { lists, calls } = await browserWith(key);
  await lists.load('7');
  const open = lists.open('7');
  expect(namesIn(open?.sync.getStatus().list)).toEqual(['Milk']);
  expect(calls).toEqual([]);
  const stop = lists.start();
  await expect.poll(() => calls.toSorted()).toEqual(['load', 'menu']);
  expect(lists.open('7')).toBe(open);
  stop();
});

test('a list that is not stored does not delay the page, and is only loaded if it is opened', async () => {
  const { lists, calls } = await browserWith('7');
  await lists.load('8');
  const stop = lists.start();
  await lists.load(undefined);
  expect(calls).toEqual(['menu']);
  lists.open('8');
  await expect.poll(() => calls).toEqual(['menu', 'load']);
  stop();
});

const createMenu = (...names: readonly string[]): Menu => ({
  lists: names.map((name, index) => ({ id: 8 + index, name, members: 1, archived: false })),
  invitations: [],
  deleted: [],
  globalItems: [],
});

test('a menu answer that arrives after a newer one is ignored', async () => {
  const answers: PromiseWithResolvers<Menu>[] = [];
  const { lists } = await browserWith('7', () => {
    const answer = Promise.withResolvers<Menu>();
    answers.push(answer);
    return answer.promise;
  });
  const shown = (): readonly string[] => lists.getPlanner().lists.map(({ name }) => name);
  const stop = lists.start();
  lists.connect();
  lists.connect();
  const [first, second, third] = answers;
  second?.resolve(createMenu('Old', 'Made since'));
  await expect.poll(shown).toEqual(['Old', 'Made since']);
  first?.resolve(createMenu('Old'));
  await first?.promise;
  await Promise.resolve();
  expect(shown()).toEqual(['Old', 'Made since']);
  third?.resolve(createMenu('Made since'));
  await expect.poll(shown).toEqual(['Made since']);
  stop();
});

/** A store of a busy browser: between `hold` and `release` all reads and writes wait, then they run in order. */
function createSlowReplicaStore() {
  const memory = createMemoryReplicaStore();
  let gate = Promise.resolve();
  let opening = Promise.withResolvers<void>();
  function enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = gate.then(run);
    gate = result.then(() => undefined);
    return result;
  }
  const keep: ReplicaStore = {
    ...memory,
    listSummaries: () => enqueue(memory.listSummaries),
    read: (key) => enqueue(() => memory.read(key)),
    change: (key, change) => enqueue(() => memory.change(key, change)),
  };
  function hold(): void {
    opening = Promise.withResolvers<void>();
    gate = opening.promise;
  }
  return { keep, hold, release: () => opening.resolve() };
}

const never = () => new Promise<never>(() => undefined);

function openLists(keep: ReplicaStore, menu = createMenu()) {
  const sent: unknown[] = [];
  const timers: (() => void)[] = [];
  const lists = createLists({
    store: keep,
    transport: {
      send: (body) => {
        sent.push(body);
        return never();
      },
      load: never,
      loadMenu: () => Promise.resolve(menu),
      onChanges: () => () => undefined,
      onMenuChange: () => () => undefined,
    },
    clock: {
      now: () => 0,
      startTimer: (_ms, callback) => {
        timers.push(callback);
        return () => undefined;
      },
    },
    createRandomId: () => 'random-id-1',
    onFailure: () => undefined,
    onRefused: () => undefined,
  });
  return { lists, sent, pass: () => timers.splice(0).forEach((run) => run()) };
}

test('a list created while its store is busy is sent, even if the connection comes up before it is shown', async () => {
  const { keep, hold, release } = createSlowReplicaStore();
  const { lists, sent, pass } = openLists(keep);
  const stop = lists.start();
  await lists.load(undefined);
  hold();
  const key = lists.getPlanner().create();
  // The socket connects before the page renders and opens the list.
  lists.connect();
  lists.open(key);
  release();
  await expect.poll(() => lists.open(key)?.sync.getStatus().list?.name).toBe('New list');
  expect(lists.open(key)?.sync.getStatus()).toMatchObject({ isGone: false, problem: undefined, unsent: 1 });
  await expect.poll(() => (pass(), sent.length)).toBeGreaterThan(0);
  stop();
});

test('a list opened before another tab has stored it is known and sent as soon as it is stored', async () => {
  const memory = createMemoryReplicaStore();
  const listeners: ((key: string | undefined) => void)[] = [];
  const { lists, sent, pass } = openLists({ ...memory, onChange: (then) => (listeners.push(then), () => undefined) });
  const stop = lists.start();
  await lists.load(undefined);
  const open = lists.open('new-made-there');
  await expect.poll(() => open?.sync.getStatus().problem).toBe('There is no such list. It may have been deleted');
  await memory.change('new-made-there', () =>
    addChanges(createNewReplica('client-two'), [{ kind: 'rename', name: 'There' }], 0),
  );
  for (const listener of listeners) listener('new-made-there');
  await expect.poll(() => open?.sync.getStatus().list?.name).toBe('There');
  expect(open?.sync.getStatus()).toMatchObject({ isGone: false, problem: undefined });
  await expect.poll(() => (pass(), sent.length)).toBeGreaterThan(0);
  stop();
});

test('a change made from a notice of a closed list is sent too', async () => {
  const memory = createMemoryReplicaStore();
  await memory.change('7', () => ({
    ...createUnloadedReplica(7, 'client-one', applyChanges(EMPTY, MILK)),
    revision: 3,
  }));
  const menu = { ...createMenu(), lists: [{ id: 7, name: 'Groceries', members: 1, archived: false }] };
  const { lists, sent, pass } = openLists(memory, menu);
  const stop = lists.start();
  await lists.load('7');
  const leave = lists.retain('7');
  const change = lists.getChange('7');
  leave();
  lists.connect();
  change([{ kind: 'item', id: 'new1', field: 'desired', value: 3 }]);
  await expect.poll(() => (pass(), sent.length)).toBeGreaterThan(0);
  stop();
});
