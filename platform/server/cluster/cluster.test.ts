import { expect, test } from 'vitest';
import { createInstances } from '#testing/kits/server/instances.ts';
import { INSTANCE_TTL_MS } from './cluster.ts';
import { createReplicatedMap } from './replicatedMap.ts';

function createTestInstances() {
  const { create, ...instances } = createInstances();
  return {
    ...instances,
    create: (id: string, clockAheadMs?: number) => {
      const cluster = create(id, clockAheadMs);
      return { cluster, map: createReplicatedMap<string>(cluster, 'test') };
    },
  };
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

test('an entry that was removed while an instance was cut off for a moment is removed there once it is back', async () => {
  const { create, hub } = createTestInstances();
  const [first, second] = [create('a'), create('b')];
  await first.cluster.start();
  await second.cluster.start();
  first.map.set(1, 'one');
  first.map.set(2, 'two');
  hub.cut('b');
  first.map.delete(1);
  hub.reconnect('b');
  expect([...second.map]).toEqual([[2, 'two']]);
});

test('times of another instance are converted by the difference of the clocks', async () => {
  const { create, timers } = createTestInstances();
  const [first, second] = [create('a'), create('b', 5000)];
  await first.cluster.start();
  await second.cluster.start();
  const sentAt = timers.now() + 5000;
  expect(first.cluster.toLocalTime(sentAt, 'b')).toBe(timers.now());
  expect(second.cluster.toLocalTime(timers.now(), 'a')).toBe(sentAt);
});

test('messages that this version cannot read are ignored', async () => {
  const { create, hub } = createTestInstances();
  const { cluster } = create('a');
  await cluster.start();
  const newer = hub.createChannel('newer');
  for (const text of ['{', '{"from":"newer","kind":"vote"}', '{"from":"newer","kind":"join"}']) newer.send(text);
  expect(listNames(cluster)).toEqual(['a']);
});
