import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { openDownloadsPage } from '#testing/kits/media/downloads.ts';
import { readMedia } from '#testing/kits/media/media.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import {
  changedownload,
  createplaylist,
  downloads,
  dropupload,
  startupload,
  uploadpart,
  ytgetdata,
} from '../../contract.ts';
import { UPLOAD_CHUNK_BYTES } from '../../contract/limits.ts';

const PART = 200_000;

const describeUpload = (bytes: Buffer, name = 'My song.mp3') => ({
  name,
  size: bytes.length,
  digest: createHash('sha256').update(bytes).digest('hex'),
});

const getRefusal = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'answered',
    (error: unknown) => (error instanceof Refusal ? error.message : String(error)),
  );

/** Sends chunks from an offset on, up to a maximum number. @returns the last answer. */
async function send({ call }: TestAccount, upload: number, bytes: Buffer, { from = 0, parts = Infinity } = {}) {
  let answer: { readonly offset: number; readonly downloadid?: number | undefined } = { offset: from };
  for (let sent = 0; sent < parts && answer.downloadid === undefined; sent += 1) {
    const { offset } = answer;
    answer = await call(uploadpart, { upload, offset, data: bytes.subarray(offset, offset + PART).toString('base64') });
  }
  return answer;
}

testOnBothDatabases(
  'an audio file is sent in chunks, resumes after a restart of the server, and becomes a song',
  async ({ dataDir, databaseUrl }) => {
    const bytes = await readMedia('song.wav');
    const uploadRequest = describeUpload(bytes, 'Morning\u202e take 2.wav');
    const first = await startServer({ dataDir, databaseUrl });
    const ada = await first.createAccount('Ada');
    const { playlistid } = await ada.call(createplaylist, { title: 'Mine', contains: [] });
    const started = await ada.call(startupload, { ...uploadRequest, playlist: playlistid });
    expect(started.offset).toBe(0);
    expect(await send(ada, started.upload, bytes, { parts: 2 })).toEqual({ offset: 2 * PART });
    // A chunk that is sent twice or too early is ignored.
    for (const offset of [0, 5 * PART])
      expect((await ada.call(uploadpart, { upload: started.upload, offset, data: 'AAAA' })).offset).toBe(2 * PART);
    await first[Symbol.asyncDispose]();
    const orphan = join(first.dataDir, 'music', 'uploads', '4711.part');
    await writeFile(orphan, bytes.subarray(0, 100));

    await using server = await startServer({ dataDir, databaseUrl });
    const call = createClient({ origin: server.origin, token: () => ada.token });
    const again: TestAccount = { ...ada, call };
    await using page = await openDownloadsPage(server, again);
    const { upload, offset } = await again.call(startupload, { ...uploadRequest, playlist: playlistid });
    expect([upload, offset]).toEqual([started.upload, 2 * PART]);
    const { downloadid = 0 } = await send(again, upload, bytes, { from: offset });
    // A file without a row is removed at the start.
    await expect.poll(() => existsSync(orphan), { timeout: 10_000 }).toBe(false);
    // The last chunk again, because its answer may be lost.
    expect(await again.call(uploadpart, { upload, offset: bytes.length - 1, data: '' })).toMatchObject({ downloadid });
    const { title, song, codes } = await page.waitForEnd(downloadid);
    expect([title, codes.at(-1)]).toEqual(['Morning take 2', 3]);
    const { mp3s, playlists } = await again.call(ytgetdata, {});
    expect(mp3s[song]).toMatchObject({ title: 'Morning take 2', source: '' });
    expect(playlists[playlistid]?.contains).toEqual([song]);

    // The same file is the same song, and nothing is sent.
    const known = await again.call(startupload, uploadRequest);
    expect(known.offset).toBe(bytes.length);
    const { downloadid: second = 0 } = await send(again, known.upload, bytes, { from: known.offset });
    expect(await page.waitForEnd(second)).toMatchObject({ song, reason: 'Already in your library' });
    expect(await readdir(join(server.dataDir, 'music', 'uploads'))).toEqual([]);
  },
);

