import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally, type LocalServer } from '../server/localServer.ts';
import { MEDIA_SECONDS, readMedia, type MediaName } from './media.ts';

/** A site on the internet with songs, recordings and lists of them, and with everything that can go wrong. */
export interface MediaSite extends LocalServer {
  /** Value for a server's `egressAllow` that admits only this port. */
  readonly allowedTargets: readonly string[];
  /** Returns the address of a page or file: `/watch`, `/media/song.mp3`, … (`routes` below). */
  readonly getAddress: (path: string) => string;
  /** Requested paths with queries, in order. */
  readonly listRequests: () => readonly string[];
  /** A server in the internal network that must not be reached: its address, and its requests nevertheless. */
  readonly inner: { readonly origin: string; readonly listRequests: () => readonly string[] };
  /** Releases all downloads that the site delays. */
  readonly releaseDownloads: () => void;
}

interface MediaRequest {
  readonly url: URL;
  readonly origin: string;
  readonly inner: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: State;
}
interface State {
  /** Number of requests per path. */
  readonly counts: Map<string, number>;
  downloadsReleased: PromiseWithResolvers<void>;
}
type Route = (visit: MediaRequest) => Promise<void> | void;

const types: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  webm: 'video/webm',
  jpg: 'image/jpeg',
  xml: 'application/rss+xml',
  m3u: 'audio/x-mpegurl',
  m3u8: 'application/vnd.apple.mpegurl',
};
const getMediaType = (path: string): string => types[path.split('.').at(-1) ?? ''] ?? 'text/html; charset=utf-8';

