import { writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { createClient } from '#platform/contract/client.ts';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { Database } from '#platform/server/database/database.ts';
import { fillLibrary } from '#testing/kits/media/songs.ts';
import { fillCalendar } from '#testing/kits/planning/manyEvents.ts';
import { fillUsage, planFiveYears } from '#testing/kits/usage/usage.ts';
import { retrievemessages } from '#tools/messages/contract.ts';
import { getshoplist, modifyshoplist, NEW_LIST } from '#tools/shopping/contract.ts';
import { pairComputer, type BenchOwner } from './account.ts';
import { createEventDrafts } from './calendar.ts';
import { startFilledServer } from './filledServer.ts';
import { measureTimes, percentile, type Bench, type BenchFigure } from './measure.ts';

const PLOT = 'docs/pictures/growth.svg';
const ZONE = 'Europe/Berlin';
const ROUNDS = 60;
const WARM_UP = 20;
/** What one account has at size 1. At size 100 it is a large household: 100,000 events and five years of usage. */
const BASE = { events: 1000, songs: 200, playlists: 3, days: 18, items: 10, messages: 100 };
const SIZES = [1, 10, 100] as const;
/** Cost may grow this many times as much as the result. Times of a millisecond vary. */
const MAX_EXCESS = 2;

interface Size {
  /** Times of the base that the owner has. */
  readonly data: number;
  /** All accounts; each but the owner has the base. */
  readonly accounts: number;
}

async function insertMessages({ db }: Database, account: number, device: number, count: number): Promise<void> {
  await sql`insert into messages_message (account, device, sender, inputtype, text, timesent, key, received)
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})
    select ${account}, ${device}, 'owner', 1, 'message ' || n, n, 'key ' || n, n from number`.execute(db);
}

/** Adds accounts with the same amount of data, whose rows are beside those of the owner. */
async function addAccounts(database: Database, count: number, until: number): Promise<void> {
  const { db } = database;
  const drafts = createEventDrafts(BASE.events);
  for (let account = 2; account <= count; account += 1) {
    await sql`insert into account (id, name, folded, password, is_owner, created)
      values (${account}, ${`user${account}`}, ${`user${account}`}, '', 0, 0)`.execute(db);
    const device = account * 100;
    await sql`insert into device (id, account, kind, name, system, version, abilities, created)
      values (${device}, ${account}, 'computer', 'workstation', 'bench', '1', '[]', 0)`.execute(db);
    await insertMessages(database, account, device, BASE.messages);
    await fillCalendar(database, account, drafts);
    await fillLibrary(database, account, { ...BASE, first: account * 100_000 });
    const plan = { ...planFiveYears(until), days: BASE.days, devices: 1 };
    await fillUsage(database, { account, devices: [device], zone: ZONE }, plan);
    await sql`insert into shopping_list (id, account, revision, next_id, named, created, changed)
      select ${account * 10}, ${account}, revision, next_id, named, created, changed
      from shopping_list where account = 1`.execute(db);
    await sql`insert into shopping_leaf select ${account * 10}, path, value, revision, time, client
      from shopping_leaf where list = (select id from shopping_list where account = 1)`.execute(db);
  }
}

/** Creates a list with items. @returns its id. */
async function createList({ call }: BenchOwner, count: number): Promise<number> {
  let id: number | undefined;
  for (let first = 0; first < count; first += 250) {
    const numbers = Array.from({ length: Math.min(250, count - first) }, (_, index) => first + index);
    const items = Object.fromEntries(
      numbers.map((number) => [`newi${number}`, { name: `Item number ${number}`, defaultquantity: 1 }]),
    );
    const answer = await call(modifyshoplist, { id: id ?? NEW_LIST, changes: { items }, timesent: Date.now() / 1000 });
    id ??= answer.id;
  }
  if (id === undefined) throw new Error('no list was created');
  return id;
}

/** Time of an operation without other load, and the size of its result. */
interface Cost {
  readonly ms: number;
  readonly bytes: number;
}
type Costs = ReadonlyMap<string, Cost>;

const callSize = async (answer: Promise<unknown>): Promise<number> => JSON.stringify(await answer).length;

async function measureAt({ data, accounts }: Size): Promise<Costs> {
  const until = (Math.floor(Date.now() / 1000 / DAY_SECONDS) + 1) * DAY_SECONDS;
  const prepared: { list: number; device: number; deviceToken: string } = { list: 0, device: 0, deviceToken: '' };
  await using filled = await startFilledServer({
    prepare: async (origin, owner) => {
      const { target, token } = await pairComputer(origin, owner);
      Object.assign(prepared, {
        list: await createList(owner, BASE.items * data),
        device: Number(target),
        deviceToken: token,
      });
    },
    fill: async (database) => {
      await fillCalendar(database, 1, createEventDrafts(BASE.events * data));
      await fillLibrary(database, 1, { songs: BASE.songs * data, playlists: BASE.playlists * data });
      const plan = { ...planFiveYears(until), days: BASE.days * data, devices: 1 };
      await fillUsage(database, { account: 1, devices: [prepared.device], zone: ZONE }, plan);
      await insertMessages(database, 1, prepared.device, BASE.messages * data);
      await addAccounts(database, accounts, until);
    },
  });
  const { server, owner } = filled;
  const { list, device, deviceToken } = prepared;
  const costs = new Map<string, Cost>();
  async function measure(name: string, work: (round: number) => Promise<number>): Promise<void> {
    let bytes = 0;
    const times = await measureTimes({ rounds: ROUNDS, warmUp: WARM_UP }, async (round) => {
      bytes = await work(round);
    });
    // Other programs and this one's own garbage collection only make it slower.
    costs.set(name, { ms: percentile(times, 0.2), bytes });
  }
  async function request(path: string, token = owner.token, body?: object): Promise<number> {
    const response = await fetch(`${server.origin}/api/${path}`, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!text.includes('"message":"ok"')) throw new Error(`${path}: ${text.slice(0, 200)}`);
    return text.length;
  }
  const call = createClient({ origin: server.origin, token: () => owner.token });

  await measure('calendar page', () => request(`getevents?tz=${ZONE}`));
  await measure('calendar search, rare word', () => request(`eventssearch?tz=${ZONE}&searchterm=zeppelin`));
  await measure('calendar search, common word', () => request(`eventssearch?tz=${ZONE}&searchterm=review`));
  await measure('planner load', () => callSize(call(getshoplist, { id: list })));
  await measure('planner change', (round) =>
    callSize(
      call(modifyshoplist, {
        id: list,
        changes: { items: { [`newg${round}`]: { name: `Changed ${round}`, defaultquantity: 1 } } },
        timesent: Date.now() / 1000,
      }),
    ),
  );
  await measure('screen time, two weeks', () => request(`returnapplications?tz=${ZONE}`));
  await measure('screen time, all years', () => request(`getsoundinfo?tz=${ZONE}`));
  await measure('usage report', (round) => {
    const from = (until - DAY_SECONDS) * 1000 + round * 60_000;
    const segments = [{ app: 'Firefox', status: 'on', from, until: from + 30_000 }];
    return request('reportusage', deviceToken, { boot: 'growth-bench', seq: round + 1, segments });
  });
  await measure('music library', () => request('ytgetdata'));
  await measure('messages', () => callSize(call(retrievemessages, { target: String(device) })));
  return costs;
}

/** Cost of one operation at each size, and how much faster it grows than its result. */
interface Growth {
  readonly name: string;
  readonly costs: readonly Cost[];
  readonly excess: number;
}

function computeGrowth(name: string, all: readonly Costs[]): Growth {
  const costs = all.map((each) => each.get(name) ?? { ms: Number.NaN, bytes: 0 });
  const [first, last] = [costs[0], costs.at(-1)];
  if (!first || !last) throw new Error('nothing was measured');
  // A request of one millisecond is mostly the request itself.
  const excess = last.ms / Math.max(1, first.ms) / Math.max(1, last.bytes / first.bytes);
  return { name, costs, excess };
}

const COLOURS = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#e69f00',
  '#8a8a00',
  '#6a3d9a',
  '#b15928',
  '#666',
];
const PANEL = { width: 360, height: 300, top: 40 };

