import { describe, expect, test } from 'vitest';
import { browserHello } from '#platform/contract/device.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { retrievemessages } from '../contract.ts';

const site = startTestSite({ rateLimits: false });

describe.skipIf(site.skipReason)(`the sender of a message (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a message written before the browser’s device is known waits, and appears under its name', async () => {
    const account = await site.server.createAccount('anna');
    await using device = await startDevice(site.server, account);
    const retrieve = () => account.call(retrievemessages, { target: device.target });
    const page = await openLoggedIn(site, account, '/dashboard/about');
    const mayTalk = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, (line) => {
      const server = line.connectToServer();
      line.onMessage((sent) => void mayTalk.promise.then(() => server.send(sent)));
    });
    await page.goto('/messages');
    await page.getByRole('complementary', { name: 'Devices' }).getByRole('button', { name: 'Laptop' }).click();
    const field = page.getByRole('textbox', { name: 'Message to Laptop' });
    await field.fill('early');
    await field.press('Enter');
    const early = page.getByRole('log').getByRole('article').filter({ hasText: 'early' });
    await early.getByText('Sending').waitFor();
    expect((await retrieve()).messages).toEqual([]);
    mayTalk.resolve();
    await early.getByText('Delivered').waitFor();
    expect((await retrieve()).sentby).toEqual([expect.stringContaining('Chromium on Linux')]);
  });

  test('a message written offline, before the browser’s device is known, appears under its name once it is sent', async () => {
    const account = await site.server.createAccount('carl');
    await using device = await startDevice(site.server, account);
    const page = await openLoggedIn(site, account, '/dashboard/about', {
      expects: /ERR_INTERNET_DISCONNECTED|WebSocket|Failed to load resource/,
    });
    let mayTell = false;
    const greeted = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, (line) => {
      const server = line.connectToServer();
      line.onMessage((sent) => {
        if (String(sent).includes(browserHello.name)) greeted.resolve();
        if (mayTell || !String(sent).includes(browserHello.name)) server.send(sent);
      });
    });
    await page.goto('/messages');
    // A wide page opens the only computer automatically.
    await page.getByRole('textbox', { name: 'Message to Laptop' }).waitFor();
    await greeted.promise;
    await page.context().setOffline(true);
    const field = page.getByRole('textbox', { name: 'Message to Laptop' });
    await field.fill('from the train');
    await field.press('Enter');
    const written = page.getByRole('log').getByRole('article').filter({ hasText: 'from the train' });
    await written.getByText('Waiting for the server').waitFor();
    mayTell = true;
    await page.context().setOffline(false);
    await written.getByText('Delivered').waitFor();
    const { messages, sentby } = await account.call(retrievemessages, { target: device.target });
    expect([messages, sentby]).toEqual([['from the train'], [expect.stringContaining('Chromium on Linux')]]);
  });

  test('a message whose answer was lost appears once, also if its device becomes known only afterwards', async () => {
    const account = await site.server.createAccount('ben');
    await using device = await startDevice(site.server, account);
    const page = await openLoggedIn(site, account, '/dashboard/about', { expects: /ERR_FAILED/ });
    let mayTell = false;
    let mayShow = false;
    await page.routeWebSocket(/socket\.io/, (line) => {
      const server = line.connectToServer();
      line.onMessage((sent) => {
        if (mayTell || !String(sent).includes(browserHello.name)) server.send(sent);
      });
    });
    // A message that the conversation already shows is not sent again, so this must come earlier.
    await page.route('**/api/retrievemessages', (route) => (mayShow ? route.continue() : route.abort()));
    const lost = Promise.withResolvers<void>();
    await page.route('**/api/sendmessage', async (route) => {
      await route.fetch();
      // The page may be closed by now.
      await route.abort().catch(() => undefined);
      lost.resolve();
    });
    await page.goto('/messages');
    await page.getByRole('complementary', { name: 'Devices' }).getByRole('button', { name: 'Laptop' }).click();
    const field = page.getByRole('textbox', { name: 'Message to Laptop' });
    await field.fill('only once');
    await field.press('Enter');
    await lost.promise;
    // Left before it is sent again: this visit would send it with the same identity.
    await page.goto('/dashboard/about');
    await page.unroute('**/api/sendmessage');
    mayTell = true;
    const sentAgain = page.waitForResponse('**/api/sendmessage');
    await page.goto('/messages');
    await sentAgain;
    mayShow = true;
    expect((await account.call(retrievemessages, { target: device.target })).messages).toEqual(['only once']);
  });
});
