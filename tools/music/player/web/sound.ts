import { useSyncExternalStore } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import type { Queue as PlaybackQueue, Song } from '../../web/musicTypes.ts';
import { getElementVolume } from '../domain/loudness.ts';
import {
  goBack,
  getCurrentSong,
  emptyQueue,
  following,
  jump,
  playOrder,
  putIn,
  restoreQueue,
  reorder,
  skip,
  startQueue,
  takeOut,
  takeOutSongs,
  withNextRepeat,
  withShuffle,
  type QueuePosition,
  type Queue,
  type TakeResult,
} from '../domain/queue.ts';
import { createDecks } from './decks.ts';
import { onDevice, now } from './mediaSession.ts';
import { oneTab, createCounter, type Counter, watchStalls, problems } from './playbackMonitor.ts';
import { queueStorage } from './queueStorage.ts';
import { addresses } from './songAddresses.ts';
import { createSoundState, unknownSong, type SoundState } from './soundState.ts';

/** How long before the end the next song is preloaded. */
const PRELOAD_SECONDS = 20;
/** After this position, 'Previous' restarts the same song. */
const RESTART_THRESHOLD_SECONDS = 3;
const MAX_ADDRESSES_AHEAD = 5;
/** After this number of failed songs in a row, the cause is not the songs. */
const MAX_FAILURES = 3;
const SAVE_INTERVAL_SECONDS = 5;
/** A song that got this far is playable. */
const PLAYABLE_SECONDS = 0.5;
/** Distance to the end that a jump keeps, so that it doesn't end the song. */
const END_MARGIN_SECONDS = 0.1;

const generateSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;

const getUpcomingSongs = (queue: Queue): readonly number[] =>
  playOrder(queue).slice(queue.at + 1, queue.at + 1 + MAX_ADDRESSES_AHEAD);

