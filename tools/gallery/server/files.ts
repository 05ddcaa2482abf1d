import { open } from 'node:fs/promises';
import { problemAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '#platform/server/endpoint.ts';
import { rangedOf } from '#platform/server/ranged/parts.ts';
import type { Ground } from '#platform/server/tool.ts';
import { pictureName, type Recording, videoName, videoPurpose } from '../domain/recording.ts';
import type { GalleryStore } from './store.ts';

/** Private again after this at the latest, for whoever has looked at it while it was public. */
const KEPT_SECONDS = 600;
const NOT_FOUND = problemAnswer(404, 'There is no such recording');
/** More than this no address of ours has. */
const LONGEST_URL = 300;

interface Served {
  readonly path: `/${string}`;
  readonly ending: string;
  readonly type: string;
  readonly nameOf: (file: string) => string;
  readonly summary: string;
}
const SERVED: readonly Served[] = [
  {
    path: '/api/cwservet/:file',
    ending: '.png',
    type: 'image/png',
    nameOf: pictureName,
    summary: 'The picture of a recording, `<name>.png`; of a private one by a signed address.',
  },
  {
    path: '/api/cwservev/:file',
    ending: '.webm',
    type: 'video/webm',
    nameOf: videoName,
    summary: 'A recording, `<name>.webm`, whole or in ranges; a private one by a signed address.',
  },
];

/** `GET cwservet/<name>.png` and `GET cwservev/<name>.webm`: what is public to everybody, what is private by a signed address alone. */
export const fileEndpoints = (
  { files, links, identity, now }: Ground,
  store: Pick<GalleryStore, 'find'>,
): readonly Endpoint[] => {
  const mayBeSeen = async ({ file, account, isPublic }: Recording, query: URLSearchParams): Promise<boolean> => {
    if (isPublic) return true;
    const generation = await identity.linkGeneration(account);
    if (generation === undefined) return false;
    const given = { e: query.get('e') ?? undefined, s: query.get('s') ?? undefined };
    return links.holds({ purpose: videoPurpose(file), account, generation }, given, now());
  };
  const serve = async ({ ending, type, nameOf }: Served, { url }: EndpointRequest): Promise<EndpointAnswer> => {
    if (url.length > LONGEST_URL) return NOT_FOUND;
    const [path = '', query] = url.split('?', 2);
    const asked = path.slice(path.lastIndexOf('/') + 1);
    const file = asked.endsWith(ending) ? asked.slice(0, -ending.length) : '';
    const recording = /^[\w-]{22}$/.test(file) ? await store.find(file) : undefined;
    if (!recording || !(await mayBeSeen(recording, new URLSearchParams(query)))) return NOT_FOUND;
    const name = nameOf(file);
    const size = await files.size(name);
    if (size === undefined) return NOT_FOUND;
    return {
      status: 200,
      headers: { 'content-type': type, 'cache-control': `private, max-age=${KEPT_SECONDS}` },
      body: rangedOf([{ size, open: () => open(files.path(name)) }], `${file}-${size}`),
    };
  };
  return SERVED.map((served) => ({
    methods: ['GET', 'HEAD'],
    path: served.path,
    about: { summary: served.summary, types: [served.type] },
    run: (request) => serve(served, request),
  }));
};
