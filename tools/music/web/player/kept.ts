import { offline } from '#platform/web/offline.ts';
import { remember } from '#platform/web/remember.ts';
import { partOf, type Queue, type QueuePart } from '../../domain/queue.ts';
import { QUEUE_KEY as KEY } from './queueKey.ts';

/** Where the player is, and what it plays from. */
interface Place {
  readonly seconds: number;
  readonly playlist: number;
  readonly name: string;
}

/** What a browser keeps of the player from one visit to the next. */
interface Kept extends QueuePart, Place {}

const VOLUME = 'music.volume';
const EVEN = 'music.even';
/** Of a longer queue, those that come next. */
const MOST = 1000;

interface Stored extends Kept {
  readonly account: string;
}

const isStored = (value: unknown): value is Stored => {
  if (typeof value !== 'object' || value === null) return false;
  const { account, songs, places, at, seconds } = value as Partial<Stored>;
  return (
    typeof account === 'string' &&
    [songs, places].every((list) => Array.isArray(list) && list.every(Number.isSafeInteger)) &&
    [at, seconds].every((each) => typeof each === 'number')
  );
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const kept = {
  /** The queue of this account's last visit. */
  queue: (): Kept | undefined => {
    const found = parsed(remember.get(KEY) ?? '');
    return isStored(found) && found.account === offline.account() ? found : undefined;
  },
  keep: (queue: Queue, place: Place): void => {
    const account = offline.account();
    if (queue.at < 0 || account === undefined) kept.forget();
    else remember.set(KEY, JSON.stringify({ ...partOf(queue, MOST), ...place, account } satisfies Stored));
  },
  forget: (): void => remember.set(KEY, ''),
  /** 0 to 100. */
  volume: (): number => {
    const found = Number(remember.get(VOLUME) ?? 100);
    return found >= 0 && found <= 100 ? found : 100;
  },
  keepVolume: (volume: number): void => remember.set(VOLUME, String(volume)),
  isEven: (): boolean => remember.get(EVEN) !== 'off',
  keepEven: (isEven: boolean): void => remember.set(EVEN, isEven ? 'on' : 'off'),
};