function sendBytes({ request, response, url }: MediaRequest, bytes: Buffer): void {
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const isPart = request.headers.range !== undefined;
  const last = to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
  if (Number(from) > last) {
    response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    return;
  }
  const part = bytes.subarray(Number(from), last + 1);
  response.writeHead(isPart ? 206 : 200, {
    'content-type': getMediaType(url.pathname),
    'content-length': part.length,
    'accept-ranges': 'bytes',
    ...(isPart ? { 'content-range': `bytes ${from}-${last}/${bytes.length}` } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}
const sendText = ({ response, url }: MediaRequest, text: string, status = 200): void =>
  void response.writeHead(status, { 'content-type': getMediaType(url.pathname) }).end(text);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** Escapes JSON for a script element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** `?title=…&media=…&cover=…&seconds=…`, each with a default. */
function videoObject({ url, origin }: MediaRequest, name?: string): string {
  const params = url.searchParams;
  return `<script type="application/ld+json">${inScript({
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: name ?? params.get('title') ?? 'A good song',
    description: 'Of this site',
    thumbnailUrl: [`${origin}/media/${params.get('cover') ?? 'cover.jpg'}`],
    uploadDate: '2026-01-01',
    duration: `PT${params.get('seconds') ?? MEDIA_SECONDS}S`,
    contentUrl: `${origin}/${params.get('media') ?? 'media/video.mp4'}`,
  })}</script>`;
}
const page = (head: string, body = ''): string =>
  `<!doctype html><html><head><title>A page</title>${head}</head><body>${body}</body></html>`;

const feed = (items: readonly string[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>A list</title><link>http://example.org/</link>
  <description>Of this site</description>${items.map((item) => `<item>${item}</item>`).join('\n')}</channel></rss>`;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

const half =
  (name: MediaName): Route =>
  async (visit) => {
    const bytes = await readMedia(name);
    sendBytes(visit, bytes.subarray(0, bytes.length >> 1));
  };

/** Writes until the client stops reading. */
function endless(response: ServerResponse): void {
  function more(): void {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x55)));
    response.once('drain', more);
  }
  more();
}

/** Writes `step` bytes every tenth of a second. */
async function slowly(response: ServerResponse, bytes: Buffer, step: number): Promise<void> {
  for (let start = 0; start < bytes.length && !response.destroyed; start += step) {
    response.write(bytes.subarray(start, start + step));
    await new Promise<void>((resolve) => void setTimeout(resolve, 100));
  }
  response.end();
}

const routes: Readonly<Record<string, Route>> = {
  /** A page with one video: title, picture, duration. */
  '/watch': (visit) => sendText(visit, page(videoObject(visit))),
  '/og': (visit) =>
    sendText(
      visit,
      page(
        `<meta property="og:title" content="An open song"><meta property="og:image" content="${visit.origin}/media/cover.jpg">
        <meta property="og:video" content="${visit.origin}/media/video.mp4"><meta property="og:video:type" content="video/mp4">`,
      ),
    ),
  '/twovideos': (visit) =>
    sendText(
      visit,
      page(
        '',
        numbers(2)
          .map((at) => `<video src="${visit.origin}/media/video.mp4?${at}"></video>`)
          .join(''),
      ),
    ),
  '/several': (visit) =>
    sendText(visit, page(['One', 'Two', 'Three'].map((name) => videoObject(visit, name)).join(''))),
  /** A page without media. */
  '/text': (visit) => sendText(visit, page('', '<p>Nothing to hear here</p>')),
  /** `?count=…`: pages of songs; every tenth from `?dead=…` on does not exist. */
  '/feedpages.xml': (visit) => {
    const count = Number(visit.url.searchParams.get('count') ?? 3);
    const dead = Number(visit.url.searchParams.get('dead') ?? Infinity);
    const link = (at: number): string =>
      at >= dead && (at - dead) % 10 === 0
        ? `${visit.origin}/nothing?${at}`
        : `${visit.origin}/watch?title=Song%20${at}`;
    sendText(visit, feed(numbers(count).map((at) => `<title>Song ${at}</title><link>${escaped(link(at))}</link>`)));
  },
  '/feed.xml': (visit) =>
    sendText(
      visit,
      feed(
        numbers(3).map(
          (at) =>
            `<title>Song ${at}</title><enclosure url="${visit.origin}/media/song.mp3?${at}" type="audio/mpeg" length="1"/>`,
        ),
      ),
    ),
  '/list.m3u': (visit) =>
    sendText(visit, ['#EXTM3U', ...numbers(3).map((at) => `#EXTINF:30,Song ${at}\n/media/song.mp3?${at}`)].join('\n')),
  '/list.pls': (visit) =>
    sendText(
      visit,
      `[playlist]\n${numbers(2)
        .map((at) => `File${at}=${visit.origin}/media/song.mp3?${at}`)
        .join('\n')}\n`,
    ),

  '/half.mp3': half('song.mp3'),
  '/half.mp4': half('video.mp4'),
  '/half.webm': half('video.webm'),
  /** Claims to be complete, but breaks off half way, every time. */
  '/cut.mp3': async ({ response }) => {
    const bytes = await readMedia('song.mp3');
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  },
  '/nolength.mp3': async ({ response }) => {
    const bytes = await readMedia('song.mp3');
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { 'content-type': 'audio/mpeg', connection: 'close' });
    response.end(bytes.subarray(0, bytes.length >> 1));
  },
  '/slow.mp3': async ({ response }) => {
    const bytes = await readMedia('song.mp3');
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': bytes.length });
    await slowly(response, bytes, 6400);
  },
  '/stall.mp3': async ({ response }) => {
    const bytes = await readMedia('song.mp3');
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length >> 1));
  },
  /**
   * Sends half of the file, and the rest when the test says so; a later request for the rest is answered immediately.
   */
  '/held.mp3': async (visit) => {
    const bytes = await readMedia('song.mp3');
    if (visit.request.headers.range !== undefined) return sendBytes(visit, bytes);
    visit.response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': bytes.length });
    visit.response.write(bytes.subarray(0, bytes.length >> 1));
    await visit.state.downloadsReleased.promise;
    visit.response.end(bytes.subarray(bytes.length >> 1));
  },
  '/endless.mp3': async ({ response }) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write((await readMedia('song.mp3')).subarray(0, 8192));
    endless(response);
  },
  /** Claims a size over the limit. */
  '/huge.mp3': async ({ request, response }) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 3 * 1024 ** 3 });
    if (request.method === 'HEAD') response.end();
    else response.write((await readMedia('song.mp3')).subarray(0, 64 * 1024));
  },
  /** Fails once, then succeeds. */
  '/flaky.mp3': async (visit) => {
    const count = visit.state.counts.get('/flaky.mp3') ?? 0;
    if (count <= 1) sendText(visit, 'not now', 503);
    else sendBytes(visit, await readMedia('song.mp3'));
  },
  /** Not a song, despite its name. */
  '/script.mp3': (visit) => sendBytes(visit, Buffer.from('#!/bin/sh\necho hello\n')),
  '/silent.mp4': async (visit) => sendBytes(visit, await readMedia('silent.mp4')),
  /** Playlists that point to files of the server and into its network. */
  '/fake.mp3': (visit) =>
    sendText(visit, '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'),
  '/concat.mp3': (visit) => sendText(visit, "ffconcat version 1.0\nfile '/etc/passwd'\n"),
  '/inward.m3u8': (visit) =>
    sendText(
      visit,
      `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${visit.inner}/segment.ts\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n`,
    ),
  '/whole.m3u8': (visit) =>
    sendText(visit, `#EXTM3U\n#EXT-X-TARGETDURATION:30\n#EXTINF:30,\n${visit.origin}/media/song.mp3\n#EXT-X-ENDLIST\n`),
  /** A live playlist, without an end. */
  '/live.m3u8': (visit) =>
    sendText(visit, `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${visit.origin}/media/song.mp3\n`),
  '/inward': ({ response, inner }) => void response.writeHead(302, { location: `${inner}/secret.mp3` }).end(),
  '/inward-page': (visit) =>
    sendText(
      visit,
      page(videoObject(visit).replaceAll(`${visit.origin}/media/video.mp4`, `${visit.inner}/secret.mp4`)),
    ),
  '/tofile': ({ response }) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  /** A master playlist whose audio is a segmented stream: `?stream=live.m3u8`. */
  '/channels.m3u8': (visit) =>
    sendText(
      visit,
      `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp3"\n${visit.origin}/${visit.url.searchParams.get('stream') ?? 'whole.m3u8'}\n`,
    ),
  '/moved': ({ response }) => void response.writeHead(302, { location: '/media/song.mp3' }).end(),
  '/media/broken.jpg': async (visit) => sendBytes(visit, (await readMedia('cover.jpg')).subarray(0, 400)),
  '/nothing': (visit) => sendText(visit, 'not found', 404),
  '/forbidden': (visit) => sendText(visit, 'forbidden', 403),
  '/500': (visit) => sendText(visit, 'broken', 500),
  '/429': (visit) => sendText(visit, 'too many', 429),
};

