import { describe, expect, test } from 'vitest';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { List } from '../../lists/domain/list.ts';
import { createEmptyState, toList } from '../domain/listState.ts';
import { toWireChanges } from '../domain/listWire.ts';
import { mergeBatch } from '../domain/mergeBatch.ts';
import { parseChanges } from '../domain/parseChanges.ts';
import { createUnloadedReplica, type Answer, type ListEvent } from '../domain/replica.ts';
import {
  createPersistedReplica,
  type PersistedReplica,
  createMemoryReplicaStore,
  type ReplicaStore,
} from './persistedReplica.ts';
import { createSync, type Clock, type Sync } from './syncDriver.ts';
import type { Transport } from './transport.ts';

const settle = (): Promise<void> => new Promise((then) => setImmediate(then));

/** A manual clock. */
function createClock() {
  let now = 1_700_000_000_000;
  let waiting: readonly { readonly at: number; readonly run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    startTimer: (ms, then) => {
      const timer = { at: now + ms, run: then };
      waiting = [...waiting, timer];
      return () => void (waiting = waiting.filter((otherTimer) => otherTimer !== timer));
    },
  };
  return {
    ...clock,
    settle,
    /** Advances the clock, and runs everything that is due in order. */
    pass: async (ms: number): Promise<void> => {
      const end = now + ms;
      await settle();
      for (;;) {
        const next = waiting.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        waiting = waiting.filter((timer) => timer !== next);
        now = next.at;
        next.run();
        await settle();
      }
      now = end;
    },
  };
}
type TestClock = ReturnType<typeof createClock>;

type Body = Parameters<Transport['send']>[0];

function unreachable(): never {
  throw new CallError(0, 'The server cannot be reached');
}

/** The real engine with one list (Milk is '2'), behind a connection that a test can break. */
function createServer({ now }: TestClock) {
  let state = createEmptyState('Shop');
  const answers = new Map<string, { readonly seq: number; readonly answer: Answer }>();
  const requests: Body[] = [];
  const pages = new Set<(event: ListEvent) => void>();
  let broken: 'request' | 'answer' | 'silent' | undefined;
  let refusal: string | undefined;
  function take(body: Body): Answer {
    const last = answers.get(body.client);
    if (last && body.seq <= last.seq) return last.answer;
    if (refusal !== undefined) throw new Refusal('test.refused', refusal);
    const changes = parseChanges(body.changes, { inc: body.inc, linked: body.linked }).map(({ change, path }) => ({
      change,
      time: now() - (body.age[path] ?? 0),
    }));
    const outcome = mergeBatch(state, { client: body.client, base: Math.min(body.base, state.revision), changes });
    const changed = outcome.state !== state;
    state = outcome.state;
    const event = {
      revision: state.revision,
      changes: toWireChanges(outcome.changes, toList(state)),
      ids: Object.fromEntries(outcome.ids),
    };
    const answer = { ...event, changed, seq: body.seq };
    answers.set(body.client, { seq: body.seq, answer });
    if (changed) for (const page of pages) page({ ...event, client: body.client, seq: body.seq });
    return answer;
  }
  const transport: Pick<Transport, 'send' | 'load'> = {
    send: async (body) => {
      requests.push(body);
      if (broken === 'request') return unreachable();
      if (broken === 'silent') return new Promise(() => undefined);
      const answer = take(body);
      return broken === 'answer' ? unreachable() : answer;
    },
    load: async (_list, client) => {
      if (broken !== undefined) return unreachable();
      const ids = [...state.ids].filter(([sent]) => sent.startsWith(`${client}/`));
      return {
        list: toList(state),
        revision: state.revision,
        seq: answers.get(client)?.seq ?? 0,
        ids: Object.fromEntries(ids.map(([sent, its]) => [sent.slice(client.length + 1), its])),
      };
    },
  };
  const make = { kind: 'item', id: 'new1', field: 'name', value: 'Milk' } as const;
  state = mergeBatch(state, { client: 'first', base: 1, changes: [{ change: make, time: now() }] }).state;
  return {
    transport,
    requests,
    pages,
    milk: () => toList(state).items.get('2')?.actual,
    break: (how: typeof broken) => void (broken = how),
    refuse: (why: string | undefined) => void (refusal = why),
  };
}

