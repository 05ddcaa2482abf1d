import { Refusal } from '#platform/contract/refusal.ts';
import {
  createErrorResponse,
  type Endpoint,
  type EndpointResponse,
  type EndpointRequest,
} from '#platform/server/http/endpoint.ts';
import { formatAttachmentDisposition, formatInlineDisposition } from '#platform/server/http/fileResponse.ts';
import { handle, type Handler } from '#platform/server/tool.ts';
import { downloadticket, sendsongplaylist, streamaddresses } from '#tools/music/contract.ts';
import type { Transcoder } from '#tools/music/subsonic/server/transcoder.ts';
import { MEDIA_TYPES } from '../../domain/song.ts';
import { formatFileName } from '../../domain/songFileNames.ts';
import type { Library } from '../library.ts';
import type { MusicStore } from '../store/musicStore.ts';
import { type FileToSend, type FileSender, type Tickets, toSendRequest } from './fileSender.ts';
import { getSongPurpose, type SignedLinks, PAGE_LINK, getStreamPath } from './signedLinks.ts';
import { getSongPath, type SongFiles } from './songFiles.ts';

interface FileHandlersDeps {
  readonly library: Library;
  readonly prepareFile: FileSender;
  readonly links: SignedLinks;
  readonly tickets: Tickets;
}

const getSize = ({ content }: FileToSend): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.size;

/** Creates the handlers of the calls for files and their addresses. */
export function createFileHandlers({ library, prepareFile, links, tickets }: FileHandlersDeps): readonly Handler[] {
  return [
    handle(sendsongplaylist, async (request, caller) =>
      prepareFile(await toSendRequest(library, caller.account, request), caller),
    ),

    handle(downloadticket, async (request, caller) => {
      const sendRequest = await toSendRequest(library, caller.account, request);
      const file = await prepareFile(sendRequest, caller);
      return { address: await tickets.issue(caller.account, sendRequest), name: file.name, size: getSize(file) };
    }),

    handle(streamaddresses, async ({ songs }, { account }) => {
      const existingSongs = await library.getSongs(account, songs);
      const { until, formatQuery } = await links.createQueryFormatter(account, PAGE_LINK);
      return {
        addresses: Object.fromEntries(
          existingSongs.map(({ id }) => [String(id), `${getStreamPath(id)}${formatQuery(getSongPurpose(id))}`]),
        ),
        until: until.toString(),
      };
    }),
  ];
}

interface FileEndpointsDeps {
  readonly store: MusicStore;
  readonly files: SongFiles;
  readonly prepareFile: FileSender;
  readonly links: SignedLinks;
  readonly tickets: Tickets;
  readonly transcoder: Pick<Transcoder, 'convertToFlac'>;
}

const PICTURE_CACHE_CONTROL = 'private, max-age=604800';
/** Browsers cache songs, but revalidate them on each use. */
const SOUND_CACHE_CONTROL = 'private, no-cache';

/** The same response for unknown, wrong and expired addresses. */
const createExpiredResponse = (): EndpointResponse =>
  createErrorResponse(403, 'This link has expired. Open the song again');
const createPictureNotFoundResponse = (): EndpointResponse => createErrorResponse(404, 'There is no such picture');

const toResponse = ({ type, name, isInline, content }: FileToSend): EndpointResponse => ({
  status: 200,
  headers: {
    'content-type': typeof content === 'string' ? `${type}; charset=utf-8` : type,
    'content-disposition': (isInline ? formatInlineDisposition : formatAttachmentDisposition)(name),
    'cache-control': SOUND_CACHE_CONTROL,
  },
  body: content,
});

function parseRequest({ url }: EndpointRequest): { readonly lastSegment: string; readonly query: URLSearchParams } {
  const [path = '', query = ''] = url.split('?', 2);
  return { lastSegment: path.slice(path.lastIndexOf('/') + 1), query: new URLSearchParams(query) };
}

/** Converts refusals into a response with a sentence. */
async function withErrorResponse(work: () => Promise<EndpointResponse>): Promise<EndpointResponse> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return createErrorResponse(404, error.message);
    throw error;
  }
}

const ID_PATTERN = /^[1-9]\d{0,15}$/;

/** Creates endpoints without tokens. Pictures have unguessable ids; songs and downloads have a signature. */
export function createFileEndpoints(deps: FileEndpointsDeps): readonly Endpoint[] {
  const { store, files, prepareFile, links, tickets, transcoder } = deps;
  async function sendPicture(request: EndpointRequest): Promise<EndpointResponse> {
    const { lastSegment } = parseRequest(request);
    const content = ID_PATTERN.test(lastSegment) ? await files.openPicture(Number(lastSegment)) : undefined;
    if (!content) return createPictureNotFoundResponse();
    return {
      status: 200,
      headers: { 'content-type': 'image/webp', 'cache-control': PICTURE_CACHE_CONTROL },
      body: content,
    };
  }

  async function sendStream(request: EndpointRequest): Promise<EndpointResponse> {
    const { lastSegment, query } = parseRequest(request);
    const song = ID_PATTERN.test(lastSegment) ? await store.songs.findWithAccount(Number(lastSegment)) : undefined;
    if (!song || !(await links.verify(song.account, getSongPurpose(song.id), query))) return createExpiredResponse();
    const sendRequest = { kind: 'song', title: song.title, songs: [song], isInline: true } as const;
    const file = await prepareFile(sendRequest, { account: song.account, origin: request.origin });
    if (query.get('as') !== 'flac') return toResponse(file);
    const content = await transcoder.convertToFlac(song, getSongPath(song));
    if (content === undefined)
      throw new Refusal('music.playback_conversion_failed', "This song can't be converted for your browser");
    return toResponse({ ...file, type: MEDIA_TYPES.flac, name: `${formatFileName(song.title)}.flac`, content });
  }

  async function sendDownload(request: EndpointRequest): Promise<EndpointResponse> {
    const { lastSegment, query } = parseRequest(request);
    const ticket = await tickets.redeem(lastSegment, query);
    if (!ticket) return createExpiredResponse();
    const { account, kind, title } = ticket;
    // Songs that were deleted in the meantime are skipped.
    const songsById = await store.songs.findByIds(account, ticket.songs);
    const songs = ticket.songs.flatMap((id) => songsById.get(id) ?? []);
    if (songs.length === 0) throw new Refusal('music.songs_deleted', 'These songs were deleted');
    return toResponse(await prepareFile({ kind, title, songs, isInline: false }, { account, origin: request.origin }));
  }

  const methods = ['GET', 'HEAD'];
  return [
    {
      methods,
      path: '/api/sendytthumb/:id',
      about: { summary: 'Returns the picture of a song.', types: ['image/webp'] },
      run: sendPicture,
    },
    {
      methods,
      path: '/api/stream/:id',
      about: {
        summary: 'Streams a song from a signed address, with byte ranges. `as=flac` converts it to FLAC.',
        types: ['audio/*'],
      },
      run: (request) => withErrorResponse(() => sendStream(request)),
    },
    {
      methods,
      path: '/api/musicfile/:id',
      about: {
        summary: 'Downloads a song, or a zip of songs, from a signed address.',
        types: ['audio/*', 'application/zip'],
      },
      run: (request) => withErrorResponse(() => sendDownload(request)),
    },
  ];
}
