import { createStore } from '#platform/web/store.ts';
import type { Song, Library, PlayingSong } from '../../web/musicTypes.ts';

/** The part of the player that is loaded with the page: what plays, and how to look up songs. */
const playing = createStore<PlayingSong | undefined>(undefined);
let library: () => Library | undefined = () => undefined;

const isSame = (one: PlayingSong | undefined, other: PlayingSong | undefined): boolean =>
  one?.song === other?.song && one?.playlist === other?.playlist && one?.isPlaying === other?.isPlaying;

export const now = {
  playing: playing.get,
  setPlaying: (next: PlayingSong | undefined): void => {
    if (!isSame(playing.get(), next)) playing.set(next);
  },
  subscribe: playing.subscribe,
  library: (): Library | undefined => library(),
  readsLibrary: (from: () => Library | undefined): void => {
    library = from;
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
const handle = (action: MediaSessionAction, run: MediaSessionActionHandler): void => {
  try {
    navigator.mediaSession.setActionHandler(action, run);
  } catch {
    // Other actions still work.
  }
};

const isThere = (): boolean => 'mediaSession' in navigator;

/** The controls of the device: media keys, lock screens and headsets. */
export const onDevice = {
  listen: (acts: DeviceActions): void => {
    if (!isThere()) return;
    handle('play', acts.resume);
    handle('pause', acts.pause);
    handle('nexttrack', acts.next);
    handle('previoustrack', acts.previous);
    handle('stop', acts.stop);
    handle('seekto', ({ seekTime }) => {
      if (typeof seekTime === 'number') acts.seek(seekTime);
    });
    handle('seekbackward', ({ seekOffset }) => acts.seekBy(-(seekOffset ?? JUMP_SECONDS)));
    handle('seekforward', ({ seekOffset }) => acts.seekBy(seekOffset ?? JUMP_SECONDS));
  },
  show: (song: Song | undefined, from: string): void => {
    if (!isThere()) return;
    navigator.mediaSession.metadata =
      song === undefined
        ? null
        : new MediaMetadata({
            title: song.title,
            artist: song.artist,
            album: song.album === '' ? from : song.album,
            artwork: song.hasPicture
              ? [{ src: `/api/sendytthumb/${song.id}`, sizes: '320x320', type: 'image/webp' }]
              : [],
          });
  },
  say: (state: MediaSessionPlaybackState): void => {
    if (isThere()) navigator.mediaSession.playbackState = state;
  },
  place: (at: number, duration: number): void => {
    if (!isThere() || !(duration > 0)) return;
    navigator.mediaSession.setPositionState({ duration, position: Math.min(at, duration), playbackRate: 1 });
  },
};