/** Creates the player: a queue, two decks, and their listeners. There is one per page, for its whole lifetime. */
function createSound() {
  const store = createSoundState();
  const { change, setTime } = store;
  /** Whether it should play, regardless of current problems. */
  let isOn = false;
  /** Number of the current start. Results for an earlier start are ignored. */
  let startNumber = 0;
  let counter: Counter | undefined;
  /** For the current song. */
  let failedTries = 0;
  let failures = 0;
  /** Position at which the song will start, until a deck has it. */
  let startPosition: number | undefined;
  let savedPosition = 0;
  /** Songs of the last known library. On other pages it may not be loaded. */
  let knownSongs: ReadonlyMap<number, Song> = new Map();

  const getSong = (id: number): Song => knownSongs.get(id) ?? unknownSong(id);
  const levelFor = (song: Song | undefined): number => {
    const { volume, isMuted, isEven } = store.now();
    return song === undefined || isMuted ? 0 : getElementVolume(volume, song, isEven);
  };
  const duration = (): number => decks.duration() || (store.now().song?.duration ?? 0);
  const place = (): number => startPosition ?? decks.at();
  const keep = (): void => {
    const { queue, playlist, name } = store.now();
    savedPosition = place();
    queueStorage.save(queue, { seconds: savedPosition, playlist, name });
  };
  const showSong = (queue: Queue): Song | undefined => {
    const id = getCurrentSong(queue);
    const song = id === undefined ? undefined : getSong(id);
    onDevice.show(song, store.now().name);
    return song;
  };

  /** Loads the next song into the other deck near the end, and unloads one that no longer follows. */
  const prepare = (): void => {
    const next = following(store.now().queue);
    const id = next && getCurrentSong(next);
    if (next === undefined || id === undefined || getSong(id).isMissing) {
      decks.prepare(undefined);
      return;
    }
    if (duration() - decks.at() > PRELOAD_SECONDS) return;
    const address = addresses.known(id);
    if (address === undefined) addresses.ask(id, getUpcomingSongs(next));
    else if (decks.prepared() !== address && !addresses.hasFailed(address))
      decks.prepare({ address, from: 0, level: levelFor(getSong(id)) });
  };

  /** Starts the current song of a queue. */
  const begin = async (queue: Queue, from = 0): Promise<void> => {
    startNumber += 1;
    const ownStartNumber = startNumber;
    startPosition = from;
    stalls.restart();
    const song = showSong(queue);
    change({ queue, song, activity: song && isOn ? 'waiting' : 'held', problem: '' });
    if (song === undefined) {
      clear();
      queueStorage.forget();
      return;
    }
    setTime(from, song.duration);
    if (song.isMissing) {
      skipSong(song, 'the file is missing');
      return;
    }
    // The last song must not continue while the address is requested, not even after Play is pressed.
    if (addresses.known(song.id) === undefined) decks.stop();
    try {
      const address = await addresses.of(song.id, getUpcomingSongs(queue));
      if (ownStartNumber !== startNumber) return;
      counter = createCounter(song.id);
      const cut = { address, from: startPosition ?? from, level: levelFor(song) };
      startPosition = undefined;
      if (isOn) decks.play(cut);
      else decks.load(cut);
      keep();
    } catch (error) {
      if (ownStartNumber === startNumber) handleFailure(song, error);
    }
  };
  const clear = (): void => {
    startPosition = undefined;
    decks.stop();
  };

  const handleFailure = (song: Song, error: unknown): void => {
    if (error instanceof CallError && error.status === 0) waitForConnection();
    else if (error instanceof InvalidTokenRefusal) hold(problems.logIn);
    else skipSong(song, error instanceof Error ? error.message : String(error));
  };

  const hold = (problem: string): void => {
    isOn = false;
    change({ activity: 'held', problem });
  };

  const waitForConnection = (): void => {
    // Ignore requests that are still running.
    startNumber += 1;
    const ownStartNumber = startNumber;
    startPosition = place();
    decks.stop();
    change({ activity: isOn ? 'waiting' : 'held', problem: problems.offline });
    const stop = reachability.subscribe(() => {
      if (ownStartNumber === startNumber && !reachability.isReachable()) return;
      stop();
      if (ownStartNumber === startNumber) void begin(store.now().queue, place());
    });
  };

  /** Reports that a song can't be played, and continues with the next one. */
  const skipSong = (song: Song, reason: string): void => {
    notices.add('bad', `“${song.title}” can't be played: ${reason}`);
    failures += 1;
    failedTries = 0;
    const { queue } = store.now();
    const next = skip(queue);
    if (isOn && next && failures < Math.min(MAX_FAILURES, queue.order.length)) void begin(next);
    else {
      clear();
      hold('');
    }
  };

  /** Returns to the start of the queue, paused. */
  const end = (): void => {
    const { queue } = store.now();
    isOn = false;
    void begin({ ...queue, at: Math.min(0, queue.order.length - 1) });
  };
  const go = (queue: Queue | undefined): void => {
    failures = 0;
    failedTries = 0;
    if (queue) void begin(queue);
    else end();
  };

  const tryAgain = async (code: number | undefined): Promise<void> => {
    const { song, queue } = store.now();
    if (!song) return;
    const [at, ownStartNumber] = [decks.at(), startNumber];
    failedTries += 1;
    const mayPlay = await addresses.renew(song.id, failedTries, code);
    if (ownStartNumber !== startNumber) return;
    return mayPlay ? begin(queue, at) : skipSong(song, 'the file is damaged or missing');
  };

  const decks = createDecks({
    onTime: (at, length) => {
      const isPlaying = decks.state() === 'playing';
      if (isPlaying) counter?.onTime(at, length || duration());
      if (isPlaying && at > PLAYABLE_SECONDS) {
        failures = 0;
        failedTries = 0;
      }
      setTime(at, length || duration());
      if (Math.abs(at - savedPosition) > SAVE_INTERVAL_SECONDS) {
        keep();
        onDevice.place(at, duration());
      }
      prepare();
    },
    onChange: () => {
      const activity = decks.state();
      // Pauses by the browser or another program count as pauses; missing data is waited for.
      if (activity === 'held' && store.now().activity === 'playing') isOn = false;
      const problem = activity === 'playing' ? '' : store.now().problem;
      change({ activity: isOn && activity === 'held' ? 'waiting' : activity, problem });
      onDevice.place(decks.at(), duration());
    },
    onHandOver: () => {
      const queue = following(store.now().queue);
      if (!queue) return;
      startNumber += 1;
      const song = showSong(queue);
      counter = song && createCounter(song.id);
      change({ queue, song, activity: 'playing' });
      keep();
    },
    onEnd: () => go(following(store.now().queue)),
    onBroken: (code) => void tryAgain(code),
    onUnready: (address, code) => void addresses.failed(address, code).then((isOther) => isOther && prepare()),
    onRefused: () => hold(problems.press),
  });

  const stalls = watchStalls(() => {
    if (!reachability.isReachable()) {
      waitForConnection();
      return;
    }
    void begin(store.now().queue, place());
    change({ problem: store.now().problem || problems.slow });
  });
  store.subscribe(() => {
    const { activity, problem } = store.now();
    stalls.follow(activity === 'waiting' && problem !== problems.offline);
  });

  /** Call it from a click. */
  const turnOn = (): void => {
    decks.unlock();
    isOn = true;
    oneTab.begin();
  };
  const resume = (): void => {
    if (!store.now().song) return;
    turnOn();
    failures = 0;
    // Start again after a failure or the end of the session.
    if (decks.duration() === 0) void begin(store.now().queue, place());
    else {
      change({ activity: 'waiting', problem: '' });
      decks.resume();
    }
  };
  const pause = (): void => {
    decks.pause();
    hold('');
    keep();
  };
  const seek = (to: number): void => {
    if (!store.now().song) return;
    const next = Math.max(0, Math.min(to, duration() - END_MARGIN_SECONDS));
    if (startPosition === undefined) {
      counter?.onSeek(next);
      decks.seek(next);
    } else startPosition = next;
    setTime(next, duration());
  };
  const setQueue = (queue: Queue): void => {
    change({ queue });
    keep();
    prepare();
  };
  const applyRemoval = ({ queue, isSame, continues }: TakeResult): void => {
    if (isSame) setQueue(queue);
    else {
      isOn &&= continues;
      void begin(queue);
    }
  };
  const setLevels = (next: Partial<SoundState>): void => {
    change(next);
    const after = following(store.now().queue);
    const id = after && getCurrentSong(after);
    decks.setLevels(levelFor(store.now().song), levelFor(id === undefined ? undefined : getSong(id)));
  };

  /** Restores the queue of the last visit, paused at its position. */
  const restore = (): void => {
    const last = queueStorage.queue();
    if (!last) return;
    change({ playlist: last.playlist, name: last.name });
    void begin(restoreQueue(last, generateSeed()), last.seconds);
  };
  /** Applies changes of the library: new titles and deleted songs. */
  const updateFromLibrary = (): void => {
    const songs = now.library()?.songs;
    if (!songs || songs === knownSongs) return;
    const isFirst = knownSongs.size === 0 && !store.now().song;
    knownSongs = songs;
    if (isFirst) restore();
    const removedIds = new Set(store.now().queue.songs.filter((id) => !songs.has(id)));
    if (removedIds.size > 0) applyRemoval(takeOutSongs(store.now().queue, removedIds));
    const previousSong = store.now().song;
    const song = previousSong && songs.get(previousSong.id);
    if (!song || song === previousSong) return;
    onDevice.show(song, store.now().name);
    change({ song });
  };

  const sound = {
    state: store.now,
    subscribe: store.subscribe,
    /** Called immediately and on every update. */
    onTime: (listener: (at: number, duration: number) => void) => {
      listener(place(), duration());
      return store.onTime(listener);
    },
    play: (request: PlaybackQueue): void => {
      updateFromLibrary();
      turnOn();
      change({ playlist: request.playlist, name: request.name });
      const { repeat, isShuffled } = store.now().queue;
      go(startQueue(request.songs, request.at, { repeat, isShuffled, seed: generateSeed() }));
    },
    /** Inserts a song. Starts playback if the queue is empty. */
    putIn: (request: PlaybackQueue, behind: QueuePosition): void => {
      updateFromLibrary();
      const [song] = request.songs;
      const { queue } = store.now();
      if (getCurrentSong(queue) === undefined) sound.play(request);
      else if (song !== undefined) setQueue(putIn(queue, song, behind));
    },
    look: updateFromLibrary,
    toggle: () => (isOn ? pause() : resume()),
    resume,
    pause,
    seek,
    seekBy: (seconds: number) => seek(place() + seconds),
    next: () => {
      const next = skip(store.now().queue);
      if (next) go(next);
    },
    previous: () => (place() > RESTART_THRESHOLD_SECONDS ? seek(0) : go(goBack(store.now().queue))),
    jump: (at: number) => {
      turnOn();
      go(jump(store.now().queue, at));
    },
    setShuffle: (isShuffled: boolean) => setQueue(withShuffle(store.now().queue, isShuffled, generateSeed())),
    turnRepeat: () => setQueue(withNextRepeat(store.now().queue)),
    move: (from: number, to: number) => setQueue(reorder(store.now().queue, from, to)),
    /** @param at index in the playing order */
    take: (at: number) => applyRemoval(takeOut(store.now().queue, new Set([at]))),
    setVolume: (volume: number) => {
      setLevels({ volume, isMuted: false });
      queueStorage.saveVolume(volume);
    },
    setMuted: (isMuted: boolean) => setLevels({ isMuted }),
    setEven: (isEven: boolean) => {
      setLevels({ isEven });
      queueStorage.saveEven(isEven);
    },
    getSong,
    /** Stops playback and removes the stored queue. */
    close: () => {
      isOn = false;
      addresses.forgetAll();
      const { repeat, isShuffled } = store.now().queue;
      void begin({ ...emptyQueue, repeat, isShuffled });
    },
    keep,
  };
  onDevice.listen({ ...sound, stop: pause });
  oneTab.onOther(() => {
    if (isOn) pause();
  });
  return sound;
}

export type Sound = ReturnType<typeof createSound>;

/** The player of this page. */
export const sound = createSound();

export function useSound(): SoundState {
  return useSyncExternalStore(sound.subscribe, sound.state);
}
