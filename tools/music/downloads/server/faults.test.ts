import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AnswerOf } from '#platform/contract/call.ts';
import { openDownloadsPage, type DownloadsPage } from '#testing/kits/media/downloads.ts';
import { readMedia } from '#testing/kits/media/media.ts';
import { startMediaSite, type MediaSite } from '#testing/kits/media/mediaSite.ts';
import { createFastYtdlp } from '#testing/kits/media/ytdlp.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import { changedownload, modvideo, sendsongplaylist, startupload, uploadpart, ytgetdata } from '../../contract.ts';
import { createMusicTool } from '../../server/index.ts';
import type { DownloadsToolOptions } from './downloads.ts';

const MIB = 1024 ** 2;

interface DownloadKit {
  readonly site: MediaSite;
  readonly server: TestServer;
  readonly ada: TestAccount;
  readonly page: DownloadsPage;
}

/** Starts a site and a server, with an account and its page. */
async function openDownloads(options: DownloadsToolOptions = {}): Promise<DownloadKit> {
  const stack = new AsyncDisposableStack();
  onTestFinished(async () => stack.disposeAsync());
  const site = stack.use(await startMediaSite());
  const tools = serverTools.map((tool) => (tool.name === 'music' ? createMusicTool(options) : tool));
  const serverOptions = { rateLimits: false, workers: 3, ytdlpPath: await createFastYtdlp() };
  const server = stack.use(await startServer({ ...serverOptions, egressAllow: site.allowedTargets, tools }));
  const ada = await server.createAccount('Ada');
  const page = stack.use(await openDownloadsPage(server, ada));
  return { site, server, ada, page };
}

test('endless and too large files are refused, and nothing of them is stored', async () => {
  const { site, server, ada, page } = await openDownloads({ limitBytes: MIB });
  const cases = [
    ['/endless.mp3', 'This file is larger than 1 MiB'],
    ['/media/song.wav', 'This file is larger than 1 MiB'],
  ] as const;
  const ids = await Promise.all(cases.map(([path]) => page.queueLink(site.getAddress(path))));
  const ended = await Promise.all(ids.map((id) => page.waitForEnd(id)));
  expect(ended.map(({ reason }, at) => [cases[at]?.[0], reason])).toEqual(cases);
  expect((await ada.call(ytgetdata, {})).mp3s).toEqual({});
  for (const id of ids) expect(existsSync(join(server.dataDir, 'work', String(id)))).toBe(false);
});

test('a finished stream becomes a song, and a live one is refused and leaves nothing', async () => {
  const { site, ada, page } = await openDownloads();
  const live = await Promise.all(
    ['/live.m3u8', '/channels.m3u8?stream=live.m3u8'].map((path) => page.queueLink(site.getAddress(path))),
  );
  for (const id of live) expect((await page.waitForEnd(id)).reason).toBe("Live streams can't be downloaded");
  const { codes } = await page.waitForEnd(await page.queueLink(site.getAddress('/channels.m3u8')));
  expect(codes.at(-1)).toBe(3);
  expect(Object.values((await ada.call(ytgetdata, {})).mp3s)).toMatchObject([{ title: 'Inner title' }]);
});

test('a silent site and an oversized file have their own messages', async () => {
  const patient = await openDownloads();
  const huge = await patient.page.queueLink(patient.site.getAddress('/huge.mp3'));
  expect((await patient.page.waitForEnd(huge)).reason).toBe('This file is larger than 1 GiB');
  expect((await patient.ada.call(ytgetdata, {})).mp3s).toEqual({});
  const { site, ada, page } = await openDownloads({ silentMs: 3000 });
  const silent = await page.queueLink(site.getAddress('/stall.mp3'));
  const { status } = await page.waitForChange(
    (change) => change.downloadid === silent && change.status.reason !== undefined,
  );
  expect([status.failed, status.reason]).toEqual([4, 'The download took too long. Next attempt in 4 s']);
  expect((await ada.call(ytgetdata, {})).mp3s).toEqual({});
});

const runProgram = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const mountSmall = (folder: string): boolean =>
  runProgram('mount', '-t', 'tmpfs', '-o', 'size=1m', 'pegboard-test', folder);
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-'));
  const may = mountSmall(folder) && runProgram('umount', folder);
  rmSync(folder, { recursive: true });
  return may;
})();
const mountNote = canMount ? '' : ' (this user may mount no small disk)';

test.skipIf(!canMount)(
  `a full disk has its own message, and the download continues once there is space${mountNote}`,
  async () => {
    const { site, server, page } = await openDownloads();
    const work = join(server.dataDir, 'work');
    await mkdir(work, { recursive: true });
    expect(mountSmall(work)).toBe(true);
    try {
      const id = await page.queueLink(site.getAddress('/media/song.wav'));
      const { status } = await page.waitForChange(
        (change) => change.downloadid === id && change.status.reason !== undefined,
      );
      expect(status.reason).toBe('The server ran out of disk space. Next attempt in 4 s');
      // Also if its next attempt has started there.
      expect(runProgram('umount', '-l', work)).toBe(true);
      expect((await page.waitForEnd(id)).codes.at(-1)).toBe(3);
    } finally {
      runProgram('umount', '-l', work);
    }
  },
);

