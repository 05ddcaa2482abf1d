import { Refusal } from '#platform/contract/refusal.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { formatAttachmentDisposition } from '#platform/server/http/fileResponse.ts';
import { readTags } from '#platform/server/media/tags.ts';
import type { FileStore } from '#platform/server/storage/fileStore.ts';
import { MEDIA_TYPES, type Song } from '../../library/domain/song.ts';
import type { FileSender } from '../../library/server/files/fileSender.ts';
import { getPicturePath, getSongPath } from '../../library/server/files/songFiles.ts';
import type { MusicStore } from '../../library/server/store/musicStore.ts';
import { codes, createNotFoundError, SubsonicError } from './subsonicError.ts';
import {
  requireAlbum,
  requireArtist,
  type SubsonicRequest,
  type SubsonicHandlers,
  type FileHandler,
  parseId,
  requireSong,
} from './subsonicRequest.ts';
import { getBitRate, PLAYLIST_PICTURE_PREFIX } from './subsonicViews.ts';
import { type Transcoder, roundBitRate } from './transcoder.ts';

/** Size of the pictures beside songs. Pictures in the files are larger. */
const THUMBNAIL_PIXELS = 320;
const MAX_PIXELS = 1200;
const LIMITS = { limitInputPixels: 40e6, failOn: 'error' } as const;
/** Limit of the picture cache: players request the same pictures again and again. */
const MAX_CACHE_BYTES = 8 * 1024 * 1024;

/** A picture of a song. */
export interface PictureRequest {
  /** Identifies the files and their version. */
  readonly version: string;
  /** Stored files that contain the picture. */
  readonly names: { readonly song: string; readonly picture: string };
  /** Length of the longer side in pixels, never enlarged. 0 for the original size. */
  readonly size: number;
}

async function convertPicture(picture: string | Uint8Array, pixels: number): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  return sharp(picture, LIMITS)
    .resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#000' })
    .jpeg({ quality: 85 })
    .toBuffer();
}

async function createPicture(
  files: MediaHandlersDeps['files'],
  { song, picture }: PictureRequest['names'],
  pixels: number,
): Promise<Uint8Array> {
  // The picture in the file is larger. The thumbnail is the fallback.
  const tags = pixels > THUMBNAIL_PIXELS ? await files.withLocalFile(song, readTags).catch(() => undefined) : undefined;
  if (tags?.picture) return convertPicture(tags.picture, pixels);
  return files.withLocalFile(picture, (path) => convertPicture(path, pixels));
}

/** Creates the function that converts pictures to JPEG, which every player supports. */
export function createPictureConverter(files: MediaHandlersDeps['files']) {
  /** Ordered by last use. */
  const cache = new Map<string, Uint8Array>();
  let bytes = 0;
  function removeFromCache(key: string): void {
    bytes -= cache.get(key)?.length ?? 0;
    cache.delete(key);
  }
  return async ({ version, names, size }: PictureRequest): Promise<Uint8Array> => {
    const pixels = size === 0 ? MAX_PIXELS : Math.min(size, MAX_PIXELS);
    const key = `${version}-${pixels}`;
    const picture = cache.get(key) ?? (await createPicture(files, names, pixels));
    removeFromCache(key);
    cache.set(key, picture);
    bytes += picture.length;
    for (const oldest of cache.keys()) if (bytes > MAX_CACHE_BYTES) removeFromCache(oldest);
    return picture;
  };
}

export interface MediaHandlersDeps {
  readonly files: Pick<FileStore, 'withLocalFile'>;
  readonly prepareFile: FileSender;
  readonly store: Pick<MusicStore, 'playlists'>;
  readonly transcoder: Transcoder;
}

/** Album pictures can change; those of songs don't. */
const ONE_DAY_CACHE_CONTROL = 'private, max-age=86400';
/** Bit rate if a player requests MP3 without one. */
const DEFAULT_KBIT = 192;

