// Songs in an S3-compatible bucket instead of the data folder.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parseBuffer } from 'music-metadata';
import { expect, onTestFinished, test } from 'vitest';
import { createS3Store, type S3Bucket } from '#platform/server/storage/s3Store.ts';
import { createTone, startMusicServer } from '#testing/kits/media/songs.ts';
import { startS3Server, TEST_BUCKET } from '#testing/kits/server/s3Server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { readZip } from '#testing/kits/server/zip.ts';
import { getSkipReason } from '#testing/machine.ts';
import { downloadticket, modvideo, sendsongplaylist, streamaddresses, ytgetdata } from '#tools/music/contract.ts';

const SONG_BYTES = 8_000_000;

async function startS3(): Promise<{ readonly bucket: S3Bucket; readonly stop: () => Promise<void> }> {
  const server = await startS3Server(await createTempFolder());
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= Promise.resolve(server[Symbol.asyncDispose]()));
  onTestFinished(stop);
  return { bucket: { ...server.access, bucket: TEST_BUCKET, prefix: 'home', retryDelayMs: 1 }, stop };
}

/** Starts a server whose songs are in a bucket, with a few songs of ann. */
async function startWithBucket(contents: readonly Buffer[]) {
  const { bucket, stop } = await startS3();
  const server = await startMusicServer({ filesBucket: bucket });
  const ann = await server.createAccount('ann');
  const songs = await server.addSongs(
    'ann',
    contents.map((content, index) => ({ title: `Song ${index}`, content, picture: Buffer.from('RIFF') })),
  );
  const ids = songs.map(({ id }) => id);
  const { addresses } = await ann.call(streamaddresses, { songs: ids });
  return {
    server,
    ann,
    ids,
    store: createS3Store(bucket),
    stopBucket: stop,
    urls: ids.map((id) => `${server.origin}${addresses[String(id)]}`),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function fetchRange(url: string, range: string): Promise<Buffer> {
  const response = await fetch(url, { headers: { range } });
  expect(response.status).toBe(206);
  return Buffer.from(await response.arrayBuffer());
}

const open = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void get(url, { agent: false }, resolve).on('error', reject));

test('songs in a bucket are played from any position, by many at the same time and by slow players', async () => {
  const contents = [randomBytes(SONG_BYTES), randomBytes(300_000)];
  await using place = await startWithBucket(contents);
  const { server, ids, store, urls } = place;
  const [long = Buffer.alloc(0), short = Buffer.alloc(0)] = contents;
  const [longUrl = '', shortUrl = ''] = urls;
  expect(existsSync(server.getSongPath({ id: ids[0] ?? 0, type: 'mp3' }))).toBe(false);
  expect((await store.find(`music/${ids[0]}.mp3`))?.bytes).toBe(SONG_BYTES);

  // Stops reading for a while, so that the bucket's answer waits too.
  const stalled = await open(longUrl);
  await new Promise((resolve) => stalled.once('readable', resolve));
  // Leaves in the middle.
  const left = await open(longUrl);
  await new Promise((resolve) => left.once('readable', resolve));
  left.destroy();
  const offsets = Array.from({ length: 12 }, (_, index) => index * 600_000 + 77);
  const parts = await Promise.all(offsets.map((from) => fetchRange(longUrl, `bytes=${from}-${from + 99_999}`)));
  for (const [index, from] of offsets.entries())
    expect(parts[index]?.equals(long.subarray(from, from + 100_000))).toBe(true);
  expect((await fetchRange(shortUrl, 'bytes=299990-')).equals(short.subarray(299_990))).toBe(true);
  expect((await buffer(stalled)).equals(long)).toBe(true);

  const picture = await fetch(`${server.origin}/api/sendytthumb/${ids[0]}`);
  expect([await picture.text(), picture.headers.get('etag')]).toEqual(['RIFF', expect.stringContaining('"')]);
});

test('a playlist in a bucket is downloaded as a zip, which continues where it was interrupted', async () => {
  const contents = [randomBytes(900_000), randomBytes(1_200_000), randomBytes(10)];
  await using place = await startWithBucket(contents);
  const { ann, server, ids, store } = place;
  const { address, size } = await ann.call(downloadticket, { songs: ids });
  const url = server.origin + address;
  const response = await fetch(url);
  const whole = Buffer.from(await response.arrayBuffer());
  expect(whole.length).toBe(size);
  const files = [...readZip(whole).values()];
  for (const [index, content] of contents.entries()) expect(files[index]?.equals(content)).toBe(true);
  for (const from of [1, 899_000, 1_000_000, size - 300])
    expect((await fetchRange(url, `bytes=${from}-`)).equals(whole.subarray(from))).toBe(true);
  const again = await fetch(url, { headers: { range: 'bytes=5-', 'if-range': response.headers.get('etag') ?? '' } });
  expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([206, size - 5]);

  await store.remove(`music/${ids[1]}.mp3`);
  const zip = await ann.call(sendsongplaylist, { songs: ids });
  expect(readZip(await zip.content.bytes()).size).toBe(3);
  expect((await ann.call(ytgetdata, {})).mp3s[String(ids[1])]).toMatchObject({ isMissing: true });
});

test('a song that is deleted while it plays ends completely or is cut, and is missing afterwards', async () => {
  const content = randomBytes(SONG_BYTES);
  await using place = await startWithBucket([content]);
  const { ids, store, urls } = place;
  const [url = ''] = urls;
  const playing = await open(url);
  await new Promise((resolve) => playing.once('readable', resolve));
  await store.remove(`music/${ids[0]}.mp3`);
  const received = await buffer(playing).catch(() => undefined);
  expect(received === undefined || received.equals(content)).toBe(true);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toEqual([
    404,
    { message: 'The file is missing. Download it again' },
  ]);
});

test('a bucket that is not reachable is reported, and no song is marked as missing', async () => {
  await using place = await startWithBucket([randomBytes(1000)]);
  const { ann, server, ids, stopBucket, urls } = place;
  await stopBucket();
  const response = await fetch(urls[0] ?? '');
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      code: 'files.unavailable',
      message:
        "The file storage of this server doesn't work at the moment. Try again later, or tell the owner of this server",
    },
  ]);
  expect(server.log.some((line) => line.includes('files.store.failed') && line.includes('Check S3_ENDPOINT'))).toBe(
    true,
  );
  expect((await ann.call(ytgetdata, {})).mp3s[String(ids[0])]).toMatchObject({ isMissing: false });
});

const skipReason = getSkipReason('ffmpeg');

test.skipIf(skipReason)('a renamed song in a bucket gets its tags', async () => {
  await using place = await startWithBucket([await createTone()]);
  const { ann, ids, store } = place;
  const id = ids[0] ?? 0;
  await ann.call(modvideo, { id, title: 'New title', artist: 'Ann', album: '' });
  const song = await ann.call(sendsongplaylist, { songs: [id] });
  const { common } = await parseBuffer(Buffer.from(await song.content.bytes()), { mimeType: 'audio/mpeg' });
  expect([common.title, common.artist]).toEqual(['New title', 'Ann']);
  await expect.poll(() => store.find(`music/${id}-next.mp3`)).toBeUndefined();
});
