import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { createStore } from '#platform/web/store.ts';
import type { Song, Library, PlayingSong } from '../../web/musicTypes.ts';

/** The part of the player that is loaded with the page: the current song and the access to the library. */
const playing = createStore<PlayingSong | undefined>(undefined);
let getLibrary: () => Library | undefined = () => undefined;

const isSame = (one: PlayingSong | undefined, other: PlayingSong | undefined): boolean =>
  one?.song === other?.song && one?.playlist === other?.playlist && one?.isPlaying === other?.isPlaying;

export const nowPlaying = {
  getPlaying: playing.get,
  setPlaying: (next: PlayingSong | undefined): void => {
    if (!isSame(playing.get(), next)) playing.set(next);
  },
  subscribe: playing.subscribe,
  getLibrary: (): Library | undefined => getLibrary(),
  setLibrarySource: (source: () => Library | undefined): void => {
    getLibrary = source;
  },
};

/** Actions of media keys, headsets and lock screens. */
export interface DeviceActions {
  readonly resume: () => void;
  readonly pause: () => void;
  readonly next: () => void;
  readonly previous: () => void;
  readonly seek: (to: number) => void;
  readonly seekBy: (by: number) => void;
  readonly stop: () => void;
}

const JUMP_SECONDS = 10;

/** Browsers throw for actions that they don't know. */
function setHandler(action: MediaSessionAction, run: MediaSessionActionHandler): void {
  try {
    navigator.mediaSession.setActionHandler(action, run);
  } catch {
    // Other actions still work.
  }
}

const isSupported = (): boolean => 'mediaSession' in navigator;

/** The controls of the device: media keys, lock screens and headsets. */
export const deviceControls = {
  listen: (actions: DeviceActions): void => {
    if (!isSupported()) return;
    setHandler('play', actions.resume);
    setHandler('pause', actions.pause);
    setHandler('nexttrack', actions.next);
    setHandler('previoustrack', actions.previous);
    setHandler('stop', actions.stop);
    setHandler('seekto', ({ seekTime }) => {
      if (typeof seekTime === 'number') actions.seek(seekTime);
    });
    setHandler('seekbackward', ({ seekOffset }) => actions.seekBy(-(seekOffset ?? JUMP_SECONDS)));
    setHandler('seekforward', ({ seekOffset }) => actions.seekBy(seekOffset ?? JUMP_SECONDS));
  },
  showSong: (song: Song | undefined, playlist: string): void => {
    if (!isSupported()) return;
    navigator.mediaSession.metadata =
      song === undefined
        ? null
        : new MediaMetadata({
            title: song.title,
            artist: song.artist,
            album: song.album === '' ? playlist : song.album,
            artwork: song.hasPicture
              ? [{ src: toSitePath(`/api/sendytthumb/${song.id}`), sizes: '320x320', type: 'image/webp' }]
              : [],
          });
  },
  setState: (state: MediaSessionPlaybackState): void => {
    if (isSupported()) navigator.mediaSession.playbackState = state;
  },
  setPosition: (at: number, duration: number): void => {
    if (!isSupported() || !(duration > 0)) return;
    navigator.mediaSession.setPositionState({ duration, position: Math.min(at, duration), playbackRate: 1 });
  },
};
