import { describe, expect, test } from 'vitest';
import { startDevice } from '#testing/device.ts';
import { openSignedIn } from '#testing/signedIn.ts';
import { serveSite } from '#testing/site.ts';
import { retrievemessages } from '../contract.ts';

const site = serveSite({ rateLimits: false });

describe.skipIf(site.lack)(`who writes (${site.lack ?? 'in Chromium'})`, () => {
  test('what is written before the server has said which device this browser is waits, and stands under its name', async () => {
    const account = await site.server.account('anna');
    await using device = await startDevice(site.server, account);
    const said = () => account.call(retrievemessages, { target: device.target });
    const page = await openSignedIn(site, account, '/dashboard/about');
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
    expect((await said()).messages).toEqual([]);
    mayTalk.resolve();
    await early.getByText('Delivered').waitFor();
    expect((await said()).sentby).toEqual([expect.stringContaining('Chromium on Linux')]);
  });
});
