import { open } from 'node:fs/promises';
import {
  createErrorResponse,
  type Endpoint,
  type EndpointResponse,
  type EndpointRequest,
} from '#platform/server/http/endpoint.ts';
import { createRangedFile } from '#platform/server/http/rangedParts.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { pictureName, type GalleryRecording, videoName, videoPurpose } from '../domain/recording.ts';
import type { GalleryStore } from './galleryStore.ts';

/** A recording that becomes private stays in the cache of its viewers for at most this long. */
const CACHE_TTL_SECONDS = 600;
const NOT_FOUND = createErrorResponse(404, 'There is no such recording. It may have been deleted');
/** None of our addresses is longer. */
const MAX_URL_LENGTH = 300;

interface ServedFileKind {
  readonly path: `/${string}`;
  readonly ending: string;
  readonly type: string;
  readonly getName: (file: string) => string;
  readonly summary: string;
}
const SERVED: readonly ServedFileKind[] = [
  {
    path: '/api/cwservet/:file',
    ending: '.png',
    type: 'image/png',
    getName: pictureName,
    summary: 'Returns the thumbnail of a recording, `<name>.png`. Private ones need a signed address.',
  },
  {
    path: '/api/cwservev/:file',
    ending: '.webm',
    type: 'video/webm',
    getName: videoName,
    summary: 'Streams a recording, `<name>.webm`, with byte ranges. Private ones need a signed address.',
  },
];

/**
 * `GET cwservet/<name>.png` and `GET cwservev/<name>.webm`: public recordings for everyone, private ones by a signed
 * address.
 */
export function fileEndpoints(
  { files, links, identity, now }: ServerContext,
  store: Pick<GalleryStore, 'find'>,
): readonly Endpoint[] {
  const isVisible = async ({ file, account, isPublic }: GalleryRecording, query: URLSearchParams): Promise<boolean> => {
    if (isPublic) return true;
    const generation = await identity.getLinkGeneration(account);
    if (generation === undefined) return false;
    const signature = { e: query.get('e') ?? undefined, s: query.get('s') ?? undefined };
    return links.verify({ purpose: videoPurpose(file), account, generation }, signature, now());
  };
  const serve = async (
    { ending, type, getName }: ServedFileKind,
    { url }: EndpointRequest,
  ): Promise<EndpointResponse> => {
    if (url.length > MAX_URL_LENGTH) return NOT_FOUND;
    const [path = '', query] = url.split('?', 2);
    const fileName = path.slice(path.lastIndexOf('/') + 1);
    const file = fileName.endsWith(ending) ? fileName.slice(0, -ending.length) : '';
    const recording = /^[\w-]{22}$/.test(file) ? await store.find(file) : undefined;
    if (!recording || !(await isVisible(recording, new URLSearchParams(query)))) return NOT_FOUND;
    const name = getName(file);
    const size = await files.getSize(name);
    if (size === undefined) return NOT_FOUND;
    return {
      status: 200,
      headers: { 'content-type': type, 'cache-control': `private, max-age=${CACHE_TTL_SECONDS}` },
      body: createRangedFile([{ size, open: () => open(files.getPath(name)) }], `${file}-${size}`),
    };
  };
  return SERVED.map((served) => ({
    methods: ['GET', 'HEAD'],
    path: served.path,
    about: { summary: served.summary, types: [served.type] },
    run: (request) => serve(served, request),
  }));
}
