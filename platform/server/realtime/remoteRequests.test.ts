import { expect, test } from 'vitest';
import { createInstances } from '#testing/kits/server/instances.ts';
import { createRemoteRequests } from './remoteRequests.ts';

test('the time of a request is by the clock of the instance that holds the socket', async () => {
  const { create, timers } = createInstances();
  const [asking, holding] = [create('a', -5000), create('b')];
  const received: unknown[] = [];
  createRemoteRequests({
    cluster: holding,
    timers,
    findConnection: () => ({
      request: async (_event, data) => {
        received.push(data);
        return 'answer';
      },
    }),
  });
  const request = createRemoteRequests({ cluster: asking, timers, findConnection: () => undefined });
  await asking.start();
  await holding.start();
  timers.advance(100);
  const data = { sentAt: timers.now() - 5000, name: 'type' };
  expect(await request({ room: 'device:1', event: 'command', data, timeoutMs: 1000 })).toBe('answer');
  expect(received).toEqual([{ sentAt: timers.now(), name: 'type' }]);
});
