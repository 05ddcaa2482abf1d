import { rm } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForDialogFocus, waitForIdle } from '#testing/kits/browser/browser.ts';
import {
  breakPlayback,
  listPlayers,
  waitForPreload,
  createListener,
  openMusicPage,
  waitForPlaying,
  pressMediaKey,
  serveMusicSite,
  waitForSilence,
} from '#testing/kits/media/listener.ts';
import { ytgetdata } from '../../contract.ts';

let hours = 0;
const site = serveMusicSite({ now: () => Temporal.Now.instant().add({ hours }) });

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Player' });
const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
const place = (page: Page): Locator => bar(page).getByRole('slider', { name: 'Position in the song' });

// Songs of 20 seconds are played to their end.
describe.skipIf(site.skipReason)(`the player${site.skipReason ?? ''}`, { timeout: 240_000 }, () => {
  test('a song continues while pages change, the next one is preloaded, and each counts as played', async () => {
    const listener = await createListener(site, [20, 20, 60]);
    const [one = 0, two = 0, three = 0] = listener.songs;
    const page = await openMusicPage(site, listener);
    await button(page, 'Play Tone 1').first().click();
    await waitForPlaying(page, one);
    await bar(page).getByText('Tone 1').waitFor();
    expect(await bar(page).getByText('Evening walk').count()).toBe(1);

    expect(await waitForPreload(page, one, two)).toBe(true);
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('d')]);
    await page.waitForURL('**/dashboard');
    await bar(page).getByText('Tone 2').waitFor();
    await waitForPlaying(page, two);

    // A page without the shell: no bar, but the audio continues.
    expect(await waitForPreload(page, two, three)).toBe(true);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.waitForURL(`${site.server.origin}/`);
    await expect.poll(() => bar(page).count()).toBe(0);
    await waitForPlaying(page, three);
    await expect
      .poll(async () => {
        const { mp3s } = await listener.account.call(ytgetdata, {});
        return listener.songs.map((song) => mp3s[String(song)]?.plays);
      })
      .toEqual([1, 1, 0]);
  });

  test('pause, seeking, keys, media keys and volume work, and a reload restores the position', async () => {
    // Longer than one PageUp: at its end the next song follows.
    const listener = await createListener(site, [60, 30]);
    const [one = 0, two = 0] = listener.songs;
    const page = await openMusicPage(site, listener);
    await button(page, 'Play Tone 1').first().click();
    await waitForPlaying(page, one);

    await page.getByRole('heading', { name: 'Evening walk' }).click();
    await page.keyboard.press('Space');
    await waitForSilence(page);
    await button(bar(page), 'Play').waitFor();
    await page.keyboard.press('Space');
    await waitForPlaying(page, one);

    await place(page).focus();
    for (const key of ['PageUp', 'PageDown', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    const { at } = await waitForPlaying(page, one, 15);
    expect(at).toBeLessThan(30);
    await pressMediaKey(page, 'seekto', 20);
    await waitForPlaying(page, one, 20);

    await bar(page).getByRole('slider', { name: 'Volume' }).fill('50');
    // Half of the slider is a quarter of the amplitude, and the tone is tagged as 6 dB too loud.
    await expect
      .poll(async () => (await listPlayers(page)).find(({ song }) => song === one)?.volume)
      .toBeCloseTo(0.125, 2);
    await button(bar(page), 'Mute').click();
    await expect.poll(async () => (await listPlayers(page)).find(({ song }) => song === one)?.volume).toBe(0);

    await pressMediaKey(page, 'nexttrack');
    await waitForPlaying(page, two);
    await bar(page).getByText('Tone 2').waitFor();
    await page.getByRole('status').getByText('Tone 2', { exact: true }).waitFor({ state: 'attached' });
    const shown = await page.evaluate(() => {
      const { metadata, playbackState } = navigator.mediaSession;
      return [metadata?.title, metadata?.album, playbackState];
    });
    expect(shown).toEqual(['Tone 2', 'Evening walk', 'playing']);
    await pressMediaKey(page, 'seekto', 2);
    await pressMediaKey(page, 'seekforward');
    await waitForPlaying(page, two, 12);
    await pressMediaKey(page, 'pause');
    await waitForSilence(page);
    await pressMediaKey(page, 'play');
    await waitForPlaying(page, two, 12);
    // The connection fails during a song: it is requested again and continues.
    const nextRequest = page.waitForRequest('**/api/streamaddresses');
    await breakPlayback(page);
    await nextRequest;
    await waitForPlaying(page, two, 12);
    await pressMediaKey(page, 'stop');
    await waitForSilence(page);

    await button(bar(page), 'Shuffle').click();
    // The server says late whose session this is, after the library has come.
    await page.route('**/api/tokenconv', async (route) => {
      await page.waitForTimeout(1000);
      await route.continue();
    });
    await page.reload();
    await bar(page).getByText('Tone 2').waitFor();
    await page.unroute('**/api/tokenconv');
    expect(await button(bar(page), 'Shuffle').getAttribute('aria-pressed')).toBe('true');
    await expect.poll(async () => (await listPlayers(page))[0]?.at ?? 0).toBeGreaterThan(11.9);
    expect((await listPlayers(page)).some(({ isPlaying }) => isPlaying)).toBe(false);
    await button(bar(page), 'Play').click();
    await waitForPlaying(page, two, 12);
    await pressMediaKey(page, 'pause');
    await waitForSilence(page);

    // After a reload on any page.
    await page.goto('/calendar');
    await bar(page).getByText('Tone 2').waitFor();
    await button(bar(page), 'Play').waitFor();
    expect((await listPlayers(page)).some(({ isPlaying }) => isPlaying)).toBe(false);
    await pressMediaKey(page, 'play');
    await waitForPlaying(page, two, 12);
  });

  test('expired addresses are renewed, missing files are skipped and can be downloaded again, a second tab takes over, and playback resumes after a disconnect', async () => {
    const listener = await createListener(site, [30, 30, 3, 60]);
    // The first song must not end: a browser may have buffered all of a song that has started.
    const [last = 0, one = 0, two = 0, three = 0] = listener.songs;
    const page = await openMusicPage(site, listener, { expects: /403|404|410|ERR_/ });
    await button(page, 'Play Tone 2').first().click();
    await waitForPlaying(page, one);
    // Addresses are valid for six hours. The browser doesn't know that the server's clock has moved.
    hours = 7;
    await button(page, 'Play Tone 4').first().click();
    await waitForPlaying(page, three);

    await rm(site.server.getSongPath({ id: two, type: 'mp3' }));
    await button(page, 'Play Tone 3').first().click();
    await page.getByRole('alert').getByText("“Tone 3” can't be played").waitFor();
    await waitForPlaying(page, three);
    await button(page, 'download again?').click();
    await page.getByRole('list', { name: 'Downloads', exact: true }).getByRole('listitem').waitFor();

    const other = await page.context().newPage();
    await other.goto('/musicmusic');
    // A background tab may not render, and Playwright can't click what is not rendered.
    await other.bringToFront();
    await bar(other).getByText('Tone 4').waitFor();
    await button(bar(other), 'Play').click();
    await waitForSilence(page);
    await button(bar(page), 'Play').waitFor();
    await other.close();

    await button(bar(page), 'Play').click();
    await waitForPlaying(page, three);
    await page.context().setOffline(true);
    // The notice moves the page down, and a click at that moment would miss the song.
    await page.getByText('Offline. The server cannot be reached').waitFor();
    await button(page, 'Play Tone 1').first().click();
    await bar(page).getByText('The server cannot be reached. Playback continues when the connection is back').waitFor();
    // Paused and resumed, it still waits for this song.
    await button(bar(page), 'Pause').click();
    await button(bar(page), 'Play').click();
    await bar(page).getByText('The server cannot be reached. Playback continues when the connection is back').waitFor();
    await page.context().setOffline(false);
    await waitForPlaying(page, last);
  });

  test('a song can be queued next or last, and starts if nothing plays', async () => {
    const listener = await createListener(site, [30, 30, 30]);
    const [one = 0, , three = 0] = listener.songs;
    const page = await openMusicPage(site, listener);
    const songs = page.getByRole('list', { name: 'Songs of Evening walk' });
    async function putIn(song: string, way: string): Promise<void> {
      await button(songs, `Options for ${song}`).click();
      await button(songs.getByRole('group', { name: `Options for ${song}` }), way).click();
    }
    await putIn('Tone 1', 'Add to queue');
    await waitForPlaying(page, one);
    await putIn('Tone 2', 'Add to queue');
    await page.getByRole('status').getByText('Added “Tone 2” to the queue').waitFor();
    await putIn('Tone 3', 'Play next');
    await page.getByRole('status').getByText('“Tone 3” plays next').waitFor();
    await button(bar(page), 'Queue').click();
    const queue = page.getByRole('dialog', { name: 'Queue' }).getByRole('list', { name: 'Queue' });
    await waitForDialogFocus(page.getByRole('dialog', { name: 'Queue' }));
    expect(await queue.getByRole('button', { name: /^Play / }).allTextContents()).toEqual([
      'Tone 1',
      'Tone 3',
      'Tone 2',
    ]);
    await page.keyboard.press('Escape');
    await pressMediaKey(page, 'nexttrack');
    await waitForPlaying(page, three);
  });

  test('on a phone the bar has the main controls, and opens all others: queue, shuffle, repeat', async () => {
    const listener = await createListener(site, [300, 300, 300]);
    const [one = 0, , three = 0] = listener.songs;
    const page = await openMusicPage(site, listener, { size: 'phone' });
    await button(page, 'Play Tone 1').first().click();
    await waitForPlaying(page, one);
    expect(await findBarriersInBoth(page)).toEqual([]);
    await bar(page)
      .getByRole('button', { name: /Tone 1/ })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Player' });
    await waitForDialogFocus(dialog);
    await dialog.getByText('2 songs left').waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);

    const titles = () =>
      dialog
        .getByRole('list', { name: 'Queue' })
        .getByRole('button', { name: /^Play / })
        .allTextContents();
    await button(dialog, 'Change order').click();
    expect(await button(dialog, 'Move Tone 3 down').isDisabled()).toBe(true);
    await button(dialog, 'Move Tone 3 up').click();
    await expect.poll(titles).toEqual(['Tone 1', 'Tone 3', 'Tone 2']);
    await dialog.getByRole('status').getByText('Tone 3, position 2 of 3').waitFor();
    const second = dialog.getByRole('listitem').nth(1);
    expect([await second.getAttribute('aria-posinset'), await second.getAttribute('aria-setsize')]).toEqual(['2', '3']);
    expect(await findBarriersInBoth(page)).toEqual([]);
    await button(dialog, 'Done').click();

    await button(dialog, 'Remove Tone 2 from the queue').click();
    await dialog.getByText('1 song left').waitFor();
    await button(dialog, 'Shuffle').click();
    await button(dialog, 'Repeat: off').click();
    await button(dialog, 'Repeat: all').click();
    await button(dialog, 'Repeat: this song').waitFor();
    await button(dialog, 'Play Tone 3').focus();
    await page.keyboard.press('Enter');
    await waitForPlaying(page, three);
    await dialog.getByText('No songs left').waitFor();
    await page.keyboard.press('Control+ArrowUp');
    await dialog.getByText('1 song left').waitFor();
    await button(dialog, 'Stop and clear').click();
    await waitForSilence(page);
    await expect.poll(() => bar(page).count()).toBe(0);
  });

  test('a stream without data is reopened, and playback stops after a logout', async () => {
    const listener = await createListener(site, [30]);
    const [one = 0] = listener.songs;
    const { promise: seen, resolve: see } = Promise.withResolvers<void>();
    const page = await openMusicPage(site, listener, {
      before: async (blank) => {
        await blank.clock.install();
        // Routes that were added last come first: the first request gets no answer, the second one after the page has
        // reacted.
        await blank.route('**/api/stream/*', (route) => seen.then(() => route.fallback()), { times: 1 });
        await blank.route('**/api/stream/*', () => undefined, { times: 1 });
      },
    });
    const nextRequest = page.waitForRequest('**/api/stream/*');
    await button(page, 'Play Tone 1').first().click();
    await nextRequest;
    await page.clock.fastForward(20_000);
    await bar(page).getByText('The connection is slow').waitFor();
    see();
    await waitForPlaying(page, one);
    await waitForIdle(page);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await waitForSilence(page);
  });
});
