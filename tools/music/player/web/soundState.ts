import { createListeners } from '#platform/web/store.ts';
import type { Song } from '../../web/musicTypes.ts';
import { EMPTY_QUEUE, type Queue } from '../domain/queue.ts';
import { deviceControls, nowPlaying } from './mediaSession.ts';
import { queueStorage } from './queueStorage.ts';

/** State of the player. The position has a separate event (`onTime`), because it changes continuously. */
export interface SoundState {
  readonly queue: Queue;
  /** Current song; undefined if the queue is empty. */
  readonly song: Song | undefined;
  /** Id and title of the playlist that the queue comes from. */
  readonly playlist: number;
  readonly name: string;
  readonly activity: 'playing' | 'waiting' | 'paused';
  /** Why it waits or is paused; empty if it needs no explanation. */
  readonly problem: string;
  /** 0 to 100. */
  readonly volume: number;
  readonly isMuted: boolean;
  readonly isEven: boolean;
}

/** Creates the player's state with its listeners: the bar, the rows of songs and the device controls. */
export function createSoundState() {
  let state: SoundState = {
    queue: EMPTY_QUEUE,
    song: undefined,
    playlist: 0,
    name: '',
    activity: 'paused',
    problem: '',
    volume: queueStorage.loadVolume(),
    isMuted: false,
    isEven: queueStorage.loadEven(),
  };
  const listeners = createListeners();
  const timeListeners = createListeners<[at: number, duration: number]>();
  return {
    getState: (): SoundState => state,
    change: (next: Partial<SoundState>): void => {
      state = { ...state, ...next };
      const { song, playlist, activity } = state;
      nowPlaying.setPlaying(song && { song: song.id, playlist, isPlaying: activity !== 'paused' });
      deviceControls.setState(song === undefined ? 'none' : activity === 'paused' ? 'paused' : 'playing');
      listeners.notify();
    },
    subscribe: listeners.subscribe,
    setTime: (at: number, duration: number): void => {
      timeListeners.notify(at, duration);
    },
    onTime: timeListeners.subscribe,
  };
}

/** Creates a placeholder for a song that is unknown because the library is not loaded. */
export function createUnknownSong(id: number): Song {
  return {
    id,
    title: 'Song',
    artist: '',
    album: '',
    colour: 'var(--text-3)',
    order: 0,
    duration: 0,
    size: 0,
    added: '',
    plays: 0,
    starred: false,
    gain: 0,
    peak: 0,
    source: '',
    isMissing: false,
    hasPicture: false,
  };
}
