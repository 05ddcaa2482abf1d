import { codes, SubsonicError } from './subsonicError.ts';
import type { Calls } from './subsonicRequest.ts';

/** Asked before anybody proves who they are. */
export const extensions = {
  openSubsonicExtensions: [
    { name: 'apiKeyAuthentication', versions: [1] },
    { name: 'formPost', versions: [1] },
  ],
};

const nothing = async () => ({});

const rolesOf = (username: string) => ({
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

/** About the server and whoever asks, and what this one has none of: players ask for it all the same. */
export const systemCalls: Calls = {
  ping: nothing,
  getLicense: async () => ({ license: { valid: true } }),
  tokenInfo: async ({ user }) => ({ tokenInfo: { username: user.username } }),
  getUser: async ({ user, params }) => {
    const username = params.text('username') ?? user.username;
    if (username.toLowerCase() !== user.username.toLowerCase())
      throw new SubsonicError(codes.notAllowed, 'You can ask about yourself alone');
    return { user: rolesOf(user.username) };
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
