import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { io, type Socket } from 'socket.io-client';
import { createClient } from '#platform/contract/client.ts';
import { deviceHello } from '#platform/contract/device.ts';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import type { Database } from '#platform/server/database/database.ts';
import { fillLibrary } from '#testing/kits/media/songs.ts';
import { fillCalendar } from '#testing/kits/planning/manyEvents.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import { startRedis } from '#testing/kits/server/redis.ts';
import { fillUsage, planFiveYears } from '#testing/kits/usage/usage.ts';
import { getSkipReason } from '#testing/machine.ts';
import { makeapppassword } from '#tools/accounts/contract.ts';
import { retrievemessages } from '#tools/messages/contract.ts';
import { motion, motionInit, motionToDevice } from '#tools/remote/contract.ts';
import { getshoplist, modifyshoplist, NEW_LIST } from '#tools/shopping/contract.ts';
import { pairComputer, type BenchOwner } from './account.ts';
import { createEventDrafts } from './calendar.ts';
import { startFilledServer } from './filledServer.ts';
import { drawPlot, INSTANCES, type Cost, type Growth } from './growthPlot.ts';
import { createServerProgram, runServer, type Bench, type BenchFigure } from './measure.ts';

const PLOT = 'docs/pictures/growth.svg';
const ZONE = 'Europe/Berlin';
const ROUNDS = 60;
const WARM_UP = 20;
/** What one account has at size 1. At size 100 it is a large household: 100,000 events and five years of usage. */
const BASE = { events: 1000, songs: 200, playlists: 3, days: 18, items: 10, messages: 100 };
/** A socket may send a hundred events a second. */
const RELAY_GAP_MS = 12;
/** Cost may grow this many times as much as the result. Times of a millisecond vary. */
const MAX_EXCESS = 2;

interface Size {
  /** Times of the base that the owner has. */
  readonly data: number;
  /** All accounts; each but the owner has the base. */
  readonly accounts: number;
  readonly cluster?: { readonly databaseUrl: string; readonly redisUrl: string } | undefined;
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

type Costs = ReadonlyMap<string, Cost>;

const callSize = async (answer: Promise<unknown>): Promise<number> => JSON.stringify(await answer).length;

/** Returns the processor time of all threads of some processes. */
function getCoreMs(pids: readonly number[]): number {
  const threads = globSync(pids.map((pid) => `/proc/${pid}/task/*/schedstat`));
  return (
    threads.map((path) => Number(readFileSync(path, 'utf8').split(' ', 1)[0])).reduce((sum, ns) => sum + ns, 0) / 1e6
  );
}

/** A filled server with the ids of the owner's data. */
interface Subject {
  readonly pids: readonly number[];
  /** Of all instances. */
  readonly origins: readonly string[];
  readonly token: string;
  readonly list: number;
  readonly device: { readonly target: string; readonly token: string };
  readonly playerPassword: string;
  readonly until: number;
}

const openSocket = (origin: string, token: string): Socket =>
  io(origin, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true, auth: { token } });

