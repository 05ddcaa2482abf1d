import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeClient } from '#platform/contract/client.ts';
import { renamedevice } from '#tools/devices/contract.ts';
import { devicemessage, sendmessage, spmessage } from '#tools/messages/contract.ts';
import { paste } from '#tools/paste/contract.ts';
import { fileupload, keyboardinput } from '#tools/remote/contract.ts';
import { echoes, startAiServer, type AiServer } from '../aiServer.ts';
import { settle, type OpenOptions } from '../browser.ts';
import { startDevice, type TestDevice } from '../device.ts';
import type { TestAccount } from '../server.ts';
import { openSignedIn } from '../signedIn.ts';
import { serveSite } from '../site.ts';

/** What is shown anywhere shall neither run, nor reach out, nor push a page aside. Each is as short as a message has to be. */
const HOSTILE: readonly string[] = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload=window.hacked=1><iframe srcdoc="<script>parent.hacked=1</script>">',
  "javascript:window.hacked=1//' onmouseover='window.hacked=1",
  '[press me](javascript:window.hacked=1) ![x](http://elsewhere.invalid/x.png) <http://elsewhere.invalid>',
  '{{constructor.constructor("window.hacked=1")()}} ${window.hacked=1}',
  `\u202e${'gnol'.repeat(10)}\u202c \u0007\u001b[31m`,
  'W'.repeat(200),
  'a\u0301'.repeat(100),
  '</textarea></title></style><style>*{display:none!important}</style><meta http-equiv=refresh content=0;url=/backy>',
  '__proto__',
];
/** Names of devices are shorter, and hold no control characters. */
const NAME = '"><img src=x onerror=window.hacked=1>';

let ai: AiServer | undefined;
const site = serveSite(async () => {
  ai = await startAiServer();
  ai.answer(echoes);
  return { rateLimits: false, environment: ai.environment };
});
afterAll(() => ai?.[Symbol.asyncDispose]());

const lookAt = async (page: Page): Promise<void> => {
  await settle(page);
  const seen = await page.evaluate(() => ({
    hacked: 'hacked' in window,
    path: location.pathname,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    isShown: getComputedStyle(document.querySelector('h1') ?? document.body).display !== 'none',
  }));
  expect(seen).toEqual({ hacked: false, path: seen.path, overflow: 0, isShown: true });
  expect(seen.path).not.toBe('/backy');
};

describe.skipIf(site.lack)(`hostile texts${site.lack === undefined ? '' : `, ${site.lack}`}`, () => {
  let owner: TestAccount;
  let laptop: TestDevice;
  const codes: string[] = [];

  beforeAll(async () => {
    owner = await site.server.account('owner');
    laptop = await startDevice(site.server, owner, { name: 'Laptop' });
    await owner.call(renamedevice, { id: laptop.id, name: NAME });
    const sound = HOSTILE.map((name) => ({ name, level: 50, muted: false, colour: '#885522' }));
    laptop.drivers.play({ sessions: sound, outputs: sound });
    const asDevice = makeClient({ origin: site.server.origin, token: () => laptop.token });
    for (const [at, text] of HOSTILE.entries()) {
      const wish = { inputtype: 1, inputValue: text, target: laptop.target, timesent: 1_800_000_000 + at } as const;
      await owner.call(sendmessage, wish);
      await owner.call(keyboardinput, { content: wish });
      await asDevice(devicemessage, { inputtype: 3, text, key: `hostile:${at}` });
      await site.server.call(spmessage, { type: 'toserver', message: text.slice(0, 100), message2: text });
      const { code = '' } = await owner.call(paste, { inputValue: text });
      codes.push(code);
    }
    await owner.call(fileupload, { content: { name: `${NAME.replaceAll('/', '')}.sh`, text: HOSTILE.join('\n') } });
  });
  afterAll(() => laptop[Symbol.asyncDispose]());

  /** A page that ends the test where anything of a text ran, asked for something elsewhere, or left the window's width. */
  const open = async (path: string, options: OpenOptions): Promise<Page> => {
    const page = await openSignedIn(site, owner, '/dashboard/about', options);
    const strays: string[] = [];
    page.on('dialog', (dialog) => {
      strays.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(site.server.origin)) strays.push(`request: ${request.url()}`);
    });
    onTestFinished(() => expect(strays).toEqual([]));
    await page.goto(path);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    return page;
  };
  describe.each<OpenOptions>([{ size: 'wide' }, { size: 'phone', scheme: 'dark' }])('on a $size window', (options) => {
    test('history and devices of the dashboard', async () => {
      const page = await open('/dashboard', options);
      await page
        .getByRole('log')
        .getByText(HOSTILE.at(-1) ?? '')
        .last()
        .waitFor();
      await lookAt(page);
    });

    test('names of sessions and outputs in the mixer', async () => {
      const page = await open('/mixer', options);
      await page
        .getByRole('button', { name: `Mute ${HOSTILE[0] ?? ''}` })
        .first()
        .waitFor();
      await lookAt(page);
    });

    test('messages, both ways', async () => {
      const page = await open('/messages', options);
      await page.getByText(NAME).first().click();
      await page
        .getByText(HOSTILE[0] ?? '', { exact: true })
        .first()
        .waitFor();
      await lookAt(page);
    });

    test('visitors’ messages', async () => {
      const page = await open('/messages', options);
      await page.getByText('Visitors', { exact: true }).first().click();
      await page
        .getByText(HOSTILE[0] ?? '')
        .first()
        .waitFor();
      await lookAt(page);
    });

    test('pasted pieces', async () => {
      for (const [at, code] of codes.entries()) {
        const page = await open(`/pastebin?code=${code}`, options);
        await expect
          .poll(() => page.getByRole('textbox', { name: 'Text', exact: true }).inputValue())
          .toBe(HOSTILE[at]);
        await lookAt(page);
        await page.context().close();
      }
    });

    test('answers of an AI', async () => {
      const page = await open('/qai', options);
      for (const text of [...HOSTILE, HOSTILE.join('\n\n'), '>'.repeat(3000), `${'['.repeat(2000)}x`]) {
        await page.getByRole('textbox', { name: 'prompt' }).fill(text);
        await page.getByRole('button', { name: 'submit', exact: true }).click();
        await page.getByRole('button', { name: 'stop', exact: true }).waitFor({ state: 'detached' });
      }
      await lookAt(page);
      expect(
        await page.locator('main a[href^="javascript"], main script, main iframe, main img[src*="elsewhere"]').count(),
      ).toBe(0);
    });

    test('settings of devices and scripts', async () => {
      for (const tab of ['devices', 'scripts', 'account']) {
        const page = await open(`/dashboard/settings?tab=${tab}`, options);
        await lookAt(page);
        await page.context().close();
      }
    });
  });
});
