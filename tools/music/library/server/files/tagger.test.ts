import { existsSync } from 'node:fs';
import { parseBuffer } from 'music-metadata';
import { describe, expect, test } from 'vitest';
import { startMusicServer, createTone } from '#testing/kits/media/songs.ts';
import { getSkipReason } from '#testing/machine.ts';
import { modvideo, sendsongplaylist, ytgetdata } from '#tools/music/contract.ts';

const skipReason = getSkipReason('ffmpeg');
describe.skipIf(skipReason)(`tags in files${skipReason === undefined ? '' : ` (${skipReason})`}`, () => {
  test('a renamed song has its new tags in the next download, and sounds as before', async () => {
    await using server = await startMusicServer();
    const ann = await server.createAccount('ann');
    const content = await createTone();
    const [song] = await server.addSongs('ann', [{ title: 'Old', content }]);
    const id = song?.id ?? 0;
    await Promise.all(
      ['New', '“Newer”', 'Newest; \\ = #'].map((title) => ann.call(modvideo, { id, title, artist: 'Ann', album: '' })),
    );
    const { mp3s } = await ann.call(ytgetdata, {});
    const file = Buffer.from(await (await ann.call(sendsongplaylist, { songs: [id] })).content.bytes());
    const { common, format } = await parseBuffer(file, { mimeType: 'audio/mpeg' });
    expect([common.title, common.artist]).toEqual([mp3s[String(id)]?.title, 'Ann']);
    const before = await parseBuffer(content, { mimeType: 'audio/mpeg' });
    expect(format.duration).toBeCloseTo(before.format.duration ?? 0, 1);
    const { mp3s: now } = await ann.call(ytgetdata, {});
    expect(now[String(id)]?.size).toBe(file.length);
    expect(existsSync(server.getSongPath({ id, type: 'mp3' }).replace('.mp3', '-next.mp3'))).toBe(false);
  });
});
