import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/call.ts';
import { reach } from '#platform/web/reach.ts';
import { streamaddresses } from '../../contract.ts';

interface Signed {
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** An address that runs out sooner would not last for the song. */
const LASTS_MS = 60_000;

const known = new Map<number, Signed>();

const knownAddress = (id: number): string | undefined => {
  const signed = known.get(id);
  return signed && signed.until - Date.now() > LASTS_MS ? signed.address : undefined;
};

const get = async (id: number, more: readonly number[]): Promise<string> => {
  const songs = [...new Set([id, ...more.filter((each) => knownAddress(each) === undefined)])];
  const answer = await call(streamaddresses, { songs }).catch((error: unknown) => {
    // One of the others may be gone, which refuses all of them.
    if (songs.length === 1 || !(error instanceof Refusal)) throw error;
    return call(streamaddresses, { songs: [id] });
  });
  const until = Date.parse(answer.until);
  for (const [song, address] of Object.entries(answer.addresses)) known.set(Number(song), { address, until });
  const address = answer.addresses[String(id)];
  if (address === undefined) throw new Error(`no address for song ${id}`);
  return address;
};

/** Asked for ahead, and not answered. */
const refused = new Set<number>();
const asked = new Map<number, Promise<string>>();

/** The same question is asked once at a time. */
const getOnce = (id: number, more: readonly number[]): Promise<string> => {
  const running = asked.get(id) ?? get(id, more).finally(() => asked.delete(id));
  asked.set(id, running);
  return running;
};

/** Signed addresses to play songs from. They last for hours, and are asked for a few at a time. */
export const addresses = {
  known: knownAddress,
  /** @throws Refusal, or CallFailed. `more` are asked for along with it. */
  of: async (id: number, more: readonly number[]): Promise<string> => {
    refused.delete(id);
    return knownAddress(id) ?? (await getOnce(id, more));
  },
  /** It is known soon, or asked for again when it is needed, which tells why it is not. */
  ask: (id: number, more: readonly number[]): void => {
    if (refused.has(id) || !reach.current()) return;
    refused.add(id);
    void getOnce(id, more).then(
      () => refused.delete(id),
      () => undefined,
    );
  },
  /** It does not play: another one is asked for. */
  forget: (id: number): void => void known.delete(id),
  forgetAll: (): void => {
    known.clear();
    refused.clear();
  },
};
