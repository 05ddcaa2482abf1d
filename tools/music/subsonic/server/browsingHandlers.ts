import { foldSearch } from '#platform/contract/fold.ts';
import { type Album, type Artist, type Catalogue, type Entry, listGenres } from './catalogue.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import { albumIn, artistIn, type SubsonicRequest, type Calls, songIn } from './subsonicRequest.ts';
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

const nothing = async () => ({});

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

/** Calls about the server and the user, and about features that are absent but that players request anyway. */
export const systemCalls: Calls = {
  ping: nothing,
  getLicense: async () => ({ license: { valid: true } }),
  tokenInfo: async ({ user }) => ({ tokenInfo: { username: user.username } }),
  getUser: async ({ user, params }) => {
    const username = params.text('username') ?? user.username;
    if (username.toLowerCase() !== user.username.toLowerCase())
      throw new SubsonicError(codes.notAllowed, 'You can request only your own user');
    return { user: getRoles(user.username) };
  },
  getScanStatus: async ({ catalogue }) => ({
    scanStatus: { scanning: false, count: (await catalogue()).entries.size },
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

/** All songs are in one music folder. */
const MUSIC_FOLDER = { id: 0, name: 'Music' };
const FOLDER_ID = String(MUSIC_FOLDER.id);

/** Groups artists by their first letter, in order; all others come last. */
const buildIndex = ({ artistsByName }: Catalogue): readonly Fields[] => {
  const letters = Map.groupBy(artistsByName, getIndexLetter);
  return [...letters]
    .toSorted(([one], [other]) => Number(one === '#') - Number(other === '#') || (one < other ? -1 : 1))
    .map(([name, artists]) => ({ name, artist: artists.map(formatArtist) }));
};

/** Milliseconds since the epoch. */
const getLastModified = ({ albumsByName }: Catalogue): number =>
  albumsByName.reduce((max, { added }) => Math.max(max, added), 0);

const artistFolder = ({ id, name, albums }: Artist): Fields => ({
  id,
  parent: FOLDER_ID,
  name,
  child: albums.map(formatAlbumFolder),
});
const albumFolder = ({ id, name, artist, entries }: Album): Fields => ({
  id,
  parent: artist.id,
  name,
  child: entries.map(formatSong),
});

const toDirectory = (catalogue: Catalogue, id: string): Fields => {
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
  return id.startsWith('al-') ? albumFolder(albumIn(catalogue, id)) : artistFolder(artistIn(catalogue, id));
};

const byPlays = (one: Entry, other: Entry): number => other.song.plays - one.song.plays;

/** Returns an artist by name. @throws SubsonicError if the name is missing. */
const findArtistByName = async ({ params, catalogue }: SubsonicRequest): Promise<Artist | undefined> => {
  const name = foldSearch(params.needed('artist'));
  return (await catalogue()).artistsByName.find(({ sort }) => sort === name);
};

/** Songs by folders, as the oldest players browse, and by artist and album. */
export const browsingCalls: Calls = {
  getMusicFolders: async () => ({ musicFolders: { musicFolder: [MUSIC_FOLDER] } }),
  // `ifModifiedSince` is ignored: a removed song can change the artists without a newer one.
  getIndexes: async ({ catalogue }) => {
    const known = await catalogue();
    return { indexes: { lastModified: getLastModified(known), ignoredArticles, index: buildIndex(known) } };
  },
  getMusicDirectory: async ({ params, catalogue }) => ({
    directory: toDirectory(await catalogue(), params.needed('id')),
  }),
  getArtists: async ({ catalogue }) => ({ artists: { ignoredArticles, index: buildIndex(await catalogue()) } }),
  getArtist: async ({ params, catalogue }) => {
    const artist = artistIn(await catalogue(), params.needed('id'));
    return { artist: { ...formatArtist(artist), album: artist.albums.map(formatAlbum) } };
  },
  getAlbum: async ({ params, catalogue }) => {
    const album = albumIn(await catalogue(), params.needed('id'));
    return { album: { ...formatAlbum(album), song: album.entries.map(formatSong) } };
  },
  getSong: async ({ params, catalogue }) => ({ song: formatSong(songIn(await catalogue(), params.needed('id'))) }),
  getGenres: async ({ catalogue }) => ({
    genres: {
      genre: listGenres(await catalogue()).map(({ name, entries, albums }) => ({
        songCount: entries.length,
        albumCount: albums.size,
        value: name,
      })),
    },
  }),
  getTopSongs: async (request) => {
    const artist = await findArtistByName(request);
    const count = request.params.whole('count', { otherwise: 50, most: 500 });
    const played = (artist?.albums ?? [])
      .flatMap(({ entries }) => entries)
      .filter(({ song, ...by }) => song.plays > 0 && [by.artist, ...by.artists].some((one) => one === artist))
      .toSorted(byPlays);
    return { topSongs: { song: played.slice(0, count).map(formatSong) } };
  },
};