const toY = (ms: number): number => PANEL.top + PANEL.height - ((Math.log10(ms) + 1) / 4) * PANEL.height;

/** Draws cost by size, both on logarithmic axes, in one panel. */
function drawPanel(title: string, growths: readonly Growth[], left: number): string {
  const toX = (index: number): number => left + (index * PANEL.width) / (SIZES.length - 1);
  const rows = [0.1, 1, 10, 100, 1000].map(
    (ms) =>
      `<path d="M${left} ${toY(ms)}h${PANEL.width}" stroke="#ccc"/><text x="${left - 6}" y="${toY(ms) + 4}" text-anchor="end">${ms}</text>`,
  );
  const columns = SIZES.map(
    (size, index) => `<text x="${toX(index)}" y="${PANEL.top + PANEL.height + 18}" text-anchor="middle">${size}</text>`,
  );
  const lines = growths.map(({ costs }, index) => {
    const points = costs.map(({ ms }, at) => `${toX(at).toFixed(0)},${toY(Math.max(0.1, ms)).toFixed(1)}`).join(' ');
    return `<polyline points="${points}" fill="none" stroke="${COLOURS[index] ?? '#000'}" stroke-width="2"/>`;
  });
  return [`<text x="${left}" y="24">${title}</text>`, ...rows, ...columns, ...lines].join('\n');
}

