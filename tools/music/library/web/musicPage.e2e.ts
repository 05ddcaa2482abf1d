import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { logout } from '#platform/contract/session.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForFocus, type OpenPageOptions, pressAndConfirm, waitForIdle } from '#testing/kits/browser/browser.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import {
  createListener,
  openMusicPage,
  waitForPlaying,
  serveMusicSite,
  waitForSilence,
  type TestListener,
} from '#testing/kits/media/listener.ts';
import { TEST_PASSWORD, type TestAccount } from '#testing/kits/server/server.ts';
import { countplay, createplaylist, modplaylist, starsong, ytgetdata } from '../../contract.ts';

const site = serveMusicSite({ rateLimits: false });

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
const getSongList = (page: Page, playlist: string): Locator => page.getByRole('list', { name: `Songs of ${playlist}` });
const getTitles = (list: Locator): Promise<string[]> => list.locator('[data-song] [class*=title]').allTextContents();
async function openOptions(page: Page, list: Locator, song: string): Promise<Locator> {
  await button(list, `Options for ${song}`).click();
  return page.getByRole('group', { name: `Options for ${song}` });
}

const MANY = 3000;
function manySongs() {
  const ids = Array.from({ length: MANY }, (_, at) => at + 1);
  const same = { colour: '#5a5a5a', expanded: false, selected: false, artist: '', album: '', duration: 200, size: 1 };
  const ours = { added: '2026-11-20T12:00:00Z', plays: 0, starred: false, gain: 0, peak: 1, source: '' };
  const mp3 = (id: number) => ({
    ...same,
    ...ours,
    isMissing: false,
    hasPicture: true,
    title: `Song ${id}`,
    order: id,
  });
  const playlist = { user_created: 1, expanded: false, created: '2026-11-20T12:00:00Z' };
  return {
    mp3s: Object.fromEntries(ids.map((id) => [id, mp3(id)])),
    playlists: {
      '-1': { ...playlist, title: 'All MP3s', contains: ids, user_created: 0 },
      5: { ...playlist, title: 'Behind them all', contains: [1] },
    },
  };
}

/** Opens a page with more songs than are rendered. `onPicture` receives the id of each requested picture. */
const openMany = async (name: string, onPicture: (song: string) => void = () => undefined): Promise<Page> =>
  openLoggedIn(site, await site.server.createAccount(name), '/musicmusic', {
    expects: /sendytthumb/,
    before: async (blank) => {
      await blank.route('**/api/ytgetdata*', async (route) => {
        const answer = await route.fetch().then((fetched) => fetched.json());
        return route.fulfill({ json: { ...answer, ...manySongs(), part: undefined } });
      });
      await blank.route('**/api/sendytthumb/*', (route) => {
        onPicture(route.request().url().split('/').at(-1) ?? '');
        return route.fulfill({ status: 404 });
      });
    },
  });

/** Returns the titles of a playlist's songs on the server. */
async function getStoredTitles({ account }: TestListener, title: string): Promise<readonly (string | undefined)[]> {
  const { mp3s, playlists } = await account.call(ytgetdata, {});
  const found = Object.values(playlists).find((each) => each.title === title);
  return (found?.contains ?? []).map((song) => mp3s[String(song)]?.title);
}

let people = 0;

/** Creates a picture in one colour with a lighter stripe, so that a tint is visible. */
const picture = (colour: string): Promise<Buffer> =>
  sharp({ create: { width: 80, height: 80, channels: 3, background: colour } })
    .composite([
      { input: Buffer.from('<svg width="80" height="80"><circle cx="40" cy="40" r="22" fill="#fff8"/></svg>') },
    ])
    .webp()
    .toBuffer();

const SONGS = [
  ['Slow harbour', 252, '#3b82c4', '2026-11-20'],
  ['Paper lanterns, live', 400, '#d9508a', '2026-11-18'],
  ['Night tram no. 5', 185, '#c98a1b', '2026-11-12'],
  ['Under the long bridge', 321, '#2fa37a', '2026-11-04'],
  ['Rain on a tin roof', 482, '#8b5cf6', '2026-11-01'],
] as const;

