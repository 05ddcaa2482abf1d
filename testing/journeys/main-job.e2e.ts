import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { waitForIdle, startBrowser } from '../kits/browser/browser.ts';
import {
  waitFor,
  openInputRecorder,
  openTerminalSink,
  startDesktop,
  stopWhileHolding,
  type TestDesktop,
} from '../kits/desktop/desktop.ts';
import { getSkipReason } from '../machine.ts';
import { findFreePort, startProgram, startServerProgram, type TestProgram } from './program.ts';

const skipReason = getSkipReason('chromium', 'Xvfb', 'openbox', 'xterm', 'setxkbmap');
const TEXT = 'Grüße, "мир" — 你好 👋';
const PASSWORD = 'correct horse staple';
/** Keycodes of a PC keyboard. */
const [CTRL, ALT, T] = [37, 64, 28];

const field = (page: Page) => page.getByRole('textbox', { name: 'Text to send' });
const outcome = (page: Page, text: string) =>
  page.getByRole('log').getByRole('button').filter({ hasText: text }).getByText('ok', { exact: true });

async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
}

/** The built agent, started like its user does, on this desktop and with its own folders. */
const startAgent = (desktop: TestDesktop, folder: string, ...words: readonly string[]): TestProgram =>
  startProgram(['apps/agent/dist/agent.mjs', ...words], {
    ...desktop.env,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: folder,
  });

async function signUp(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('owner');
  await page.getByLabel('password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('confirm password').fill(PASSWORD);
  await page.getByLabel('Stay logged in').check();
  await page.getByRole('button', { name: 'Sign up' }).tap();
  await page.waitForURL('**/pagerouter');
}

async function pair(page: Page, agent: TestProgram): Promise<void> {
  const [, code = ''] = await agent.waitForOutput(/^ {4}(\S+)$/m);
  await page.goto('/dashboard/settings?tab=devices');
  await page.getByLabel(/code/i).fill(code);
  await page.getByRole('button', { name: 'Pair', exact: true }).tap();
  await page.getByText('Connected', { exact: true }).first().waitFor();
}

async function uploadScript(page: Page, name: string, text: string): Promise<void> {
  await page.goto('/dashboard/settings?tab=scripts');
  await page.getByRole('button', { name: 'Add script file' }).tap();
  const upload = page.getByRole('dialog', { name: 'Add script file' });
  await upload.getByLabel('Script file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await upload.getByRole('button', { name: 'Upload' }).tap();
  await upload.waitFor({ state: 'detached' });
  await page.goto('/dashboard');
}

/** Kills the agent (kill -9) while it holds Ctrl. */
async function killWhileHolding(page: Page, desktop: TestDesktop, agent: TestProgram): Promise<void> {
  await using recorder = await openInputRecorder(desktop);
  const down = await stopWhileHolding(desktop, recorder, agent.child.pid ?? 0, () => send(page, '[[keys]]Ctrl-Alt-T'));
  expect(down).toContain(CTRL);
  await agent.end('SIGKILL');
}

describe.skipIf(skipReason)(`the main job (${skipReason ?? 'nothing in it is a fake'})`, () => {
  // Every program is real; two of them are killed and restarted.
  test(
    'a phone signs up, pairs a computer, types on it, presses keys, runs a script, and survives a dead agent and a dead server',
    { timeout: 180_000 },
    async () => {
      const folder = await createTempFolder();
      await using desktop = await startDesktop();
      desktop.setLayout('us');
      await using browser = await startBrowser();
      const port = await findFreePort();
      await using first = await startServerProgram(join(folder, 'data'), port);
      // The page reports that the server is unreachable; the last part tests that.
      const page = await browser.openPage(`http://127.0.0.1:${port}`, '/signup', {
        size: 'phone',
        expects: /WebSocket|ERR_CONNECTION_REFUSED|Failed to load resource/,
      });

      await signUp(page);
      await using agent = startAgent(desktop, folder, 'pair', `http://127.0.0.1:${port}`, '--allow-scripts');
      await pair(page, agent);
      await page.goto('/dashboard');
      // Nothing is sent before the computer is known.
      await waitForIdle(page);

      {
        await using sink = await openTerminalSink(desktop);
        await send(page, TEXT);
        await outcome(page, TEXT).waitFor();
        await sink.waitForText(TEXT);
      }
      {
        await using recorder = await openInputRecorder(desktop);
        await send(page, '[[keys]]Ctrl-Alt-T');
        await recorder.waitFor('Ctrl-Alt-T as a chord', (seen) => seen.some((event) => event.startsWith(`-${CTRL}/`)));
        expect(recorder.listSeen().map((event) => event.split('/')[0])).toEqual([
          `+${CTRL}`,
          `+${ALT}`,
          `+${T}`,
          `-${T}`,
          `-${ALT}`,
          `-${CTRL}`,
        ]);
      }

      const written = join(folder, 'written.txt');
      await uploadScript(page, 'write.sh', `echo done > '${written}'\necho said\nexit 3\n`);
      await send(page, '[[file]]write.sh');
      await page
        .getByRole('log')
        .getByText(/exit code 3/i)
        .waitFor();
      expect(await readFile(written, 'utf8')).toBe('done\n');
      expect(existsSync(join(folder, 'config'))).toBe(true);

      await killWhileHolding(page, desktop, agent);
      await waitFor('every key is let go', async () => (await desktop.listKeysDown()).length === 0);

      await using again = startAgent(desktop, folder, 'run', '--allow-scripts');
      await again.waitForOutput(/connected/i);
      await first.end('SIGTERM');
      const before = again.getOutput().length;
      await using second = await startServerProgram(join(folder, 'data'), port);
      await waitFor('the agent is back', () => /connected/i.test(again.getOutput().slice(before)) || undefined);
      expect(second.child.exitCode).toBe(null);

      await using sink = await openTerminalSink(desktop);
      await page.reload();
      await waitForIdle(page);
      await send(page, 'still here');
      await sink.waitForText('still here');
      await outcome(page, 'still here').waitFor();
    },
  );
});
