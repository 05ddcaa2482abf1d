import { readFileSync } from 'node:fs';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { createClient, type Client } from '#platform/contract/client.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { signup } from '#platform/contract/session.ts';
import {
  MAX_MEMBERS,
  NEW_LIST,
  answershoplist,
  getshoplist,
  modifyshoplist,
  shareshoplist,
  shoplistChanges,
} from '#tools/shopping/contract.ts';
import {
  formatMs,
  formatP50P99,
  percentile,
  runPegboard,
  runServer,
  type Bench,
  type RunningServer,
} from './measure.ts';

/** A minute for the figure; fewer seconds for a quick check. */
const SECONDS = Number(process.env['SECONDS'] ?? 60);
const PER_SECOND = 2;
const ITEMS = 200;
/** Clock ticks of /proc on Linux. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time of a process in seconds, all of its threads together. */
function cpuSeconds({ child }: RunningServer): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

interface Member {
  readonly call: Client;
  readonly token: string;
  readonly name: string;
}

async function signUpAll(origin: string): Promise<readonly Member[]> {
  const all: Member[] = [];
  for (let at = 0; at < MAX_MEMBERS; at += 1) {
    const name = `member${at}`;
    const { token } = await createClient({ origin })(signup, { username: name, password: 'correct horse staple' });
    all.push({ name, token, call: createClient({ origin, token: () => token }) });
  }
  return all;
}

/** Creates a list with items that all members share. */
async function shareList([owner, ...others]: readonly Member[]): Promise<number> {
  if (!owner) throw new Error('nobody');
  const items = Object.fromEntries(
    Array.from({ length: ITEMS }, (_, at) => [`newi${at}`, { name: `Item number ${at}`, defaultquantity: 1000 }]),
  );
  const { id } = await owner.call(modifyshoplist, { id: NEW_LIST, changes: { items }, timesent: Date.now() / 1000 });
  if (id === undefined) throw new Error('no list was made');
  for (const { name, call } of others) {
    await owner.call(shareshoplist, { id, username: name });
    await call(answershoplist, { id, join: true });
  }
  return id;
}

/** Records when each batch is sent, and when each event arrives at another member. */
function createWatch() {
  const sent = new Map<string, number>();
  const took: number[] = [];
  return {
    took,
    send: (key: string): void => void sent.set(key, performance.now()),
    come: (key: string): void => {
      const at = sent.get(key);
      if (at !== undefined) took.push(performance.now() - at);
    },
  };
}

/** Runs `one(member, number)` twice a second for each member, evenly distributed, one at a time per member. */
async function atTheirPace(one: (member: number, number: number) => Promise<void>): Promise<void> {
  const running = Array.from({ length: MAX_MEMBERS }, () => Promise.resolve());
  const startedAt = performance.now();
  const step = 1000 / (PER_SECOND * MAX_MEMBERS);
  for (let count = 0; count < SECONDS * PER_SECOND * MAX_MEMBERS; count += 1) {
    const wait = startedAt + count * step - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const member = count % MAX_MEMBERS;
    const before = running[member];
    running[member] = (async () => {
      await before;
      await one(member, Math.floor(count / MAX_MEMBERS) + 1);
    })();
  }
  await Promise.all(running);
}

