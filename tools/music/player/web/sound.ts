import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import type { Queue as Asked, Song } from '../../web/musicTypes.ts';
import { levelOf } from '../domain/loudness.ts';
import {
  back,
  currentOf,
  emptyQueue,
  following,
  jump,
  playOrder,
  putIn,
  queueOf,
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
import { oneTab, createCounter, type Counter, watchStalls, troubles } from './playbackMonitor.ts';
import { kept } from './queueStorage.ts';
import { addresses } from './songAddresses.ts';
import { createSoundState, unknownSong, type SoundState } from './soundState.ts';

/** What follows is loaded this long before the end. */
const AHEAD_SECONDS = 20;
/** Behind this, 'Previous' is the beginning of the same song. */
const RESTART_THRESHOLD_SECONDS = 3;
const ADDRESSES_AHEAD = 5;
/** So many songs in a row that do not play: the reason is not theirs. */
const MAX_FAILURES = 3;
const SAVE_INTERVAL_SECONDS = 5;
/** A song that got this far plays. */
const PLAYS_SECONDS = 0.5;
/** A jump to the very end would be its end. */
const LAST_SECONDS = 0.1;

const newSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;

const ahead = (queue: Queue): readonly number[] => playOrder(queue).slice(queue.at + 1, queue.at + 1 + ADDRESSES_AHEAD);

/** The player: a queue, two decks, and what listens to them. There is one; it lives as long as the page of the browser. */
export function createSound() {
  const store = createSoundState();
  const { change, tellTime } = store;
  /** Whether it is to play, whatever hinders it now. */
  let isOn = false;
  /** Of what is begun: whatever is answered to an older beginning comes too late. */
  let turn = 0;
  let counter: Counter | undefined;
  /** Of the current song. */
  let failedTries = 0;
  let failures = 0;
  /** Where what is begun is to begin, until a deck has it. */
  let aim: number | undefined;
  let keptAt = 0;
  /** Songs as the library was last seen: on other pages it may not be there any more. */
  let seen: ReadonlyMap<number, Song> = new Map();

  const songOf = (id: number): Song => seen.get(id) ?? unknownSong(id);
  const levelFor = (song: Song | undefined): number => {
    const { volume, isMuted, isEven } = store.now();
    return song === undefined || isMuted ? 0 : levelOf(volume, song, isEven);
  };
  const duration = (): number => decks.duration() || (store.now().song?.duration ?? 0);
  const place = (): number => aim ?? decks.at();
  const keep = (): void => {
    const { queue, playlist, name } = store.now();
    keptAt = place();
    kept.keep(queue, { seconds: keptAt, playlist, name });
  };
  const showSong = (queue: Queue): Song | undefined => {
    const id = currentOf(queue);
    const song = id === undefined ? undefined : songOf(id);
    onDevice.show(song, store.now().name);
    return song;
  };

  /** Puts what follows onto the other deck, once the end is near; takes off what does not follow any more. */
  const prepare = (): void => {
    const next = following(store.now().queue);
    const id = next && currentOf(next);
    if (next === undefined || id === undefined || songOf(id).isMissing) {
      decks.prepare(undefined);
      return;
    }
    if (duration() - decks.at() > AHEAD_SECONDS) return;
    const address = addresses.known(id);
    if (address === undefined) addresses.ask(id, ahead(next));
    else if (decks.prepared() !== address && !addresses.hasFailed(address))
      decks.prepare({ address, from: 0, level: levelFor(songOf(id)) });
  };

  /** Begins what the queue stands at. */
  const begin = async (queue: Queue, from = 0): Promise<void> => {
    turn += 1;
    const mine = turn;
    aim = from;
    stalls.anew();
    const song = showSong(queue);
    change({ queue, song, doing: song && isOn ? 'waiting' : 'held', trouble: '' });
    if (song === undefined) {
      clear();
      kept.forget();
      return;
    }
    tellTime(from, song.duration);
    if (song.isMissing) {
      giveUp(song, 'its file is not there');
      return;
    }
    // What played before is not heard on while the address is asked for, nor gone on with by a press of Play.
    if (addresses.known(song.id) === undefined) decks.stop();
    try {
      const address = await addresses.of(song.id, ahead(queue));
      if (mine !== turn) return;
      counter = createCounter(song.id);
      const cut = { address, from: aim ?? from, level: levelFor(song) };
      aim = undefined;
      if (isOn) decks.play(cut);
      else decks.load(cut);
      keep();
    } catch (error) {
      if (mine === turn) hinder(song, error);
    }
  };
  const clear = (): void => {
    aim = undefined;
    decks.stop();
  };

  const hinder = (song: Song, error: unknown): void => {
    if (error instanceof CallError && error.status === 0) awaitLine();
    else if (error instanceof InvalidTokenRefusal) hold(troubles.logIn);
    else giveUp(song, error instanceof Error ? error.message : String(error));
  };

  const hold = (trouble: string): void => {
    isOn = false;
    change({ doing: 'held', trouble });
  };

  const awaitLine = (): void => {
    // What is still asked for comes too late.
    turn += 1;
    const mine = turn;
    aim = place();
    decks.stop();
    change({ doing: isOn ? 'waiting' : 'held', trouble: troubles.offline });
    const stop = reachability.subscribe(() => {
      if (mine === turn && !reachability.isReachable()) return;
      stop();
      if (mine === turn) void begin(store.now().queue, place());
    });
  };

  /** It does not play: says so, and goes on with what follows. */
  const giveUp = (song: Song, why: string): void => {
    notices.add('bad', `“${song.title}” cannot be played: ${why}`);
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

  /** The end of all: it stands ready to begin anew. */
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
    const [at, mine] = [decks.at(), turn];
    failedTries += 1;
    const mayPlay = await addresses.renew(song.id, failedTries, code);
    if (mine !== turn) return;
    return mayPlay ? begin(queue, at) : giveUp(song, 'its file is broken, or gone');
  };

  const decks = createDecks({
    onTime: (at, length) => {
      const isPlaying = decks.state() === 'playing';
      if (isPlaying) counter?.onTime(at, length || duration());
      if (isPlaying && at > PLAYS_SECONDS) {
        failures = 0;
        failedTries = 0;
      }
      tellTime(at, length || duration());
      if (Math.abs(at - keptAt) > SAVE_INTERVAL_SECONDS) {
        keep();
        onDevice.place(at, duration());
      }
      prepare();
    },
    onChange: () => {
      const doing = decks.state();
      // What the browser or another program holds is held; what has run dry waits.
      if (doing === 'held' && store.now().doing === 'playing') isOn = false;
      const trouble = doing === 'playing' ? '' : store.now().trouble;
      change({ doing: isOn && doing === 'held' ? 'waiting' : doing, trouble });
      onDevice.place(decks.at(), duration());
    },
    onHandOver: () => {
      const queue = following(store.now().queue);
      if (!queue) return;
      turn += 1;
      const song = showSong(queue);
      counter = song && createCounter(song.id);
      change({ queue, song, doing: 'playing' });
      keep();
    },
    onEnd: () => go(following(store.now().queue)),
    onBroken: (code) => void tryAgain(code),
    onUnready: (address, code) => void addresses.failed(address, code).then((isOther) => isOther && prepare()),
    onRefused: () => hold(troubles.press),
  });

  const stalls = watchStalls(() => {
    if (!reachability.isReachable()) {
      awaitLine();
      return;
    }
    void begin(store.now().queue, place());
    change({ trouble: store.now().trouble || troubles.slow });
  });
  store.subscribe(() => {
    const { doing, trouble } = store.now();
    stalls.follow(doing === 'waiting' && trouble !== troubles.offline);
  });

  /** In the press of a button. */
  const turnOn = (): void => {
    decks.unlock();
    isOn = true;
    oneTab.begin();
  };
  const resume = (): void => {
    if (!store.now().song) return;
    turnOn();
    failures = 0;
    // What was given up, or lost with the session, is begun anew.
    if (decks.duration() === 0) void begin(store.now().queue, place());
    else {
      change({ doing: 'waiting', trouble: '' });
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
    const next = Math.max(0, Math.min(to, duration() - LAST_SECONDS));
    if (aim === undefined) {
      counter?.onSeek(next);
      decks.seek(next);
    } else aim = next;
    tellTime(next, duration());
  };
  const setQueue = (queue: Queue): void => {
    change({ queue });
    keep();
    prepare();
  };
  const takeAway = ({ queue, isSame, goesOn }: TakeResult): void => {
    if (isSame) setQueue(queue);
    else {
      isOn &&= goesOn;
      void begin(queue);
    }
  };
  const setLevels = (next: Partial<SoundState>): void => {
    change(next);
    const after = following(store.now().queue);
    const id = after && currentOf(after);
    decks.setLevels(levelFor(store.now().song), levelFor(id === undefined ? undefined : songOf(id)));
  };

  /** The queue of the last visit, held where it was. */
  const restore = (): void => {
    const last = kept.queue();
    if (!last) return;
    change({ playlist: last.playlist, name: last.name });
    void begin(queueOf(last, newSeed()), last.seconds);
  };
  /** Sees what the library has become: other titles, songs that are gone. */
  const look = (): void => {
    const songs = now.library()?.songs;
    if (!songs || songs === seen) return;
    const isFirst = seen.size === 0 && !store.now().song;
    seen = songs;
    if (isFirst) restore();
    const gone = new Set(store.now().queue.songs.filter((id) => !songs.has(id)));
    if (gone.size > 0) takeAway(takeOutSongs(store.now().queue, gone));
    const shown = store.now().song;
    const song = shown && songs.get(shown.id);
    if (!song || song === shown) return;
    onDevice.show(song, store.now().name);
    change({ song });
  };

  const sound = {
    state: store.now,
    subscribe: store.subscribe,
    /** Told at once, and at each step. */
    onTime: (tell: (at: number, duration: number) => void) => {
      tell(place(), duration());
      return store.onTime(tell);
    },
    play: (asked: Asked): void => {
      look();
      turnOn();
      change({ playlist: asked.playlist, name: asked.name });
      const { repeat, isShuffled } = store.now().queue;
      go(startQueue(asked.songs, asked.at, { repeat, isShuffled, seed: newSeed() }));
    },
    /** Where nothing is in the queue it begins. */
    putIn: (asked: Asked, behind: QueuePosition): void => {
      look();
      const [song] = asked.songs;
      const { queue } = store.now();
      if (currentOf(queue) === undefined) sound.play(asked);
      else if (song !== undefined) setQueue(putIn(queue, song, behind));
    },
    look,
    toggle: () => (isOn ? pause() : resume()),
    resume,
    pause,
    seek,
    seekBy: (seconds: number) => seek(place() + seconds),
    next: () => {
      const next = skip(store.now().queue);
      if (next) go(next);
    },
    previous: () => (place() > RESTART_THRESHOLD_SECONDS ? seek(0) : go(back(store.now().queue))),
    jump: (at: number) => {
      turnOn();
      go(jump(store.now().queue, at));
    },
    setShuffle: (isShuffled: boolean) => setQueue(withShuffle(store.now().queue, isShuffled, newSeed())),
    turnRepeat: () => setQueue(withNextRepeat(store.now().queue)),
    move: (from: number, to: number) => setQueue(reorder(store.now().queue, from, to)),
    /** By its place in the order. */
    take: (at: number) => takeAway(takeOut(store.now().queue, new Set([at]))),
    setVolume: (volume: number) => {
      setLevels({ volume, isMuted: false });
      kept.keepVolume(volume);
    },
    setMuted: (isMuted: boolean) => setLevels({ isMuted }),
    setEven: (isEven: boolean) => {
      setLevels({ isEven });
      kept.keepEven(isEven);
    },
    songOf,
    /** Nothing plays any more, and nothing of it is kept. */
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
