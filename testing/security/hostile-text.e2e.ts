import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { renamedevice } from '#tools/devices/contract.ts';
import { devicemessage, sendmessage, spmessage } from '#tools/messages/contract.ts';
import { paste } from '#tools/paste/contract.ts';
import { fileupload, keyboardinput } from '#tools/remote/contract.ts';
import { navigate, type OpenPageOptions } from '../kits/browser/browser.ts';
import { startTestSite } from '../kits/browser/site.ts';
import { answerWithPrompt, startAiServer, type AiServer } from '../kits/chat/aiServer.ts';
import { startDevice, type TestDevice } from '../kits/desktop/device.ts';
import type { TestAccount } from '../kits/server/server.ts';
import { goToPage, HOSTILE_TEXTS, expectUntouched, HOSTILE_NAME, createGuardedOpen } from './hostile.ts';

let ai: AiServer | undefined;
const site = startTestSite(async () => {
  ai = await startAiServer();
  ai.setScript(answerWithPrompt);
  return { rateLimits: false, environment: ai.environment };
});
afterAll(() => ai?.[Symbol.asyncDispose]());

const wary = createGuardedOpen(site);

describe.skipIf(site.skipReason)(`hostile texts${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`, () => {
  let owner: TestAccount;
  let laptop: TestDevice;
  const codes: string[] = [];

  beforeAll(async () => {
    owner = await site.server.createAccount('owner');
    laptop = await startDevice(site.server, owner, { name: 'Laptop' });
    await owner.call(renamedevice, { id: laptop.id, name: HOSTILE_NAME });
    const sound = HOSTILE_TEXTS.map((name) => ({ name, level: 50, muted: false, colour: '#885522' }));
    laptop.drivers.play({ sessions: sound, outputs: sound });
    const asDevice = createClient({ origin: site.server.origin, token: () => laptop.token });
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const message = {
        inputtype: 1,
        inputValue: text,
        target: laptop.target,
        timesent: 1_800_000_000 + index,
      } as const;
      await owner.call(sendmessage, message);
      await owner.call(keyboardinput, { content: message });
      await asDevice(devicemessage, { inputtype: 3, text, key: `hostile:${index}` });
      await site.server.call(spmessage, { type: 'toserver', message: text.slice(0, 100), message2: text });
      const { code = '' } = await owner.call(paste, { inputValue: text });
      codes.push(code);
    }
    await owner.call(fileupload, {
      content: { name: `${HOSTILE_NAME.replaceAll('/', '')}.sh`, text: HOSTILE_TEXTS.join('\n') },
    });
  });
  afterAll(() => laptop[Symbol.asyncDispose]());

  // One page visits all places, as loading it for each would take longer than the checks.
  test.for<OpenPageOptions>([{ size: 'wide' }, { size: 'phone', scheme: 'dark' }])(
    'in a $size window',
    { timeout: 240_000 },
    async (options) => {
      // History and devices of the dashboard.
      const page = await wary(owner, '/dashboard', options);
      await page
        .getByRole('log')
        .getByText(HOSTILE_TEXTS.at(-1) ?? '')
        .last()
        .waitFor();
      await expectUntouched(page);

      // Names of sessions and outputs.
      await goToPage(page, '/mixer', 'Mixer');
      await page
        .getByRole('button', { name: `Mute ${HOSTILE_TEXTS[0] ?? ''}` })
        .first()
        .waitFor();
      await expectUntouched(page);

      // Messages in both directions, and those of visitors.
      await goToPage(page, '/messages', 'messages');
      await page.getByText(HOSTILE_NAME).first().click();
      await page
        .getByText(HOSTILE_TEXTS[0] ?? '', { exact: true })
        .first()
        .waitFor();
      await expectUntouched(page);
      await navigate(page, '/messages');
      await page.getByText('Visitors', { exact: true }).first().click();
      await page
        .getByText(HOSTILE_TEXTS[0] ?? '')
        .first()
        .waitFor();
      await expectUntouched(page);

      // Pastes.
      await goToPage(page, '/pastebin', 'Pastebin');
      for (const [index, code] of codes.entries()) {
        await navigate(page, `/pastebin?code=${code}`);
        await expect
          .poll(() => page.getByRole('textbox', { name: 'Text', exact: true }).inputValue())
          .toBe(HOSTILE_TEXTS[index]);
        await expectUntouched(page);
      }

      // Answers of an AI.
      await goToPage(page, '/qai', 'thing');
      const texts = [...HOSTILE_TEXTS, HOSTILE_TEXTS.join('\n\n'), '>'.repeat(3000), `${'['.repeat(2000)}x`];
      for (const [index, text] of texts.entries()) {
        await page.getByRole('textbox', { name: 'prompt' }).fill(text);
        await page.getByRole('button', { name: 'submit', exact: true }).click();
        await page.getByRole('group', { name: 'Answers' }).locator('article[aria-busy="false"]').nth(index).waitFor();
      }
      await expectUntouched(page);
      expect(
        await page.locator('main a[href^="javascript"], main script, main iframe, main img[src*="elsewhere"]').count(),
      ).toBe(0);

      // Settings of devices and scripts.
      await goToPage(page, '/dashboard/settings?tab=account', 'Settings');
      await expectUntouched(page);
      for (const [tab, name] of [
        ['devices', 'Devices Settings'],
        ['scripts', 'Scripts Settings'],
      ] as const) {
        await page.getByRole('button', { name }).click();
        await page.locator(`section[aria-label="${name}"]`).getByRole('heading').first().waitFor();
        await expectUntouched(page);
        expect(new URL(page.url()).search).toBe(`?tab=${tab}`);
      }
    },
  );
});