/** Creates an account with the library of the mock. The last song has no picture. */
async function createOwner(): Promise<TestAccount> {
  const account = await site.server.createAccount(`owner ${++people}`);
  const songs = await site.server.addSongs(
    account.name,
    await Promise.all(
      SONGS.map(async ([title, duration, colour, day], at) => ({
        title,
        duration,
        colour,
        artist: at === 1 ? 'The long harbour orchestra' : '',
        added: Date.parse(`${day}T12:00:00Z`),
        ...(at < SONGS.length - 1 ? { picture: await picture(colour) } : {}),
        id: 2 ** 49 + people * 1000 + at,
        siteId: `${people} ${at}`,
      })),
    ),
  );
  const ids = songs.map(({ id }) => id);
  const [played = 0, liked = 0] = ids;
  for (const play of ['first-time', 'second-time']) await account.call(countplay, { id: played, play });
  await account.call(starsong, { id: liked, starred: true });
  await account.call(createplaylist, { title: 'Evening walk', contains: ids });
  await account.call(createplaylist, { title: 'Focus', contains: ids.slice(2, 4) });
  await account.call(createplaylist, { title: 'Long drives', contains: [] });
  return account;
}

const STATES = [
  { title: 'Lost tape', status: 'Download failed', failed: 1, reason: 'The site responded with status 404' },
  { title: 'Small hours', status: 'Queued for download', failed: 4 },
  { title: 'Autumn set', status: 'Playlist download pending', failed: 5 },
  { title: 'Two rivers', status: 'mp3 download pending', failed: 5, percent: 64 },
  { title: 'City in blue', status: 'finished', failed: 2 },
  { title: 'Morning ferry', status: 'Downloaded! please save', failed: 3, video_id: 7 },
  { title: 'Glass garden', status: 'done', failed: 0 },
] as const;

/** Adds downloads in all states to the panel. */
const inAllStates = (page: Page): Promise<unknown> =>
  page.route('**/api/downloads', (route) =>
    route.fulfill({
      json: {
        message: 'ok',
        downloads: STATES.map((state, at) => ({ downloadid: 100 - at, video_id: '', ...state })),
        hindrance: 'Downloads need yt-dlp and ffmpeg, but yt-dlp is not installed on this server',
        tools: 'yt-dlp 2025.11.12, ffmpeg 5.1.9, bwrap',
      },
    }),
  );

const SIZES: readonly OpenPageOptions[] = [{ size: 'wide' }, { size: 'phone' }];

