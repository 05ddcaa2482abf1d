import { movedTo } from '../../library/domain/playlist.ts';

/** Numbers from 0 to below 1 that look like chance, the same ones for the same seed (mulberry32). */
const diceOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** 0 to `length` - 1, each once, in an order that the seed chooses. */
export function shuffled(length: number, seed: number): readonly number[] {
  const throwDice = diceOf(seed);
  const order = Array.from({ length }, (_, place) => place);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = Math.floor(throwDice() * (last + 1));
    [order[last], order[other]] = [order[other] ?? other, order[last] ?? last];
  }
  return order;
}

/** The seed for the round that follows. */
export function nextSeed(seed: number): number {
  return Math.floor(diceOf(seed)() * 2 ** 32);
}

export type Repeat = 'none' | 'all' | 'one';

/** What plays one after another. */
export interface Queue {
  /** By their ids, as they were put in. A song may be in it several times. */
  readonly songs: readonly number[];
  /** Places in `songs`, in the order in which they play. */
  readonly order: readonly number[];
  /** The place in `order` that plays; -1 where there is none. */
  readonly at: number;
  readonly repeat: Repeat;
  readonly isShuffled: boolean;
  /** Chooses the shuffled orders. */
  readonly seed: number;
}

type Ways = Pick<Queue, 'repeat' | 'isShuffled' | 'seed'>;

export const emptyQueue: Queue = { songs: [], order: [], at: -1, repeat: 'none', isShuffled: false, seed: 1 };

const plain = (length: number): readonly number[] => Array.from({ length }, (_, place) => place);

const startingWith = (order: readonly number[], place: number): readonly number[] => [
  place,
  ...order.filter((each) => each !== place),
];

/** `first` is the place of the song that begins; without one the first of the order does. */
export function startQueue(songs: readonly number[], first: number | undefined, ways: Ways): Queue {
  const { isShuffled, seed, repeat } = ways;
  const own = { songs, repeat, isShuffled, seed };
  if (songs.length === 0) return { ...own, order: [], at: -1 };
  const start = first !== undefined && first >= 0 && first < songs.length ? first : undefined;
  if (!isShuffled) return { ...own, order: plain(songs.length), at: start ?? 0 };
  const order = shuffled(songs.length, seed);
  return { ...own, order: start === undefined ? order : startingWith(order, start), at: 0 };
}

const songAt = ({ songs, order }: Queue, at: number): number | undefined => {
  const place = order[at];
  return place === undefined ? undefined : songs[place];
};

/** A part of a queue, as it is kept from one visit to the next. */
export interface QueuePart extends Pick<Queue, 'at' | 'repeat' | 'isShuffled'> {
  /** In the order in which they play. */
  readonly songs: readonly number[];
  /** Where each of them stands in the list. */
  readonly places: readonly number[];
}

/** What plays, and what comes next, of so many songs; with fewer behind it, what came before too. */
export function partOf({ songs, order, at, repeat, isShuffled }: Queue, most: number): QueuePart {
  const first = Math.max(0, Math.min(at, order.length - most));
  const places = order.slice(first, first + most);
  return { songs: places.map((place) => songs[place] ?? 0), places, at: at - first, repeat, isShuffled };
}

/** The queue that a part makes. */
export function queueOf({ songs, places, ...kept }: QueuePart, seed: number): Queue {
  const inList = plain(songs.length).toSorted((one, other) => (places[one] ?? 0) - (places[other] ?? 0));
  const order = Array.from(songs, () => 0);
  for (const [place, index] of inList.entries()) order[index] = place;
  return { ...kept, songs: inList.map((index) => songs[index] ?? 0), order, seed };
}

/** The song that plays. */
export function currentOf(queue: Queue): number | undefined {
  return songAt(queue, queue.at);
}

/** Songs in the order in which they play. */
export function playOrder({ songs, order }: Queue): readonly number[] {
  return order.flatMap((place) => songs[place] ?? []);
}

/** All once more; shuffled, in another order, which does not begin with what was the last. */
const nextRound = (queue: Queue): Queue => {
  if (!queue.isShuffled) return { ...queue, at: 0 };
  const seed = nextSeed(queue.seed);
  const order = shuffled(queue.songs.length, seed);
  const isAgain = order.length > 1 && order[0] === queue.order.at(-1);
  return { ...queue, seed, order: isAgain ? [...order.slice(1), ...order.slice(0, 1)] : order, at: 0 };
};