/** Measures each operation. Requests go to the instances in turn. */
async function measureOperations(subject: Subject): Promise<Costs> {
  const { pids, origins, token: ownerToken, list, device, until } = subject;
  const costs = new Map<string, Cost>();
  async function measure(name: string, work: (round: number, origin: string) => Promise<number>): Promise<void> {
    let bytes = 0;
    async function run(first: number, count: number): Promise<void> {
      for (let round = first; round < first + count; round += 1)
        bytes = await work(round, origins[round % origins.length] ?? '');
    }
    const warmUp = WARM_UP * origins.length;
    await run(0, warmUp);
    const before = getCoreMs(pids);
    await run(warmUp, ROUNDS);
    costs.set(name, { ms: (getCoreMs(pids) - before) / ROUNDS, bytes });
  }
  async function request(url: string, token = ownerToken, body?: object): Promise<number> {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!/"message":"ok"|"status":"ok"/.test(text)) throw new Error(`${url}: ${text.slice(0, 200)}`);
    return text.length;
  }
  const measureRequest = (name: string, path: string): Promise<void> =>
    measure(name, (_, origin) => request(`${origin}/${path}`));
  /** From a phone at the first instance to a computer at the last. */
  async function measureRelay(): Promise<void> {
    const computer = openSocket(origins.at(-1) ?? '', device.token);
    const phone = openSocket(origins[0] ?? '', ownerToken);
    try {
      let onMotion: (() => void) | undefined;
      computer.on(motionToDevice.name, (_: unknown, acknowledge: () => void) => {
        acknowledge();
        onMotion?.();
      });
      await computer.emitWithAck(deviceHello.name, {
        version: '0',
        system: 'bench',
        abilities: { mouse: { able: true } },
      });
      await phone.emitWithAck(motionInit.name, { token: ownerToken, target: device.target });
      const reset = { lmb: false, lift: false, scroll: false };
      await measure('relay', async (round) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        onMotion = resolve;
        await sleep(RELAY_GAP_MS);
        const orientation = { alpha: round % 360, beta: 12.3, gamma: -4.5 };
        phone.emit(motion.name, { orientation, reset, token: ownerToken, target: device.target });
        await promise;
        return 1;
      });
    } finally {
      computer.disconnect();
      phone.disconnect();
    }
  }
  const callAt = (origin: string) => createClient({ origin, token: () => ownerToken });

  await measureRequest('calendar page', `api/getevents?tz=${ZONE}`);
  await measureRequest('calendar search, rare word', `api/eventssearch?tz=${ZONE}&searchterm=zeppelin`);
  await measureRequest('calendar search, common word', `api/eventssearch?tz=${ZONE}&searchterm=review`);
  await measure('planner load', (_, origin) => callSize(callAt(origin)(getshoplist, { id: list })));
  await measure('planner change', (round, origin) =>
    callSize(
      callAt(origin)(modifyshoplist, {
        id: list,
        changes: { items: { [`newg${round}`]: { name: `Changed ${round}`, defaultquantity: 1 } } },
        timesent: Date.now() / 1000,
      }),
    ),
  );
  await measureRequest('screen time, two weeks', `api/returnapplications?tz=${ZONE}`);
  await measureRequest('screen time, all years', `api/getsoundinfo?tz=${ZONE}`);
  const boot = `growth-bench-${origins.length}`;
  await measure('usage report', (round, origin) => {
    const from = (until - DAY_SECONDS) * 1000 + round * 60_000;
    const segments = [{ app: 'Firefox', status: 'on', from, until: from + 30_000 }];
    return request(`${origin}/api/reportusage`, device.token, { boot, seq: round + 1, segments });
  });
  await measureRequest('music library', 'api/ytgetdata');
  const player = new URLSearchParams({ apiKey: subject.playerPassword, f: 'json', query: 'artist 5' }).toString();
  await measureRequest('music search', `rest/search3?${player}`);
  await measure('messages', (_, origin) => callSize(callAt(origin)(retrievemessages, { target: device.target })));
  await measureRelay();
  return costs;
}

/** Measures a filled server, and then as many instances as each of the further counts. */
async function measureAt(
  { data, accounts, cluster }: Size,
  instanceCounts: readonly number[] = [1],
): Promise<readonly Costs[]> {
  const until = (Math.floor(Date.now() / 1000 / DAY_SECONDS) + 1) * DAY_SECONDS;
  const prepared = { list: 0, device: { target: '', token: '' }, playerPassword: '' };
  const env = cluster ? { REDIS_URL: cluster.redisUrl } : {};
  await using filled = await startFilledServer({
    databaseUrl: cluster?.databaseUrl,
    env,
    prepare: async (origin, owner) => {
      Object.assign(prepared, {
        device: await pairComputer(origin, owner),
        list: await createList(owner, BASE.items * data),
        playerPassword: (await owner.call(makeapppassword, { name: 'Player', kind: 'music' })).password,
      });
    },
    fill: async (database) => {
      const device = Number(prepared.device.target);
      await fillCalendar(database, 1, createEventDrafts(BASE.events * data));
      await fillLibrary(database, 1, { songs: BASE.songs * data, playlists: BASE.playlists * data });
      const plan = { ...planFiveYears(until), days: BASE.days * data, devices: 1 };
      await fillUsage(database, { account: 1, devices: [device], zone: ZONE }, plan);
      await insertMessages(database, 1, device, BASE.messages * data);
      await addAccounts(database, accounts, until);
    },
  });
  await using others = new AsyncDisposableStack();
  const instances = [filled.server];
  const costs: Costs[] = [];
  for (const count of instanceCounts) {
    while (instances.length < count)
      instances.push(others.use(await runServer(createServerProgram(filled.folder, cluster?.databaseUrl, env))));
    const origins = instances.map(({ origin }) => origin);
    const pids = instances.map(({ child }) => child.pid ?? 0);
    costs.push(await measureOperations({ ...prepared, pids, origins, token: filled.owner.token, until }));
  }
  return costs;
}

