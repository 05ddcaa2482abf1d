import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { createClient } from '#platform/contract/client.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { type OpenPageOptions, pressAndConfirm, waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { waitFor, startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startScreenRecorder, createRecording, type RecordingKind } from '#testing/kits/media/recordings.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { gallery } from '../agent/index.ts';
import { cwlt, publishvideos, sendcapture } from '../contract.ts';

const site = startTestSite();
const skipReason = site.skipReason ?? getSkipReason('ffmpeg', 'Xvfb', 'openbox');

const openGallery = (account: TestAccount, options: OpenPageOptions = {}, path = '/cw'): Promise<Page> =>
  reusePage(site, account, path, { timeZone: 'UTC', ...options });
const getThumbs = (page: Page) => page.getByRole('button', { name: /^Play / });
const getPlayer = (page: Page) => page.getByRole('group', { name: /^Video / });
const listHeadings = (page: Page): Promise<readonly string[]> =>
  page.getByRole('heading', { level: 2 }).allInnerTexts();
const waitForPlayback = (page: Page) =>
  page.waitForFunction(() => {
    const video = document.querySelector('video');
    // A short recording may have ended before the check.
    return video !== null && (!video.paused || video.ended) && video.currentTime > 0 && video.videoWidth > 0;
  });
const expectFocus = (page: Page, name: RegExp) =>
  expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toMatch(name);

/** Creates recordings of a computer at these times in UTC: `2026-11-20_21-04-05`. */
async function uploadRecordings(
  account: TestAccount,
  times: readonly string[],
  { kind = 'webm', seconds = 2 }: { readonly kind?: RecordingKind; readonly seconds?: number } = {},
): Promise<void> {
  const { origin } = site.server;
  const content = await createRecording(kind, seconds);
  await using device = await startDevice({ origin }, account, { name: 'Camera', tools: [] });
  const call = createClient({ origin, token: () => device.token });
  const description = { offset: 0, size: content.length, digest: createHash('sha256').update(content).digest('hex') };
  for (const time of times)
    await call(sendcapture, { ...description, name: `${time}Z.mkv`, data: content.toString('base64') });
  await waitFor('the recordings are in the gallery', async () => {
    const { files } = await account.call(cwlt, {});
    return files.flatMap((session) => session.files).length >= times.length;
  });
}

const CONVERSION_TIMEOUT_MS = 180_000;

