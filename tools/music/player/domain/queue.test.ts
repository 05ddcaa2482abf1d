import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  goBack,
  getCurrentSong,
  EMPTY_QUEUE,
  getFollowing,
  jump,
  extractQueuePart,
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
  type Queue,
  type Repeat,
} from './queue.ts';

const repeats = fc.constantFrom<Repeat>('none', 'all', 'one');
const lists = fc.uniqueArray(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 60 });
const queues = fc
  .record({ songs: lists, first: fc.nat(59), repeat: repeats, isShuffled: fc.boolean(), seed: fc.nat() })
  .map(({ songs, first, ...ways }) => startQueue(songs, first % songs.length, ways));

const sorted = (list: readonly number[]): readonly number[] => list.toSorted((one, other) => one - other);

/** Returns the songs that play from here, up to the end or a maximum. */
function playThrough(queue: Queue, max: number): readonly number[] {
  const played: number[] = [];
  for (let now: Queue | undefined = queue; now && played.length < max; now = skip(now))
    played.push(getCurrentSong(now) ?? -1);
  return played;
}

test('in shuffle mode every song plays once, starting with the selected one', () => {
  fc.assert(
    fc.property(lists, fc.nat(59), fc.nat(), (songs, place, seed) => {
      const first = place % songs.length;
      const queue = startQueue(songs, first, { repeat: 'none', isShuffled: true, seed });
      const played = playThrough(queue, 1000);
      expect(played[0]).toBe(songs[first]);
      expect(sorted(played)).toEqual(sorted(songs));
    }),
  );
});

test('in repeat mode each round has every song once, and no song plays twice in a row', () => {
  fc.assert(
    fc.property(lists, fc.boolean(), fc.nat(), (songs, isShuffled, seed) => {
      const queue = startQueue(songs, undefined, { repeat: 'all', isShuffled, seed });
      const played = playThrough(queue, 3 * songs.length);
      for (const round of [0, 1, 2])
        expect(sorted(played.slice(round * songs.length, (round + 1) * songs.length))).toEqual(sorted(songs));
      if (songs.length > 1) for (const [at, song] of played.entries()) expect(played[at + 1]).not.toBe(song);
    }),
  );
});

test('without shuffle the songs play in order from the selected one to the end', () => {
  const queue = startQueue([5, 6, 7, 8], 1, { repeat: 'none', isShuffled: false, seed: 1 });
  expect(playThrough(queue, 10)).toEqual([6, 7, 8]);
  expect(getCurrentSong(goBack(queue))).toBe(5);
  expect(goBack(jump(queue, 0)).at).toBe(0);
  expect(goBack({ ...queue, at: 0, repeat: 'all' }).at).toBe(3);
});

test('with repeat one a song follows itself, and Next still moves on', () => {
  const queue = startQueue([5, 6], 0, { repeat: 'one', isShuffled: false, seed: 1 });
  expect(getCurrentSong(getFollowing(queue) ?? EMPTY_QUEUE)).toBe(5);
  expect(getCurrentSong(skip(queue) ?? EMPTY_QUEUE)).toBe(6);
});

test('a stored queue continues unchanged, also in its own order after shuffle is switched off', () => {
  fc.assert(
    fc.property(queues, fc.nat(59), fc.nat(), (started, steps, seed) => {
      const queue = jump(started, steps % started.order.length);
      const again = restoreQueue(extractQueuePart(queue, 1000), seed);
      expect({ ...again, seed: queue.seed }).toEqual(queue);
    }),
  );
});

test('of a long queue the next songs are stored, in the same order', () => {
  fc.assert(
    fc.property(queues, fc.nat(59), fc.integer({ min: 1, max: 20 }), (started, steps, max) => {
      const queue = jump(started, steps % started.order.length);
      const again = restoreQueue(extractQueuePart(queue, max), 1);
      expect(again.songs.length).toBe(Math.min(max, queue.songs.length));
      expect(getCurrentSong(again)).toBe(getCurrentSong(queue));
      const next = listInPlayOrder(queue).slice(queue.at, queue.at + max);
      expect(listInPlayOrder(again).slice(again.at)).toEqual(next);
      const list = listInPlayOrder(withShuffle(again, false, 1));
      expect(list).toEqual(queue.songs.filter((song) => list.includes(song)));
    }),
  );
});