test('files that are not songs, or arrive changed, have their messages and can be sent again', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  await using page = await openDownloadsPage(server, ada);
  const text = Buffer.from('no sound at all, only words');
  const started = await ada.call(startupload, describeUpload(text, 'x.mp3'));
  const { downloadid = 0 } = await send(ada, started.upload, text);
  expect(await page.waitForEnd(downloadid)).toMatchObject({
    status: 'Download failed',
    reason: 'No sound in this file',
  });
  const listStoredUploads = () => readdir(join(server.dataDir, 'music', 'uploads'));
  expect(await listStoredUploads()).toEqual([]);
  expect((await ada.call(startupload, describeUpload(text, 'x.mp3'))).offset).toBe(0);

  const song = await readMedia('song.mp3');
  const other = Buffer.from(song).fill(0x55, 1000, 2000);
  const broken = await ada.call(startupload, describeUpload(song));
  const { downloadid: second = 0 } = await send(ada, broken.upload, other);
  expect((await page.waitForEnd(second)).reason).toBe('The upload was damaged. Choose the file again');
  const restarted = await ada.call(startupload, describeUpload(song));
  expect(restarted.offset).toBe(0);
  const { downloadid: third = 0 } = await send(ada, restarted.upload, song);
  expect(await page.waitForEnd(third)).toMatchObject({ title: 'Inner title', codes: expect.arrayContaining([3]) });

  // A partial file is not tried three times, because it stays the same.
  const half = song.subarray(0, song.length >> 1);
  const cut = await ada.call(startupload, describeUpload(half, 'half.mp3'));
  const { downloadid: fourth = 0 } = await send(ada, cut.upload, half);
  expect((await page.waitForEnd(fourth)).reason).toMatch(/^Incomplete: 1\d of 30 s$/);
  expect(await listStoredUploads()).toEqual([]);
});

test('without ffmpeg uploads are refused before they start, and earlier ones show why they are not songs yet', async () => {
  const setupProblem =
    'Converting needs ffmpeg, but ffmpeg is not installed on this server. Run: apt-get install ffmpeg';
  let isMissing = false;
  const tools = serverTools.map((tool): ServerTool =>
    tool.name === 'music'
      ? {
          ...tool,
          start: (context, site) =>
            tool.start(
              {
                ...context,
                programs: {
                  ...context.programs,
                  getSetupProblem: async (to) => (isMissing ? setupProblem : context.programs.getSetupProblem(to)),
                },
              },
              site,
            ),
        }
      : tool,
  );
  await using server = await startServer({ tools, environment: { MUSIC_QUOTA_GB: '0.001' } });
  const ada = await server.createAccount('Ada');
  await using page = await openDownloadsPage(server, ada);
  const song = await readMedia('song.mp3');
  const text = Buffer.from('whatever it is');
  const started = await ada.call(startupload, describeUpload(song));
  isMissing = true;
  const { downloadid = 0 } = await send(ada, started.upload, song);
  expect((await page.waitForEnd(downloadid)).reason).toBe(setupProblem);
  expect(await getRefusal(ada.call(startupload, { ...describeUpload(song), digest: 'c'.repeat(64) }))).toBe(
    setupProblem,
  );

  isMissing = false;
  // A complete file uses its space until it is a song or is cancelled.
  const freeBytes = Math.floor(0.001 * 1024 ** 3) - song.length;
  const other = { name: 'y.mp3', size: freeBytes + 1, digest: 'c'.repeat(64) };
  expect(await getRefusal(ada.call(startupload, other))).toMatch(/unfinished uploads .* Finish or cancel some uploads/);
  await ada.call(dropupload, await ada.call(startupload, { ...other, size: freeBytes }));
  await ada.call(changedownload, { downloadid, to: 'again' });
  expect(
    await page.waitForChange(({ downloadid: id, status }) => id === downloadid && status.failed === 3),
  ).toBeDefined();

  const taken = await ada.call(startupload, describeUpload(text));
  isMissing = true;
  const { downloadid: closed = 0 } = await send(ada, taken.upload, text);
  expect((await page.waitForEnd(closed)).reason).toBe(setupProblem);
  await ada.call(changedownload, { downloadid: closed, to: 'saved' });
  expect(await readdir(join(server.dataDir, 'music', 'uploads'))).toEqual([]);
});

