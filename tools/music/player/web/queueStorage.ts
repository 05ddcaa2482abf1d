import { offlineStorage } from '#platform/web/app/offline.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { partOf, type Queue, type QueuePart } from '../domain/queue.ts';
import { QUEUE_KEY as KEY } from './queueKey.ts';

/** Where the player is, and what it plays from. */
interface PlayerPosition {
  readonly seconds: number;
  readonly playlist: number;
  readonly name: string;
}

/** What a browser keeps of the player from one visit to the next. */
interface PlayerState extends QueuePart, PlayerPosition {}

const VOLUME = 'music.volume';
const EVEN = 'music.even';
/** Of a longer queue, those that come next. */
const MAX_STORED_SONGS = 1000;

interface StoredPlayerState extends PlayerState {
  readonly account: string;
}

const isStored = (value: unknown): value is StoredPlayerState => {
  if (typeof value !== 'object' || value === null) return false;
  const { account, songs, places, at, seconds } = value as Partial<StoredPlayerState>;
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
  queue: (): PlayerState | undefined => {
    const found = parsed(browserStorage.get(KEY) ?? '');
    return isStored(found) && found.account === offlineStorage.getAccount() ? found : undefined;
  },
  keep: (queue: Queue, place: PlayerPosition): void => {
    const account = offlineStorage.getAccount();
    if (queue.at < 0 || account === undefined) kept.forget();
    else
      browserStorage.set(
        KEY,
        JSON.stringify({ ...partOf(queue, MAX_STORED_SONGS), ...place, account } satisfies StoredPlayerState),
      );
  },
  forget: (): void => browserStorage.set(KEY, ''),
  /** 0 to 100. */
  volume: (): number => {
    const found = Number(browserStorage.get(VOLUME) ?? 100);
    return found >= 0 && found <= 100 ? found : 100;
  },
  keepVolume: (volume: number): void => browserStorage.set(VOLUME, String(volume)),
  isEven: (): boolean => browserStorage.get(EVEN) !== 'off',
  keepEven: (isEven: boolean): void => browserStorage.set(EVEN, isEven ? 'on' : 'off'),
};