test('an empty queue has no current and no next song', () => {
  expect(getCurrentSong(EMPTY_QUEUE)).toBeUndefined();
  expect(getFollowing({ ...EMPTY_QUEUE, repeat: 'one' })).toBeUndefined();
  expect(skip({ ...EMPTY_QUEUE, repeat: 'all' })).toBeUndefined();
  expect(withShuffle(EMPTY_QUEUE, true, 3).isShuffled).toBe(true);
});

test('switching shuffle on and off keeps the current song and all others', () => {
  fc.assert(
    fc.property(queues, fc.nat(), (queue, seed) => {
      const turned = withShuffle(queue, !queue.isShuffled, seed);
      expect(getCurrentSong(turned)).toBe(getCurrentSong(queue));
      expect(sorted(listInPlayOrder(turned))).toEqual(sorted(queue.songs));
      if (!turned.isShuffled) expect(listInPlayOrder(turned)).toEqual(queue.songs);
    }),
  );
});

test('repeat cycles through none, all and one', () => {
  const one = withNextRepeat(EMPTY_QUEUE);
  expect([one.repeat, withNextRepeat(one).repeat, withNextRepeat(withNextRepeat(one)).repeat]).toEqual([
    'all',
    'one',
    'none',
  ]);
});

test('removing songs during playback keeps the order of the others, and the current song or its successor plays', () => {
  fc.assert(
    fc.property(queues, fc.nat(59), fc.array(fc.nat(59)), (queue, skips, taken) => {
      const playing = jump(queue, skips % queue.order.length);
      const before = listInPlayOrder(playing);
      const gone = new Set(taken);
      const { queue: after, keepsCurrent, continues } = removeFromQueue(playing, gone);
      const left = before.filter((_, at) => !gone.has(at));
      expect(listInPlayOrder(after)).toEqual(left);
      expect(after.songs).toEqual(queue.songs.filter((song) => left.includes(song)));
      const behind = before.filter((_, at) => at >= playing.at && !gone.has(at));
      expect(getCurrentSong(after)).toBe(behind[0] ?? left[0]);
      expect(keepsCurrent).toBe(!gone.has(playing.at));
      expect(continues).toBe(left.length > 0 && (behind.length > 0 || queue.repeat !== 'none'));
      // It can be shuffled and sorted again.
      expect(sorted(listInPlayOrder(withShuffle(after, !after.isShuffled, 1)))).toEqual(sorted(left));
    }),
  );
});

test('a song that is in the queue twice is removed twice', () => {
  const queue = startQueue([5, 6, 5, 7], 0, { repeat: 'none', isShuffled: false, seed: 1 });
  const { queue: after, keepsCurrent } = removeSongsFromQueue(queue, new Set([5]));
  expect([listInPlayOrder(after), getCurrentSong(after), keepsCurrent]).toEqual([[6, 7], 6, false]);
});

test('an inserted song plays next or last, once; without shuffle it is after the same song', () => {
  fc.assert(
    fc.property(queues, fc.nat(59), fc.boolean(), (started, steps, isNext) => {
      const queue = jump(started, steps % started.order.length);
      const before = listInPlayOrder(queue);
      const after = insertSong(queue, 9999, isNext ? 'next' : 'last');
      expect(listInPlayOrder(after)).toEqual(before.toSpliced(isNext ? queue.at + 1 : before.length, 0, 9999));
      expect(getCurrentSong(after)).toBe(getCurrentSong(queue));
      const list = listInPlayOrder(withShuffle(after, false, 1));
      const playing = queue.order[queue.at] ?? 0;
      expect(list).toEqual(queue.songs.toSpliced(isNext ? playing + 1 : queue.songs.length, 0, 9999));
    }),
  );
});

test('a song that is inserted into an empty queue becomes the queue, and the modes stay', () => {
  const queue = insertSong({ ...EMPTY_QUEUE, repeat: 'all', isShuffled: true }, 5, 'last');
  expect([listInPlayOrder(queue), getCurrentSong(queue), queue.repeat, queue.isShuffled]).toEqual([
    [5],
    5,
    'all',
    true,
  ]);
});

test('a moved song is at its new place, and playback continues', () => {
  fc.assert(
    fc.property(queues, fc.nat(59), fc.nat(59), (queue, one, other) => {
      const [from, to] = [one % queue.order.length, other % queue.order.length];
      const after = reorder(queue, from, to);
      expect(listInPlayOrder(after)[to]).toBe(listInPlayOrder(queue)[from]);
      expect(getCurrentSong(after)).toBe(getCurrentSong(queue));
    }),
  );
});