test('chunks beyond the announced size, files above the quota, and uploads of another account are refused', async () => {
  await using server = await startServer({ environment: { MUSIC_QUOTA_GB: '0.001' } });
  const ada = await server.createAccount('Ada');
  const eve = await server.createAccount('Eve');
  const small = Buffer.from('words');
  const { upload } = await ada.call(startupload, describeUpload(small));
  const part = (data: string, id = upload) => ({ upload: id, offset: 0, data });
  const unknown = 'There is no such upload. Choose the file again';
  expect(await getRefusal(eve.call(uploadpart, part('AAAA')))).toBe(unknown);
  expect(await getRefusal(ada.call(uploadpart, part('AAAA', 2 ** 40)))).toBe(unknown);
  expect(await getRefusal(ada.call(uploadpart, part('A'.repeat(100))))).toBe(
    'The upload is larger than announced. Choose the file again',
  );
  expect(await getRefusal(ada.call(uploadpart, part('no base64!')))).toBe('data: is not base64');
  expect(await getRefusal(ada.call(uploadpart, part(Buffer.alloc(UPLOAD_CHUNK_BYTES + 1).toString('base64'))))).toBe(
    'data: is larger than 8 MiB',
  );
  const large = { name: 'x.mp3', size: 2 * 1024 ** 2, digest: 'a'.repeat(64) };
  expect(await getRefusal(ada.call(startupload, large))).toMatch(/^Your songs use 0\.0 of 0\.001 GiB/);
  // A resumed upload doesn't count twice.
  const max = { name: 'y.mp3', size: 700_000, digest: 'b'.repeat(64) };
  for (const _again of [1, 2]) expect((await ada.call(startupload, max)).offset).toBe(0);
  expect(await getRefusal(ada.call(startupload, { ...max, digest: 'c'.repeat(64) }))).toMatch(/^Your songs use/);
  expect(await getRefusal(ada.call(startupload, { ...describeUpload(small), playlist: 4711 }))).toMatch(
    /^There is no such playlist/,
  );
});

/** A file so large that only one fits. */
const createLargestFile = (letter: string) => ({ name: 'x.mp3', size: 700_000, digest: letter.repeat(64) });

testOnBothDatabases('a cancelled upload frees its space, whether it is partial or complete', async (options) => {
  await using server = await startServer({ ...options, environment: { MUSIC_QUOTA_GB: '0.001' } });
  const ada = await server.createAccount('Ada');
  const eve = await server.createAccount('Eve');
  const { upload } = await ada.call(startupload, createLargestFile('a'));
  await ada.call(uploadpart, { upload, offset: 0, data: 'AAAA' });
  await eve.call(dropupload, { upload });
  expect(await ada.call(startupload, createLargestFile('a'))).toEqual({ upload, offset: 3 });
  expect(await getRefusal(ada.call(startupload, createLargestFile('b')))).toMatch(/^Your songs use/);

  await ada.call(dropupload, { upload });
  await ada.call(dropupload, { upload });
  expect(await readdir(join(server.dataDir, 'music', 'uploads'))).toEqual([]);
  const started = await ada.call(startupload, createLargestFile('b'));
  expect(started.offset).toBe(0);
  await ada.call(dropupload, started);

  const bytes = await readMedia('song.mp3');
  const complete = await ada.call(startupload, describeUpload(bytes));
  const { downloadid } = await send(ada, complete.upload, bytes);
  expect(downloadid).toBeDefined();
  await ada.call(dropupload, complete);
  expect((await ada.call(downloads, {})).downloads.filter(({ failed }) => failed === 5)).toEqual([]);
  expect(await readdir(join(server.dataDir, 'music', 'uploads'))).toEqual([]);
});
