import { moveMember } from '../../library/domain/playlist.ts';

/** Creates a random number generator (mulberry32). The same seed gives the same numbers from 0 to 1, exclusive. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the numbers from 0 to `length` - 1 in an order that depends on the seed. */
export function createShuffledOrder(length: number, seed: number): readonly number[] {
  const random = createRandom(seed);
  const order = Array.from({ length }, (_, place) => place);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] ?? other, order[last] ?? last];
  }
  return order;
}

/** Returns the seed for the next round. */
export function getNextSeed(seed: number): number {
  return Math.floor(createRandom(seed)() * 2 ** 32);
}

export type Repeat = 'none' | 'all' | 'one';

/** The play queue. */
export interface Queue {
  /** Ids of the songs in the order in which they were added. A song can be in it several times. */
  readonly songs: readonly number[];
  /** Indexes into `songs`, in playing order. */
  readonly order: readonly number[];
  /** Index of the current song in `order`; -1 if there is none. */
  readonly at: number;
  readonly repeat: Repeat;
  readonly isShuffled: boolean;
  /** Determines the shuffled orders. */
  readonly seed: number;
}

type Modes = Pick<Queue, 'repeat' | 'isShuffled' | 'seed'>;

export const EMPTY_QUEUE: Queue = { songs: [], order: [], at: -1, repeat: 'none', isShuffled: false, seed: 1 };

const listIndexes = (length: number): readonly number[] => Array.from({ length }, (_, place) => place);

const moveToFront = (order: readonly number[], place: number): readonly number[] => [
  place,
  ...order.filter((each) => each !== place),
];

/** Creates a queue. @param first index of the first song; defaults to the first of the playing order */
export function startQueue(songs: readonly number[], first: number | undefined, modes: Modes): Queue {
  const { isShuffled, seed, repeat } = modes;
  const base = { songs, repeat, isShuffled, seed };
  if (songs.length === 0) return { ...base, order: [], at: -1 };
  const start = first !== undefined && first >= 0 && first < songs.length ? first : undefined;
  if (!isShuffled) return { ...base, order: listIndexes(songs.length), at: start ?? 0 };
  const order = createShuffledOrder(songs.length, seed);
  return { ...base, order: start === undefined ? order : moveToFront(order, start), at: 0 };
}

function getSongAt({ songs, order }: Queue, at: number): number | undefined {
  const place = order[at];
  return place === undefined ? undefined : songs[place];
}

/** The part of a queue that is stored until the next visit. */
export interface QueuePart extends Pick<Queue, 'at' | 'repeat' | 'isShuffled'> {
  /** In playing order. */
  readonly songs: readonly number[];
  /** Index of each song in the list. */
  readonly places: readonly number[];
}

/** Returns the current song and the next ones, at most `max`. If there are fewer, also earlier ones. */
export function extractQueuePart({ songs, order, at, repeat, isShuffled }: Queue, max: number): QueuePart {
  const first = Math.max(0, Math.min(at, order.length - max));
  const places = order.slice(first, first + max);
  return { songs: places.map((place) => songs[place] ?? 0), places, at: at - first, repeat, isShuffled };
}

/** Creates a queue from a stored part. */
export function restoreQueue({ songs, places, ...rest }: QueuePart, seed: number): Queue {
  const listOrder = listIndexes(songs.length).toSorted((one, other) => (places[one] ?? 0) - (places[other] ?? 0));
  const order = Array.from(songs, () => 0);
  for (const [place, index] of listOrder.entries()) order[index] = place;
  return { ...rest, songs: listOrder.map((index) => songs[index] ?? 0), order, seed };
}

export function getCurrentSong(queue: Queue): number | undefined {
  return getSongAt(queue, queue.at);
}

/** Returns the songs in playing order. */
export function listInPlayOrder({ songs, order }: Queue): readonly number[] {
  return order.flatMap((place) => songs[place] ?? []);
}

/** Starts another round. A shuffled one gets a new order, which doesn't start with the song that was last. */
function startNextRound(queue: Queue): Queue {
  if (!queue.isShuffled) return { ...queue, at: 0 };
  const seed = getNextSeed(queue.seed);
  const order = createShuffledOrder(queue.songs.length, seed);
  const isRepeated = order.length > 1 && order[0] === queue.order.at(-1);
  return { ...queue, seed, order: isRepeated ? [...order.slice(1), ...order.slice(0, 1)] : order, at: 0 };
}

