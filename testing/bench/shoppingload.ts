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
import { formatMs, formatP50P99, getCoreSeconds, percentile, runPegboard, runBaseline, type Bench } from './measure.ts';

/** A minute for the figure; fewer seconds for a quick check. */
const SECONDS = Number(process.env['SECONDS'] ?? 60);
const PER_SECOND = 2;
const ITEMS = 200;
interface Member {
  readonly call: Client;
  readonly token: string;
  readonly name: string;
}

/** Signs up as many accounts as a list may have members. */
async function signUpMembers(origin: string): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (let index = 0; index < MAX_MEMBERS; index += 1) {
    const name = `member${index}`;
    const { token } = await createClient({ origin })(signup, { username: name, password: 'correct horse staple' });
    members.push({ name, token, call: createClient({ origin, token: () => token }) });
  }
  return members;
}

/** Creates a list with items that all members share. */
async function shareList([owner, ...others]: readonly Member[]): Promise<number> {
  if (!owner) throw new Error('no members');
  const items = Object.fromEntries(
    Array.from({ length: ITEMS }, (_, index) => [
      `newi${index}`,
      { name: `Item number ${index}`, defaultquantity: 1000 },
    ]),
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
function createDeliveryLog() {
  const sent = new Map<string, number>();
  const times: number[] = [];
  return {
    times,
    recordSent: (key: string): void => void sent.set(key, performance.now()),
    recordReceived: (key: string): void => {
      const sentAt = sent.get(key);
      if (sentAt !== undefined) times.push(performance.now() - sentAt);
    },
  };
}

/** Calls `sendChange` twice a second for each member, evenly distributed, one at a time per member. */
async function sendAtPace(sendChange: (member: number, number: number) => Promise<void>): Promise<void> {
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
      await sendChange(member, Math.floor(count / MAX_MEMBERS) + 1);
    })();
  }
  await Promise.all(running);
}

/** Waits until everything has arrived, at most 10 s. */
async function waitUntilDone(isDone: () => boolean): Promise<void> {
  for (let attempts = 0; !isDone() && attempts < 200; attempts += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

const CHANGE_COUNT = SECONDS * PER_SECOND * MAX_MEMBERS;

async function measurePegboard() {
  await using server = await runPegboard();
  const members = await signUpMembers(server.origin);
  const id = await shareList(members);
  const [owner] = members;
  const { data } = (await owner?.call(getshoplist, { id })) ?? {};
  if (!data) throw new Error('no list');
  const items = Object.keys(data.items);
  const deliveries = createDeliveryLog();
  let receivedCount = 0;
  let isInOrder = true;
  const sockets = await Promise.all(
    members.map(async ({ token }, memberIndex) => {
      const socket = io(server.origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token } });
      await new Promise((resolve, reject) =>
        socket.once('connect', () => resolve(undefined)).once('connect_error', reject),
      );
      let revision = data.revision;
      socket.on(shoplistChanges.name, (event: { revision: number; client?: string; seq?: number }) => {
        receivedCount += 1;
        isInOrder &&= event.revision === revision + 1;
        revision = event.revision;
        if (event.client !== `client-${memberIndex}`) deliveries.recordReceived(`${event.client} ${event.seq}`);
      });
      return socket;
    }),
  );
  const before = getCoreSeconds(server.child.pid ?? 0);
  const startedAt = performance.now();
  await sendAtPace(async (memberIndex, seq) => {
    const item = items[(memberIndex * 7 + seq) % items.length] ?? '';
    const itemPath = `items/${item}/actualquantity`;
    deliveries.recordSent(`client-${memberIndex} ${seq}`);
    await members[memberIndex]?.call(modifyshoplist, {
      id,
      changes: { items: { [item]: { actualquantity: 1 } } },
      timesent: Date.now() / 1000,
      client: `client-${memberIndex}`,
      seq,
      base: data.revision,
      age: { [itemPath]: 0 },
      inc: { [itemPath]: 1 },
    });
  });
  await waitUntilDone(() => receivedCount === CHANGE_COUNT * MAX_MEMBERS);
  const coreShare = (getCoreSeconds(server.child.pid ?? 0) - before) / ((performance.now() - startedAt) / 1000);
  const after = await owner?.call(getshoplist, { id });
  const countedChanges = Object.values(after?.data.items ?? {}).reduce(
    (sum, { actualquantity }) => sum + actualquantity,
    0,
  );
  for (const socket of sockets) socket.disconnect();
  const isComplete = countedChanges === CHANGE_COUNT && receivedCount === CHANGE_COUNT * MAX_MEMBERS && isInOrder;
  return {
    times: deliveries.times,
    coreShare,
    isComplete,
    lost: CHANGE_COUNT - countedChanges,
    missing: CHANGE_COUNT * MAX_MEMBERS - receivedCount,
  };
}

async function measureBaseline() {
  await using baselineServer = await runBaseline('shoppingload');
  const deliveries = createDeliveryLog();
  let receivedCount = 0;
  const sockets = await Promise.all(
    Array.from({ length: MAX_MEMBERS }, async (_, memberIndex) => {
      const socket = new WebSocket(baselineServer.origin.replace('http', 'ws'), { perMessageDeflate: false });
      await new Promise((resolve) => socket.once('open', resolve));
      socket.on('message', (text) => {
        receivedCount += 1;
        const { client, seq } = JSON.parse((text as Buffer).toString()) as { client: number; seq: number };
        if (client !== memberIndex) deliveries.recordReceived(`${client} ${seq}`);
      });
      return socket;
    }),
  );
  const before = getCoreSeconds(baselineServer.child.pid ?? 0);
  const startedAt = performance.now();
  await sendAtPace(async (client, seq) => {
    deliveries.recordSent(`${client} ${seq}`);
    sockets[client]?.send(JSON.stringify({ client, seq, changes: [[['items', '57', 'actualquantity'], seq]] }));
  });
  await waitUntilDone(() => receivedCount === CHANGE_COUNT * MAX_MEMBERS);
  const coreShare = (getCoreSeconds(baselineServer.child.pid ?? 0) - before) / ((performance.now() - startedAt) / 1000);
  for (const socket of sockets) socket.close();
  return { times: deliveries.times, coreShare };
}

const formatCoreShare = (coreShare: number): string => `${(coreShare * 100).toFixed(0)}% of a core`;

export const shoppingLoadBench: Bench = {
  name: 'shoppingload',
  run: async () => {
    const baseline = await measureBaseline();
    const pegboard = await measurePegboard();
    const isFast = percentile(pegboard.times, 0.99) < 250;
    return [
      {
        name: `planner: ${MAX_MEMBERS} members on one list, each ${PER_SECOND} changes a second for ${SECONDS} s; from sending to another member's socket`,
        target: 'nothing lost, p99 under 250 ms, server under 60% of one core',
        measured: `${pegboard.isComplete ? 'nothing lost' : `${pegboard.lost} changes and ${pegboard.missing} events lost or out of order`}, ${formatP50P99(pegboard.times)}, most ${formatMs(percentile(pegboard.times, 1))}, ${formatCoreShare(pegboard.coreShare)}`,
        baseline: `${formatP50P99(baseline.times)}, ${formatCoreShare(baseline.coreShare)} (bare ws relay, nothing kept)`,
        isTargetMet: pegboard.isComplete && isFast && pegboard.coreShare < 0.6,
      },
    ];
  },
};
