import { foldSearch } from '#platform/contract/fold.ts';
import { type Album, type Artist, type Catalogue, type Entry, listGenres } from './catalogue.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import {
  requireAlbum,
  requireArtist,
  type SubsonicRequest,
  type SubsonicHandlers,
  requireSong,
} from './subsonicRequest.ts';
import type { Fields } from './subsonicResponse.ts';
import {
  formatAlbumFolder,
  formatAlbum,
  formatArtist,
  ignoredArticles,
  getIndexLetter,
  formatSong,
} from './subsonicViews.ts';

/** Answered without authentication. */
export const extensions = {
  openSubsonicExtensions: [
    { name: 'apiKeyAuthentication', versions: [1] },
    { name: 'formPost', versions: [1] },
  ],
};

const answerNothing = async () => ({});

const getRoles = (username: string) => ({
  username,
  scrobblingEnabled: true,
  adminRole: false,
  settingsRole: false,
  downloadRole: true,
  uploadRole: false,
  playlistRole: true,
  coverArtRole: false,
  commentRole: false,
  podcastRole: false,
  streamRole: true,
  jukeboxRole: false,
  shareRole: false,
  videoConversionRole: false,
  folder: [0],
});

/** Handlers for the server, the user, and absent features that players request anyway. */
export const systemHandlers: SubsonicHandlers = {
  ping: answerNothing,
  getLicense: async () => ({ license: { valid: true } }),
  tokenInfo: async ({ user }) => ({ tokenInfo: { username: user.username } }),
  getUser: async ({ user, params }) => {
    const username = params.getText('username') ?? user.username;
    if (username.toLowerCase() !== user.username.toLowerCase())
      throw new SubsonicError(codes.notAllowed, 'You can request only your own user');
    return { user: getRoles(user.username) };
  },
  getScanStatus: async ({ loadCatalogue }) => ({
    scanStatus: { scanning: false, count: (await loadCatalogue()).entries.size },
  }),
  getLyrics: async () => ({ lyrics: { value: '' } }),
  getVideos: async () => ({ videos: { video: [] } }),
  getPodcasts: async () => ({ podcasts: { channel: [] } }),
  getNewestPodcasts: async () => ({ newestPodcasts: { episode: [] } }),
  getInternetRadioStations: async () => ({ internetRadioStations: { internetRadioStation: [] } }),
  getBookmarks: async () => ({ bookmarks: { bookmark: [] } }),
  getShares: async () => ({ shares: { share: [] } }),
  getArtistInfo: async () => ({ artistInfo: {} }),
  getArtistInfo2: async () => ({ artistInfo2: {} }),
  getAlbumInfo: async () => ({ albumInfo: {} }),
  getAlbumInfo2: async () => ({ albumInfo: {} }),
  getSimilarSongs: async () => ({ similarSongs: { song: [] } }),
  getSimilarSongs2: async () => ({ similarSongs2: { song: [] } }),
};

/** The only music folder, which contains all songs. */
const MUSIC_FOLDER = { id: 0, name: 'Music' };
const FOLDER_ID = String(MUSIC_FOLDER.id);

/** Groups artists by their first letter, in order; all others come last. */
function buildIndex({ artistsByName }: Catalogue): readonly Fields[] {
  const letters = Map.groupBy(artistsByName, getIndexLetter);
  return [...letters]
    .toSorted(([one], [other]) => Number(one === '#') - Number(other === '#') || (one < other ? -1 : 1))
    .map(([name, artists]) => ({ name, artist: artists.map(formatArtist) }));
}

/** Milliseconds since the epoch. */
const getLastModified = ({ albumsByName }: Catalogue): number =>
  albumsByName.reduce((max, { added }) => Math.max(max, added), 0);

const toArtistDirectory = ({ id, name, albums }: Artist): Fields => ({
  id,
  parent: FOLDER_ID,
  name,
  child: albums.map(formatAlbumFolder),
});
const toAlbumDirectory = ({ id, name, artist, entries }: Album): Fields => ({
  id,
  parent: artist.id,
  name,
  child: entries.map(formatSong),
});

function toDirectory(catalogue: Catalogue, id: string): Fields {
  if (id === FOLDER_ID)
    return {
      ...MUSIC_FOLDER,
      id,
      child: catalogue.artistsByName.map((artist) => ({
        id: artist.id,
        parent: id,
        isDir: true,
        title: artist.name,
        artist: artist.name,
      })),
    };
  return id.startsWith('al-')
    ? toAlbumDirectory(requireAlbum(catalogue, id))
    : toArtistDirectory(requireArtist(catalogue, id));
}

const compareByPlays = (one: Entry, other: Entry): number => other.song.plays - one.song.plays;

/** Returns an artist by name. @throws SubsonicError if the name is missing. */
async function findArtistByName({ params, loadCatalogue }: SubsonicRequest): Promise<Artist | undefined> {
  const name = foldSearch(params.getRequired('artist'));
  return (await loadCatalogue()).artistsByName.find(({ sort }) => sort === name);
}

/** Handlers for browsing by folder, as the oldest players do, and by artist and album. */
export const browsingHandlers: SubsonicHandlers = {
  getMusicFolders: async () => ({ musicFolders: { musicFolder: [MUSIC_FOLDER] } }),
  // `ifModifiedSince` is ignored: a removed song can change the artists without a newer one.
  getIndexes: async ({ loadCatalogue }) => {
    const catalogue = await loadCatalogue();
    return { indexes: { lastModified: getLastModified(catalogue), ignoredArticles, index: buildIndex(catalogue) } };
  },
  getMusicDirectory: async ({ params, loadCatalogue }) => ({
    directory: toDirectory(await loadCatalogue(), params.getRequired('id')),
  }),
  getArtists: async ({ loadCatalogue }) => ({ artists: { ignoredArticles, index: buildIndex(await loadCatalogue()) } }),
  getArtist: async ({ params, loadCatalogue }) => {
    const artist = requireArtist(await loadCatalogue(), params.getRequired('id'));
    return { artist: { ...formatArtist(artist), album: artist.albums.map(formatAlbum) } };
  },
  getAlbum: async ({ params, loadCatalogue }) => {
    const album = requireAlbum(await loadCatalogue(), params.getRequired('id'));
    return { album: { ...formatAlbum(album), song: album.entries.map(formatSong) } };
  },
  getSong: async ({ params, loadCatalogue }) => ({
    song: formatSong(requireSong(await loadCatalogue(), params.getRequired('id'))),
  }),
  getGenres: async ({ loadCatalogue }) => ({
    genres: {
      genre: listGenres(await loadCatalogue()).map(({ name, entries, albums }) => ({
        songCount: entries.length,
        albumCount: albums.size,
        value: name,
      })),
    },
  }),
  getTopSongs: async (request) => {
    const artist = await findArtistByName(request);
    const count = request.params.getInteger('count', { fallback: 50, max: 500 });
    const played = (artist?.albums ?? [])
      .flatMap(({ entries }) => entries)
      .filter(
        ({ song, ...credits }) => song.plays > 0 && [credits.artist, ...credits.artists].some((one) => one === artist),
      )
      .toSorted(compareByPlays);
    return { topSongs: { song: played.slice(0, count).map(formatSong) } };
  },
};