// Recordings are created, and played to their end.
describe.skipIf(skipReason)(`the gallery's page (${skipReason ?? 'in Chromium'})`, { timeout: 240_000 }, () => {
  test('the owner sees sessions newest first, plays them with the keyboard, and publishes one', async () => {
    const anna = await site.server.createAccount('anna');
    await uploadRecordings(anna, [
      '2026-11-20_21-04-05',
      '2026-11-20_21-30-00',
      '2026-11-20_21-40-00',
      '2026-11-15_23-59-59',
    ]);
    const page = await openGallery(anna);
    await expect
      .poll(() => listHeadings(page))
      .toEqual(['Session from 20 Nov 2026 21:04 to 21:40', 'Session from 15 Nov 2026 23:59 to 16 Nov 2026 00:00']);
    expect(await getThumbs(page).count()).toBe(4);
    const colour = await page
      .getByText('Video sessions')
      .first()
      .evaluate((title) => getComputedStyle(title).color);
    expect(colour).toBe('rgb(190, 40, 56)');

    await getThumbs(page).first().focus();
    await page.keyboard.press('ArrowRight');
    await expectFocus(page, /^Play 21:30, 0:02, private$/);
    await page.keyboard.press('Enter');
    await waitForPlayback(page);
    await expectFocus(page, /^Video 20 Nov 2026 21:30$/);
    expect(await page.locator('video').getAttribute('controls')).not.toBeNull();
    await page.keyboard.press('ArrowRight');
    await expectFocus(page, /^Video 20 Nov 2026 21:40$/);
    await waitForPlayback(page);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => document.querySelector('video')?.paused);
    await page.keyboard.press('Escape');
    await expectFocus(page, /^Play 21:40/);
    expect(await page.locator('video').count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    await expectFocus(page, /^Play 23:59/);
    expect(await findBarriersInBoth(page)).toEqual([]);

    const visitor = await site.browser.openPage(site.server.origin, '/cw', { timeZone: 'UTC' });
    await visitor.getByText('There are no public sessions').waitFor();
    const session = page.getByRole('region', { name: 'Session from 20 Nov 2026 21:04' });
    await session.getByRole('switch', { name: 'Public' }).click();
    await session.getByRole('button', { name: 'Share this session' }).click();
    const [shared] = (await anna.call(cwlt, {})).files;
    await visitor.goto(`/cw#${shared?.files[2]}`);
    await visitor.reload();
    await expect.poll(() => listHeadings(visitor)).toEqual(['Session from 20 Nov 2026 21:04 to 21:40']);
    expect(await visitor.getByRole('switch').count()).toBe(0);
    await getThumbs(visitor).nth(1).click();
    await waitForPlayback(visitor);
    expect(await visitor.getByRole('button', { name: /Delete|Rename/ }).count()).toBe(0);
    // Other tests expect only their own sessions.
    await anna.call(publishvideos, { files: shared?.files ?? [], public: false });
  });

  test('the owner renames, downloads and deletes a recording, and deletes an unreadable one', async () => {
    const ben = await site.server.createAccount('ben');
    await uploadRecordings(ben, ['2026-11-20_21-04-05', '2026-11-20_21-20-00']);
    const page = await openGallery(ben);
    await using camera = await startDevice(site.server, ben, { name: 'Camera', tools: [] });
    const call = createClient({ origin: site.server.origin, token: () => camera.token });
    const junk = { offset: 0, size: 4, digest: createHash('sha256').update('junk').digest('hex'), data: 'anVuaw==' };
    await call(sendcapture, { ...junk, name: 'junk.mkv' });
    await page.getByText('No video in this file').waitFor();
    await pressAndConfirm(
      page.getByRole('button', { name: 'Delete junk.mkv' }),
      page.getByRole('button', { name: 'Confirm Delete' }),
    );
    await page.getByText('No video in this file').waitFor({ state: 'detached' });
    await getThumbs(page).first().click();
    await getPlayer(page).getByRole('button', { name: 'Rename 21:04' }).click();
    await page.getByRole('textbox', { name: 'New name for 21:04' }).fill('Boss <b>fight</b>');
    await page.keyboard.press('Enter');
    await getPlayer(page).getByText('Boss <b>fight</b>').waitFor();
    await expectFocus(page, /^Video /);
    const address = await page.locator('video').getAttribute('src');
    await page.getByRole('switch', { name: 'Public' }).click();
    await page.getByRole('button', { name: 'Share this session' }).waitFor();
    // It continues to play: a signed address is valid for public recordings too.
    expect(await page.locator('video').getAttribute('src')).toBe(address);
    await page.getByRole('switch', { name: 'Public' }).click();
    await page.getByRole('button', { name: 'Share this session' }).waitFor({ state: 'detached' });
    const downloadStarted = page.waitForEvent('download');
    await getPlayer(page)
      .getByRole('link', { name: /^Download/ })
      .click();
    const download = await downloadStarted;
    expect(download.suggestedFilename()).toBe('20 Nov 2026 21.04 Boss _b_fight_b_.webm');
    const file = await readFile(await download.path());
    expect(file.subarray(0, 4)).toEqual(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
    await pressAndConfirm(
      getPlayer(page).getByRole('button', { name: /^Delete/ }),
      getPlayer(page).getByRole('button', { name: 'Confirm Delete' }),
    );
    await page.locator('video').waitFor({ state: 'detached' });
    await expect.poll(() => getThumbs(page).count()).toBe(1);
    await expectFocus(page, /^Play 21:20/);
    await page.keyboard.press('Enter');
    await pressAndConfirm(
      getPlayer(page).getByRole('button', { name: /^Delete/ }),
      getPlayer(page).getByRole('button', { name: 'Confirm Delete' }),
    );
    await page.getByText('Recordings appear here, grouped by session').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });

  test('a partly public session has buttons to publish all of it or make all of it private', async () => {
    const gina = await site.server.createAccount('gina');
    await uploadRecordings(gina, ['2026-11-20_21-04-05', '2026-11-20_21-20-00']);
    const isPublic = async () =>
      (await gina.call(cwlt, {})).files.flatMap(({ videos }) => videos.map((video) => video.public));
    const [file = ''] = (await gina.call(cwlt, {})).files[0]?.files ?? [];
    await gina.call(publishvideos, { files: [file], public: true });
    const page = await openGallery(gina);
    await page.getByText('2 videos, 1 of them public').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    expect(await findBarriersInBoth(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make all public' }).click();
    await expect.poll(() => page.getByRole('switch', { name: 'Public' }).getAttribute('aria-checked')).toBe('true');
    expect(await isPublic()).toEqual([true, true]);
    await expectFocus(page, /^Who sees this session$/);
    await gina.call(publishvideos, { files: [file], public: false });
    await page.getByRole('button', { name: 'Make all private' }).click();
    await expect.poll(() => page.getByRole('switch', { name: 'Public' }).getAttribute('aria-checked')).toBe('false');
    expect(await isPublic()).toEqual([false, false]);
  });

  test('a missing picture or video is reported in its place', async () => {
    const hugo = await site.server.createAccount('hugo');
    await uploadRecordings(hugo, ['2026-11-20_21-04-05']);
    const [file = ''] = (await hugo.call(cwlt, {})).files[0]?.files ?? [];
    const folder = join(site.server.dataDir, 'gallery', 'videos');
    // A file of another kind, as a missing file would be reported in the console, which no test accepts.
    for (const name of [`${file}.png`, `${file}.webm`]) await writeFile(join(folder, name), 'none of these');
    const page = await openGallery(hugo);
    await page.getByText('[failedload]').waitFor();
    await getThumbs(page).click();
    await page.getByRole('alert').getByText("This video can't be played here.").waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await getPlayer(page).getByRole('button', { name: 'Close' }).click();
    await expectFocus(page, /^Play 21:04/);
  });

  test('the owner starts a recording on the page, and stops it from the palette of another page', async () => {
    const fred = await site.server.createAccount('fred');
    await using laptop = await startDevice(site.server, fred, { name: 'Laptop', tools: [gallery] });
    laptop.drivers.setRecordedContent(await createRecording('webm'));
    const page = await openGallery(fred);
    await page.getByText('Recordings appear here, grouped by session').waitFor();
    await page.getByRole('button', { name: 'Record the screen of Laptop' }).click();
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    await page.getByRole('button', { name: 'Recording menu' }).click();
    await page.getByRole('menuitem', { name: 'Stop recording Laptop' }).waitFor();
    await page.getByRole('menuitem', { name: 'Make new recordings public' }).click();
    expect(await findBarriersInBoth(page)).toEqual([]);
    const dashboard = await openGallery(fred, {}, '/dashboard');
    await dashboard.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await waitForIdle(dashboard);
    // A fast typist is ahead of commands that are still loading.
    const typingDone = Promise.withResolvers<undefined>();
    await dashboard.route('**/assets/RecordCommands-*.js', async (route) => {
      await typingDone.promise;
      await route.continue();
    });
    await dashboard.keyboard.press('Control+k');
    await dashboard.getByPlaceholder('Search pages and commands').fill('Stop recording Laptop');
    await dashboard.getByText('No pages or commands match').waitFor();
    typingDone.resolve(undefined);
    await dashboard.locator('[data-selected]', { hasText: 'Stop recording Laptop' }).waitFor();
    await dashboard.keyboard.press('Enter');
    await getThumbs(page).waitFor();
    await page.getByRole('button', { name: 'Stop recording' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Share this session' }).first().waitFor();
    // Other tests expect only their own sessions.
    const ownFiles = (await fred.call(cwlt, {})).files.flatMap(({ files }) => files);
    await fred.call(publishvideos, { files: ownFiles, public: false });
  });

  test('on a phone a player is as wide as the page, and a swipe opens the next video', async () => {
    const cleo = await site.server.createAccount('cleo');
    await uploadRecordings(cleo, ['2026-11-20_21-04-05', '2026-11-20_21-30-00']);
    const page = await openGallery(cleo, { size: 'phone', scheme: 'dark' });
    await getThumbs(page).first().tap();
    await waitForPlayback(page);
    const box = await getPlayer(page).boundingBox();
    expect(box?.width).toBeGreaterThan(340);
    const cdpSession = await page.context().newCDPSession(page);
    const y = (box?.y ?? 0) + 60;
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      cdpSession.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y }] });
    await touch('touchStart', 300);
    for (const x of [250, 200, 150]) await touch('touchMove', x);
    await touch('touchEnd');
    await page.getByRole('group', { name: 'Video 20 Nov 2026 21:30' }).waitFor();
    await waitForPlayback(page);
    expect(await findBarriersInBoth(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('recordings of the agent and of another recorder are playable', async () => {
    const folder = await createTempFolder();
    const dora = await site.server.createAccount('dora');
    await using desk = await startDesktop();
    await using drivers = await openSystemDrivers({ env: desk.env, stateDir: folder, retryIntervalMs: 60_000 });
    await using laptop = await startDevice(site.server, dora, { drivers, tools: [gallery] });
    await laptop.agent.runSubcommand('capture', ['start', '--region', '100,50,641x361']);
    await expect(laptop.agent.runSubcommand('capture', ['start'])).rejects.toThrow('already being recorded');
    await waitFor('it records', () => laptop.agent.listStatus().some((line) => line.includes('recording for')));
    const path = join(folder, 'other.mkv');
    const other = await startScreenRecorder(desk.name, path);
    await other.end('SIGKILL');
    await laptop.agent.runSubcommand('capture', ['stop']);
    await laptop.agent.runSubcommand('capture', ['start']);
    await waitFor('it records the whole screen', async () => {
      const [part] = (await readdir(join(laptop.stateDir, 'captures'))).filter((name) => name.endsWith('.part'));
      return part !== undefined && (await stat(join(laptop.stateDir, 'captures', part))).size > 0;
    });
    await laptop.agent.runSubcommand('capture', ['stop']);
    const content = await readFile(path);
    const call = createClient({ origin: site.server.origin, token: () => laptop.token });
    const digest = createHash('sha256').update(content).digest('hex');
    const data = content.toString('base64');
    await call(sendcapture, { name: 'killed.mkv', offset: 0, size: content.length, digest, data });
    const loadGallery = () => dora.call(cwlt, {});
    async function getState() {
      const { files, own } = await loadGallery();
      const count = files.flatMap((session) => session.files).length;
      return { count, waiting: own?.waiting, broken: own?.broken, agent: laptop.agent.listStatus() };
    }
    // Three conversions of real recordings, on any machine. A first failure is retried after 4 and 16 seconds.
    await expect
      .poll(getState, { timeout: CONVERSION_TIMEOUT_MS })
      .toMatchObject({ count: 3, waiting: [], broken: [] });
    const videos = (await loadGallery()).files.flatMap((session) => session.videos);
    const sizes = videos.map(({ width, height, cut }) => ({ width, height, cut }));
    expect(sizes).toContainEqual({ width: 640, height: 360, cut: false });
    expect(sizes).toContainEqual({ width: 640, height: 360, cut: true });
    expect(sizes).toContainEqual({ width: 1280, height: 800, cut: false });
    // A recording that was stopped right after the first data may have a single frame.
    expect(videos.every(({ duration }) => duration > 0)).toBe(true);
    const page = await openGallery(dora);
    for (const video of videos) {
      await page.locator(`[data-video="${video.file}"]`).click();
      await waitForPlayback(page);
      await page.keyboard.press('Escape');
    }
  });
});
