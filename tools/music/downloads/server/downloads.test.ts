import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { openDownloadsPage, type DownloadsPage } from '#testing/kits/media/downloads.ts';
import { startMediaSite, type MediaSite } from '#testing/kits/media/mediaSite.ts';
import { createFastYtdlp } from '#testing/kits/media/ytdlp.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import {
  changedownload,
  createplaylist,
  deletesong,
  downloadError,
  downloads,
  pollDownloadProgress,
  ytdownload,
  ytgetdata,
} from '../../contract.ts';

interface DownloadKit {
  readonly site: MediaSite;
  readonly server: TestServer;
  readonly ada: TestAccount;
  readonly page: DownloadsPage;
}

type Options = Parameters<typeof startServer>[0];

async function startDownloads(
  stack: AsyncDisposableStack,
  options: Options = {},
): Promise<Omit<DownloadKit, 'ada' | 'page'>> {
  const site = stack.use(await startMediaSite());
  const server = await startServer({
    egressAllow: site.allowedTargets,
    rateLimits: false,
    ytdlpPath: await createFastYtdlp(),
    ...options,
  });
  return { site, server: stack.use(server) };
}

function createTestStack(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  onTestFinished(async () => stack.disposeAsync());
  return stack;
}

/** Starts a site and a server that can reach it, with an account and its page. */
async function openDownloads(options: Options = {}): Promise<DownloadKit> {
  const stack = createTestStack();
  const place = await startDownloads(stack, options);
  const ada = await place.server.createAccount('Ada');
  return { ...place, ada, page: stack.use(await openDownloadsPage(place.server, ada)) };
}

const ofFile = new AsyncDisposableStack();
afterAll(() => ofFile.disposeAsync());
let opened: ReturnType<typeof startDownloads> | undefined;
let accounts = 0;

/**
 * Shares one server between tests that only need an account, because each server checks the versions of its programs.
 */
async function openSharedDownloads(): Promise<DownloadKit> {
  opened ??= startDownloads(ofFile, { workers: 3 });
  const place = await opened;
  const ada = await place.server.createAccount(`Ada ${(accounts += 1)}`);
  return { ...place, ada, page: createTestStack().use(await openDownloadsPage(place.server, ada)) };
}

const getRefusal = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'answered',
    (error: unknown) => (error instanceof Refusal ? error.message : String(error)),
  );

testOnBothDatabases(
  'links become songs in order, a failed one does not affect the others, and existing songs are not downloaded again',
  async ({ dataDir, databaseUrl, dialect }) => {
    // One of the dialects uses the system's own yt-dlp.
    const own = dialect === 'sqlite' ? { ytdlpPath: undefined } : {};
    const { site, ada, page } = await openDownloads({ dataDir, databaseUrl, ...own });
    const { playlistid } = await ada.call(createplaylist, { title: 'Mine', contains: [] });
    const first = await page.waitForEnd(await page.queueLink(site.getAddress('/watch?title=Song%203')));
    const requestCount = site.listRequests().length;

    const list = await page.queueLink(site.getAddress('/feedpages.xml?count=3&dead=2'), playlistid);
    const { codes, reason } = await page.waitForEnd(list);
    expect([codes, reason]).toEqual([[4, 5, 2, 3], '1 song failed']);
    const { mp3s, playlists } = await ada.call(ytgetdata, {});
    const titles = playlists[playlistid]?.contains.map((id) => mp3s[id]?.title);
    expect(titles).toEqual(['Song 1', 'Song 3']);
    expect(playlists[playlistid]?.contains.at(-1)).toBe(first.song);
    const dead = await page.waitForChange(({ status }) => status.parent === list && status.failed === 1);
    expect(dead.status).toMatchObject({
      title: 'Song 2',
      status: 'Download failed',
      reason: 'The site responded with status 404',
    });
    expect(
      site
        .listRequests()
        .slice(requestCount)
        .filter((path) => path.includes('Song%203')),
    ).toEqual([]);
  },
);

testOnBothDatabases(
  'a link that is requested several times concurrently is downloaded once',
  async ({ dataDir, databaseUrl }) => {
    const { site, ada } = await openDownloads({ dataDir, databaseUrl });
    const url = site.getAddress('/slow');
    for (let round = 0; round < 3; round += 1) {
      const queued = await Promise.all(
        Array.from({ length: 8 }, () => ada.call(ytdownload, { url: `${url}?${round}` })),
      );
      expect(new Set(queued.map(({ downloadid }) => downloadid)).size).toBe(1);
    }
  },
);

