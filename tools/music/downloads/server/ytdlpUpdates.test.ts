import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReleaseSite, createFakeYtdlp } from '#testing/kits/media/ytdlpReleases.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { downloads, setytdlpupdates, updateytdlp } from '../../contract.ts';

test('the owner updates yt-dlp, the previous version stays beside it, and the newest one is used', async () => {
  await using releases = await startReleaseSite();
  const { programs } = releases;
  await using server = await startServer(releases.options);
  const program = join(server.dataDir, 'programs', 'yt-dlp');
  const owner = await server.createAccount('Ada');
  await expect(owner.call(updateytdlp, {})).rejects.toThrow('its site responded with status 404');
  programs.set('stable', createFakeYtdlp('2026.10.01'));
  expect(await owner.call(updateytdlp, {})).toEqual({ version: '2026.10.01', isNew: true });
  expect(await owner.call(updateytdlp, {})).toMatchObject({ version: '2026.10.01', isNew: false });
  expect((await owner.call(downloads, {})).tools).toContain('yt-dlp 2026.10.01');
  programs.set('stable', createFakeYtdlp('2026.11.01'));
  expect(await owner.call(updateytdlp, {})).toMatchObject({ version: '2026.11.01', isNew: true });
  expect((await owner.call(downloads, {})).tools).toContain('yt-dlp 2026.11.01');
  expect(await readFile(`${program}.previous`, 'utf8')).toBe(createFakeYtdlp('2026.10.01'));

  programs.set('nightly', createFakeYtdlp('2026.11.20.123456'));
  await owner.call(setytdlpupdates, { channel: 'nightly', dailyAt: '04:30' });
  expect((await owner.call(downloads, {})).updates).toEqual({ channel: 'nightly', dailyAt: '04:30' });
  expect(await owner.call(updateytdlp, {})).toMatchObject({ version: '2026.11.20.123456' });

  const other = await server.createAccount('Bob');
  await expect(other.call(updateytdlp, {})).rejects.toThrow('Only the owner of this server can update yt-dlp');
  await expect(other.call(setytdlpupdates, { channel: 'stable', dailyAt: null })).rejects.toThrow('Only the owner');
  expect((await other.call(downloads, {})).updates).toBeUndefined();
});