/** Returns the bit rate in kbit/s to convert a song to; undefined to send it unchanged. */
function getTargetKbit({ params }: SubsonicRequest, song: Song): number | undefined {
  const format = params.getText('format')?.toLowerCase();
  if (format === 'raw') return undefined;
  const max = params.getInteger('maxBitRate', { fallback: 0, max: 100_000 });
  if (max > 0 && getBitRate(song) > max) return roundBitRate(max);
  return format === 'mp3' && song.type !== 'mp3' ? roundBitRate(max || DEFAULT_KBIT) : undefined;
}

/** Returns the songs whose picture represents an id, preferred ones first. @throws SubsonicError */
async function findPictureSongs(
  request: SubsonicRequest,
  id: string,
  store: MediaHandlersDeps['store'],
): Promise<readonly Song[]> {
  const catalogue = await request.loadCatalogue();
  if (id.startsWith('al-')) return requireAlbum(catalogue, id).entries.map(({ song }) => song);
  if (id.startsWith('ar-'))
    return requireArtist(catalogue, id).albums.flatMap(({ entries }) => entries.map(({ song }) => song));
  if (!id.startsWith(PLAYLIST_PICTURE_PREFIX)) return [requireSong(catalogue, id).song];
  const list = await store.playlists.find(request.user.account, parseId(id.slice(PLAYLIST_PICTURE_PREFIX.length)));
  if (list === undefined) throw createNotFoundError('playlist');
  return list.songs.flatMap((song) => catalogue.entries.get(song)?.song ?? []);
}

/** Creates the handlers that send audio and pictures. */
export function createMediaHandlers(deps: MediaHandlersDeps): SubsonicHandlers<FileHandler> {
  const { files, prepareFile, store, transcoder } = deps;
  const getPicture = createPictureConverter(files);

  /** @throws SubsonicError if its file is missing. */
  async function sendSong(
    { user, request }: SubsonicRequest,
    song: Song,
    isInline: boolean,
  ): Promise<EndpointResponse> {
    const sendRequest = { kind: 'song', title: song.title, songs: [song], isInline } as const;
    try {
      const { type, name, content } = await prepareFile(sendRequest, { account: user.account, origin: request.origin });
      const disposition = isInline ? {} : { 'content-disposition': formatAttachmentDisposition(name) };
      return { status: 200, headers: { 'content-type': type, ...disposition }, body: content };
    } catch (error) {
      if (error instanceof Refusal) throw new SubsonicError(codes.notFound, error.message);
      throw error;
    }
  }

  return {
    stream: async (request) => {
      const { song } = requireSong(await request.loadCatalogue(), request.params.getRequired('id'));
      const answer = await sendSong(request, song, true);
      const kbit = getTargetKbit(request, song);
      const body = kbit === undefined ? undefined : await transcoder.convertToMp3(song, getSongPath(song), kbit);
      return body === undefined ? answer : { status: 200, headers: { 'content-type': MEDIA_TYPES.mp3 }, body };
    },

    download: async (request) => {
      const { song } = requireSong(await request.loadCatalogue(), request.params.getRequired('id'));
      return sendSong(request, song, false);
    },

    getCoverArt: async (request) => {
      const { params } = request;
      const songs = await findPictureSongs(request, params.getRequired('id'), store);
      const song = songs.find(({ hasPicture }) => hasPicture);
      if (song === undefined) throw createNotFoundError('picture');
      const size = params.getInteger('size', { fallback: 0, max: 10_000 });
      const names = { song: getSongPath(song), picture: getPicturePath(song.id) };
      const body = await getPicture({ version: `${song.id}-${song.crc}`, names, size }).catch(() => {
        throw createNotFoundError('picture');
      });
      return { status: 200, headers: { 'content-type': 'image/jpeg', 'cache-control': ONE_DAY_CACHE_CONTROL }, body };
    },
  };
}
