import { expect } from 'vitest';
import { createShoplist, readShoplist, sendChanges, shareWith } from '#testing/kits/planning/planner.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { shoplistChanges } from '../../contract.ts';
import type { Change } from '../../lists/domain/list.ts';
import { toTree } from '../domain/listWire.ts';
import {
  addChanges,
  createUnloadedReplica,
  freeze,
  getVisibleList,
  parseAnswer,
  parseListEvent,
  parseLoadedList,
  receiveAnswer,
  receiveEvent,
  receiveList,
  toRequestBody,
  type Replica,
} from '../domain/replica.ts';

type Tree = { [key: string]: Tree | string | number | boolean | Tree[] };

/** Sets a value in a tree; `_REMOVE` removes a thing and its links. */
function put(tree: Tree, [key = '', ...rest]: readonly string[], value: Tree[string]): void {
  if (rest.length > 0) {
    const branch = (tree[key] ??= {}) as Tree;
    put(branch, rest, value);
  } else if (value === '_REMOVE') delete tree[key];
  else tree[key] = value;
}

/** A client written from docs/specification/shopping.md alone: it knows neither revisions nor events. */
function plainClient(server: TestServer, token: string, id: number) {
  let list: Tree = {};
  let pending: Tree = {};
  let last = '';
  return {
    list: () => list,
    load: async (): Promise<void> => {
      const response = await fetch(`${server.origin}/api/getshoplist?token=${token}&id=${id}`);
      ({ data: list } = (await response.json()) as { data: Tree });
    },
    change: (path: readonly string[], value: Tree[string]): void => {
      put(list, path, value);
      // A removal is sent, not omitted.
      if (value === '_REMOVE') put(pending, path.slice(0, -1).concat('placeholder'), 0);
      const branch = path.slice(0, -1).reduce((at, key) => (at[key] ??= {}) as Tree, pending);
      delete branch['placeholder'];
      branch[path.at(-1) ?? ''] = value;
    },
    /** One round of the 500 ms loop. `isLost`: the answer is lost. */
    sync: async (isLost = false): Promise<void> => {
      const sent = JSON.stringify(pending);
      if (sent === '{}') return;
      const response = await fetch(`${server.origin}/api/modifyshoplist`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, id, changes: pending, timesent: Date.now() / 1000 }),
      });
      const answer = (await response.json()) as { message: string; changes?: [string[], Tree[string]][] };
      if (isLost) return;
      expect(answer.message).toBe('ok');
      last = sent;
      for (const [path, value] of answer.changes ?? []) put(list, path, value);
      if (JSON.stringify(pending) === last) pending = {};
    },
  };
}

/** Content of a list, with sorted links and without fields that a plain client does not know. */
function toComparable(list: Tree) {
  const { name, items, types, links } = structuredClone(list) as Record<'name' | 'items' | 'types' | 'links', Tree>;
  for (const type of Object.values(types)) delete (type as Tree)['order'];
  const sorted = Object.entries(links).map(([item, its]) => [item, (its as unknown as string[]).toSorted()] as const);
  return { name, items, types, links: Object.fromEntries(sorted.filter(([, its]) => its.length > 0)) };
}

testOnBothDatabases(
  'a client that uses only the specified fields ends with the same list as everyone else',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
    const id = await createShoplist(anna);
    await shareWith(anna, bob, id);
    await using page = await openSocket(server, { token: anna.token });

    // Anna uses our page, Bob the plain client.
    let ours: Replica = receiveList(
      createUnloadedReplica(id, 'client-of-anna', { name: '', items: new Map(), types: new Map(), links: new Map() }),
      parseLoadedList(await readShoplist(anna, id, 'client-of-anna')),
    );
    const plain = plainClient(server, bob.token, id);
    await plain.load();
    async function hears(revision: number): Promise<void> {
      while (ours.revision < revision) ours = receiveEvent(ours, parseListEvent(await page.nextEvent(shoplistChanges)));
    }
    async function annaDoes(changes: readonly Change[]): Promise<void> {
      ours = freeze(addChanges(ours, changes, Date.now()));
      if (!ours.frozen) return;
      const { id: list, changes: tree, timesent, ...more } = toRequestBody(ours, ours.frozen, Date.now());
      const answer = await sendChanges(anna, list, tree as Parameters<typeof sendChanges>[2], { timesent, ...more });
      ours = receiveAnswer(ours, parseAnswer(answer, ours.frozen.seq));
      await hears(answer.revision);
    }

    // Bob adds two items and a type with new ids, and changes one of them before the answer arrives.
    const milk = { name: 'Milk', emoji: '🥛', defaultquantity: 10, actualquantity: 0, state: 0 };
    plain.change(['items', 'new17001'], milk);
    plain.change(['items', 'new17002'], { ...milk, name: '7' });
    plain.change(['types', 'new17001'], {
      name: 'Dairy',
      colour: ['rgba(40,40,40,1)', 'rgba(0,0,0,1)'] as unknown as Tree[],
      visualised: true,
      userset: true,
    });
    plain.change(['links', 'new17001'], ['new17001'] as unknown as Tree[]);
    await plain.sync(true); // The answer is lost, and the same batch is sent again.
    await annaDoes([{ kind: 'rename', name: 'Market' }]);
    await plain.sync();
    const [first = ''] = Object.keys(plain.list()['items'] as Tree);
    expect(first).toMatch(/^\d+$/);

    // Both continue: Anna counts and removes, Bob ticks, sets and removes.
    await annaDoes([
      { kind: 'count', id: first, by: 2 },
      { kind: 'item', id: 'newa', field: 'name', value: 'Bread' },
      { kind: 'link', item: first, type: '1', isLinked: true },
    ]);
    await plain.load();
    plain.change(['items', first, 'state'], 1);
    plain.change(['items', first, 'defaultquantity'], '4');
    await plain.sync();
    const second = Object.keys(plain.list()['items'] as Tree).at(1) ?? '';
    plain.change(['items', second], '_REMOVE');
    plain.change(['items', `${second}0`], '_REMOVE');
    await plain.sync();
    plain.change(['items', '999999', 'name'], 'of nobody'); // Is corrected.
    await plain.sync();
    expect((plain.list()['items'] as Tree)['999999']).toBeUndefined();

    // Our page learned everything from events alone.
    await annaDoes([{ kind: 'rename', name: 'The end' }]);
    await plain.load();
    const truth = await readShoplist(bob, id);
    await hears(truth.revision);
    expect(toComparable(toTree(getVisibleList(ours)) as unknown as Tree)).toEqual(
      toComparable(truth as unknown as Tree),
    );
    expect(toComparable(plain.list())).toEqual(toComparable(truth as unknown as Tree));
    expect(truth).toMatchObject({
      name: 'The end',
      items: { [first]: { name: 'Milk', actualquantity: 2, defaultquantity: 4, state: 1 } },
    });
    expect(Object.keys(truth.items)).toHaveLength(2);
  },
);
