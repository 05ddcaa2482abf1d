import { Refusal } from '#platform/contract/refusal.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { formatAttachmentDisposition } from '#platform/server/http/fileResponse.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { MEDIA_TYPES, type Song } from '../../library/domain/song.ts';
import type { Giver } from '../../library/server/files/fileSender.ts';
import { pictureFile, songFile } from '../../library/server/files/names.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import { createPictures } from './pictures.ts';
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
export const mediaCalls = ({ files, give, store, lowered }: MediaMethodsDeps): Calls<FileRun> => {
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
};
