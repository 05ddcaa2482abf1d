import { type Mark, MEDIA_TYPES, type Playlist } from '../../library/domain/song.ts';
import { type Album, type Artist, type Entry, splitGenres } from './catalogue.ts';
import { OPEN_SUBSONIC, type Fields } from './subsonicResponse.ts';

/** Prefix of playlist ids in picture requests, beside `ar-…` and `al-…`. Songs only have their number. */
export const PLAYLIST_PICTURE_PREFIX = 'pl-';

/** Formats a time with three decimals, because some players parse a fixed pattern. */
export function formatTime(milliseconds: number): string {
  return Temporal.Instant.fromEpochMilliseconds(milliseconds).toString({ smallestUnit: 'millisecond' });
}
const formatOptionalTime = (milliseconds: number | undefined): string | undefined =>
  milliseconds === undefined ? undefined : formatTime(milliseconds);

const toMarkFields = ({ starred, rating }: Mark): Fields => ({
  starred: formatOptionalTime(starred),
  userRating: rating === 0 ? undefined : rating,
});

/** Escapes a part of a path, which players use as a file name. */
const escapePathPart = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}"*/:<>?\\|]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 120);

const KBIT = 1000;
/** Returns the average bit rate in kbit/s. */
export function getBitRate({ size, duration }: { readonly size: number; readonly duration: number }): number {
  return duration > 0 ? Math.round((size * 8) / duration / KBIT) : 0;
}

const toNameFields = ({ id, name }: Artist): Fields => ({ id, name });
const toGenres = (genres: Iterable<string>): Fields['genres'] => [...new Set(genres)].map((name) => ({ name }));
const toOptional = (value: number): number | undefined => (value === 0 ? undefined : value);

export function formatSong({ song, album, artist, artists }: Entry): Fields {
  const id = String(song.id);
  return {
    id,
    parent: album.id,
    isDir: false,
    title: song.title,
    album: album.name,
    artist: artist.name,
    track: toOptional(song.track),
    year: toOptional(song.year),
    genre: song.genre || undefined,
    coverArt: song.hasPicture ? id : undefined,
    size: song.size,
    contentType: MEDIA_TYPES[song.type],
    suffix: song.type,
    duration: Math.round(song.duration),
    bitRate: getBitRate(song),
    path: `${escapePathPart(album.artist.name)}/${escapePathPart(album.name)}/${escapePathPart(song.title)}.${song.type}`,
    playCount: song.plays,
    discNumber: toOptional(song.disc),
    created: formatTime(song.added),
    ...toMarkFields(song),
    albumId: album.id,
    artistId: artist.id,
    type: 'music',
    isVideo: false,
    [OPEN_SUBSONIC]: {
      played: formatOptionalTime(song.played),
      mediaType: 'song',
      genres: toGenres(splitGenres(song)),
      displayArtist: artist.name,
      artists: artists.map(toNameFields),
      displayAlbumArtist: album.artist.name,
      albumArtists: [toNameFields(album.artist)],
      replayGain: { trackGain: song.gain, trackPeak: song.peak },
    },
  };
}

const getPictureId = (album: Album): string | undefined =>
  album.entries.some(({ song }) => song.hasPicture) ? album.id : undefined;

/** Returns the year of the newest song that has one. */
export function getSongYear({ entries }: Album): number {
  return Math.max(0, ...entries.map(({ song }) => song.year));
}
const getGenre = ({ entries }: Album): string | undefined => entries.find(({ song }) => song.genre !== '')?.song.genre;

/** Formats an album for calls that know albums. */
export function formatAlbum(album: Album): Fields {
  return {
    id: album.id,
    name: album.name,
    artist: album.artist.name,
    artistId: album.artist.id,
    coverArt: getPictureId(album),
    songCount: album.entries.length,
    duration: Math.round(album.duration),
    playCount: album.plays,
    created: formatTime(album.added),
    starred: formatOptionalTime(album.mark.starred),
    year: toOptional(getSongYear(album)),
    genre: getGenre(album),
    [OPEN_SUBSONIC]: {
      played: formatOptionalTime(album.played),
      userRating: toOptional(album.mark.rating),
      genres: toGenres(album.entries.flatMap(({ song }) => splitGenres(song))),
      displayArtist: album.artist.name,
      artists: [toNameFields(album.artist)],
      isCompilation: album.entries.some(({ song }) => song.isCompilation),
    },
  };
}

/** Formats an album for calls that only know folders. */
export function formatAlbumFolder(album: Album): Fields {
  return {
    id: album.id,
    parent: album.artist.id,
    isDir: true,
    title: album.name,
    name: album.name,
    album: album.name,
    artist: album.artist.name,
    artistId: album.artist.id,
    coverArt: getPictureId(album),
    songCount: album.entries.length,
    duration: Math.round(album.duration),
    playCount: album.plays,
    created: formatTime(album.added),
    year: toOptional(getSongYear(album)),
    genre: getGenre(album),
    ...toMarkFields(album.mark),
  };
}

export function formatArtist(artist: Artist): Fields {
  return {
    id: artist.id,
    name: artist.name,
    coverArt: artist.albums.some((album) => getPictureId(album) !== undefined) ? artist.id : undefined,
    albumCount: artist.albums.length,
    ...toMarkFields(artist.mark),
  };
}

/** Formats a playlist. @param entries its existing songs */
export function formatPlaylist(
  { id, title, created, changed }: Omit<Playlist, 'songs'>,
  entries: readonly Entry[],
  owner: string,
): Fields {
  return {
    id: String(id),
    name: title,
    owner,
    public: false,
    songCount: entries.length,
    duration: Math.round(entries.reduce((sum, { song }) => sum + song.duration, 0)),
    created: formatTime(created),
    changed: formatTime(changed),
    coverArt: entries.some(({ song }) => song.hasPicture) ? `${PLAYLIST_PICTURE_PREFIX}${id}` : undefined,
  };
}

const IGNORED_ARTICLES = ['the', 'el', 'la', 'los', 'las', 'le', 'les'];
export const ignoredArticles = 'The El La Los Las Le Les';

/** Returns the index letter of an artist: the first letter without an article, or one for all others. */
export function getIndexLetter({ sort }: Artist): string {
  const [first = '', ...rest] = sort.split(' ');
  const name = rest.length > 0 && IGNORED_ARTICLES.includes(first) ? rest.join(' ') : sort;
  const letter = /^\p{L}/u.exec(name)?.[0] ?? '#';
  return letter.toUpperCase();
}
