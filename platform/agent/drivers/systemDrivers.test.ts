import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startFakeCompositor } from '#testing/kits/desktop/fakeCompositor.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { SessionHotkeys } from './desktopSession.ts';
import type { HotkeyListener } from './drivers.ts';
import { createPersistentHotkeys, openSystemDrivers } from './systemDrivers.ts';

test('a Wayland desktop that can’t be reached is reported, and why', async () => {
  const stateDir = createTempFolderSync();
  const env = { WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: stateDir };
  await using drivers = await openSystemDrivers({ env, stateDir });
  expect(drivers.keyboard.ability).toEqual({ able: false, reason: expect.stringContaining("can't reach the desktop") });
  await expect(drivers.keyboard.type('a')).rejects.toThrow("can't reach the desktop");
  await expect(drivers.clipboard.read()).rejects.toThrow("can't reach the desktop");
  expect(drivers.system).toMatch(/no desktop$/);
});

test('a Wayland desktop that ends while the agent opens it is reported', async () => {
  await using compositor = await startFakeCompositor({
    globals: [
      ['wl_seat', 5],
      ['zwp_virtual_keyboard_manager_v1', 1],
    ],
    onRequest: (_name, request) => {
      if (request === 'bind') compositor.disconnect();
    },
  });
  const env = { WAYLAND_DISPLAY: compositor.path };
  await using drivers = await openSystemDrivers({ env, stateDir: createTempFolderSync() });
  expect(drivers.keyboard.ability).toEqual({ able: false, reason: expect.stringContaining("can't use the desktop") });
});

test('a desktop that is still being opened when the agent ends is closed again', async () => {
  const { promise: bound, resolve } = Promise.withResolvers<void>();
  await using compositor = await startFakeCompositor({
    globals: [
      ['wl_seat', 5],
      ['zwp_virtual_keyboard_manager_v1', 1],
    ],
    onRequest: (_name, request) => {
      if (request === 'bind') resolve();
    },
  });
  const stateDir = createTempFolderSync();
  const env: NodeJS.ProcessEnv = { WAYLAND_DISPLAY: join(stateDir, 'missing') };
  const drivers = await openSystemDrivers({ env, stateDir, retryIntervalMs: 10 });
  env['WAYLAND_DISPLAY'] = compositor.path;
  await bound;
  await drivers[Symbol.asyncDispose]();
  await waitFor('the connection is closed', () => compositor.listConnections().length === 0);
});

test('a Wayland desktop that ends while the agent types is reported', async () => {
  let isEnding = false;
  await using compositor = await startFakeCompositor({
    globals: [
      ['wl_seat', 5],
      ['zwp_virtual_keyboard_manager_v1', 1],
    ],
    onRequest: () => {
      if (isEnding) compositor.disconnect();
    },
  });
  await using drivers = await openSystemDrivers({
    env: { WAYLAND_DISPLAY: compositor.path },
    stateDir: createTempFolderSync(),
  });
  expect(drivers.keyboard.ability).toEqual({ able: true });
  isEnding = true;
  await expect(drivers.keyboard.type('a')).rejects.toThrow('ended meanwhile. Check what was done there');
  expect(drivers.keyboard.ability).toEqual({ able: false, reason: expect.stringContaining('lost the display') });
});

test('without a display it reports that, and ignores the mouse', async () => {
  await using drivers = await openSystemDrivers({ env: {}, stateDir: createTempFolderSync() });
  await expect(drivers.keyboard.press(['a'])).rejects.toThrow('No display');
  drivers.mouse.move(1, 1);
  await drivers.mouse.releaseAll();
  expect(drivers.mouse.ability.able).toBe(false);
});

test('on macOS the libraries of macOS are used, and their absence is a sentence for each part', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform');
  onTestFinished(() => void (platform && Object.defineProperty(process, 'platform', platform)));
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  await using drivers = await openSystemDrivers({ env: { DISPLAY: ':0' }, stateDir: createTempFolderSync() });
  const reason = expect.stringContaining("can't use this version of macOS");
  expect(drivers.keyboard.ability).toEqual({ able: false, reason });
  expect(drivers.audio.ability).toEqual({ able: false, reason });
  expect(drivers.notifications.ability).toEqual({ able: true });
  expect(drivers.system).toBe('macOS, no desktop');
});

test('what a desktop that has ended reports about hotkeys is ignored', () => {
  const listeners: HotkeyListener[] = [];
  const createHotkeys = (): SessionHotkeys => ({
    listen: (_chords, listener) => void listeners.push(listener),
    runWithout: (task) => task(),
  });
  const hotkeys = createPersistentHotkeys(() => 'lost');
  const statuses: (readonly string[])[] = [];
  hotkeys.setHotkeys(createHotkeys());
  hotkeys.listen([{ modifiers: [], key: 'F9' }], {
    onPress: () => undefined,
    onStatus: (refused) => void statuses.push([...refused.values()]),
  });
  hotkeys.setHotkeys(undefined);
  hotkeys.setHotkeys(createHotkeys());
  const [ended, next] = listeners;
  next?.onStatus(new Map());
  ended?.onStatus(new Map([[0, 'no answer']]));
  expect(statuses).toEqual([['lost'], []]);
});

const skipReason = getSkipReason('Xvfb', 'openbox');

describe.skipIf(skipReason)(
  `a display that appears and disappears${skipReason === undefined ? '' : `: ${skipReason}`}`,
  () => {
    test('is found when it appears, lost when it disappears, and found again on another X server with its name', async () => {
      // Unique for this process, and far from the numbers that X servers use.
      const name = `:${20_000 + (process.pid % 30_000)}`;
      let changeCount = 0;
      await using drivers = await openSystemDrivers({
        env: { DISPLAY: name },
        stateDir: createTempFolderSync(),
        retryIntervalMs: 20,
      });
      drivers.onChange(() => void (changeCount += 1));
      expect(drivers.keyboard.ability.able).toBe(false);
      for (let round = 0; round < 2; round++) {
        const server = spawn('Xvfb', [name, '-screen', '0', '640x480x24', '-nolisten', 'tcp', '-noreset'], {
          stdio: 'ignore',
        });
        onTestFinished(() => void server.kill('SIGKILL'));
        await waitFor('it is found', () => drivers.keyboard.ability.able);
        expect(await drivers.keyboard.type('aж')).toEqual({ dropped: [] });
        const exited = new Promise((done) => server.once('exit', done));
        server.kill('SIGKILL');
        await exited;
        await waitFor('it is lost', () => !drivers.keyboard.ability.able);
      }
      await waitFor('all changes are reported', () => changeCount >= 4);
    });
  },
);
