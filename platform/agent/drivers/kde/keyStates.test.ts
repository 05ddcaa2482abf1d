import { expect, test } from 'vitest';
import type { WaylandConnection } from '../wayland/connection.ts';
import type { EventListeners } from '../wayland/protocol.ts';
import { openKeyStates } from './keyStates.ts';

const SHIFT = 5;

test.each([
  { state: 0, isCapsLocked: false, held: [] },
  { state: 2, isCapsLocked: true, held: [] },
  { state: 3, isCapsLocked: false, held: ['Shift'] },
])('a locked Shift is not held (state $state)', async ({ state, isCapsLocked, held }) => {
  const connection = {
    getVersion: () => 5,
    bind: (_name: string, _version: number, { stateChanged }: EventListeners<'org_kde_kwin_keystate'>) => ({
      send: () => stateChanged?.(SHIFT, state),
    }),
    sync: async () => undefined,
  } as unknown as WaylandConnection;
  const keyStates = openKeyStates(connection);
  expect(await keyStates.isCapsLocked()).toBe(isCapsLocked);
  expect(await keyStates.listHeldModifiers()).toEqual(held);
});
