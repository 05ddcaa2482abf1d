import {
  createErrorResponse,
  type Endpoint,
  type EndpointResponse,
  type EndpointRequest,
} from '#platform/server/http/endpoint.ts';
import { openRangedFile } from '#platform/server/storage/fileStore.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { getPicturePath, type GalleryRecording, getVideoPath, getVideoPurpose } from '../domain/recording.ts';
import type { GalleryStore } from './galleryStore.ts';

/** How long a recording that becomes private can stay in the cache of a viewer. */
const CACHE_TTL_SECONDS = 600;
const NOT_FOUND = createErrorResponse(404, 'There is no such recording. It may have been deleted');
/** Longer than every valid address. */
const MAX_URL_LENGTH = 300;

interface ServedFileKind {
  readonly path: `/${string}`;
  readonly extension: string;
  readonly type: string;
  readonly getPath: (file: string) => string;
  readonly summary: string;
}
const SERVED_FILES: readonly ServedFileKind[] = [
  {
    path: '/api/cwservet/:file',
    extension: '.png',
    type: 'image/png',
    getPath: getPicturePath,
    summary: 'Returns the thumbnail of a recording, `<name>.png`. Private ones need a signed address.',
  },
  {
    path: '/api/cwservev/:file',
    extension: '.webm',
    type: 'video/webm',
    getPath: getVideoPath,
    summary: 'Streams a recording, `<name>.webm`, with byte ranges. Private ones need a signed address.',
  },
];

/**
 * `GET cwservet/<name>.png` and `GET cwservev/<name>.webm`: public recordings for everyone, private ones by a signed
 * address.
 */
export function createVideoEndpoints(
  { files, links, identity, now }: ServerContext,
  store: Pick<GalleryStore, 'find'>,
): readonly Endpoint[] {
  async function isVisible({ file, account, isPublic }: GalleryRecording, query: URLSearchParams): Promise<boolean> {
    const generation = await identity.getLinkGeneration(account);
    if (generation === undefined) return false; // suspended
    if (isPublic) return true;
    const signature = { e: query.get('e') ?? undefined, s: query.get('s') ?? undefined };
    return links.verify({ purpose: getVideoPurpose(file), account, generation }, signature, now());
  }
  async function serve(
    { extension, type, getPath }: ServedFileKind,
    { url }: EndpointRequest,
  ): Promise<EndpointResponse> {
    if (url.length > MAX_URL_LENGTH) return NOT_FOUND;
    const [path = '', query] = url.split('?', 2);
    const fileName = path.slice(path.lastIndexOf('/') + 1);
    const file = fileName.endsWith(extension) ? fileName.slice(0, -extension.length) : '';
    const recording = /^[\w-]{22}$/.test(file) ? await store.find(file) : undefined;
    if (!recording || !(await isVisible(recording, new URLSearchParams(query)))) return NOT_FOUND;
    const body = await openRangedFile(files, getPath(file));
    if (!body) return NOT_FOUND;
    return {
      status: 200,
      headers: { 'content-type': type, 'cache-control': `private, max-age=${CACHE_TTL_SECONDS}` },
      body,
    };
  }
  return SERVED_FILES.map((kind) => ({
    methods: ['GET', 'HEAD'],
    path: kind.path,
    about: { summary: kind.summary, types: [kind.type] },
    run: (request) => serve(kind, request),
  }));
}
