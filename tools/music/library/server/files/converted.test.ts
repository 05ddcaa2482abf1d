import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { streamaddresses } from '#tools/music/contract.ts';

const run = promisify(execFile);
const skipReason = getSkipReason('ffmpeg');

async function openFolder() {
  const folder = await createTempFolder();
  const ffmpeg = (args: string) => run('ffmpeg', ['-nostdin', '-v', 'error', ...args.split(' ')], { cwd: folder });
  return { folder, ffmpeg };
}

describe.skipIf(skipReason)(`songs in unsupported formats (${skipReason ?? 'by ffmpeg'})`, () => {
  test.each([
    ['ALAC', 'm4a', '-c:a alac -sample_fmt s16p'],
    ['ALAC of 24 bits', 'm4a', '-c:a alac -sample_fmt s32p'],
    ['WAV of 64 bits', 'wav', '-c:a pcm_f64le'],
  ] as const)('%s comes as FLAC where the address asks for it, as good as it was', async (_, type, codec) => {
    const { folder, ffmpeg } = await openFolder();
    await ffmpeg(`-f lavfi -i sine=duration=3:sample_rate=44100 -ac 2 ${codec} song.${type}`);
    await using server = await startMusicServer();
    const ada = await server.createAccount('Ada');
    const content = await readFile(join(folder, `song.${type}`));
    const [song] = await server.addSongs('Ada', [{ type, content, duration: 3 }]);
    const id = song?.id ?? 0;
    const { addresses } = await ada.call(streamaddresses, { songs: [id] });
    const address = `${server.origin}${addresses[String(id)]}`;
    expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(content)).toBe(true);

    const [one, other] = await Promise.all([fetch(`${address}&as=flac`), fetch(`${address}&as=flac`)]);
    expect([one.status, one.headers.get('content-type')]).toEqual([200, 'audio/flac']);
    const flac = Buffer.from(await one.arrayBuffer());
    expect(Buffer.from(await other.arrayBuffer()).equals(flac)).toBe(true);
    const part = await fetch(`${address}&as=flac`, { headers: { range: 'bytes=100-199' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(flac.subarray(100, 200))).toBe(true);

    await writeFile(join(folder, 'answer.flac'), flac);
    for (const [from, to] of [
      [`song.${type}`, 'song.raw'],
      ['answer.flac', 'answer.raw'],
    ])
      await ffmpeg(`-i ${from} -f s16le -bitexact ${to}`);
    // FLAC only has integer samples.
    const max = type === 'wav' ? 1 : 0;
    const samples = async (name: string) => new Int16Array((await readFile(join(folder, name))).buffer.slice(0));
    const [before, after] = [await samples('song.raw'), await samples('answer.raw')];
    expect(after.length).toBe(before.length);
    expect(after.every((sample, at) => Math.abs(sample - (before[at] ?? 0)) <= max)).toBe(true);
    // The signature is valid for one song only.
    expect((await fetch(`${address.replace(String(id), String(id + 1))}&as=flac`)).status).toBe(403);
  });

  test('a song that cannot be converted returns a message', async () => {
    await using server = await startMusicServer();
    const ada = await server.createAccount('Ada');
    const [song] = await server.addSongs('Ada', [{ type: 'm4a', title: 'Noise' }]);
    const { addresses } = await ada.call(streamaddresses, { songs: [song?.id ?? 0] });
    const answer = await fetch(`${server.origin}${addresses[String(song?.id)]}&as=flac`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { message: "This song can't be converted for your browser" },
    ]);
  });
});
