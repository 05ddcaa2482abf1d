import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForDialogFocus, waitForFocus, pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { createListener, openMusicPage, serveMusicSite, type TestListener } from '#testing/kits/media/listener.ts';
import { createplaylist, downloads, ytgetdata } from '#tools/music/contract.ts';

const site = serveMusicSite();

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });
const notice = (page: Page, text: string): Locator => page.getByRole('status').filter({ hasText: text });

/** Returns the titles of a playlist's songs on the server. */
async function getStoredTitles(
  { account }: TestListener,
  title: string,
): Promise<readonly (string | undefined)[] | undefined> {
  const { mp3s, playlists } = await account.call(ytgetdata, {});
  const found = Object.values(playlists).find((each) => each.title === title);
  return found?.contains.map((song) => mp3s[String(song)]?.title);
}

async function openOverlay(page: Page, opener: Locator, name: string): Promise<Locator> {
  await opener.click();
  const found = dialog(page, name);
  await waitForDialogFocus(found);
  return found;
}

describe.skipIf(site.skipReason)(`overlays of the music page${site.skipReason ?? ''}`, () => {
  test('a playlist can be created, renamed, copied, deleted with two clicks and restored, and titles cannot be blank', async () => {
    const listener = await createListener(site, [3, 3]);
    const page = await openMusicPage(site, listener);

    const create = await openOverlay(page, button(page, 'Create new playlist').first(), 'Create new playlist');
    await create.getByLabel('Playlist name').fill('   ');
    await page.keyboard.press('Enter');
    await create.getByText('Enter a title for the playlist').waitFor();
    await create.getByLabel('Playlist name').fill('  Rainy   days ');
    await page.keyboard.press('Enter');
    await create.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Rainy days' }).waitFor();

    const options = await openOverlay(page, button(page, 'Options for Evening walk'), 'Playlist Options');
    await button(options, 'Rename').click();
    const rename = dialog(page, 'Change playlist name');
    await waitForFocus(rename.getByLabel('Playlist name'));
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.type('Morning run');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Morning run' }).waitFor();
    await rename.waitFor({ state: 'hidden' });
    await expect.poll(() => getStoredTitles(listener, 'Morning run')).toEqual(['Tone 1', 'Tone 2']);

    const again = await openOverlay(page, button(page, 'Options for Morning run'), 'Playlist Options');
    await button(again, 'Copy').click();
    await waitForFocus(dialog(page, 'Copy playlist').getByLabel('Playlist name'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Morning run copy' }).waitFor();
    await dialog(page, 'Copy playlist').waitFor({ state: 'hidden' });
    expect(await getStoredTitles(listener, 'Morning run copy')).toEqual(['Tone 1', 'Tone 2']);

    const last = await openOverlay(page, button(page, 'Options for Morning run'), 'Playlist Options');
    await pressAndConfirm(button(last, 'Delete'), button(last, 'Confirm Delete'), async () => {
      expect(await page.getByRole('heading', { name: 'Morning run', exact: true }).count()).toBe(1);
    });
    await page.getByRole('heading', { name: 'Morning run', exact: true }).waitFor({ state: 'detached' });
    await button(notice(page, 'Deleted Morning run. Its songs are still in your library'), 'Undo').click();
    await page.getByRole('heading', { name: 'Morning run', exact: true }).waitFor();
    expect(await getStoredTitles(listener, 'Morning run')).toEqual(['Tone 1', 'Tone 2']);
  });

  test('songs can be added to a playlist from the library, another playlist and links, with the keyboard only', async () => {
    const listener = await createListener(site, [3, 3, 3]);
    const [one = 0, two = 0] = listener.songs;
    await listener.account.call(createplaylist, { title: 'Focus', contains: [two, one] });
    await listener.account.call(createplaylist, { title: 'Empty', contains: [] });
    await listener.account.call(createplaylist, { title: 'Second', contains: [two] });
    const page = await openMusicPage(site, listener);
    const addTo = (): Promise<Locator> => openOverlay(page, button(page, 'Add To Empty'), 'Add To Playlist');

    await addTo();
    await waitForFocus(button(page, 'Add Existing Song'));
    await page.keyboard.press('Enter');
    const existing = dialog(page, 'Add Existing Song');
    const field = existing.getByRole('combobox', { name: 'Search songs' });
    await waitForFocus(field);
    await page.keyboard.type('tone');
    await existing.getByRole('option').nth(2).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await existing.getByText('in Empty').waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await expect.poll(() => getStoredTitles(listener, 'Empty')).toEqual(['Tone 2']);
    await field.fill('nowhere');
    await existing.getByText('No matches').waitFor();
    await field.fill('');
    await button(existing, 'Done').click();

    await button(await addTo(), 'Merge Existing Playlist').click();
    const merge = dialog(page, 'Merge Existing Playlist');
    await merge.getByRole('option', { name: /Focus.*2 songs/ }).waitFor();
    await merge.getByRole('option', { name: /Second.*1 song, no new songs/ }).waitFor();
    await merge.getByRole('combobox', { name: 'Search playlists' }).fill('foc');
    await page.keyboard.press('Enter');
    await button(notice(page, 'Added 1 song from Focus to Empty'), 'Undo').waitFor();
    await expect.poll(() => getStoredTitles(listener, 'Empty')).toEqual(['Tone 2', 'Tone 1']);
    await button(notice(page, 'Added 1 song from Focus to Empty'), 'Undo').click();
    await expect.poll(() => getStoredTitles(listener, 'Empty')).toEqual(['Tone 2']);

    await button(await addTo(), 'Add New Song').click();
    await waitForFocus(dialog(page, 'Add New Song').getByLabel('Video URL'));
    await page.keyboard.press('Enter');
    await page.getByText('Enter a link').waitFor();
    await page.keyboard.type('https://video.invalid/watch');
    // Unsaved input is not lost by a single key press.
    await page.keyboard.press('Escape');
    await button(page.getByRole('dialog', { name: 'Close without saving?' }), 'Keep editing').click();
    await button(dialog(page, 'Add New Song'), 'Download & Add').click();
    await button(await addTo(), 'Merge New Playlist').click();
    await dialog(page, 'Merge New Playlist').getByLabel('Playlist URL').fill('https://list.invalid/all');
    await button(dialog(page, 'Merge New Playlist'), 'Download & Merge').click();
    await expect
      .poll(async () => (await listener.account.call(downloads, {})).downloads.length)
      .toBeGreaterThanOrEqual(2);
  });

  test('a song can be added to another playlist from its options, with M, or by dropping it on a folded playlist', async () => {
    const listener = await createListener(site, [3, 3]);
    await listener.account.call(createplaylist, { title: 'Folded', contains: listener.songs.slice(0, 1) });
    const page = await openMusicPage(site, listener);
    const row = (title: string): Locator =>
      page.getByRole('list', { name: 'Songs of Evening walk' }).getByRole('listitem').filter({ hasText: title });
    const folded = page.getByRole('heading', { name: 'Folded' });

    await row('Tone 2').dragTo(folded);
    const added = notice(page, 'Added “Tone 2” to Folded');
    await added.hover();
    await expect.poll(() => getStoredTitles(listener, 'Folded')).toEqual(['Tone 1', 'Tone 2']);
    await button(added, 'Undo').click();
    await expect.poll(() => getStoredTitles(listener, 'Folded')).toEqual(['Tone 1']);

    await button(row('Tone 2'), 'Play Tone 2').focus();
    await page.keyboard.press('m');
    const picker = dialog(page, 'Add song to…');
    await waitForFocus(picker.getByRole('combobox', { name: 'Search playlists' }));
    expect(await picker.getByRole('option').allTextContents()).toEqual([
      'Folded1 song',
      'Evening walk2 songs, already added',
    ]);
    expect(await findBarriersInBoth(page)).toEqual([]);
    await page.keyboard.type('fold');
    await page.keyboard.press('Enter');
    await expect.poll(() => getStoredTitles(listener, 'Folded')).toEqual(['Tone 1', 'Tone 2']);
    await picker.waitFor({ state: 'hidden' });
    await waitForFocus(button(row('Tone 2'), 'Play Tone 2'));

    await button(row('Tone 1'), 'Options for Tone 1').click();
    const again = await openOverlay(page, button(row('Tone 1'), 'Add to playlist…'), 'Add song to…');
    await button(again, 'Create new playlist').click();
    await waitForFocus(dialog(page, 'Create new playlist').getByLabel('Playlist name'));
    await page.keyboard.type('Of one song');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Of one song' }).waitFor();
    expect(await getStoredTitles(listener, 'Of one song')).toEqual(['Tone 1']);
  });

  test('songs can be sorted by dragging and keys, renamed, removed, deleted and restored', async () => {
    const listener = await createListener(site, [3, 3, 3]);
    const page = await openMusicPage(site, listener);
    const row = (title: string): Locator => page.getByRole('listitem').filter({ hasText: title });
    const order = () => getStoredTitles(listener, 'Evening walk');

    await row('Tone 3').dragTo(row('Tone 1'), { targetPosition: { x: 200, y: 8 } });
    await expect.poll(order).toEqual(['Tone 3', 'Tone 1', 'Tone 2']);

    await button(row('Tone 3'), 'Options for Tone 3').focus();
    await page.keyboard.press('Control+ArrowUp');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('Control+ArrowDown');
    await expect.poll(order).toEqual(['Tone 1', 'Tone 2', 'Tone 3']);
    await waitForFocus(button(row('Tone 3'), 'Options for Tone 3'));

    await page.keyboard.press('Enter');
    expect(await button(row('Tone 3'), 'Order down').isDisabled()).toBe(true);
    await button(row('Tone 3'), 'Order up').click();
    await expect.poll(order).toEqual(['Tone 1', 'Tone 3', 'Tone 2']);

    const rename = await openOverlay(page, button(row('Tone 3'), 'Rename'), 'Change Song name');
    await rename.getByLabel('Song name').fill('Glass garden');
    await rename.getByLabel('Artist').fill('  The   Quiet ones');
    await rename.getByLabel('Album').fill('Indoors');
    await page.keyboard.press('Enter');
    await row('Glass garden').getByText('The Quiet ones').waitFor();
    await expect.poll(order).toEqual(['Tone 1', 'Glass garden', 'Tone 2']);
    await rename.waitFor({ state: 'hidden' });
    const { mp3s } = await listener.account.call(ytgetdata, {});
    expect(Object.values(mp3s).find(({ title }) => title === 'Glass garden')).toMatchObject({
      artist: 'The Quiet ones',
      album: 'Indoors',
    });

    await pressAndConfirm(button(row('Glass garden'), 'Remove'), button(row('Glass garden'), 'Confirm To remove'));
    await row('Glass garden').waitFor({ state: 'detached' });
    await expect.poll(order).toEqual(['Tone 1', 'Tone 2']);
    // The keys continue from its place.
    await page.keyboard.press('j');
    await waitForFocus(button(row('Tone 2'), 'Play Tone 2'));
    await button(notice(page, 'Removed “Glass garden” from Evening walk'), 'Undo').click();
    await expect.poll(order).toEqual(['Tone 1', 'Glass garden', 'Tone 2']);

    await button(page, 'Expand All MP3s').click();
    await button(page, 'Options for Tone 1').first().click();
    await pressAndConfirm(button(page, 'Delete'), button(page, 'Confirm Delete'));
    await expect.poll(order).toEqual(['Glass garden', 'Tone 2']);
    await button(notice(page, 'Deleted “Tone 1”'), 'Undo').click();
    await expect.poll(order).toEqual(['Tone 1', 'Glass garden', 'Tone 2']);
  });
});
