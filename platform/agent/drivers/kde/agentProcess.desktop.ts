// What happens when the agent's process ends or isn't accepted.
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin, type KwinDesktop } from '#testing/kits/desktop/kwin.ts';
import { openFocusedWindow } from '#testing/kits/desktop/sessionSuite.ts';
import type { TextWindow } from '#testing/kits/desktop/textWindow.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';

const GUARDIAN = "{ program: process.execPath, args: ['apps/agent/main.ts', '--guardian'] }";

const waitForExit = (agent: ChildProcess): Promise<NodeJS.Signals | null> =>
  new Promise((resolve) => agent.once('exit', (_code, signal) => resolve(signal)));
/** Expects that no key is down: a program repeats a held one about 25 times a second. */
async function expectNothingDown(window: TextWindow): Promise<void> {
  await waitFor('the key was pressed', () => window.getText().startsWith('a'));
  await sleep(100);
  const { length } = window.getText();
  await sleep(1500);
  expect(window.getText()).toHaveLength(length);
}

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
    /** Starts an agent that runs this code with a session. */
    function startAgent(code: string, { node = process.execPath, guardian = GUARDIAN } = {}): ChildProcess {
      const program = `
        import { readFileSync, rmSync } from 'node:fs';
        import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
        const heldPath = '${join(folder, 'agent-held.json')}';
        const session = await openDesktopSession({ env: process.env, heldPath, guardian: ${guardian || 'undefined'} });
        /** Presses a key and stops this process from releasing it. */
        async function pressForever() {
          rmSync(heldPath, { force: true });
          const read = () => { try { return readFileSync(heldPath, 'utf8'); } catch { return ''; } };
          void session.keyboard.press(['a']);
          while (!read().includes('k30')) await new Promise(setImmediate);
          for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
        }
        ${code}`;
      const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
      const child = spawn(node, args, { env: kwin.env, stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    }
    test('that is killed while it holds a key leaves nothing down', async () => {
      await using window = await openWindow();
      const agent = startAgent(`
        await pressForever();
        for (const until = Date.now() + 1000; Date.now() < until;);
        process.kill(process.pid, 'SIGKILL');`);
      await waitForExit(agent);
      await expectNothingDown(window);
    });

    test('that hangs while it holds a key is ended, which releases it', async () => {
      await using window = await openWindow();
      const agent = startAgent('await pressForever(); for (;;);');
      expect(await waitForExit(agent)).toBe('SIGKILL');
      await expectNothingDown(window);
    });

    test('that starts after one that was killed with its guardian releases what that held', async () => {
      await using window = await openWindow();
      await waitForExit(startAgent("await pressForever(); process.kill(process.pid, 'SIGKILL');", { guardian: '' }));
      await waitForExit(startAgent('process.exit();'));
      await expectNothingDown(window);
    });

    test('that is killed leaves its hotkeys free', async () => {
      const agent = startAgent(`
        const chords = [{ modifiers: [], key: 'F8' }, { modifiers: ['Ctrl', 'Alt'], key: 'k' }];
        const onStatus = () => process.kill(process.pid, 'SIGKILL');
        session.hotkeys.listen(chords, { onPress: () => undefined, onStatus });`);
      await waitForExit(agent);
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
      session.hotkeys.listen([{ modifiers: ['Ctrl', 'Alt'], key: 'k' }], {
        onPress: () => undefined,
        onStatus: resolve,
      });
      expect([...(await promise)]).toEqual([]);
    });

    test('that is not installed says what to run, and can do everything but type and click', async () => {
      const node = join(folder, 'node');
      copyFileSync(process.execPath, node);
      const agent = startAgent(
        `
        const { ability } = session.keyboard;
        const others = [session.mouse, session.clipboard, session.windows].map((driver) => driver.ability.able);
        const refusal = await session.keyboard.type('a').catch((error) => error.message);
        process.stdout.write(JSON.stringify({ ability, others, isRefused: refusal === ability.reason }));
        process.exit();`,
        { node },
      );
      const { ability, others, isRefused } = JSON.parse(await readText(agent.stdout ?? Readable.from([])));
      expect(ability.able).toBe(false);
      expect(ability.reason).toContain('KDE lets only an installed agent type');
      expect(others).toEqual([false, true, true]);
      expect(isRefused).toBe(true);
    });
  });
});
