import type { Song } from '../../web/musicTypes.ts';
import { emptyQueue, type Queue } from '../domain/queue.ts';
import { onDevice, now } from './mediaSession.ts';
import { kept } from './queueStorage.ts';

/** What the player shows. Where it is in the song is told apart (`onTime`), as that changes all the time. */
export interface SoundState {
  readonly queue: Queue;
  /** What plays; undefined where its queue is empty. */
  readonly song: Song | undefined;
  /** That it was begun from, and what that is called. */
  readonly playlist: number;
  readonly name: string;
  readonly doing: 'playing' | 'waiting' | 'held';
  /** Why it waits or is held, in words; empty where that needs none. */
  readonly trouble: string;
  /** 0 to 100. */
  readonly volume: number;
  readonly isMuted: boolean;
  readonly isEven: boolean;
}

/** The player's state, and who hears of it: its bar, the rows of songs, the device. */
export function createSoundState() {
  let state: SoundState = {
    queue: emptyQueue,
    song: undefined,
    playlist: 0,
    name: '',
    doing: 'held',
    trouble: '',
    volume: kept.volume(),
    isMuted: false,
    isEven: kept.isEven(),
  };
  const listeners = new Set<() => void>();
  const timeListeners = new Set<(at: number, duration: number) => void>();
  return {
    now: (): SoundState => state,
    change: (next: Partial<SoundState>): void => {
      state = { ...state, ...next };
      const { song, playlist, doing } = state;
      now.setPlaying(song && { song: song.id, playlist, isPlaying: doing !== 'held' });
      onDevice.say(song === undefined ? 'none' : doing === 'held' ? 'paused' : 'playing');
      for (const tell of listeners) tell();
    },
    subscribe: (tell: () => void): (() => void) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    tellTime: (at: number, duration: number): void => {
      for (const tell of timeListeners) tell(at, duration);
    },
    onTime: (tell: (at: number, duration: number) => void): (() => void) => {
      timeListeners.add(tell);
      return () => timeListeners.delete(tell);
    },
  };
}

/** What stands for a song that the library was not there to tell of. */
export function unknownSong(id: number): Song {
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