test('a link becomes a song with the title and tags of its page, code by code', async () => {
  const { site, server, ada, page } = await openSharedDownloads();
  await using other = await openDownloadsPage(server, ada);
  const url = site.getAddress('/watch');
  const id = await page.queueLink(url);
  const { codes, title, status, song, percents } = await page.waitForEnd(id);
  expect([codes, title, status]).toEqual([[4, 5, 2, 3], 'A good song', 'Downloaded! please save']);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  // The other page of the account received the same.
  expect(await other.waitForEnd(id)).toMatchObject({ codes: expect.arrayContaining([3]), song });

  const { mp3s, playlists } = await ada.call(ytgetdata, {});
  expect(mp3s[song]).toMatchObject({ title: 'A good song', source: url, isMissing: false });
  expect(Math.abs((mp3s[song]?.duration ?? 0) - 30)).toBeLessThan(0.5);
  expect(mp3s[song]?.colour).not.toBe('');
  expect(playlists[-1]?.contains).toEqual([song]);
  expect((await fetch(`${server.origin}/api/sendytthumb/${song}`)).headers.get('content-type')).toBe('image/webp');

  // The same link is the same song, without a request to the site.
  const requestCount = site.listRequests().length;
  const again = await page.waitForEnd(await page.queueLink(`${url}#again`));
  expect([again.song, again.reason, site.listRequests().length]).toEqual([
    song,
    'Already in your library',
    requestCount,
  ]);

  await ada.call(changedownload, { downloadid: id, to: 'saved' });
  await page.waitForChange(({ downloadid, status: progress }) => downloadid === id && progress.failed === 0);
  expect((await ada.call(downloads, {})).downloads.map(({ downloadid }) => downloadid)).toEqual([again.id]);
  // A poll returns all downloads.
  await page.socket.request(pollDownloadProgress, {});
  await page.waitForChange((change) => change.downloadid === id && change.status.failed === 0);
  // A deleted song can be downloaded again.
  await ada.call(deletesong, { id: song });
  expect((await page.waitForEnd(await page.queueLink(url))).song).not.toBe(song);
});

