import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { logout } from '#platform/contract/session.ts';
import { startBrowser, type TestBrowser } from '#testing/kits/browser/browser.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { startMediaSite, type MediaSite } from '#testing/kits/media/mediaSite.ts';
import { createTone } from '#testing/kits/media/songs.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import {
  createplaylist,
  downloads,
  dropupload,
  startupload,
  MAX_UPLOAD_BYTES,
  UPLOAD_CHUNK_BYTES,
  ytgetdata,
} from '../../contract.ts';

const skipReason = getSkipReason('chromium', 'ffmpeg', 'yt-dlp');

let media: MediaSite;
let server: TestServer;
let browser: TestBrowser;
let folder: string;
beforeAll(async () => {
  if (skipReason !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'pegboard-files-'));
  media = await startMediaSite();
  server = await startServer({ egressAllow: media.allowedTargets, rateLimits: false });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await media?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
const lines = (page: Page): Locator => page.getByRole('list', { name: 'Downloads', exact: true });
async function queue(page: Page, link: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Video or playlist link' }).fill(link);
  await page.keyboard.press('Enter');
}

/** Records the colours of the first download, each time they change. */
const recordColours = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const colours: string[] = [];
    Object.assign(window, { colours });
    function look(): void {
      const line = document.querySelector<HTMLElement>('ul[aria-label=Downloads] [data-tone]');
      const colour = line?.dataset['tone'];
      if (colour !== undefined && colour !== colours.at(-1)) colours.push(colour);
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
const notedColours = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (window as unknown as { readonly colours: readonly string[] }).colours);

/** Creates a file of zeros. */
async function createFile(name: string, size: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '');
  await truncate(path, size);
  return path;
}