const isMedia = (name: string): name is MediaName => /^(song|video|silent|cover)\.\w+$/.test(name);

const visited: Route = async (visit) => {
  const { pathname } = visit.url;
  const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
  if (route) return route(visit);
  const name = pathname.replace(/^\/media\//, '');
  if (isMedia(name)) return sendBytes(visit, await readMedia(name));
  return sendText(visit, 'not found', 404);
};

export async function startMediaSite(): Promise<MediaSite> {
  const requests: string[] = [];
  const innerRequests: string[] = [];
  const state: State = { counts: new Map(), downloadsReleased: Promise.withResolvers() };
  const innerServer = createServer({ keepAlive: false }, (request, response) => {
    innerRequests.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('a secret');
  });
  const inner = await listenLocally(innerServer);
  const server = createServer({ keepAlive: false }, (request, response) => {
    const url = new URL(request.url ?? '/', origin);
    requests.push(request.url ?? '');
    state.counts.set(url.pathname, (state.counts.get(url.pathname) ?? 0) + 1);
    const visit = { url, origin, inner: inner.origin, request, response, state };
    Promise.resolve(visited(visit)).catch((error: unknown) => response.destroy(error as Error));
  });
  const localServer = await listenLocally(server);
  const { origin, host } = localServer;
  return {
    ...localServer,
    allowedTargets: [host],
    getAddress: (path) => `${origin}${path}`,
    listRequests: () => requests,
    inner: { origin: inner.origin, listRequests: () => innerRequests },
    releaseDownloads: () => {
      state.downloadsReleased.resolve();
      state.downloadsReleased = Promise.withResolvers();
    },
    [Symbol.asyncDispose]: async () => {
      await localServer[Symbol.asyncDispose]();
      await inner[Symbol.asyncDispose]();
    },
  };
}