test('each failure of a site has its message, and leaves nothing in the library', async () => {
  const { site, server, ada, page } = await openSharedDownloads();
  const cases: readonly (readonly [string, string | RegExp])[] = [
    [
      site.getAddress('/forbidden'),
      'The site refuses this server (403). Add your cookies for this site, then try again',
    ],
    [site.getAddress('/script.mp3'), 'No sound in this file'],
    [site.getAddress('/text'), /^yt-dlp \S+ can't read this page. A newer version might$/],
    [
      site.getAddress('/inward'),
      "That address is in the server's own network. Ask the owner of this server to allow it",
    ],
    [
      site.getAddress('/inward.m3u8'),
      "That address is in the server's own network. Ask the owner of this server to allow it",
    ],
    [site.getAddress('/concat.mp3'), 'No sound in this file'],
    [
      site.getAddress('/inward-page'),
      "That address is in the server's own network. Ask the owner of this server to allow it",
    ],
    [site.inner.origin, "That address is in the server's own network. Ask the owner of this server to allow it"],
    ['http://[::1]:22/', "That address is in the server's own network. Ask the owner of this server to allow it"],
  ];
  const ids: number[] = [];
  for (const [url] of cases) ids.push(await page.queueLink(url));
  const ended = await Promise.all(ids.map((id) => page.waitForEnd(id)));
  expect(ended.map(({ status }) => status)).toEqual(cases.map(() => 'Download failed'));
  for (const [at, [url, sentence]] of cases.entries())
    expect([url, ended[at]?.reason]).toEqual([
      url,
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    ]);
  expect(site.inner.listRequests()).toEqual([]);
  const { mp3s } = await ada.call(ytgetdata, {});
  expect(mp3s).toEqual({});
  // Failures have a separate event.
  expect(await page.socket.nextEvent(downloadError)).toMatchObject({
    downloadid: expect.any(Number),
    title: expect.any(String),
  });
  expect(server.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('a partial file is detected and tried again, and a site that fails once is requested again', async () => {
  const { site, ada, page } = await openSharedDownloads();
  const half = await page.queueLink(site.getAddress('/half.mp3'));
  const flaky = await page.queueLink(site.getAddress('/flaky.mp3'));
  const change = await page.waitForChange(
    ({ downloadid, status }) => downloadid === half && status.reason !== undefined,
  );
  expect(change.status).toMatchObject({ failed: 4, status: 'Queued for download' });
  expect(change.status.reason).toMatch(/^Incomplete: 1\d of 30 s\. Next attempt in 4 s$/);
  const { song, title, codes } = await page.waitForEnd(flaky);
  // The title in the file is better than the file name.
  expect([song > 0, title, codes]).toEqual([true, 'Inner title', [4, 5, 4, 5, 2, 3]]);
  await ada.call(changedownload, { downloadid: half, to: 'cancelled' });
});

test('only the first 200 songs of a list are downloaded, and cancelling a list cancels all of its songs', async () => {
  const { site, ada, page } = await openDownloads({ workers: 1 });
  const list = await page.queueLink(site.getAddress('/feedpages.xml?count=10000'));
  const { status } = await page.waitForChange(
    (change) => change.downloadid === list && change.status.reason !== undefined,
  );
  expect(status).toMatchObject({ failed: 5, status: 'Playlist download pending', reason: 'First 200 of 10000' });
  const songs = async () => (await ada.call(downloads, {})).downloads.filter(({ parent }) => parent === list);
  expect(await songs()).toHaveLength(200);
  await ada.call(changedownload, { downloadid: list, to: 'cancelled' });
  expect((await songs()).every(({ failed }) => failed === 1 || failed === 3)).toBe(true);
  await ada.call(changedownload, { downloadid: list, to: 'saved' });
  expect((await ada.call(downloads, {})).downloads).toEqual([]);
});

test('plain text lists, a feed of files and a page with two videos give one song each', async () => {
  const { site, ada, page } = await openSharedDownloads();
  async function getTitles(path: string): Promise<readonly string[]> {
    const list = await page.queueLink(site.getAddress(path));
    const { codes } = await page.waitForEnd(list);
    expect([path, codes]).toEqual([path, [4, 5, 2, 3]]);
    const { downloads: all } = await ada.call(downloads, {});
    return all.filter(({ parent }) => parent === list).map(({ title }) => title);
  }
  expect(await getTitles('/list.m3u')).toEqual(['Song 1', 'Song 2', 'Song 3']);
  expect(await getTitles('/twovideos')).toHaveLength(2);
  // The feed and the list name the same files, so nothing but the first one (by which yt-dlp detects a list) is
  // requested again.
  const requestCount = site.listRequests().length;
  expect(await getTitles('/feed.xml')).toHaveLength(3);
  const songs = site
    .listRequests()
    .slice(requestCount)
    .filter((path) => path.includes('song.mp3'));
  expect(songs.filter((path) => !path.endsWith('?1'))).toEqual([]);
  const { mp3s } = await ada.call(ytgetdata, {});
  expect(Object.keys(mp3s)).toHaveLength(5);
});

test('a download is cancelled immediately, and a retry continues where it stopped', async () => {
  const { site, ada, page } = await openSharedDownloads();
  const id = await page.queueLink(site.getAddress('/held.mp3'));
  await page.waitForChange(({ downloadid, status }) => downloadid === id && (status.percent ?? 0) > 0);
  await ada.call(changedownload, { downloadid: id, to: 'cancelled' });
  const cancelled = await page.waitForEnd(id);
  expect([cancelled.codes, cancelled.reason]).toEqual([[4, 5, 1], 'Cancelled']);
  expect(await getRefusal(ada.call(changedownload, { downloadid: id, to: 'cancelled' }))).toMatch(
    /^There is no such download/,
  );
  await ada.call(changedownload, { downloadid: id, to: 'again' });
  const release = setInterval(site.releaseDownloads, 100);
  onTestFinished(() => clearInterval(release));
  const { status } = await page.waitForChange(
    ({ downloadid, status: progress }) => downloadid === id && progress.failed === 3,
  );
  expect(status.video_id).not.toBe('');
});

test('downloads that are closed on one page disappear from the others if they failed, and are done if they finished', async () => {
  const { site, ada, page } = await openSharedDownloads();
  const close = (downloadid: number) => ada.call(changedownload, { downloadid, to: 'saved' });
  const isClosed = (id: number) =>
    page.waitForChange(({ downloadid, status }) => downloadid === id && status.closed === true);
  const stalled = await page.queueLink(site.getAddress('/held.mp3'));
  await page.waitForChange(({ downloadid, status }) => downloadid === stalled && status.failed === 5);
  await ada.call(changedownload, { downloadid: stalled, to: 'cancelled' });
  await close(stalled);
  await isClosed(stalled);
  const missing = await page.queueLink(site.getAddress('/nothing'));
  await page.waitForEnd(missing);
  await close(missing);
  await isClosed(missing);

  const song = await page.queueLink(site.getAddress('/watch?title=Closed'));
  await page.waitForEnd(song);
  await close(song);
  const done = await page.waitForChange(({ downloadid, status }) => downloadid === song && status.failed === 0);
  expect(done.status.closed).toBeUndefined();
});

test('a hostile title is one harmless line, in the library and in the file', async () => {
  const { site, ada, page } = await openSharedDownloads();
  const title = '../../etc/passwd\r\n\u202eX-Header: "1" <b>&amp;</b> $(id) \'; -- 👋';
  const { song } = await page.waitForEnd(
    await page.queueLink(site.getAddress(`/watch?title=${encodeURIComponent(title)}`)),
  );
  const { mp3s } = await ada.call(ytgetdata, {});
  const storedTitle = mp3s[song]?.title ?? '';
  expect(storedTitle).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(storedTitle).toContain('../../etc/passwd');
  expect(storedTitle).toContain('👋');
});

test('invalid links, unknown playlists and downloads of others are refused', async () => {
  const { server, ada } = await openDownloads();
  const eve = await server.createAccount('Eve');
  const { playlistid } = await ada.call(createplaylist, { title: 'Mine', contains: [] });
  expect(await getRefusal(ada.call(ytdownload, { url: 'ytsearch:five songs' }))).toBe(
    'This is not a web address. Paste a link that begins with https://',
  );
  expect(await getRefusal(ada.call(ytdownload, { url: 'file:///etc/passwd' }))).toBe(
    'This is not a web address. Paste a link that begins with https://',
  );
  const noPlaylist = 'There is no such playlist. It may have been deleted';
  const url = 'http://192.0.2.1/';
  for (const playlist of [playlistid, 4711, 'x'])
    expect(await getRefusal(eve.call(ytdownload, { url, playlist }))).toBe(noPlaylist);
  const { downloadid } = await ada.call(ytdownload, { url, playlist: null });
  const unknown = 'There is no such download. It may have finished already';
  for (const to of ['cancelled', 'again', 'saved'] as const)
    for (const id of [downloadid, 4711])
      expect(await getRefusal(eve.call(changedownload, { downloadid: id, to }))).toBe(unknown);
  expect((await eve.call(downloads, {})).downloads).toEqual([]);
});

test('sixty links an hour are accepted, then the refusal says how long to wait', async () => {
  const { server, ada } = await openDownloads({ workers: 0, rateLimits: true, trustProxy: ['127.0.0.1'] });
  const post = () =>
    fetch(`${server.origin}/api/ytdownload`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ada.token}`,
        'x-forwarded-for': '203.0.113.9', // local addresses have a higher limit
      },
      body: '{"url":"http://192.0.2.1/song"}',
    });
  for (let times = 0; times < 60; times += 1)
    expect(await (await post()).json()).toMatchObject({ message: 'added to queue' });
  const refused = await post();
  expect([refused.status, await refused.json()]).toEqual([429, { message: 'Too many requests. Try again later' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
});

test('a link that is requested twice while it is running is one download', async () => {
  const { ada } = await openDownloads({ workers: 0 });
  const url = 'http://192.0.2.1/song';
  const ids = await Promise.all([1, 2].map(async () => (await ada.call(ytdownload, { url })).downloadid));
  expect(new Set(ids).size).toBe(1);
});

test('without yt-dlp, or with an old one, the page says what to do, and the library works', async () => {
  const { ada } = await openDownloads({ ytdlpPath: '/nonexistent/yt-dlp' });
  const answer = await ada.call(downloads, {});
  expect(answer.hindrance).toMatch(/^Downloads need yt-dlp and ffmpeg, but YTDLP_PATH is .*which fails to start/);
  expect(answer.tools).toContain('yt-dlp missing');
  expect(await getRefusal(ada.call(ytdownload, { url: 'https://songs.example/' }))).toBe(answer.hindrance);
  expect((await ada.call(ytgetdata, {})).mp3s).toEqual({});

  const old = join((await openDownloads()).server.dataDir, 'yt-dlp');
  await writeFile(old, '#!/bin/sh\necho 2021.01.01\n', { mode: 0o755 });
  const { ada: bea } = await openDownloads({ ytdlpPath: old });
  expect((await bea.call(downloads, {})).hindrance).toMatch(/yt-dlp 2021\.01\.01 is too old/);
});

test('each link in a text becomes one download, and a text without links is refused', async () => {
  const { ada } = await openSharedDownloads();
  const text = 'First songs.example/watch?v=1, then\nhttps://songs.example/b). And [again](https://songs.example/b)';
  const { downloadid, title, more = [] } = await ada.call(ytdownload, { url: text });
  expect([title, ...more.map((each) => each.title)]).toEqual(['songs.example/watch', 'songs.example/b']);
  const same = await ada.call(ytdownload, { url: 'https://songs.example/b' });
  expect(same.downloadid).toBe(more[0]?.downloadid);
  for (const id of [downloadid, same.downloadid]) await ada.call(changedownload, { downloadid: id, to: 'cancelled' });
  expect(await getRefusal(ada.call(ytdownload, { url: 'nothing to see' }))).toBe(
    'This is not a web address. Paste a link that begins with https://',
  );
  const many = Array.from({ length: 201 }, (_, at) => `https://songs.example/${at}`).join('\n');
  expect(await getRefusal(ada.call(ytdownload, { url: many }))).toContain('Paste at most 200 at a time');
});