async function settled(isDone: () => boolean): Promise<void> {
  for (let attempts = 0; !isDone() && attempts < 200; attempts += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

const ALL = SECONDS * PER_SECOND * MAX_MEMBERS;

async function throughPegboard() {
  await using server = await runPegboard();
  const members = await signUpAll(server.origin);
  const id = await shareList(members);
  const [owner] = members;
  const { data } = (await owner?.call(getshoplist, { id })) ?? {};
  if (!data) throw new Error('no list');
  const items = Object.keys(data.items);
  const watch = createWatch();
  let came = 0;
  let isInOrder = true;
  const sockets = await Promise.all(
    members.map(async ({ token }, at) => {
      const socket = io(server.origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token } });
      await new Promise((resolve, reject) =>
        socket.once('connect', () => resolve(undefined)).once('connect_error', reject),
      );
      let revision = data.revision;
      socket.on(shoplistChanges.name, (event: { revision: number; client?: string; seq?: number }) => {
        came += 1;
        isInOrder &&= event.revision === revision + 1;
        revision = event.revision;
        if (event.client !== `client-${at}`) watch.come(`${event.client} ${event.seq}`);
      });
      return socket;
    }),
  );
  const before = cpuSeconds(server);
  const startedAt = performance.now();
  await atTheirPace(async (at, seq) => {
    const item = items[(at * 7 + seq) % items.length] ?? '';
    const path = `items/${item}/actualquantity`;
    watch.send(`client-${at} ${seq}`);
    await members[at]?.call(modifyshoplist, {
      id,
      changes: { items: { [item]: { actualquantity: 1 } } },
      timesent: Date.now() / 1000,
      client: `client-${at}`,
      seq,
      base: data.revision,
      age: { [path]: 0 },
      inc: { [path]: 1 },
    });
  });
  await settled(() => came === ALL * MAX_MEMBERS);
  const share = (cpuSeconds(server) - before) / ((performance.now() - startedAt) / 1000);
  const after = await owner?.call(getshoplist, { id });
  const counted = Object.values(after?.data.items ?? {}).reduce((sum, { actualquantity }) => sum + actualquantity, 0);
  for (const socket of sockets) socket.disconnect();
  const isComplete = counted === ALL && came === ALL * MAX_MEMBERS && isInOrder;
  return { took: watch.took, share, isComplete, lost: ALL - counted, missing: ALL * MAX_MEMBERS - came };
}

async function throughBareRelay() {
  await using peer = await runServer({ args: ['testing/bench/peers/shoppingload.ts'], ready: '/' });
  const watch = createWatch();
  let came = 0;
  const sockets = await Promise.all(
    Array.from({ length: MAX_MEMBERS }, async (_, at) => {
      const socket = new WebSocket(peer.origin.replace('http', 'ws'), { perMessageDeflate: false });
      await new Promise((resolve) => socket.once('open', resolve));
      socket.on('message', (text) => {
        came += 1;
        const { client, seq } = JSON.parse((text as Buffer).toString()) as { client: number; seq: number };
        if (client !== at) watch.come(`${client} ${seq}`);
      });
      return socket;
    }),
  );
  const before = cpuSeconds(peer);
  const startedAt = performance.now();
  await atTheirPace(async (client, seq) => {
    watch.send(`${client} ${seq}`);
    sockets[client]?.send(JSON.stringify({ client, seq, changes: [[['items', '57', 'actualquantity'], seq]] }));
  });
  await settled(() => came === ALL * MAX_MEMBERS);
  const share = (cpuSeconds(peer) - before) / ((performance.now() - startedAt) / 1000);
  for (const socket of sockets) socket.close();
  return { took: watch.took, share };
}

const percent = (share: number): string => `${(share * 100).toFixed(0)}% of a core`;

export const shoppingLoadBench: Bench = {
  name: 'shoppingload',
  run: async () => {
    const bare = await throughBareRelay();
    const ours = await throughPegboard();
    const isFast = percentile(ours.took, 0.99) < 250;
    return [
      {
        what: `planner: ${MAX_MEMBERS} members on one list, each ${PER_SECOND} changes a second for ${SECONDS} s; from sending to another member's socket`,
        target: 'nothing lost, p99 under 250 ms, server under 60% of one core',
        ours: `${ours.isComplete ? 'nothing lost' : `${ours.lost} changes and ${ours.missing} events lost or out of order`}, ${formatP50P99(ours.took)}, most ${formatMs(percentile(ours.took, 1))}, ${percent(ours.share)}`,
        peer: `${formatP50P99(bare.took)}, ${percent(bare.share)} (bare ws relay, nothing kept)`,
        isReached: ours.isComplete && isFast && ours.share < 0.6,
      },
    ];
  },
};