test.skipIf(!canMount)(
  `a disk that becomes full during an upload has its own message, and the upload resumes from there${mountNote}`,
  async () => {
    const { server, ada, page } = await openDownloads();
    const uploads = join(server.dataDir, 'music', 'uploads');
    await mkdir(uploads, { recursive: true });
    expect(mountSmall(uploads)).toBe(true);
    try {
      const bytes = await readMedia('song.wav');
      const uploadRequest = {
        name: 'My song.wav',
        size: bytes.length,
        digest: createHash('sha256').update(bytes).digest('hex'),
      };
      const startUpload = () => ada.call(startupload, uploadRequest);
      const send = async (upload: number, offset: number, length: number) => {
        const data = bytes.subarray(offset, offset + length).toString('base64');
        return ada.call(uploadpart, { upload, offset, data });
      };
      const { upload } = await startUpload();
      await send(upload, 0, MIB / 2);
      await expect(send(upload, MIB / 2, MIB)).rejects.toThrow('The disk of this server is full');
      const { offset } = await startUpload();
      expect(offset).toBeGreaterThanOrEqual(MIB / 2);
      expect(offset).toBeLessThanOrEqual(MIB);
      expect(runProgram('mount', '-o', 'remount,size=64m', uploads)).toBe(true);
      let sent: AnswerOf<typeof uploadpart> = { offset };
      while (sent.downloadid === undefined) sent = await send(upload, sent.offset, MIB);
      expect(await page.waitForEnd(sent.downloadid)).toMatchObject({
        title: expect.any(String),
        codes: expect.arrayContaining([3]),
      });
    } finally {
      runProgram('umount', '-l', uploads);
    }
  },
);

test('a retryable failure is shown with the time of the next attempt', async () => {
  const { site, ada, page } = await openDownloads();
  const cases: readonly (readonly [string, RegExp])[] = [
    ['/500', /^The site responded with status 500\. Next attempt in 4 s$/],
    ['/429', /^The site responded with status 429\. Next attempt in 4 s$/],
    ['/cut.mp3', /^(The connection to that site was lost|Incomplete: 1\d of 30 s)\. Next attempt in 4 s$/],
    ['/nolength.mp3', /^Incomplete: 1\d of 30 s\. Next attempt in 4 s$/],
  ];
  const ids = await Promise.all(cases.map(([path]) => page.queueLink(site.getAddress(path))));
  for (const [at, [path, sentence]] of cases.entries()) {
    const id = ids[at] ?? 0;
    const { status } = await page.waitForChange(
      (change) => change.downloadid === id && change.status.reason !== undefined,
    );
    expect([path, status.failed, status.reason]).toEqual([path, 4, expect.stringMatching(sentence)]);
    await ada.call(changedownload, { downloadid: id, to: 'cancelled' });
  }
});

test('a link to another file of the server is never read, wherever it comes from', async () => {
  const { site, ada, page } = await openDownloads();
  const ids = await Promise.all(['/tofile', '/fake.mp3'].map((path) => page.queueLink(site.getAddress(path))));
  for (const id of ids) expect((await page.waitForEnd(id)).codes.at(-1)).toBe(1);
  expect((await ada.call(ytgetdata, {})).mp3s).toEqual({});
});

test('a song with a broken picture has none, and a song without its file is downloaded into its old place', async () => {
  const { site, server, ada, page } = await openDownloads();
  const url = site.getAddress('/watch?cover=broken.jpg');
  const { song } = await page.waitForEnd(await page.queueLink(url));
  expect((await fetch(`${server.origin}/api/sendytthumb/${song}`)).status).toBe(404);
  await ada.call(modvideo, { id: song, title: 'My own words' });
  const { content } = await ada.call(sendsongplaylist, { songs: [song] });
  expect((await content.bytes()).length).toBeGreaterThan(1000);

  const path = join(server.dataDir, 'music', `${song}.m4a`);
  await unlink(path);
  await expect(ada.call(sendsongplaylist, { songs: [song] })).rejects.toThrow('The file is missing. Download it again');
  expect((await ada.call(ytgetdata, {})).mp3s[song]?.isMissing).toBe(true);
  const retried = await page.waitForEnd(await page.queueLink(url));
  expect([retried.song, retried.reason]).toEqual([song, undefined]);
  const { mp3s } = await ada.call(ytgetdata, {});
  expect(Object.values(mp3s)).toMatchObject([{ title: 'My own words', isMissing: false }]);
  const { content: secondCopy } = await ada.call(sendsongplaylist, { songs: [song] });
  expect((await secondCopy.bytes()).length).toBe((await ada.call(ytgetdata, {})).mp3s[song]?.size);
});
