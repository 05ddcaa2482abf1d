import { expect, test } from 'vitest';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { Connection, ServerContext } from '#platform/server/tool.ts';
import { createInstances } from '#testing/kits/server/instances.ts';
import { createMice, type Mouse } from './mice.ts';

const LAPTOP = 7;
const devices = {
  getSelected: async () => ({ id: LAPTOP, kind: 'computer', abilities: {} }) as unknown as Device,
} as unknown as ServerContext['devices'];

test('a mouse button that a killed instance held is released, also if Redis was away when it was pressed', async () => {
  const { create, hub, timers } = createInstances();
  const released: Mouse[] = [];
  const connection = { id: 'phone', onClose: () => undefined } as unknown as Connection;
  const [killed, other] = [create('a'), create('b')];
  const now = () => Temporal.Instant.fromEpochMilliseconds(timers.now());
  const mice = createMice({ devices, cluster: killed, now }, () => undefined);
  createMice({ devices, cluster: other, now }, (mouse) => released.push(mouse));
  await killed.start();
  await other.start();
  hub.cut('b');
  const mouse = await mice.getMouse(connection, 1, undefined);
  hub.reconnect('b');
  await killed.stop();
  expect(released).toEqual([mouse]);
});