describe.skipIf(skipReason)(`the downloads panel (${skipReason ?? 'in Chromium'})`, () => {
  test('refused, unsent and failed downloads show the reason and can be tried again', async () => {
    const page = await openLoggedIn({ server, browser }, await server.createAccount('ada'), '/musicmusic', {
      expects: /ytdownload/,
    });
    await page.getByText('No downloads. Paste a link above to start one').waitFor();

    await queue(page, 'file:///etc/passwd');
    await lines(page).getByText('Failed: This is not a web address. Paste a link that begins with https://').waitFor();
    await lines(page).getByText('file:///etc/passwd').hover();
    await button(page, 'Remove file:///etc/passwd from the list').click();
    await page.route('**/api/ytdownload', (route) => route.abort(), { times: 1 });
    await queue(page, media.getAddress('/nothing'));
    await lines(page).getByText('Network Error: The server cannot be reached').waitFor();
    await page.route(
      '**/api/ytdownload',
      (route) => route.fulfill({ status: 500, json: { message: 'server error', id: 'x' } }),
      { times: 1 },
    );
    const again = button(page, `Try ${media.getAddress('/nothing')} again`);
    await again.click();
    await lines(page).getByText('Error: 500 - server error').waitFor();

    await again.click();
    await lines(page).getByText('Download failed: The site responded with status 404').waitFor();
  });

  test('a link becomes a song, with one colour after the other; saving marks it as done, and closing removes it', async () => {
    const account = await server.createAccount('eva');
    const page = await openLoggedIn({ server, browser }, account, '/musicmusic', { expects: /sendytthumb/ });
    await page.getByText('No downloads. Paste a link above to start one').waitFor();
    await recordColours(page);
    await queue(page, media.getAddress('/watch'));
    await lines(page).getByText('Downloaded! please save').waitFor();
    await page.getByText('1 song', { exact: true }).waitFor();
    const save = button(page, 'Save A good song');
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(download.suggestedFilename()).toMatch(/^A good song\.(mp3|m4a)$/);
    await lines(page).getByText('done', { exact: true }).waitFor();
    // docs/specification/music.md section 3.2: finished until the library is refetched, then ready to save, then done.
    expect(await notedColours(page)).toEqual(['orange', 'teal', 'blue', 'green']);
    expect(await save.count()).toBe(0);
    await button(page, 'Remove A good song from the list').click();
    await page.getByText('No downloads. Paste a link above to start one').waitFor();
  });

  test('a cancelled download disappears from every page', async () => {
    const account = await server.createAccount('hal');
    const page = await openLoggedIn({ server, browser }, account, '/musicmusic');
    const other = await openLoggedIn({ server, browser }, account, '/musicmusic');
    await other.getByText('No downloads. Paste a link above to start one').waitFor();
    await queue(page, media.getAddress('/stall.mp3'));
    const cancel = { name: /^Cancel .*stall/ };
    await other.getByRole('button', cancel).waitFor();
    await lines(page).getByText('stall').hover();
    await page.getByRole('button', cancel).click();
    for (const each of [page, other]) await each.getByText('No downloads. Paste a link above to start one').waitFor();
    await expect.poll(async () => (await account.call(downloads, {})).downloads).toEqual([]);
  });

  test('all songs of a list can be saved together, and finished downloads can be cleared together', async () => {
    const account = await server.createAccount('dan');
    const { promise: saved, resolve: save } = Promise.withResolvers<unknown>();
    const done = { status: 'Downloaded! please save', failed: 3 };
    const all = [
      { ...done, downloadid: 1, title: 'Autumn set', video_id: '' },
      { ...done, downloadid: 2, title: 'Small hours', video_id: 12, parent: 1 },
      { ...done, downloadid: 3, title: 'Two rivers', video_id: 11, parent: 1 },
      { ...done, downloadid: 4, title: 'Alone', video_id: 13 },
    ];
    const sentFrames: string[] = [];
    const page = await openLoggedIn({ server, browser }, account, '/musicmusic', {
      before: async (blank) => {
        blank.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sentFrames.push(String(payload))));
        await blank.route('**/api/downloads', (route) =>
          route.fulfill({ json: { message: 'ok', downloads: all, hindrance: '', tools: '' } }),
        );
        await blank.route('**/api/changedownload', (route) => route.fulfill({ json: { message: 'ok' } }));
        await blank.route('**/api/downloadticket', async (route) => {
          save(route.request().postDataJSON());
          await route.fulfill({
            json: { message: 'ok', address: '/manifest.webmanifest', name: 'Songs.zip', size: 1 },
          });
        });
      },
    });
    // docs/specification/music.md section 2.4: what the page announces, the room that it joins, and that it polls with
    // its token.
    for (const part of [
      '["/api/connect",{"message":"musicdownloader"}',
      `"${account.token}music"`,
      `"/api/poll_download_progress",{"token":"${account.token}"}`,
    ])
      await expect.poll(() => sentFrames.join('\n')).toContain(part);
    await button(page, '2 of 2 songs of Autumn set').click();
    await lines(page).getByText('Two rivers').waitFor();
    await button(page, 'Save Autumn set').click();
    await expect.poll(() => lines(page).getByText('done', { exact: true }).count()).toBe(3);
    // The other one was not saved, but its song is in the library.
    await button(page, 'Clear finished').click();
    await page.getByText('No downloads. Paste a link above to start one').waitFor();
    expect(await saved).toMatchObject({ songs: [12, 11] });
  });

  test('an uploaded file is added to a playlist, resumes after an interruption and a login, and is invisible to the next user', async () => {
    const account = await server.createAccount('ben');
    const { playlistid } = await account.call(createplaylist, { title: 'Own', contains: [] });
    const page = await openLoggedIn({ server, browser }, account, '/musicmusic', {
      expects: /uploadpart|sendytthumb/,
    });
    await page.getByRole('heading', { name: 'Own', exact: true }).waitFor();
    await page.route('**/api/uploadpart', (route) => route.abort());
    const content = await createTone(330, 3);
    const files = await page.evaluateHandle((bytes) => {
      const given = new DataTransfer();
      given.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], 'My tone.mp3'));
      return given;
    }, content.toString('base64'));
    const block = page.locator(`[data-playlist="${playlistid}"]`);
    await block.dispatchEvent('dragover', { dataTransfer: files });
    await page.getByText(/^Drop audio files/).waitFor();
    await block.dispatchEvent('drop', { dataTransfer: files });
    await lines(page).getByText('Waiting for a connection').waitFor();
    await page.unroute('**/api/uploadpart');
    await block.getByText('1 song').waitFor();
    const { mp3s, playlists } = await account.call(ytgetdata, {});
    expect(playlists[String(playlistid)]?.contains.map((id) => mp3s[String(id)]?.title)).toEqual(['My tone']);

    const form = page.getByRole('form', { name: 'Log in' });
    async function logIn(username: string): Promise<void> {
      await form.getByLabel('Username').fill(username);
      await form.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
      await page.keyboard.press('Enter');
    }
    // The session ends while a file is sent. It resumes after a login on the same page.
    await page.route(
      '**/api/uploadpart',
      async (route) => {
        await account.call(logout, {});
        await route.continue();
      },
      { times: 1 },
    );
    const second = await createTone(440, 2);
    await page
      .getByLabel('Audio files')
      .setInputFiles({ name: 'My second.mp3', mimeType: 'audio/mpeg', buffer: second });
    await form.waitFor();
    const sentOn = page.waitForRequest('**/api/uploadpart');
    await logIn(account.name);
    const headers = await (await sentOn).allHeaders();
    await lines(page).getByText('My second').waitFor();
    await page.getByText('2 songs', { exact: true }).waitFor();

    // The next user sees nothing of it, and no drafts either.
    await page
      .getByLabel('Audio files')
      .setInputFiles({ name: 'Private.mp3', mimeType: 'audio/mpeg', buffer: Buffer.alloc(0) });
    await lines(page).getByText('Failed: This file is empty. Choose another file').waitFor();
    await page.getByRole('textbox', { name: 'Search songs and playlists' }).fill('secret');
    const next = await server.createAccount('cleo');
    const token = headers['authorization']?.replace('Bearer ', '');
    await createClient({ origin: server.origin, token: () => token })(logout, {});
    await form.waitFor();
    await logIn(next.name);
    await page.getByText('No downloads. Paste a link above to start one').waitFor();
    expect(await page.getByRole('textbox', { name: 'Search songs and playlists' }).inputValue()).toBe('');
  });

  test('an uploaded file is listed once, even before the page knows that it has arrived', async () => {
    const page = await openLoggedIn({ server, browser }, await server.createAccount('gil'), '/musicmusic');
    const { promise: seen, resolve: see } = Promise.withResolvers<void>();
    await page.route('**/api/uploadpart', async (route) => {
      const response = await route.fetch();
      await seen;
      await route.fulfill({ response });
    });
    const buffer = await createTone(392, 2);
    await page.getByLabel('Audio files').setInputFiles({ name: 'Once.mp3', mimeType: 'audio/mpeg', buffer });
    await lines(page).getByText('Once.mp3').waitFor();
    await lines(page)
      .getByText(/download pending|please save/)
      .waitFor();
    expect(await lines(page).getByText(/^Once/).count()).toBe(1);
    see();
    await page.getByText('1 song', { exact: true }).waitFor();
    expect(await lines(page).getByText(/^Once/).count()).toBe(1);
  });

  test('a file that is too large is refused immediately, an upload resumes after a reload, and a cancelled one takes no space', async () => {
    const account = await server.createAccount('finn');
    const page = await openLoggedIn({ server, browser }, account, '/musicmusic', { expects: /uploadpart/ });
    const chooser = page.getByLabel('Audio files');
    const large = await createFile('Large.mp3', MAX_UPLOAD_BYTES + 1);
    await chooser.setInputFiles(large);
    await lines(page).getByText('Failed: This file is larger than 1 GiB').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^1 failed$/ })
      .waitFor();
    const ofTwoParts = await createFile('Two parts.mp3', UPLOAD_CHUNK_BYTES + 1);
    let sent = 0;
    await page.route('**/api/uploadpart', (route) => (++sent === 1 ? route.continue() : route.abort()));
    await chooser.setInputFiles(ofTwoParts);
    await lines(page).getByText('Waiting for a connection').waitFor();
    await page.reload();
    const startRequest = page.waitForResponse(`**${startupload.path}`);
    await chooser.setInputFiles(ofTwoParts);
    expect(await (await startRequest).json()).toMatchObject({ offset: UPLOAD_CHUNK_BYTES });
    await lines(page).getByText('Two parts.mp3').hover();
    const announced = (await startRequest).request().postDataJSON();
    const dropped = page.waitForResponse(`**${dropupload.path}`);
    await button(page, 'Cancel Two parts.mp3').click();
    expect((await dropped).status()).toBe(200);
    expect(await account.call(startupload, announced)).toMatchObject({ offset: 0 });
  });
});
