import { expect, test } from 'vitest';
import { createInstances } from '#testing/kits/server/instances.ts';
import type { Connection } from '../tool.ts';
import type { Device } from './deviceLink.ts';
import { createPresence } from './presence.ts';

const laptop: Device = {
  id: 1,
  account: 1,
  kind: 'computer',
  name: 'Laptop',
  system: '',
  version: '',
  abilities: {},
  created: Temporal.Instant.fromEpochMilliseconds(0),
  lastSeen: undefined,
};

/** A connection that the test closes. */
function createConnection(id: string) {
  const closeListeners: ((reason: undefined) => void)[] = [];
  const connection = { id, close: () => undefined, onClose: (listener: never) => void closeListeners.push(listener) };
  return {
    connection: connection as unknown as Connection,
    lose: () => {
      for (const listener of closeListeners) listener(undefined);
    },
  };
}

async function startTwoInstances() {
  const { create, hub, timers } = createInstances();
  const presences = [];
  for (const id of ['a', 'b']) {
    const cluster = create(id);
    presences.push(
      createPresence({
        timers,
        cluster,
        now: () => Temporal.Instant.fromEpochMilliseconds(timers.now()),
        onChange: () => undefined,
      }),
    );
    await cluster.start();
  }
  const [first, second] = presences;
  if (!first || !second) throw new Error('there are no instances');
  return { hub, first, second };
}

test('a computer that left while an instance was cut off for a moment is not connected there either', async () => {
  const { hub, first, second } = await startTwoInstances();
  const { connection, lose } = createConnection('one');
  first.connect(laptop, 1, connection);
  expect(second.getState(laptop.id)).toBe('Connected');
  hub.cut('b');
  lose();
  hub.reconnect('b');
  expect(second.getState(laptop.id)).toBe('Reconnecting');
});

test('a computer that moved to an instance that was cut off is connected there', async () => {
  const { hub, first, second } = await startTwoInstances();
  const { connection, lose } = createConnection('one');
  first.connect(laptop, 1, connection);
  hub.cut('b');
  lose();
  second.connect(laptop, 1, createConnection('two').connection);
  hub.reconnect('b');
  for (const presence of [first, second]) expect(presence.getConnection(laptop.id)?.id).toBe('two');
});