/** Measures one, two and four instances at size 10, if this machine has PostgreSQL and Redis. */
async function measureInstances(): Promise<readonly Costs[]> {
  if (getSkipReason('initdb', 'redis-server') !== undefined) return [];
  await using postgres = await startPostgres();
  await using redis = await startRedis();
  const cluster = { databaseUrl: await postgres.createDatabase(), redisUrl: redis.url };
  return await measureAt({ data: 10, accounts: 1, cluster }, INSTANCES);
}

function computeGrowth(name: string, all: readonly Costs[]): Growth {
  const costs = all.map((each) => each.get(name) ?? { ms: Number.NaN, bytes: 0 });
  const [first, last] = [costs[0], costs.at(-1)];
  if (!first || !last) throw new Error('nothing was measured');
  // A request of one millisecond is mostly the request itself.
  const excess = last.ms / Math.max(1, first.ms) / Math.max(1, last.bytes / first.bytes);
  return { name, costs, excess };
}

const formatCosts = ({ costs }: Growth): string => `${costs.map(({ ms }) => ms.toFixed(1)).join(', ')} ms`;

function toFigure(byData: Growth, byAccounts: Growth, byInstances: Growth | undefined): BenchFigure {
  const [first, last] = [byData.costs[0]?.bytes ?? 1, byData.costs.at(-1)?.bytes ?? 1];
  const instances = byInstances ? `; 1, 2, 4 instances: ${formatCosts(byInstances)}` : '';
  return {
    name: `growth: ${byData.name}`,
    target: `grows at most ${MAX_EXCESS} times as fast as its result`,
    measured: `data ×1, ×10, ×100: ${formatCosts(byData)} (result ×${(last / first).toFixed(1)}); 1, 10, 100 accounts: ${formatCosts(byAccounts)}${instances}`,
    isTargetMet: Math.max(byData.excess, byAccounts.excess, byInstances?.excess ?? 0) < MAX_EXCESS,
  };
}

export const growthBench: Bench = {
  name: 'growth',
  run: async () => {
    const first = await measureAt({ data: 1, accounts: 1 });
    const dataCosts = [
      ...first,
      ...(await measureAt({ data: 10, accounts: 1 })),
      ...(await measureAt({ data: 100, accounts: 1 })),
    ];
    const accountCosts = [
      ...first,
      ...(await measureAt({ data: 1, accounts: 10 })),
      ...(await measureAt({ data: 1, accounts: 100 })),
    ];
    const instanceCosts = await measureInstances();
    const names = [...(first[0]?.keys() ?? [])];
    const byData = names.map((name) => computeGrowth(name, dataCosts));
    const byAccounts = names.map((name) => computeGrowth(name, accountCosts));
    const byInstances = instanceCosts.length > 0 ? names.map((name) => computeGrowth(name, instanceCosts)) : [];
    await writeFile(PLOT, drawPlot(byData, byAccounts, byInstances));
    return byData.flatMap((growth, index) => {
      const other = byAccounts[index];
      return other ? [toFigure(growth, other, byInstances[index])] : [];
    });
  },
};
