import { Refusal } from '#platform/contract/refusal.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { formatAttachmentDisposition } from '#platform/server/http/fileResponse.ts';
import { readTags } from '#platform/server/media/tags.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { MEDIA_TYPES, type Song } from '../../library/domain/song.ts';
import type { Giver } from '../../library/server/files/fileSender.ts';
import { pictureFile, songFile } from '../../library/server/files/songFiles.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import { codes, notFound, SubsonicError } from './subsonicError.ts';
import {
  albumIn,
  artistIn,
  type SubsonicRequest,
  type Calls,
  type FileRun,
  numberOf,
  songIn,
} from './subsonicRequest.ts';
import { bitRateOf, PLAYLIST_PICTURE } from './subsonicViews.ts';
import { type LoweredSongs, stepOf } from './transcoder.ts';

/** What is kept beside a song; what stands in its file is larger. */
const THUMBNAIL_PIXELS = 320;
const MAX_PIXELS = 1200;
const LIMITS = { limitInputPixels: 40e6, failOn: 'error' } as const;
/** Of pictures that were made: players ask for the same ones again and again. */
const MAX_CACHE_BYTES = 8 * 1024 * 1024;

/** A song's picture. */
export interface PictureRequest {
  /** The same for the same file. */
  readonly name: string;
  /** The files in which it lies. */
  readonly paths: { readonly song: string; readonly kept: string };
  /** Its longer side in pixels; never larger than there is. 0 for the largest. */
  readonly size: number;
}

const make = async ({ song, kept }: PictureRequest['paths'], wanted: number): Promise<Uint8Array> => {
  const { default: sharp } = await import('sharp');
  // As it was put into the file; the smaller one will do.
  const tags = wanted > THUMBNAIL_PIXELS ? await readTags(song).catch(() => undefined) : undefined;
  return sharp(tags?.picture ?? kept, LIMITS)
    .resize({ width: wanted, height: wanted, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#000' })
    .jpeg({ quality: 85 })
    .toBuffer();
};

/** Pictures as JPEG, which every player reads. */
export function createPictures() {
  /** The one asked for last stands last. */
  const made = new Map<string, Uint8Array>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= made.get(key)?.length ?? 0;
    made.delete(key);
  };
  return async ({ name, paths, size }: PictureRequest): Promise<Uint8Array> => {
    const wanted = size === 0 ? MAX_PIXELS : Math.min(size, MAX_PIXELS);
    const key = `${name}-${wanted}`;
    const picture = made.get(key) ?? (await make(paths, wanted));
    forget(key);
    made.set(key, picture);
    bytes += picture.length;
    for (const oldest of made.keys()) if (bytes > MAX_CACHE_BYTES) forget(oldest);
    return picture;
  };
}

export interface MediaMethodsDeps {
  readonly files: Pick<FileStorage, 'getPath'>;
  readonly give: Giver;
  readonly store: Pick<MusicStore, 'playlists'>;
  readonly lowered: LoweredSongs;
}

/** A picture may be another one tomorrow; of a song it never is. */
const DAY = 'private, max-age=86400';
/** What is made where a player wants an MP3, and says of no bit rate. */
const USUAL_KBIT = 192;

/** The bit rate that a song is to be made smaller to, in kilobits in a second; undefined where it goes as it is. */
const loweredTo = ({ params }: SubsonicRequest, song: Song): number | undefined => {
  const format = params.text('format')?.toLowerCase();
  if (format === 'raw') return undefined;
  const most = params.whole('maxBitRate', { otherwise: 0, most: 100_000 });
  if (most > 0 && bitRateOf(song) > most) return stepOf(most);
  return format === 'mp3' && song.type !== 'mp3' ? stepOf(most || USUAL_KBIT) : undefined;
};

/** The songs whose pictures stand for what has this id, the first that has one first. @throws SubsonicError */
const picturedBy = async (
  asked: SubsonicRequest,
  id: string,
  store: MediaMethodsDeps['store'],
): Promise<readonly Song[]> => {
  const catalogue = await asked.catalogue();
  if (id.startsWith('al-')) return albumIn(catalogue, id).entries.map(({ song }) => song);
  if (id.startsWith('ar-'))
    return artistIn(catalogue, id).albums.flatMap(({ entries }) => entries.map(({ song }) => song));
  if (!id.startsWith(PLAYLIST_PICTURE)) return [songIn(catalogue, id).song];
  const list = await store.playlists.one(asked.user.account, numberOf(id.slice(PLAYLIST_PICTURE.length)));
  if (list === undefined) throw notFound('playlist');
  return list.songs.flatMap((song) => catalogue.entries.get(song)?.song ?? []);
};

/** Sound and pictures. */
export function mediaCalls({ files, give, store, lowered }: MediaMethodsDeps): Calls<FileRun> {
  const pictureOf = createPictures();

  /** @throws SubsonicError where its file is not there. */
  const whole = async (
    { user, request }: SubsonicRequest,
    song: Song,
    isInline: boolean,
  ): Promise<EndpointResponse> => {
    const wanted = { kind: 'song', title: song.title, songs: [song], isInline } as const;
    try {
      const { type, name, content } = await give(wanted, { account: user.account, origin: request.origin });
      const disposition = isInline ? {} : { 'content-disposition': formatAttachmentDisposition(name) };
      return { status: 200, headers: { 'content-type': type, ...disposition }, body: content };
    } catch (error) {
      if (error instanceof Refusal) throw new SubsonicError(codes.notFound, error.message);
      throw error;
    }
  };

  return {
    stream: async (asked) => {
      const { song } = songIn(await asked.catalogue(), asked.params.needed('id'));
      const answer = await whole(asked, song, true);
      const kbit = loweredTo(asked, song);
      const body = kbit === undefined ? undefined : await lowered.of(song, files.getPath(songFile(song)), kbit);
      return body === undefined ? answer : { status: 200, headers: { 'content-type': MEDIA_TYPES.mp3 }, body };
    },

    download: async (asked) => {
      const { song } = songIn(await asked.catalogue(), asked.params.needed('id'));
      return whole(asked, song, false);
    },

    getCoverArt: async (asked) => {
      const { params } = asked;
      const songs = await picturedBy(asked, params.needed('id'), store);
      const song = songs.find(({ hasPicture }) => hasPicture);
      if (song === undefined) throw notFound('picture');
      const size = params.whole('size', { otherwise: 0, most: 10_000 });
      const paths = { song: files.getPath(songFile(song)), kept: files.getPath(pictureFile(song.id)) };
      const body = await pictureOf({ name: `${song.id}-${song.crc}`, paths, size }).catch(() => {
        throw notFound('picture');
      });
      return { status: 200, headers: { 'content-type': 'image/jpeg', 'cache-control': DAY }, body };
    },
  };
}
