import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { pressAndConfirm } from '#testing/kits/browser/browser.ts';
import {
  waitForPreload,
  createListener,
  openMusicPage,
  waitForPlaying,
  serveMusicSite,
} from '#testing/kits/media/listener.ts';
import { createPlayer } from '#testing/kits/media/subsonicPlayer.ts';

const site = serveMusicSite();

const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
const SECONDS = 10;

/** Adds a song in ALAC, which Chromium can't play, without a picture. */
async function addLossless(owner: string): Promise<number> {
  const { dataDir } = site.server;
  const making = `-nostdin -v error -f lavfi -i sine=duration=${SECONDS} -c:a alac -y lossless.m4a`;
  execFileSync('ffmpeg', making.split(' '), { cwd: dataDir });
  const content = await readFile(join(dataDir, 'lossless.m4a'));
  const [song] = await site.server.addSongs(owner, [
    { title: 'Lossless', artist: '', type: 'm4a', duration: SECONDS, content },
  ]);
  return song?.id ?? 0;
}

describe.skipIf(site.skipReason)(`occurrences of songs${site.skipReason ?? ''}`, () => {
  test('the second occurrence of a song plays and is removed; unsupported files arrive as FLAC; missing pictures are not requested', async () => {
    const listener = await createListener(site, [SECONDS]);
    const { account } = listener;
    const [plain = 0] = listener.songs;
    const lossless = await addLossless(account.name);
    const player = await createPlayer(site.server, account);
    await player.request('createPlaylist', { name: 'Twice', songId: [lossless, plain, lossless] });
    const pictures: string[] = [];
    const page = await openMusicPage(site, listener, {
      before: async (blank) =>
        blank.on('request', (request) => {
          if (request.url().includes('/api/sendytthumb/')) pictures.push(request.url());
        }),
    });
    await button(page, 'Expand Twice').click();
    const list = page.getByRole('list', { name: 'Songs of Twice' });
    const titles = () => list.locator('[data-song] [class*=title]').allTextContents();
    expect(await titles()).toEqual(['Lossless', 'Tone 1', 'Lossless']);

    await button(list, 'Play Lossless').nth(1).click();
    const { duration } = await waitForPlaying(page, lossless);
    expect(duration).toBeCloseTo(SECONDS, 1);
    const bar = page.getByRole('region', { name: 'Player' });
    // The other song precedes the second occurrence, not the first one.
    await button(bar, 'Previous').click();
    await waitForPlaying(page, plain);
    expect(await waitForPreload(page, plain, lossless)).toBe(true);
    await waitForPlaying(page, lossless);

    await button(list, 'Options for Lossless').nth(1).click();
    const options = page.getByRole('group', { name: 'Options for Lossless' });
    await pressAndConfirm(button(options, 'Remove'), button(options, 'Confirm To remove'), async () => {
      expect(await titles()).toHaveLength(3);
    });
    await expect.poll(titles).toEqual(['Lossless', 'Tone 1']);
    async function countOccurrences() {
      const { playlists } = (await player.request('getPlaylists')) as unknown as {
        readonly playlists: { readonly playlist: readonly { readonly name: string; readonly songCount: number }[] };
      };
      return playlists.playlist.find(({ name }) => name === 'Twice')?.songCount;
    }
    await expect.poll(countOccurrences).toBe(2);
    expect(pictures.filter((url) => url.includes(String(plain))).length).toBeGreaterThan(0);
    expect(pictures.filter((url) => url.includes(String(lossless)))).toEqual([]);
  });
});
