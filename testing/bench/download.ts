import { spawn, spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { createClient, type Client } from '#platform/contract/client.ts';
import { signup, tokenconv } from '#platform/contract/session.ts';
import { changedownload, streamaddresses } from '#tools/music/contract.ts';
import { createMusicTool } from '#tools/music/server/index.ts';
import { serverTools } from '../../apps/server/tools.ts';
import { openDownloadsPage } from '../kits/media/downloads.ts';
import { listenLocally, type LocalServer } from '../kits/server/localServer.ts';
import { startServer } from '../kits/server/server.ts';
import {
  formatMs,
  formatP50P99,
  percentile,
  runPegboard,
  runBaseline,
  createScratchFolder,
  type Bench,
  type BenchFigure,
} from './measure.ts';

const SONG_SECONDS = 180;
const RUNS = 5;
const LONG_SECONDS = 900;
const TICKS = 60;

const testPicture = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc=size=320x180:rate=10:duration=${seconds}`];
const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`];
const H264_OPTIONS = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -b:a 128k -movflags +faststart'.split(
  ' ',
);
const TYPES: Readonly<Record<string, string>> = { jpg: 'image/jpeg', mp4: 'video/mp4', opus: 'audio/ogg' };

/** Starts a site with a page about a song of three minutes, its picture, and long recordings. */
async function startSite(folder: string) {
  function runFfmpeg(args: readonly string[]): void {
    const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { cwd: folder });
    if (status !== 0) throw new Error(stderr.toString());
  }
  runFfmpeg(['-f', 'lavfi', '-i', 'color=c=0x2060c0:size=640x480', '-frames:v', '1', 'cover.jpg']);
  runFfmpeg([...testPicture(SONG_SECONDS), ...tone(SONG_SECONDS), ...H264_OPTIONS, 'video.mp4']);
  runFfmpeg([...tone(LONG_SECONDS), '-c:a', 'libopus', '-b:a', '48k', 'long.opus']);
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const { origin } = site;
    if (pathname === '/watch') {
      const metadata = {
        '@context': 'https://schema.org',
        '@type': 'VideoObject',
        name: 'A song of three minutes',
        thumbnailUrl: [`${origin}/cover.jpg`],
        uploadDate: '2026-01-01',
        duration: `PT${SONG_SECONDS}S`,
        contentUrl: `${origin}/video.mp4`,
      };
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><script type="application/ld+json">${JSON.stringify(metadata)}</script>`);
      return;
    }
    const path = join(folder, pathname.split('/').at(-1) ?? '');
    const file = await stat(path).catch(() => undefined);
    if (!file?.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': TYPES[path.split('.').at(-1) ?? ''] ?? '',
      'content-length': file.size,
    });
    createReadStream(path).pipe(response);
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const site = await listenLocally(server);
  return site;
}

const runProgram = (program: string, args: readonly string[], cwd: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });

/** The two commands with which a user would download the song with its picture by hand. */
async function downloadByHand(link: string, folder: string): Promise<number> {
  await mkdir(folder);
  const startedAt = performance.now();
  await runProgram(
    'yt-dlp',
    ['--quiet', '--no-warnings', '--ignore-config', '--write-thumbnail', '-o', 'media.%(ext)s', link],
    folder,
  );
  const names = await readdir(folder);
  const [media = '', cover = ''] = ['.mp4', '.jpg'].map((end) => names.find((name) => name.endsWith(end)));
  const picture = ['-i', cover, '-map', '0:a', '-map', '1:v', '-c', 'copy', '-disposition:v:0', 'attached_pic'];
  await runProgram(
    'ffmpeg',
    ['-nostdin', '-v', 'error', '-i', media, ...picture, '-metadata', 'title=x', 'song.m4a'],
    folder,
  );
  return performance.now() - startedAt;
}

async function measureLinkToSound(site: LocalServer, folder: string): Promise<BenchFigure> {
  const steps = new Map<string, number[]>();
  const tool = createMusicTool({
    onStep: (step, durationMs) => void steps.set(step, [...(steps.get(step) ?? []), durationMs]),
  });
  const tools = serverTools.map((serverTool) => (serverTool.name === 'music' ? tool : serverTool));
  await using server = await startServer({ egressAllow: [site.host], rateLimits: false, tools });
  const ada = await server.createAccount('Ada');
  await using page = await openDownloadsPage(server, ada);
  const pegboard: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round <= RUNS; round += 1) {
    // Another address each time, so that the song is not known yet.
    const link = `${site.origin}/watch?run=${round}`;
    baseline.push(await downloadByHand(link, join(folder, `hand-${round}`)));
    const startedAt = performance.now();
    const { song, reason } = await page.waitForEnd(await page.queueLink(link));
    if (song === 0) throw new Error(`no song: ${reason}`);
    const { addresses } = await ada.call(streamaddresses, { songs: [song] });
    const sound = await fetch(new URL(addresses[song] ?? '', server.origin), { headers: { range: 'bytes=0-65535' } });
    if (sound.status !== 206) throw new Error(`answered ${sound.status}`);
    await sound.arrayBuffer();
    pegboard.push(performance.now() - startedAt);
  }
  const [pegboardMs, byHandMs] = [pegboard, baseline].map((all) => percentile(all.slice(1), 0.5)) as [number, number];
  const stepTimes = [...steps].map(([step, all]) => `${step} ${Math.round(percentile(all.slice(1), 0.5))}`).join(', ');
  return {
    name: `link posted to song playable (${SONG_SECONDS} s), both decode checks included`,
    target: 'under 1.4 times yt-dlp and ffmpeg by hand',
    measured: `${(pegboardMs / byHandMs).toFixed(2)} times: ${Math.round(pegboardMs)} ms (${stepTimes})`,
    baseline: `${Math.round(byHandMs)} ms`,
    isTargetMet: pegboardMs / byHandMs < 1.4,
  };
}

/** Prints lines like yt-dlp, and records the time of each line. */
const TICKER = `#!/usr/bin/python3
import json, sys, time
if '--version' in sys.argv: print('2023.03.04'); sys.exit()
ticks = open('ticks', 'w', buffering=1)
print('PI' + json.dumps({'id': 'x', 'title': 'Ticks', 'extractor_key': 'Ticks'}), flush=True)
for tick in range(1, ${TICKS} + 1):
    time.sleep(0.1)
    ticks.write('%d %.3f\\n' % (tick, time.time() * 1000))
    print('PB' + json.dumps({'status': 'downloading', 'downloaded_bytes': tick, 'total_bytes': 70}), flush=True)
time.sleep(600)
`;
const readTimes = async (path: string): Promise<ReadonlyMap<number, number>> =>
  new Map(
    (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number) as [number, number]),
  );

/** Epoch milliseconds, comparable with the other program's. */
const now = (): number => performance.timeOrigin + performance.now();

async function measureLineToPage(folder: string): Promise<BenchFigure> {
  const ticker = join(folder, 'ticker');
  await writeFile(ticker, TICKER, { mode: 0o755 });
  const pegboard: number[] = [];
  {
    await using server = await startServer({ ytdlpPath: ticker, rateLimits: false });
    const ada = await server.createAccount('Ada');
    await using page = await openDownloadsPage(server, ada);
    const arrivalTimes = new Map<number, number>();
    page.socket.raw.onAny((_name: string, { status }: { readonly status?: { readonly percent?: number } }) => {
      if (status?.percent !== undefined && !arrivalTimes.has(status.percent)) arrivalTimes.set(status.percent, now());
    });
    const id = await page.queueLink('http://192.0.2.1/ticks');
    await page.waitForChange(({ status }) => status.percent === TICKS);
    const progressTimes = await readTimes(join(server.dataDir, 'work', String(id), 'ticks'));
    // A tick is one per cent of the part of the progress that counts for fetching.
    for (const [tick, writtenAt] of progressTimes) pegboard.push((arrivalTimes.get(tick) ?? Infinity) - writtenAt);
    await ada.call(changedownload, { downloadid: id, to: 'cancelled' });
  }

  const baseline: number[] = [];
  await using baselineServer = await runBaseline('lineToPage', { PROGRAM: ticker });
  const socket = new WebSocket(baselineServer.origin.replace('http', 'ws'));
  const arrivalTimes: number[] = [];
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      if (data.toString().startsWith('PB')) arrivalTimes.push(now());
      if (arrivalTimes.length === TICKS) resolve();
    });
  });
  for (const [tick, writtenAt] of await readTimes(join(baselineServer.dataDir, 'ticks')))
    baseline.push((arrivalTimes[tick - 1] ?? Infinity) - writtenAt);
  socket.close();
  return {
    name: "progress event, yt-dlp's line to the page",
    target: 'under 100 ms',
    measured: formatP50P99(pegboard),
    baseline: `${formatP50P99(baseline)} (lines to a socket as they come)`,
    isTargetMet: percentile(pegboard, 0.99) < 100,
  };
}

/** Sends requests one after another until `until` resolves. */
async function measureCalls(call: Client, until: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  const abort = new AbortController();
  void until.finally(() => abort.abort());
  while (!abort.signal.aborted) {
    const startedAt = performance.now();
    await call(tokenconv, {});
    times.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return times;
}

async function measureDuringConversion(site: LocalServer): Promise<BenchFigure> {
  await using server = await runPegboard({ EGRESS_ALLOW: site.host, MUSIC_WORKERS: '4', RATE_LIMITS: 'off' });
  const { token } = await createClient(server)(signup, { username: 'Ada', password: 'correct horse staple' });
  const call = createClient({ origin: server.origin, token: () => token });
  const account = { name: 'Ada', password: '', token, call };
  await using page = await openDownloadsPage(server as never, account);
  const idle = await measureCalls(call, new Promise((resolve) => setTimeout(resolve, 3000)));
  const ids: number[] = [];
  for (let index = 0; index < 4; index += 1) ids.push(await page.queueLink(`${site.origin}/${index}/long.opus`));
  // All four are running from when the first one is checked until the first one is done.
  await Promise.all(
    ids.map((id) => page.waitForChange(({ downloadid, status }) => downloadid === id && (status.percent ?? 0) > 71)),
  );
  const busy = await measureCalls(call, Promise.race(ids.map((id) => page.waitForEnd(id))));
  for (const id of ids) await call(changedownload, { downloadid: id, to: 'cancelled' }).catch(() => undefined);
  return {
    name: 'server while 4 downloads convert: `tokenconv`',
    target: 'p99 under 20 ms',
    measured: `${formatP50P99(busy)} (${busy.length} calls)`,
    baseline: `${formatP50P99(idle)} (the same, idle); ${formatMs(percentile(busy, 1))} at most`,
    isTargetMet: percentile(busy, 0.99) < 20,
  };
}

export const downloadBench: Bench = {
  name: 'download',
  run: async () => {
    await using folder = await createScratchFolder();
    await using site = await startSite(folder.path);
    const figures = [
      await measureLinkToSound(site, folder.path),
      await measureLineToPage(folder.path),
      await measureDuringConversion(site),
    ];
    await rm(join(folder.path, 'ticker'), { force: true });
    return figures;
  },
};
