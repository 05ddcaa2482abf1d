import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { waitFor, startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { MAX_CLIPBOARD_LENGTH, fetchclipboard, sendclipboard } from '../contract.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'xclip');

describe.skipIf(skipReason)(
  `the clipboard of a real desktop${skipReason === undefined ? '' : `: ${skipReason}`}`,
  () => {
    test('a sent text can be pasted there, and a text copied there is fetched', async () => {
      const folder = createTempFolderSync();
      await using server = await startServer();
      const anna = await server.createAccount('anna');
      const desk = await startDesktop();
      let isClosed = false;
      async function closeDesktop(): Promise<void> {
        if (!isClosed) await desk[Symbol.asyncDispose]();
        isClosed = true;
      }
      onTestFinished(closeDesktop);
      await using drivers = await openSystemDrivers({
        env: { DISPLAY: desk.name },
        stateDir: folder,
        retryIntervalMs: 60_000,
      });
      await using laptop = await startDevice(server, anna, { drivers });
      const { target } = laptop;
      const fetchText = async (): Promise<string> => (await anna.call(fetchclipboard, { content: { target } })).text;

      expect(await fetchText()).toBe('');
      const longest = 'Grüße 👋\n'.repeat(MAX_CLIPBOARD_LENGTH / 8);
      await anna.call(sendclipboard, { content: { target, text: longest } });
      // Not awaited, because this process itself answers.
      const pasted = await promisify(execFile)('xclip', ['-selection', 'clipboard', '-o'], { env: desk.env });
      expect(pasted.stdout).toBe(longest);
      spawnSync('xclip', ['-selection', 'clipboard', '-i'], {
        env: desk.env,
        input: 'copied there',
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      await waitFor('it is fetched', async () =>
        fetchText().then(
          (text) => text === 'copied there',
          () => false,
        ),
      );

      await closeDesktop();
      await waitFor('the computer says so', async () =>
        fetchText().then(
          () => false,
          (error: unknown) => String(error).includes('agent lost the display of that computer'),
        ),
      );
    });
  },
);