/** What 'Next' leads to; undefined behind the last. */
export function skip(queue: Queue): Queue | undefined {
  if (queue.order.length === 0) return undefined;
  if (queue.at + 1 < queue.order.length) return { ...queue, at: queue.at + 1 };
  return queue.repeat === 'none' ? undefined : nextRound(queue);
}

/** What follows when the song has ended by itself; undefined where nothing does. */
export function following(queue: Queue): Queue | undefined {
  return queue.repeat === 'one' && queue.at >= 0 ? queue : skip(queue);
}

/** What 'Previous' leads to: the first begins anew, or what is last follows where all is repeated. */
export function back(queue: Queue): Queue {
  if (queue.at > 0) return { ...queue, at: queue.at - 1 };
  return queue.repeat === 'all' ? { ...queue, at: queue.order.length - 1 } : queue;
}

export function jump(queue: Queue, at: number): Queue {
  return at >= 0 && at < queue.order.length ? { ...queue, at } : queue;
}

/** What plays goes on; shuffled, all others come behind it, else those that stand behind it in the list. */
export function withShuffle(queue: Queue, isShuffled: boolean, seed: number): Queue {
  if (isShuffled === queue.isShuffled) return queue;
  const place = queue.order[queue.at];
  if (place === undefined) return { ...queue, isShuffled, seed };
  if (!isShuffled) return { ...queue, isShuffled, order: plain(queue.songs.length), at: place };
  return { ...queue, isShuffled, seed, order: startingWith(shuffled(queue.songs.length, seed), place), at: 0 };
}

const NEXT_REPEAT: Readonly<Record<Repeat, Repeat>> = { none: 'all', all: 'one', one: 'none' };
export function withNextRepeat(queue: Queue): Queue {
  return { ...queue, repeat: NEXT_REPEAT[queue.repeat] };
}

/** One place of the order stands elsewhere; what plays goes on. */
export function reorder(queue: Queue, from: number, to: number): Queue {
  const [carried, playing] = [queue.order[from], queue.order[queue.at]];
  if (carried === undefined || playing === undefined) return queue;
  const order = movedTo(queue.order, carried, to);
  return { ...queue, order, at: order.indexOf(playing) };
}

/** Right behind what plays, or behind all. */
export type QueuePosition = 'next' | 'last';

/** With one more song, which plays once; in the queue's own order it stands behind the same song. Where nothing is, it is the queue. */
export function putIn(queue: Queue, song: number, behind: QueuePosition): Queue {
  const playing = queue.order[queue.at];
  if (playing === undefined) return startQueue([song], undefined, queue);
  const isNext = behind === 'next';
  const place = isNext ? playing + 1 : queue.songs.length;
  const order = queue.order.map((each) => (each < place ? each : each + 1));
  return {
    ...queue,
    songs: queue.songs.toSpliced(place, 0, song),
    order: order.toSpliced(isNext ? queue.at + 1 : order.length, 0, place),
  };
}

export interface TakeResult {
  readonly queue: Queue;
  /** Whether what plays is still there. */
  readonly isSame: boolean;
  /** Whether playing goes on: it is still there, or something follows it. */
  readonly goesOn: boolean;
}

/**
 * The queue with these places of the order taken out. Where what plays is among them, what follows it is next; where nothing does, the
 * queue stands at its beginning.
 */
export function takeOut(queue: Queue, gone: ReadonlySet<number>): TakeResult {
  const stays = plain(queue.order.length).filter((at) => !gone.has(at));
  const behind = stays.findIndex((at) => at >= queue.at);
  const isThere = queue.at >= 0 && stays.length > 0;
  const places = new Map(
    stays
      .map((at) => queue.order[at] ?? 0)
      .toSorted((one, other) => one - other)
      .map((place, index) => [place, index]),
  );
  return {
    queue: {
      ...queue,
      songs: [...places.keys()].flatMap((place) => queue.songs[place] ?? []),
      order: stays.map((at) => places.get(queue.order[at] ?? 0) ?? 0),
      at: isThere ? Math.max(0, behind) : -1,
    },
    isSame: isThere && !gone.has(queue.at),
    goesOn: isThere && (behind >= 0 || queue.repeat !== 'none'),
  };
}

/** The same by the songs' ids. */
export function takeOutSongs(queue: Queue, ids: ReadonlySet<number>): TakeResult {
  return takeOut(queue, new Set(plain(queue.order.length).filter((at) => ids.has(songAt(queue, at) ?? 0))));
}
