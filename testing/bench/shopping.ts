import { createClient } from '#platform/contract/client.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import { NEW_LIST, getshoplist, getshoplists, modifyshoplist } from '#tools/shopping/contract.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import {
  formatMs,
  measureTimes,
  percentile,
  runPegboard,
  runBaseline,
  type Bench,
  type BenchFigure,
} from './measure.ts';

const ITEMS = 500;
const TYPES = 8;
const BATCHES = 300;
const WARM_UP = 50;
const LISTS = 50;

const createItem = (index: number) => ({
  name: `Item number ${index}`,
  emoji: '🥕',
  defaultquantity: 10,
  actualquantity: 0,
  state: 0,
});

/** Returns the tree of a list with this many items, each linked to a type. */
const createTree = (items: number) => ({
  name: 'Groceries',
  items: Object.fromEntries(Array.from({ length: items }, (_, index) => [`newi${index}`, createItem(index)])),
  types: Object.fromEntries(Array.from({ length: TYPES }, (_, index) => [`newt${index}`, { name: `Type ${index}` }])),
  links: Object.fromEntries(Array.from({ length: items }, (_, index) => [`newi${index}`, [`newt${index % TYPES}`]])),
});

/** Creates a list with this many items, in batches within the limit. */
async function createList({ call }: BenchOwner, items: number): Promise<number> {
  const half = Math.floor(items / 2);
  const tree = createTree(items);
  const entries = Object.entries(tree.items);
  const timesent = Date.now() / 1000;
  const first = { name: tree.name, types: tree.types, items: Object.fromEntries(entries.slice(0, half)) };
  const { id } = await call(modifyshoplist, { id: NEW_LIST, changes: first, timesent });
  if (id === undefined) throw new Error('no list was made');
  await call(modifyshoplist, { id, changes: { items: Object.fromEntries(entries.slice(half)) }, timesent });
  await call(modifyshoplist, { id, changes: { links: tree.links }, timesent });
  return id;
}

/**
 * Sends changes one after another in their own batches, like our page; returns milliseconds from sending to the answer.
 */
async function measureChanges(owner: BenchOwner): Promise<readonly number[]> {
  const id = await createList(owner, ITEMS);
  const { data } = await owner.call(getshoplist, { id });
  const items = Object.keys(data.items);
  return measureTimes({ rounds: BATCHES, warmUp: WARM_UP }, async (index) => {
    const path = `items/${items[index % ITEMS]}/actualquantity`;
    await owner.call(modifyshoplist, {
      id,
      changes: { items: { [items[index % ITEMS] ?? '']: { actualquantity: 1 } } },
      timesent: Date.now() / 1000,
      client: 'bench-client',
      seq: index + 1,
      base: data.revision + index,
      age: { [path]: 0 },
      inc: { [path]: 1 },
    });
  });
}

async function measureOnSqlite() {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  const change = await measureChanges(owner);
  const large = await createList(owner, 1000);
  // Like our page; other clients validate the answer, which takes 4 ms.
  const callAsPage = createClient({ origin: server.origin, token: () => owner.token, isPage: true });
  const fullList = await measureTimes({ rounds: 60, warmUp: WARM_UP }, () => callAsPage(getshoplist, { id: large }));
  for (let list = 2; list < LISTS; list += 1) await createList(owner, ITEMS);
  const names = await measureTimes({ rounds: 60, warmUp: WARM_UP }, () => callAsPage(getshoplists, {}));
  return { change, fullList, names };
}

async function measureOnPostgres(): Promise<readonly number[]> {
  await using postgres = await startPostgres();
  await using server = await runPegboard({ DATABASE_URL: await postgres.createDatabase() });
  return await measureChanges(await signUpOwner(server.origin));
}

async function measureBaseline(): Promise<readonly number[]> {
  await using baselineServer = await runBaseline('shopping');
  const list = createTree(ITEMS);
  await fetch(`${baselineServer.origin}/list`, { method: 'POST', body: JSON.stringify(list) });
  return await measureTimes({ rounds: BATCHES, warmUp: WARM_UP }, async (index) => {
    const body = JSON.stringify({ item: `newi${index % ITEMS}`, actualquantity: index });
    const response = await fetch(baselineServer.origin, { method: 'POST', body });
    await response.json();
  });
}

const p50p95 = (samples: readonly number[]): string =>
  `p50 ${formatMs(percentile(samples, 0.5))}, p95 ${formatMs(percentile(samples, 0.95))}`;

export const shoppingBench: Bench = {
  name: 'shopping',
  run: async (): Promise<readonly BenchFigure[]> => {
    const baseline = await measureBaseline();
    const { change, fullList, names } = await measureOnSqlite();
    const postgresTimes = await measureOnPostgres();
    const baselineFigure = `${p50p95(baseline)} (node:http, the whole list as JSON, one synced SQLite insert)`;
    return [
      {
        name: 'planner: one change of a list of 500 items, SQLite (durable)',
        target: 'p95 under 8 ms',
        measured: p50p95(change),
        baseline: baselineFigure,
        isTargetMet: percentile(change, 0.95) < 8,
      },
      {
        name: 'planner: the same, PostgreSQL',
        target: 'p95 under 25 ms',
        measured: p50p95(postgresTimes),
        baseline: baselineFigure,
        isTargetMet: percentile(postgresTimes, 0.95) < 25,
      },
      {
        name: 'planner: a list of 1,000 items, whole (`getshoplist`)',
        target: 'p95 under 10 ms',
        measured: p50p95(fullList),
        isTargetMet: percentile(fullList, 0.95) < 10,
      },
      {
        name: 'planner: 50 lists of 500 items and the names to choose from (`getshoplists`)',
        target: 'p95 under 10 ms',
        measured: p50p95(names),
        isTargetMet: percentile(names, 0.95) < 10,
      },
    ];
  },
};
