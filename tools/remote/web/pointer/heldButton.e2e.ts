import type { Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { motion } from '../../contract.ts';

const site = startTestSite();

/** Resolves once this many events have reported that the left button is held. */
function waitForHeldEvents(page: Page, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let sentCount = 0;
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes(motion.name) && String(payload).includes('"lmb":true')) sentCount += 1;
      if (sentCount === count) resolve();
    }),
  );
  return promise;
}

describe.skipIf(site.skipReason)(`a button of the mouse panel (${site.skipReason ?? 'in Chromium'})`, () => {
  test('is sent repeatedly while it is held on a phone without tilt, or the computer would release it', async () => {
    const account = await site.server.createAccount('anna');
    await using device = await startDevice(site.server, account);
    let heldEvents: Promise<void> | undefined;
    const page = await openConnected(site, account, '/dashboard', {
      size: 'phone',
      plainHttp: true,
      before: async (blank) => void (heldEvents = waitForHeldEvents(blank, 5)),
    });
    await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
    const button = page.getByRole('button', { name: 'LMB' });
    await button.scrollIntoViewIfNeeded();
    const lmb = await button.boundingBox();
    await page.mouse.move((lmb?.x ?? 0) + 20, (lmb?.y ?? 0) + 20);
    await page.mouse.down();
    await heldEvents;
    await page.mouse.up();
    await device.drivers.waitForActions((acts) => acts.some((act) => act.kind === 'button' && !act.down));
  });
});
