import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createCluster, INSTANCE_TTL_MS, type MessageChannel } from './cluster.ts';
import { createReplicatedMap } from './replicatedMap.ts';

/** Channels of instances in this process. Each can be cut off. */
function createHub() {
  const receivers = new Map<string, (text: string) => void>();
  const cutOff = new Set<string>();
  const interruptions = new Map<string, () => void>();
  return {
    createChannel: (id: string): MessageChannel => ({
      send: (text) => {
        if (cutOff.has(id)) return;
        for (const [receiver, receive] of receivers) if (!cutOff.has(receiver)) receive(text);
      },
      onText: (listener) => void receivers.set(id, listener),
      onInterruption: (listener) => void interruptions.set(id, listener),
      countReceivers: async () => receivers.size,
    }),
    cut: (id: string) => void cutOff.add(id),
    reconnect: (id: string) => {
      cutOff.delete(id);
      interruptions.get(id)?.();
    },
  };
}

function createTestInstances() {
  const hub = createHub();
  const timers = createManualTimers();
  const create = (id: string) => {
    const cluster = createCluster({
      channel: hub.createChannel(id),
      getInstance: () => ({
        id,
        name: id,
        version: '1',
        role: 'all',
        startedAt: 0,
        isLeader: false,
        isReady: true,
        sockets: 0,
      }),
      log: pino({ enabled: false }),
      timers,
    });
    return { cluster, map: createReplicatedMap<string>(cluster, 'test'), left: [] as string[] };
  };
  return { hub, timers, create };
}
const listNames = ({ listInstances }: { listInstances: () => readonly { name: string }[] }) =>
  listInstances().map(({ name }) => name);

test('instances know each other, and a stopped one is forgotten immediately', async () => {
  const { create } = createTestInstances();
  const [first, second] = [create('a'), create('b')];
  await first.cluster.start();
  await second.cluster.start();
  expect(listNames(first.cluster)).toEqual(['a', 'b']);
  expect(listNames(second.cluster)).toEqual(['a', 'b']);
  await second.cluster.stop();
  expect(listNames(first.cluster)).toEqual(['a']);
});

test('an instance without heartbeats for 15 s is forgotten with its entries, and returns with them', async () => {
  const { create, hub, timers } = createTestInstances();
  const [first, second] = [create('a'), create('b')];
  await first.cluster.start();
  await second.cluster.start();
  first.map.set(1, 'of a');
  second.map.set(2, 'of b');
  hub.cut('b');
  second.map.set(2, 'later');
  timers.advance(INSTANCE_TTL_MS + 5000);
  expect([...first.map]).toEqual([[1, 'of a']]);
  expect([...second.map]).toEqual([[2, 'later']]);
  hub.reconnect('b');
  expect([...first.map]).toEqual([
    [1, 'of a'],
    [2, 'later'],
  ]);
  expect(new Map(second.map)).toEqual(new Map(first.map));
});

test('a new instance receives the entries before it starts, and an entry belongs to who set it last', async () => {
  const { create } = createTestInstances();
  const [first, second] = [create('a'), create('b')];
  await first.cluster.start();
  first.map.set(1, 'one');
  await second.cluster.start();
  expect(second.map.get(1)).toBe('one');
  second.map.set(1, 'two');
  expect(first.map.get(1)).toBe('two');
  await first.cluster.stop();
  expect(second.map.get(1)).toBe('two');
});

test('a copy that is removed stays at its owner, and the owner removes it everywhere', async () => {
  const { create } = createTestInstances();
  const [first, second] = [create('a'), create('b')];
  await first.cluster.start();
  await second.cluster.start();
  first.map.set(1, 'one');
  expect(second.map.delete(1)).toBe(true);
  expect(first.map.get(1)).toBe('one');
  first.map.set(1, 'again');
  expect(first.map.delete(1)).toBe(true);
  expect(second.map.has(1)).toBe(false);
});
