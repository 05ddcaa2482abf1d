import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDownloadsPage } from '#testing/kits/media/downloads.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import { changedownload, ytgetdata } from '../../contract.ts';
import { createMusicTool } from '../../server/index.ts';

/** A fake yt-dlp: it reports a song and ends once the server has started to process it. */
const createProgram = (end: string): string => `#!/bin/sh
case "$*" in *--version*) echo 2023.03.04; exit;; esac
echo 'PI{"id":"x","title":"A song","extractor_key":"Early"}'
ffmpeg -nostdin -v error -y -f lavfi -i anullsrc=r=8000:cl=mono -t 1800 -c:a pcm_u8 media.wav
echo 'PF"media.wav"'
at=0; until [ -s final.mp3 ]; do at=$((at + 1)); [ $at -gt 400 ] && exit 7; sleep 0.05; done
${end}
`;

async function openDownloads(end: string) {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const stack = new AsyncDisposableStack();
  onTestFinished(async () => {
    await stack.disposeAsync();
    await rm(folder, { recursive: true });
  });
  const ytdlpPath = join(folder, 'yt-dlp');
  await writeFile(ytdlpPath, createProgram(end), { mode: 0o755 });
  const steps: string[] = [];
  const music = createMusicTool({ onStep: (step) => steps.push(step) });
  const tools = serverTools.map((tool) => (tool.name === 'music' ? music : tool));
  const server = stack.use(await startServer({ ytdlpPath, rateLimits: false, tools }));
  const ada = await server.createAccount('Ada');
  const page = stack.use(await openDownloadsPage(server, ada));
  return { server, ada, page, steps };
}

/** Counts the programs that run in a folder. */
async function countPrograms(folder: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(folder)).length;
}

test('the song is processed while yt-dlp is still exiting', async () => {
  const { ada, page } = await openDownloads('exit 0');
  const { song, codes, percents } = await page.waitForEnd(await page.queueLink('http://192.0.2.1/early'));
  expect(codes).toEqual([4, 5, 2, 3]);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  const { mp3s } = await ada.call(ytgetdata, {});
  expect(mp3s[song]).toMatchObject({ title: 'A song', duration: expect.closeTo(1800, 0) });
});

test('if yt-dlp then fails, the started song is discarded without a notification', async () => {
  const { server, ada, page, steps } = await openDownloads('echo "ERROR: [x] y: Connection reset by peer" >&2; exit 1');
  const id = await page.queueLink('http://192.0.2.1/early');
  const { status } = await page.waitForChange(
    (change) => change.downloadid === id && change.status.reason !== undefined,
  );
  expect(status.reason).toBe('The connection to that site was lost. Next attempt in 4 s');
  expect(await countPrograms(join(server.dataDir, 'work', String(id)))).toBe(0);
  expect(steps).not.toContain('verify');
  await ada.call(changedownload, { downloadid: id, to: 'cancelled' });
  expect((await ada.call(ytgetdata, {})).mp3s).toEqual({});
  expect(server.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
