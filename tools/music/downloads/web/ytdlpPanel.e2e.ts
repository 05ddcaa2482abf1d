import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, type TestBrowser } from '#testing/kits/browser/browser.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { readMedia } from '#testing/kits/media/media.ts';
import { createFastYtdlp } from '#testing/kits/media/ytdlp.ts';
import { type ReleaseSite, startReleaseSite, createFakeYtdlp } from '#testing/kits/media/ytdlpReleases.ts';
import { startServer, type TestServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import { downloads, ytgetdata } from '../../contract.ts';

const skipReason = getSkipReason('chromium', 'ffmpeg', 'yt-dlp');

let members: Server;
let origin: string;
let releases: ReleaseSite;
let server: TestServer;
let browser: TestBrowser;
beforeAll(async () => {
  if (skipReason !== undefined) return;
  const song = await readMedia('song.mp3');
  // A site that refuses requests without its cookie.
  members = createServer(({ headers }, response) => {
    if (headers.cookie !== 'sid=ada') return response.writeHead(401).end();
    return response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': song.length }).end(song);
  });
  await new Promise<void>((done) => members.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(members.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  releases = await startReleaseSite();
  const { egressAllow, ytdlpReleases } = releases.options;
  server = await startServer({
    ytdlpReleases,
    egressAllow: [...egressAllow, host],
    ytdlpPath: await createFastYtdlp(),
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await releases?.[Symbol.asyncDispose]();
  members?.close();
});

describe.skipIf(skipReason)(`remedies for downloads (${skipReason ?? 'in Chromium'})`, () => {
  test('cookies allow a refused download and are deleted with one click, and an old yt-dlp is updated', async () => {
    const owner = await server.createAccount('ada');
    const page = await openLoggedIn({ server, browser }, owner, '/musicmusic', { expects: /sendytthumb|updateytdlp/ });
    const panel = page.getByRole('complementary', { name: 'Downloads panel' });
    const press = (name: string): Promise<void> => panel.getByRole('button', { name, exact: true }).click();

    await page.getByRole('textbox', { name: 'Video or playlist link' }).fill(`${origin}/song.mp3`);
    await page.keyboard.press('Enter');
    await panel.getByText('The site requires you to log in (401)').waitFor();
    const chosen = page.waitForEvent('filechooser');
    await press('Add cookies and try again');
    const cookies = '# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t2000000000\tsid\tada\n';
    await (await chosen).setFiles({ name: 'cookies.txt', mimeType: 'text/plain', buffer: Buffer.from(cookies) });
    await panel.getByText('Cookies active').waitFor();
    await panel.getByText('Downloaded! please save').waitFor();
    expect(Object.keys((await owner.call(ytgetdata, {})).mp3s)).toHaveLength(1);

    await panel.getByText('Download settings').click();
    const setting = panel.getByRole('region', { name: 'Cookies' });
    await setting.getByText('Active', { exact: true }).waitFor();
    await press('Delete cookies');
    await panel.getByRole('button', { name: 'Add cookies' }).waitFor();
    expect((await owner.call(downloads, {})).cookies).toEqual([]);

    // Debian's version is years old.
    const old = panel.getByRole('status').filter({ hasText: 'YouTube and some other sites need' });
    // The settings are open, without a second button.
    expect(await page.getByRole('button', { name: 'Update yt-dlp' }).count()).toBe(1);
    await old.getByRole('button', { name: 'Update yt-dlp' }).click();
    await page.getByText('Could not download yt-dlp: its site responded with status 404. Try again later').waitFor();
    await page.getByRole('region', { name: 'Notices' }).getByRole('button').first().click();
    releases.programs.set('stable', createFakeYtdlp('2099.01.01'));
    await old.getByRole('button', { name: 'Update yt-dlp' }).click();
    await page.getByText('yt-dlp is now 2099.01.01').waitFor();
    await old.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Update yt-dlp' }).count()).toBe(1);
    await panel.getByText('yt-dlp 2099.01.01, ffmpeg').waitFor();

    await panel.getByRole('switch', { name: 'Update daily' }).click();
    await panel.getByLabel('Time of the daily update').fill('05:15');
    await panel.getByRole('switch', { name: 'Nightly builds' }).click();
    await expect
      .poll(async () => (await owner.call(downloads, {})).updates)
      .toEqual({ channel: 'nightly', dailyAt: '05:15' });
  });
});