/** Returns the queue after 'Next'; undefined at the end. */
export function skip(queue: Queue): Queue | undefined {
  if (queue.order.length === 0) return undefined;
  if (queue.at + 1 < queue.order.length) return { ...queue, at: queue.at + 1 };
  return queue.repeat === 'none' ? undefined : startNextRound(queue);
}

/** Returns the queue after the song has ended; undefined if nothing follows. */
export function getFollowing(queue: Queue): Queue | undefined {
  return queue.repeat === 'one' && queue.at >= 0 ? queue : skip(queue);
}

/** Returns the queue after 'Previous'. The first song restarts, or the last one follows if all are repeated. */
export function goBack(queue: Queue): Queue {
  if (queue.at > 0) return { ...queue, at: queue.at - 1 };
  return queue.repeat === 'all' ? { ...queue, at: queue.order.length - 1 } : queue;
}

export function jump(queue: Queue, at: number): Queue {
  return at >= 0 && at < queue.order.length ? { ...queue, at } : queue;
}

/** Switches shuffle. The current song continues; the others follow shuffled, or in the order of the list. */
export function withShuffle(queue: Queue, isShuffled: boolean, seed: number): Queue {
  if (isShuffled === queue.isShuffled) return queue;
  const place = queue.order[queue.at];
  if (place === undefined) return { ...queue, isShuffled, seed };
  if (!isShuffled) return { ...queue, isShuffled, order: listIndexes(queue.songs.length), at: place };
  return {
    ...queue,
    isShuffled,
    seed,
    order: moveToFront(createShuffledOrder(queue.songs.length, seed), place),
    at: 0,
  };
}

const NEXT_REPEAT: Readonly<Record<Repeat, Repeat>> = { none: 'all', all: 'one', one: 'none' };
export function withNextRepeat(queue: Queue): Queue {
  return { ...queue, repeat: NEXT_REPEAT[queue.repeat] };
}

/** Moves a song in the playing order. The current song continues. */
export function reorder(queue: Queue, from: number, to: number): Queue {
  const [moved, playing] = [queue.order[from], queue.order[queue.at]];
  if (moved === undefined || playing === undefined) return queue;
  const order = moveMember(queue.order, moved, to);
  return { ...queue, order, at: order.indexOf(playing) };
}

/** After the current song, or at the end. */
export type QueuePosition = 'next' | 'last';

/** Inserts a song that plays once, also after the same song in the list. In an empty queue it is the current song. */
export function insertSong(queue: Queue, song: number, position: QueuePosition): Queue {
  const playing = queue.order[queue.at];
  if (playing === undefined) return startQueue([song], undefined, queue);
  const isNext = position === 'next';
  const place = isNext ? playing + 1 : queue.songs.length;
  const order = queue.order.map((each) => (each < place ? each : each + 1));
  return {
    ...queue,
    songs: queue.songs.toSpliced(place, 0, song),
    order: order.toSpliced(isNext ? queue.at + 1 : order.length, 0, place),
  };
}

export interface RemovalResult {
  readonly queue: Queue;
  /** Whether the current song is still in the queue. */
  readonly keepsCurrent: boolean;
  /** Whether playback continues: with the current song, or with one that follows. */
  readonly continues: boolean;
}

/**
 * Removes these indexes of the playing order. If the current song is among them, the next one becomes current,
 * or the first one if there is no next one.
 */
export function removeFromQueue(queue: Queue, removed: ReadonlySet<number>): RemovalResult {
  const remaining = listIndexes(queue.order.length).filter((at) => !removed.has(at));
  const nextIndex = remaining.findIndex((at) => at >= queue.at);
  const hasSongs = queue.at >= 0 && remaining.length > 0;
  const places = new Map(
    remaining
      .map((at) => queue.order[at] ?? 0)
      .toSorted((one, other) => one - other)
      .map((place, index) => [place, index]),
  );
  return {
    queue: {
      ...queue,
      songs: [...places.keys()].flatMap((place) => queue.songs[place] ?? []),
      order: remaining.map((at) => places.get(queue.order[at] ?? 0) ?? 0),
      at: hasSongs ? Math.max(0, nextIndex) : -1,
    },
    keepsCurrent: hasSongs && !removed.has(queue.at),
    continues: hasSongs && (nextIndex >= 0 || queue.repeat !== 'none'),
  };
}

/** Removes songs by id. */
export function removeSongsFromQueue(queue: Queue, ids: ReadonlySet<number>): RemovalResult {
  return removeFromQueue(
    queue,
    new Set(listIndexes(queue.order.length).filter((at) => ids.has(getSongAt(queue, at) ?? 0))),
  );
}