const NO_LIST: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
const plus = { kind: 'count', id: '2', by: 1 } as const;
const milk = (sync: Sync) => sync.getStatus().list?.items.get('2')?.actual;

async function start(
  store: ReplicaStore = createMemoryReplicaStore(),
  given?: ReturnType<typeof createServer>,
  time?: TestClock,
) {
  const clock = time ?? createClock();
  const server = given ?? createServer(clock);
  const refused: string[] = [];
  let notStored = 0;
  const replica: PersistedReplica = createPersistedReplica({
    store,
    key: '7',
    createReplica: () => createUnloadedReplica(7, `client-${Math.random().toString(36).slice(2)}`, NO_LIST),
    onNotStored: () => void (notStored += 1),
  });
  const sync = createSync({
    replica,
    transport: server.transport,
    clock,
    getKnownNames: () => new Set(),
    onRefused: (why, seen) => refused.push(`${why}: ${seen.items.get('2')?.actual}`),
  });
  server.pages.add(sync.receive);
  await sync.open();
  await settle();
  return { clock, server, sync, replica, refused, notStored: () => notStored };
}

describe('one list', () => {
  test('shows a change immediately, sends it with the next 500 ms tick, and reports its state', async () => {
    const { clock, server, sync } = await start();
    expect(sync.getStatus()).toMatchObject({ state: 'saved', unsent: 0 });
    sync.change([plus]);
    expect(milk(sync)).toBe(1);
    expect(sync.getStatus()).toMatchObject({ state: 'sending', unsent: 1 });
    await clock.pass(500);
    expect(server.milk()).toBe(1);
    expect(milk(sync)).toBe(1);
    expect(sync.getStatus()).toMatchObject({ state: 'saved', unsent: 0 });
    await clock.pass(60_000);
    expect(server.requests).toHaveLength(1);
  });

  test('is resent unchanged after 1, 2, 4 and 8 seconds, and counts once', async () => {
    const { clock, server, sync } = await start();
    server.break('answer');
    server.pages.delete(sync.receive);
    sync.change([plus]);
    await clock.pass(500);
    expect(sync.getStatus().state).toBe('offline');
    sync.change([plus]);
    await clock.pass(16_000);
    expect(server.requests.map(({ seq }) => seq)).toEqual([1, 1, 1, 1, 1]);
    server.break(undefined);
    server.pages.add(sync.receive);
    await clock.pass(9000);
    expect(server.milk()).toBe(2);
    expect(milk(sync)).toBe(2);
    expect(new Set(server.requests.filter(({ seq }) => seq === 1).map(({ inc }) => JSON.stringify(inc))).size).toBe(1);
  });

  test('is offline once the store has it, as the page may be closed then', async () => {
    const memory = createMemoryReplicaStore();
    let mayWrite = Promise.resolve();
    const { server, sync, clock } = await start({
      ...memory,
      change: async (...what) => {
        await mayWrite;
        return memory.change(...what);
      },
    });
    server.break('request');
    sync.disconnect();
    for (const before of [0, 1]) {
      const writes = Promise.withResolvers<void>();
      mayWrite = writes.promise;
      sync.change([plus]);
      await clock.settle();
      const status = { state: before > 0 ? 'offline' : 'sending', unsent: before + 1, storedCount: before };
      expect(sync.getStatus()).toMatchObject(status);
      writes.resolve();
      await clock.settle();
      expect(sync.getStatus()).toMatchObject({ state: 'offline', unsent: before + 1, storedCount: before + 1 });
    }
  });

  test('is sent immediately when the connection is back', async () => {
    const { clock, server, sync } = await start();
    server.break('request');
    sync.change([plus]);
    await clock.pass(20_000);
    server.break(undefined);
    sync.connect();
    await clock.settle();
    expect(server.milk()).toBe(1);
    expect(sync.getStatus().state).toBe('saved');
  });

  test('does not wait indefinitely for an answer that was lost', async () => {
    const { clock, server, sync } = await start();
    server.break('silent');
    sync.change([plus]);
    await clock.pass(500);
    server.break(undefined);
    await clock.pass(12_000);
    expect(server.milk()).toBe(1);
    expect(milk(sync)).toBe(1);
    expect(sync.getStatus().state).toBe('saved');
  });

  test('is loaded again if an event is missing', async () => {
    const { clock, server, sync } = await start();
    const other = await start(createMemoryReplicaStore(), server, clock);
    server.pages.delete(sync.receive);
    other.sync.change([plus]);
    await clock.pass(500);
    server.pages.add(sync.receive);
    other.sync.change([plus]);
    await clock.pass(500);
    expect(milk(sync)).toBe(0);
    await clock.pass(1000);
    expect(milk(sync)).toBe(2);
  });

  test('flashes changes of others for 600 ms', async () => {
    const { clock, server, sync } = await start();
    const other = await start(createMemoryReplicaStore(), server, clock);
    other.sync.change([plus]);
    await clock.pass(500);
    expect([...sync.getStatus().flashing]).toEqual(['2']);
    expect([...other.sync.getStatus().flashing]).toEqual([]);
    await clock.pass(600);
    expect([...sync.getStatus().flashing]).toEqual([]);
  });

  test('reports why a batch was refused, with the list as it was visible', async () => {
    const { clock, server, sync, refused } = await start();
    server.refuse('No room');
    sync.change([plus]);
    await clock.pass(500);
    expect(refused).toEqual(['No room: 1']);
    expect(sync.getStatus()).toMatchObject({ problem: 'No room', unsent: 0, isGone: false });
    expect(milk(sync)).toBe(0);
    server.refuse(undefined);
    sync.change([plus]);
    await clock.pass(500);
    expect(server.milk()).toBe(1);
    expect(sync.getStatus().problem).toBeUndefined();
  });

  test('is flushed before the page closes', async () => {
    const { clock, server, sync } = await start();
    sync.change([plus]);
    sync.flush();
    await clock.settle();
    expect(server.milk()).toBe(1);
  });
});

