import { randomBytes } from 'node:crypto';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { JsonChunks } from '#platform/server/tool.ts';
import type { ytgetdata } from '../../contract.ts';
import { type AsOf, canBeTold } from './asOf.ts';
import type { Library } from './library.ts';
import type { MusicStore } from './store/musicStores.ts';
import { createWholeLibraries } from './wholes.ts';
import { playlistOnWire, songOnWire } from './wire.ts';

type AnswerPart = Omit<AnswerOf<typeof ytgetdata>, 'revision'>;

interface AnswersDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'playlists' | 'playlistsSince'>;
  /** Bytes of an account. */
  readonly quota: number;
  readonly now: () => Temporal.Instant;
}

/** Writes and reads what a page has. One of another start of the server says nothing: its database may be an older one, brought back from a backup. */
const createMarks = () => {
  const start = randomBytes(6).toString('hex');
  return {
    write: ({ account, revision, time }: AsOf): string => [start, account, revision, time].join('-'),
    read: (text: string): AsOf | undefined => {
      const [, from, ...numbers] = /^([\da-f]{12})-(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
      const [account = 0, revision = 0, time = 0] = numbers.map(Number);
      return from === start ? { account, revision, time } : undefined;
    },
  };
};

/** Answers libraries in JSON: whole, or what is new to a page that has one already. */
export const createAnswers = ({ store, library, quota, now }: AnswersDeps) => {
  const whole = createWholeLibraries({ store, library, quota });
  const marks = createMarks();

  /** Undefined where it is better told whole. */
  const partSince = async ({ account, revision }: AsOf): Promise<AnswerPart | undefined> => {
    // Before the songs: what stands in a playlist is among those that the page has or gets.
    const lists = await library.playlistsSince(account, revision);
    const songs = await store.songs.since(account, revision);
    if (songs === undefined) return undefined;
    const { bytes } = await store.songs.used(account);
    return {
      mp3s: Object.fromEntries(songs.changed.map((song) => [String(song.id), songOnWire(song)])),
      playlists: Object.fromEntries(lists.changed.map((list) => [String(list.id), playlistOnWire(list)])),
      used: bytes,
      quota,
      part: { gone: [...songs.gone], lists: [...lists.all] },
    };
  };

  /** @param text What the page was told of that before. */
  return async (account: number, text?: string): Promise<JsonChunks> => {
    const time = now().epochMilliseconds;
    // Read before all else: a change that comes in between is told once more the next time.
    const is = { account, revision: await store.book.revision(account), time };
    const revision = marks.write(is);
    const known = text === undefined ? undefined : marks.read(text);
    const part = known && canBeTold(known, is) ? await partSince(known) : undefined;
    if (part) return [JSON.stringify({ ...part, revision })];
    return [...(await whole(is)), `,"revision":"${revision}"}`];
  };
};

export type Answers = ReturnType<typeof createAnswers>;