describe.skipIf(site.skipReason)(`the music page${site.skipReason ?? ''}`, () => {
  test('songs can be moved to both ends, removed with two clicks and downloaded; All MP3s cannot be changed', async () => {
    const listener = await createListener(site, [3, 3, 3]);
    const page = await openMusicPage(site, listener);
    const list = getSongList(page, 'Evening walk');
    const first = await openOptions(page, list, 'Tone 1');
    expect(await button(first, 'Order up').isDisabled()).toBe(true);
    await button(first, 'Order down').click();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 2', 'Tone 1', 'Tone 3']);
    await button(first, 'Order down').click();
    await expect.poll(() => button(first, 'Order down').isDisabled()).toBe(true);
    await expect.poll(() => getStoredTitles(listener, 'Evening walk')).toEqual(['Tone 2', 'Tone 3', 'Tone 1']);

    expect(await button(first, 'Change order').getAttribute('title')).toContain('Not available');
    expect(await first.getByRole('checkbox').getAttribute('title')).toBe('Does nothing');
    const [song] = await Promise.all([page.waitForEvent('download'), button(first, 'Download').click()]);
    expect(song.suggestedFilename()).toBe('Tone 1.mp3');
    const [zip] = await Promise.all([page.waitForEvent('download'), button(page, 'Download Evening walk').click()]);
    expect(zip.suggestedFilename()).toBe('Evening walk.zip');

    await pressAndConfirm(button(first, 'Remove'), button(first, 'Confirm To remove'), async () => {
      expect(await list.locator('[data-song]').count()).toBe(3);
    });
    await expect.poll(() => getTitles(list)).toEqual(['Tone 2', 'Tone 3']);

    expect(await button(page, 'Add To All MP3s').isDisabled()).toBe(true);
    expect(await button(page, 'Options for All MP3s').isDisabled()).toBe(true);
    await button(page, 'Expand All MP3s').click();
    const all = getSongList(page, 'All MP3s');
    await all.waitFor();
    expect(await all.locator('[data-song]').count()).toBe(3);
    const inAll = await openOptions(page, all, 'Tone 2');
    expect(await button(inAll, 'Remove').count()).toBe(0);
    expect(await button(inAll, 'Order down').isDisabled()).toBe(true);
  });

  test('filters, orders and the search find songs, and the page is unchanged after another page was visited', async () => {
    const listener = await createListener(site, [3, 3, 3]);
    await listener.account.call(createplaylist, { title: 'Focus', contains: listener.songs.slice(1, 2) });
    const page = await openMusicPage(site, listener);
    const list = getSongList(page, 'Evening walk');
    const name = page.getByRole('searchbox', { name: 'Name filter for Evening walk' });
    await name.pressSequentially('3 TONE');
    await expect.poll(() => getTitles(list)).toEqual(['Tone 3']);
    await name.fill('nothing');
    await page.getByText('No songs match the filters').waitFor();
    await name.fill('');
    expect(await button(page, 'Creator').isDisabled()).toBe(true);
    await button(page, 'Order: default').click();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 3', 'Tone 2', 'Tone 1']);
    await button(page, 'Order: newest first').click();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 1', 'Tone 2', 'Tone 3']);
    await button(page, 'Order: oldest first').click();
    await button(page, 'Playlist').click();
    await page.getByRole('checkbox', { name: 'Focus' }).check();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 2']);
    await page.keyboard.press('Escape');
    // The focus returns a moment after the choices are closed, and would take the typed text.
    await waitForFocus(button(page, 'Playlist, 1 selected'));

    await page.keyboard.press('/');
    await page.keyboard.type('focus');
    await page.getByText('No songs match').waitFor();
    await page.getByRole('heading', { name: 'Focus' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Evening walk' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Search songs and playlists' }).fill('tone 1');
    const found = page.getByRole('list', { name: 'Matching songs' });
    await expect.poll(() => getTitles(found)).toEqual(['Tone 1']);
    const below = await found.evaluate(
      (songs) => (songs.parentElement?.getBoundingClientRect().bottom ?? 0) - songs.getBoundingClientRect().bottom,
    );
    expect(below).toBeLessThan(3);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Evening walk' }).waitFor();

    await page.getByRole('link', { name: 'Pages' }).click();
    await page.getByRole('heading', { name: 'High Effort Projects' }).waitFor();
    await page.goBack();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 2']);
    await page.reload();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 1', 'Tone 2', 'Tone 3']);
  });

  test('every action has a key: J and K move through songs, Space plays, arrows seek, O opens options, Delete removes', async () => {
    const listener = await createListener(site, [30, 30]);
    const [one = 0, two = 0] = listener.songs;
    const page = await openMusicPage(site, listener);
    await getSongList(page, 'Evening walk').locator('[data-song]').nth(1).waitFor();
    await page.keyboard.press('j');
    await waitForFocus(button(page, 'Play Tone 1'));
    await page.keyboard.press('j');
    await waitForFocus(button(page, 'Play Tone 2'));
    await page.keyboard.press('Space');
    await waitForPlaying(page, two);
    await waitForFocus(button(page, 'Pause Tone 2'));
    await page.keyboard.press('ArrowRight');
    expect((await waitForPlaying(page, two, 5)).at).toBeLessThan(20);
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await waitForPlaying(page, one);
    await page.keyboard.press('o');
    await page.getByRole('group', { name: 'Options for Tone 1' }).waitFor();
    await page.getByRole('heading', { name: 'Evening walk' }).click();
    await page.keyboard.press('Space');
    await waitForSilence(page);

    await page.keyboard.press('j');
    await waitForFocus(button(page, 'Play Tone 2'));
    await page.keyboard.press('k');
    await waitForFocus(button(page, 'Play Tone 1'));
    await page.keyboard.press('Delete');
    // The next song gets the focus.
    await waitForFocus(button(page, 'Play Tone 2'));
    const notice = page.getByRole('status').filter({ hasText: 'Removed “Tone 1” from Evening walk' });
    // A notice under the pointer stays.
    await notice.hover();
    await expect.poll(() => getStoredTitles(listener, 'Evening walk')).toEqual(['Tone 2']);
    await button(notice, 'Undo').click();
    await expect.poll(() => getStoredTitles(listener, 'Evening walk')).toEqual(['Tone 1', 'Tone 2']);
  });

  test('changes of another tab appear, the library works offline, and an expired session can be renewed on the page', async () => {
    const listener = await createListener(site, [3, 3]);
    const page = await openMusicPage(site, listener, {
      expects: /ERR_INTERNET_DISCONNECTED|WebSocket|sendytthumb/,
    });
    const { account, playlist, songs } = listener;
    const other = await openLoggedIn(site, account, '/musicmusic');
    await button(other, 'Expand Evening walk').click();
    const list = getSongList(page, 'Evening walk');
    await button(await openOptions(other, getSongList(other, 'Evening walk'), 'Tone 2'), 'Order up').click();
    await expect.poll(() => getTitles(list)).toEqual(['Tone 2', 'Tone 1']);

    await page.context().setOffline(true);
    await page.getByRole('textbox', { name: 'Search songs and playlists' }).fill('tone 2');
    await expect.poll(() => getTitles(page.getByRole('list', { name: 'Matching songs' }))).toEqual(['Tone 2']);
    await page.getByRole('textbox', { name: 'Search songs and playlists' }).fill('');
    await account.call(modplaylist, { id: playlist, playlistdata: { title: 'Morning', contains: songs.slice(1) } });
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Morning' }).waitFor();

    await account.call(logout, {});
    const form = page.getByRole('form', { name: 'Log in' });
    await form.getByLabel('Username').fill(account.name);
    await form.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Morning' }).waitFor();
  });

  test('pictures are not requested during fast scrolling, and load when it stops', async () => {
    const requestedPictures = new Set<string>();
    const page = await openMany('hurried', (song) => requestedPictures.add(song));
    await button(page, 'Expand All MP3s').click();
    await button(page, 'Play Song 1').waitFor();
    await waitForIdle(page);
    requestedPictures.clear();
    const passed = await page.locator('[data-scroller]').evaluate(async (scroller) => {
      for (let frame = 0; frame < 40; frame += 1) {
        await new Promise(requestAnimationFrame);
        scroller.scrollTop += 520;
      }
      return scroller.scrollTop / 52;
    });
    expect(passed).toBeGreaterThan(390);
    const inSight = () =>
      page
        .locator('[data-song]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-song')?.split(':').at(-1) ?? ''));
    await expect.poll(async () => (await inSight()).filter((song) => !requestedPictures.has(song))).toEqual([]);
    expect(requestedPictures.size).toBeLessThan(passed / 2);
  });

  test('only rows in view of a long list are rendered, and keys and Back find every place', async () => {
    const page = await openMany('collector');
    await button(page, 'Expand All MP3s').click();
    const rows = page.locator('[data-song]');
    await button(page, 'Play Song 1').waitFor();
    expect(await rows.count()).toBeLessThan(60);
    expect(await rows.first().getAttribute('aria-setsize')).toBe(String(MANY));
    // A key that is pressed while the page can't render.
    await page.evaluate(() => {
      for (let pressed = 0; pressed < 40; pressed += 1)
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }));
    });
    await waitForFocus(button(page, 'Play Song 40'));

    const scroller = page.locator('[data-scroller]');
    await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await button(page, `Play Song ${MANY}`).waitFor();
    await page.getByRole('heading', { name: 'Behind them all' }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await waitForIdle(page);
    const place = await scroller.evaluate((element) => element.scrollTop);
    await page.getByRole('link', { name: 'Pages' }).click();
    await page.getByRole('heading', { name: 'High Effort Projects' }).waitFor();
    await page.goBack();
    await button(page, `Play Song ${MANY}`).waitFor();
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(place);
  });

  test.for(SIZES)(
    'playlists, songs and downloads in every state are there without barriers: $size',
    { tags: 'matrix' },
    async (look) => {
      const page = await openLoggedIn(site, await createOwner(), '/musicmusic', {
        ...look,
        timeZone: 'Europe/Berlin',
        expects: /sendytthumb/,
        before: inAllStates,
      });
      await page.getByRole('heading', { name: 'All MP3s' }).waitFor();
      await page.getByRole('status').filter({ hasText: 'Downloads need yt-dlp and ffmpeg' }).waitFor();
      await page.getByRole('button', { name: 'Expand Evening walk' }).click();
      const songs = page.getByRole('list', { name: 'Songs of Evening walk' });
      await page.getByRole('button', { name: 'Options for Paper lanterns, live' }).click();
      await page.getByRole('group', { name: 'Options for Paper lanterns, live' }).waitFor();
      await songs.getByText('[FAILED TO RETRIEVE THUMB]').waitFor();
      expect(await songs.getByText('2 plays', { exact: true }).isVisible()).toBe(true);
      expect(await songs.getByRole('img', { name: 'Starred' }).isVisible()).toBe(true);
      if (look.size === 'phone') {
        await page.getByRole('status').filter({ hasText: '3 in progress, 1 to save, 1 failed' }).waitFor();
        await page.getByRole('button', { name: 'Show downloads' }).click();
      }
      const downloads = page.getByRole('list', { name: 'Downloads' });
      await downloads.getByText('Download failed: The site responded with status 404').waitFor();
      for (const word of ['done', 'finished', 'Downloaded! please save', 'Queued for download'])
        expect(await downloads.getByText(word, { exact: true }).count()).toBe(1);
      expect(await findBarriersInBoth(page)).toEqual([]);
      if (look.size === 'phone') await page.getByRole('button', { name: 'Hide downloads' }).click();
      await waitForIdle(page);
    },
  );
});