/** Starts two tabs over one store. */
async function startTwo() {
  const store = createMemoryReplicaStore();
  const replicas: PersistedReplica[] = [];
  const createSharedStore = (at: number): ReplicaStore => ({
    ...store,
    change: async (key, change) => {
      const stored = await store.change(key, change);
      replicas.forEach((replica, index) => index !== at && replica.refresh());
      return stored;
    },
  });
  const one = await start(createSharedStore(0));
  replicas.push(one.replica);
  const other = await start(createSharedStore(1), one.server, one.clock);
  replicas.push(other.replica);
  return { one, other, clock: one.clock, server: one.server };
}

describe('two tabs', () => {
  test('change concurrently, and every change counts once', async () => {
    const { one, other, clock, server } = await startTwo();
    for (let press = 0; press < 20; press += 1) {
      one.sync.change([plus]);
      other.sync.change([plus]);
      await clock.pass(130);
    }
    await clock.pass(3000);
    expect(server.milk()).toBe(40);
    expect([milk(one.sync), milk(other.sync)]).toEqual([40, 40]);
    // One number is never used for two batches.
    const bodies = new Map<string, Set<string>>();
    for (const { client, seq, inc } of server.requests) {
      const name = `${client} ${seq}`;
      bodies.set(name, (bodies.get(name) ?? new Set()).add(JSON.stringify(inc)));
    }
    expect([...bodies.values()].every(({ size }) => size === 1)).toBe(true);
  });

  test('one sends the batch of the other after that one was closed', async () => {
    const { one, other, clock, server } = await startTwo();
    server.break('request');
    one.sync.change([plus]);
    await clock.pass(500);
    one.sync.stop();
    server.break(undefined);
    await clock.pass(6000);
    expect(server.milk()).toBe(1);
    expect(milk(other.sync)).toBe(1);
  });
});

test('a store that starts failing loses nothing and sends nothing twice', async () => {
  const store = createMemoryReplicaStore();
  let isFull = false;
  const keep: ReplicaStore = {
    ...store,
    change: (key, change) =>
      store.change(key, (before) => {
        const next = change(before);
        if (isFull && next) throw new DOMException('full', 'QuotaExceededError');
        return next;
      }),
  };
  const { clock, server, sync, notStored } = await start(keep);
  server.break('answer');
  sync.change([plus]);
  await clock.pass(500);
  isFull = true;
  sync.change([plus]);
  expect(milk(sync)).toBe(2);
  await clock.pass(500);
  expect(notStored()).toBe(1);
  expect(await store.read('7')).toBeUndefined();
  server.break(undefined);
  await clock.pass(10_000);
  expect(server.milk()).toBe(2);
  expect(milk(sync)).toBe(2);
});