function drawPlot(byData: readonly Growth[], byAccounts: readonly Growth[]): string {
  const legend = byData.map(
    ({ name }, index) =>
      `<path d="M860 ${52 + index * 24}h24" stroke="${COLOURS[index] ?? '#000'}" stroke-width="3"/><text x="892" y="${56 + index * 24}">${name}</text>`,
  );
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1120 380" font-family="sans-serif" font-size="13">',
    '<rect width="1120" height="380" fill="#fff"/>',
    drawPanel('milliseconds by data of one account', byData, 50),
    drawPanel('milliseconds by accounts', byAccounts, 470),
    ...legend,
    '</svg>\n',
  ].join('\n');
}

const formatCosts = ({ costs }: Growth): string => `${costs.map(({ ms }) => ms.toFixed(1)).join(', ')} ms`;

function toFigure(byData: Growth, byAccounts: Growth): BenchFigure {
  const [first, last] = [byData.costs[0]?.bytes ?? 1, byData.costs.at(-1)?.bytes ?? 1];
  return {
    name: `growth: ${byData.name}`,
    target: `grows at most ${MAX_EXCESS} times as fast as its result`,
    measured: `data ×1, ×10, ×100: ${formatCosts(byData)} (result ×${(last / first).toFixed(1)}); 1, 10, 100 accounts: ${formatCosts(byAccounts)}`,
    isTargetMet: Math.max(byData.excess, byAccounts.excess) < MAX_EXCESS,
  };
}

export const growthBench: Bench = {
  name: 'growth',
  run: async () => {
    const first = await measureAt({ data: 1, accounts: 1 });
    const dataCosts = [first, await measureAt({ data: 10, accounts: 1 }), await measureAt({ data: 100, accounts: 1 })];
    const accountCosts = [
      first,
      await measureAt({ data: 1, accounts: 10 }),
      await measureAt({ data: 1, accounts: 100 }),
    ];
    const names = [...first.keys()];
    const byData = names.map((name) => computeGrowth(name, dataCosts));
    const byAccounts = names.map((name) => computeGrowth(name, accountCosts));
    await writeFile(PLOT, drawPlot(byData, byAccounts));
    return byData.flatMap((growth, index) => {
      const other = byAccounts[index];
      return other ? [toFigure(growth, other)] : [];
    });
  },
};
