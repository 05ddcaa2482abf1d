import { useSyncExternalStore } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session } from '#platform/web/app/session.ts';
import type { Queue as PlaybackQueue, Song } from '../../web/musicTypes.ts';
import { getElementVolume } from '../domain/loudness.ts';
import {
  goBack,
  getCurrentSong,
  EMPTY_QUEUE,
  getFollowing,
  jump,
  listInPlayOrder,
  insertSong,
  restoreQueue,
  reorder,
  skip,
  startQueue,
  removeFromQueue,
  removeSongsFromQueue,
  withNextRepeat,
  withShuffle,
  type QueuePosition,
  type Queue,
  type RemovalResult,
} from '../domain/queue.ts';
import { createDecks } from './decks.ts';
import { deviceControls, nowPlaying } from './mediaSession.ts';
import { otherTabs, createPlayCounter, type PlayCounter, watchStalls, PROBLEM_MESSAGES } from './playbackMonitor.ts';
import { queueStorage } from './queueStorage.ts';
import { addresses } from './songAddresses.ts';
import { createSoundState, createUnknownSong, type SoundState } from './soundState.ts';

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
  listInPlayOrder(queue).slice(queue.at + 1, queue.at + 1 + MAX_ADDRESSES_AHEAD);

/** Creates the player: a queue, two decks, and their listeners. There is one per page, for its whole lifetime. */
function createSound() {
  const store = createSoundState();
  const { change, setTime } = store;
  /** Whether it should play, regardless of current problems. */
  let shouldPlay = false;
  /** Number of the current start. Results for an earlier start are ignored. */
  let startNumber = 0;
  let counter: PlayCounter | undefined;
  /** For the current song. */
  let failedAttempts = 0;
  let consecutiveFailures = 0;
  /** Position at which the song will start, until a deck has it. */
  let startPosition: number | undefined;
  let savedPosition = 0;
  /** Songs of the last known library. On other pages it may not be loaded. */
  let knownSongs: ReadonlyMap<number, Song> = new Map();
  /** Whether the queue of the last visit has been looked for. */
  let hasRestored = false;

  const getSong = (id: number): Song => knownSongs.get(id) ?? createUnknownSong(id);
  function getLevel(song: Song | undefined): number {
    const { volume, isMuted, isEven } = store.getState();
    return song === undefined || isMuted ? 0 : getElementVolume(volume, song, isEven);
  }
  const getDuration = (): number => decks.getDuration() || (store.getState().song?.duration ?? 0);
  const getPosition = (): number => startPosition ?? decks.getPosition();
  function saveQueue(): void {
    const { queue, playlist, name } = store.getState();
    savedPosition = getPosition();
    queueStorage.save(queue, { seconds: savedPosition, playlist, name });
  }
  function showSong(queue: Queue): Song | undefined {
    const id = getCurrentSong(queue);
    const song = id === undefined ? undefined : getSong(id);
    deviceControls.showSong(song, store.getState().name);
    return song;
  }

  /** Loads the next song into the other deck near the end, and unloads one that no longer follows. */
  function preloadNext(): void {
    const next = getFollowing(store.getState().queue);
    const id = next && getCurrentSong(next);
    if (next === undefined || id === undefined || getSong(id).isMissing) {
      decks.prepare(undefined);
      return;
    }
    if (getDuration() - decks.getPosition() > PRELOAD_SECONDS) return;
    const address = addresses.findKnown(id);
    if (address === undefined) addresses.prefetch(id, getUpcomingSongs(next));
    else if (decks.getPreparedAddress() !== address && !addresses.hasFailed(address))
      decks.prepare({ address, from: 0, level: getLevel(getSong(id)) });
  }

  /** Starts the current song of a queue. */
  async function startSong(queue: Queue, from = 0): Promise<void> {
    startNumber += 1;
    const ownStartNumber = startNumber;
    startPosition = from;
    stalls.restart();
    const song = showSong(queue);
    change({ queue, song, activity: song && shouldPlay ? 'waiting' : 'paused', problem: '' });
    if (song === undefined) {
      clear();
      queueStorage.clear();
      return;
    }
    setTime(from, song.duration);
    if (song.isMissing) {
      skipSong(song, 'the file is missing');
      return;
    }
    // The last song must not continue while the address is requested, not even after Play is pressed.
    if (addresses.findKnown(song.id) === undefined) decks.stop();
    try {
      const address = await addresses.get(song.id, getUpcomingSongs(queue));
      if (ownStartNumber !== startNumber) return;
      counter = createPlayCounter(song.id);
      const source = { address, from: startPosition ?? from, level: getLevel(song) };
      startPosition = undefined;
      if (shouldPlay) decks.play(source);
      else decks.load(source);
      saveQueue();
    } catch (error) {
      if (ownStartNumber === startNumber) handleFailure(song, error);
    }
  }
  function clear(): void {
    startPosition = undefined;
    decks.stop();
  }

  function handleFailure(song: Song, error: unknown): void {
    if (error instanceof CallError && error.status === 0) waitForConnection();
    else if (error instanceof InvalidTokenRefusal) pauseWithProblem(PROBLEM_MESSAGES.logIn);
    else skipSong(song, error instanceof Error ? error.message : String(error));
  }

  function pauseWithProblem(problem: string): void {
    shouldPlay = false;
    change({ activity: 'paused', problem });
  }

  function waitForConnection(): void {
    // Ignore requests that are still running.
    startNumber += 1;
    const ownStartNumber = startNumber;
    startPosition = getPosition();
    decks.stop();
    change({ activity: shouldPlay ? 'waiting' : 'paused', problem: PROBLEM_MESSAGES.offline });
    const stop = reachability.subscribe(() => {
      if (ownStartNumber === startNumber && !reachability.isReachable()) return;
      stop();
      if (ownStartNumber === startNumber) void startSong(store.getState().queue, getPosition());
    });
  }

  /** Reports that a song can't be played, and continues with the next one. */
  function skipSong(song: Song, reason: string): void {
    notices.add('bad', `“${song.title}” can't be played: ${reason}`);
    consecutiveFailures += 1;
    failedAttempts = 0;
    const { queue } = store.getState();
    const next = skip(queue);
    if (shouldPlay && next && consecutiveFailures < Math.min(MAX_FAILURES, queue.order.length)) void startSong(next);
    else {
      clear();
      pauseWithProblem('');
    }
  }

  /** Returns to the start of the queue and pauses. */
  function returnToStart(): void {
    const { queue } = store.getState();
    shouldPlay = false;
    void startSong({ ...queue, at: Math.min(0, queue.order.length - 1) });
  }
  function playOrReturn(queue: Queue | undefined): void {
    consecutiveFailures = 0;
    failedAttempts = 0;
    if (queue) void startSong(queue);
    else returnToStart();
  }

  async function retry(code: number | undefined): Promise<void> {
    const { song, queue } = store.getState();
    if (!song) return;
    const [at, ownStartNumber] = [decks.getPosition(), startNumber];
    failedAttempts += 1;
    const canRetry = await addresses.renew(song.id, failedAttempts, code);
    if (ownStartNumber !== startNumber) return;
    return canRetry ? startSong(queue, at) : skipSong(song, 'the file is damaged or missing');
  }

  const decks = createDecks({
    onTime: (at, length) => {
      const isPlaying = decks.getState() === 'playing';
      if (isPlaying) counter?.onTime(at, length || getDuration());
      if (isPlaying && at > PLAYABLE_SECONDS) {
        consecutiveFailures = 0;
        failedAttempts = 0;
      }
      setTime(at, length || getDuration());
      if (Math.abs(at - savedPosition) > SAVE_INTERVAL_SECONDS) {
        saveQueue();
        deviceControls.setPosition(at, getDuration());
      }
      preloadNext();
    },
    onChange: () => {
      const activity = decks.getState();
      // Pauses by the browser or another program count as pauses; missing data is waited for.
      if (activity === 'paused' && store.getState().activity === 'playing') shouldPlay = false;
      const problem = activity === 'playing' ? '' : store.getState().problem;
      change({ activity: shouldPlay && activity === 'paused' ? 'waiting' : activity, problem });
      deviceControls.setPosition(decks.getPosition(), getDuration());
    },
    onHandOver: () => {
      const queue = getFollowing(store.getState().queue);
      if (!queue) return;
      startNumber += 1;
      const song = showSong(queue);
      counter = song && createPlayCounter(song.id);
      change({ queue, song, activity: 'playing' });
      saveQueue();
    },
    onEnd: () => playOrReturn(getFollowing(store.getState().queue)),
    onError: (code) => void retry(code),
    onPreloadFailed: (address, code) =>
      void addresses.handlePreloadFailure(address, code).then((isOther) => isOther && preloadNext()),
    onBlocked: () => pauseWithProblem(PROBLEM_MESSAGES.press),
  });

  const stalls = watchStalls(() => {
    if (!reachability.isReachable()) {
      waitForConnection();
      return;
    }
    void startSong(store.getState().queue, getPosition());
    change({ problem: store.getState().problem || PROBLEM_MESSAGES.slow });
  });
  store.subscribe(() => {
    const { activity, problem } = store.getState();
    stalls.setWaiting(activity === 'waiting' && problem !== PROBLEM_MESSAGES.offline);
  });

  /** Must be called during a click. */
  function activate(): void {
    decks.unlock();
    shouldPlay = true;
    otherTabs.announcePlayback();
  }
  function resume(): void {
    if (!store.getState().song) return;
    activate();
    consecutiveFailures = 0;
    // Start again after a failure or the end of the session.
    if (decks.getDuration() === 0) void startSong(store.getState().queue, getPosition());
    else {
      change({ activity: 'waiting', problem: '' });
      decks.resume();
    }
  }
  function pause(): void {
    decks.pause();
    pauseWithProblem('');
    saveQueue();
  }
  function seek(to: number): void {
    if (!store.getState().song) return;
    const next = Math.max(0, Math.min(to, getDuration() - END_MARGIN_SECONDS));
    if (startPosition === undefined) {
      counter?.onSeek(next);
      decks.seek(next);
    } else startPosition = next;
    setTime(next, getDuration());
  }
  function setQueue(queue: Queue): void {
    change({ queue });
    saveQueue();
    preloadNext();
  }
  function applyRemoval({ queue, keepsCurrent, continues }: RemovalResult): void {
    if (keepsCurrent) setQueue(queue);
    else {
      shouldPlay &&= continues;
      void startSong(queue);
    }
  }
  function setLevels(next: Partial<SoundState>): void {
    change(next);
    const followingQueue = getFollowing(store.getState().queue);
    const id = followingQueue && getCurrentSong(followingQueue);
    decks.setLevels(getLevel(store.getState().song), getLevel(id === undefined ? undefined : getSong(id)));
  }

  /** Restores the queue of the last visit, paused at its position, once its songs and the account are known. */
  function restore(): void {
    if (hasRestored || knownSongs.size === 0 || offlineStorage.getAccount() === undefined) return;
    hasRestored = true;
    const stored = queueStorage.load();
    if (!stored || store.getState().song) return;
    change({ playlist: stored.playlist, name: stored.name });
    void startSong(restoreQueue(stored, generateSeed()), stored.seconds);
  }
  /** Applies changes of the library: new titles and deleted songs. */
  function updateFromLibrary(): void {
    const songs = nowPlaying.getLibrary()?.songs;
    if (!songs || songs === knownSongs) return;
    knownSongs = songs;
    restore();
    const removedIds = new Set(store.getState().queue.songs.filter((id) => !songs.has(id)));
    if (removedIds.size > 0) applyRemoval(removeSongsFromQueue(store.getState().queue, removedIds));
    const previousSong = store.getState().song;
    const song = previousSong && songs.get(previousSong.id);
    if (!song || song === previousSong) return;
    deviceControls.showSong(song, store.getState().name);
    change({ song });
  }

  const sound = {
    getState: store.getState,
    subscribe: store.subscribe,
    /** Called immediately and on every update. */
    onTime: (listener: (at: number, duration: number) => void) => {
      listener(getPosition(), getDuration());
      return store.onTime(listener);
    },
    play: (request: PlaybackQueue): void => {
      updateFromLibrary();
      activate();
      change({ playlist: request.playlist, name: request.name });
      const { repeat, isShuffled } = store.getState().queue;
      playOrReturn(startQueue(request.songs, request.at, { repeat, isShuffled, seed: generateSeed() }));
    },
    /** Inserts a song. Starts playback if the queue is empty. */
    addToQueue: (request: PlaybackQueue, position: QueuePosition): void => {
      updateFromLibrary();
      const [song] = request.songs;
      const { queue } = store.getState();
      if (getCurrentSong(queue) === undefined) sound.play(request);
      else if (song !== undefined) setQueue(insertSong(queue, song, position));
    },
    updateFromLibrary,
    toggle: () => (shouldPlay ? pause() : resume()),
    resume,
    pause,
    seek,
    seekBy: (seconds: number) => seek(getPosition() + seconds),
    next: () => {
      const next = skip(store.getState().queue);
      if (next) playOrReturn(next);
    },
    previous: () =>
      getPosition() > RESTART_THRESHOLD_SECONDS ? seek(0) : playOrReturn(goBack(store.getState().queue)),
    jump: (at: number) => {
      activate();
      playOrReturn(jump(store.getState().queue, at));
    },
    setShuffle: (isShuffled: boolean) => setQueue(withShuffle(store.getState().queue, isShuffled, generateSeed())),
    cycleRepeat: () => setQueue(withNextRepeat(store.getState().queue)),
    move: (from: number, to: number) => setQueue(reorder(store.getState().queue, from, to)),
    /** @param at index in the playing order */
    removeAt: (at: number) => applyRemoval(removeFromQueue(store.getState().queue, new Set([at]))),
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
      shouldPlay = false;
      addresses.clear();
      const { repeat, isShuffled } = store.getState().queue;
      void startSong({ ...EMPTY_QUEUE, repeat, isShuffled });
    },
    saveQueue,
  };
  session.subscribe(restore);
  deviceControls.listen({ ...sound, stop: pause });
  otherTabs.onPlayback(() => {
    if (shouldPlay) pause();
  });
  return sound;
}

export type Sound = ReturnType<typeof createSound>;

/** The player of this page. */
export const sound = createSound();

export function useSound(): SoundState {
  return useSyncExternalStore(sound.subscribe, sound.getState);
}
