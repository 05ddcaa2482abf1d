// What happens when the agent's process ends or isn't accepted.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { startAgentProcess, type AgentProcessOptions } from '#testing/kits/desktop/agentProcess.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin, type KwinDesktop } from '#testing/kits/desktop/kwin.ts';
import { openFocusedWindow } from '#testing/kits/desktop/sessionSuite.ts';
import type { TextWindow } from '#testing/kits/desktop/textWindow.ts';
import { KEY_CODES, tapKeys } from '#testing/kits/desktop/virtualDesktop.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { openSystemDrivers } from '../systemDrivers.ts';

const HOLD_SHIFT = "await session.keyboard.holdModifiers(['Shift']);";

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  const skipReason = getSkipReason('dbus-run-session', 'gi', 'Gtk-4.0.typelib') ?? getKwinSkipReason(system);

  describeDesktop('an agent on KDE', { missing: skipReason, isExtra: system.folder !== undefined }, () => {
    let kwin: KwinDesktop;
    let session: DesktopSession;
    let folder: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pegboard-kde-'));
      kwin = await startKwin(system);
      session = await openDesktopSession({ env: kwin.env, heldPath: join(folder, 'held.json') });
    });
    afterAll(async () => {
      await session?.[Symbol.asyncDispose]();
      await kwin?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });

    const openWindow = () => openFocusedWindow({ desktop: kwin, session });
    const startAgent = (code: string, options: Partial<AgentProcessOptions> = {}) =>
      startAgentProcess({ env: kwin.env, heldPath: join(folder, 'agent-held.json'), ...options }, code);
    /** Returns what a key types that the person at the computer presses. */
    async function tapAndRead(window: TextWindow): Promise<string> {
      window.clear();
      await tapKeys(kwin, KEY_CODES.A);
      await waitFor('the key arrives', () => window.getText() !== '');
      return window.getText();
    }

    test.each(['SIGKILL', 'SIGSTOP'] as const)('a key that an agent holds is released after %s', async (signal) => {
      await using window = await openWindow();
      const { child } = await startAgent(HOLD_SHIFT);
      expect(await tapAndRead(window)).toBe('A');
      child.kill(signal);
      await waitFor('the key is up', async () => (await tapAndRead(window)) === 'a', 10_000);
    });

    test('a key that an agent holds is released when it loses its server', async () => {
      await using window = await openWindow();
      const server = await startServer();
      await using drivers = await openSystemDrivers({ env: kwin.env, stateDir: folder });
      await using _device = await startDevice(server, await server.createAccount('anna'), { drivers });
      await drivers.keyboard.holdModifiers(['Shift']);
      expect(await tapAndRead(window)).toBe('A');
      await server[Symbol.asyncDispose]();
      // Sooner than the limit for every held key.
      await waitFor('the key is up', async () => (await tapAndRead(window)) === 'a', 5000);
    });

    test('an agent that is killed while it types leaves nothing down', async () => {
      await using window = await openWindow();
      const { child } = await startAgent("void session.keyboard.type('A'.repeat(20_000));");
      await waitFor('it types', () => window.getText() !== '');
      child.kill('SIGKILL');
      await waitFor('nothing is down', async () => (await tapAndRead(window)).endsWith('a'), 10_000);
    });

    test('an agent that starts after one that was killed with its guardian releases what that held', async () => {
      await using window = await openWindow();
      const { child } = await startAgent(HOLD_SHIFT, { hasGuardian: false });
      child.kill('SIGKILL');
      await startAgent('');
      expect(await tapAndRead(window)).toBe('a');
    });

    test('an agent that is killed leaves its hotkeys free', async () => {
      const { child } = await startAgent(`
        const chords = [{ modifiers: [], key: 'F8' }, { modifiers: ['Ctrl', 'Alt'], key: 'k' }];
        await new Promise((onStatus) => session.hotkeys.listen(chords, { onPress: () => undefined, onStatus }));`);
      child.kill('SIGKILL');
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
      session.hotkeys.listen([{ modifiers: ['Ctrl', 'Alt'], key: 'k' }], {
        onPress: () => undefined,
        onStatus: resolve,
      });
      expect([...(await promise)]).toEqual([]);
    });

    test('an agent that is not installed says what to run, and can do everything but type and click', async () => {
      const node = join(folder, 'node');
      copyFileSync(process.execPath, node);
      const { result } = await startAgent(
        `
        const { keyboard, mouse, clipboard, windows } = session;
        const abilities = [keyboard, mouse, clipboard, windows].map((driver) => driver.ability);
        return [...abilities, await keyboard.type('a').catch((error) => error.message)];`,
        { node },
      );
      const reason = expect.stringContaining('KDE lets only an installed agent type');
      const unable = { able: false, reason };
      expect(result).toEqual([unable, unable, { able: true }, { able: true }, reason]);
    });
  });
});
