import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { extractQueuePart, type Queue, type QueuePart } from '../domain/queue.ts';
import { QUEUE_KEY as KEY } from './queueKey.ts';

/** Position of the player, and the source of its queue. */
interface PlayerPosition {
  readonly seconds: number;
  readonly playlist: number;
  readonly name: string;
}

/** Player state that the browser stores until the next visit. */
interface PlayerState extends QueuePart, PlayerPosition {}

const VOLUME_KEY = 'music.volume';
const EVEN_KEY = 'music.even';
/** Of a longer queue only the next songs are stored. */
const MAX_STORED_SONGS = 1000;

interface StoredPlayerState extends PlayerState {
  readonly account: string;
}

function isStored(value: unknown): value is StoredPlayerState {
  if (typeof value !== 'object' || value === null) return false;
  const { account, songs, places, at, seconds } = value as Partial<StoredPlayerState>;
  return (
    typeof account === 'string' &&
    [songs, places].every((list) => Array.isArray(list) && list.every(Number.isSafeInteger)) &&
    [at, seconds].every((each) => typeof each === 'number')
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const queueStorage = {
  /** Returns the queue of this account's last visit. */
  load: (): PlayerState | undefined => {
    const state = parseJson(browserStorage.get(KEY) ?? '');
    return isStored(state) && state.account === offlineStorage.getAccount() ? state : undefined;
  },
  save: (queue: Queue, position: PlayerPosition): void => {
    const account = offlineStorage.getAccount();
    if (queue.at < 0 || account === undefined) queueStorage.clear();
    else
      browserStorage.set(
        KEY,
        JSON.stringify({
          ...extractQueuePart(queue, MAX_STORED_SONGS),
          ...position,
          account,
        } satisfies StoredPlayerState),
      );
  },
  clear: (): void => browserStorage.set(KEY, ''),
  /** 0 to 100. */
  loadVolume: (): number => {
    const storedVolume = Number(browserStorage.get(VOLUME_KEY) ?? 100);
    return storedVolume >= 0 && storedVolume <= 100 ? storedVolume : 100;
  },
  saveVolume: (volume: number): void => browserStorage.set(VOLUME_KEY, String(volume)),
  loadEven: (): boolean => browserStorage.get(EVEN_KEY) !== 'off',
  saveEven: (isEven: boolean): void => browserStorage.set(EVEN_KEY, isEven ? 'on' : 'off'),
};
