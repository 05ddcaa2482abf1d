import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { streamaddresses } from '../../contract.ts';
import { isMediaFailure } from './mediaFailure.ts';

interface SignedAddress {
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** An address that runs out sooner would not last for the song. */
const MIN_REMAINING_MS = 60_000;
/** After a fresh address, which most need. */
const CONVERTED_TRY = 2;

const known = new Map<number, SignedAddress>();
/** Songs that this browser does not play as they are. */
const converted = new Set<number>();
/** Addresses that could not be loaded ahead: not asked for again and again. */
const unready = new Set<string>();

const shownAs = (id: number, address: string): string => (converted.has(id) ? `${address}&as=flac` : address);

const knownAddress = (id: number): string | undefined => {
  const signed = known.get(id);
  return signed && signed.until - Date.now() > MIN_REMAINING_MS ? shownAs(id, signed.address) : undefined;
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
  return shownAs(id, address);
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
    if (refused.has(id) || !reachability.isReachable()) return;
    refused.add(id);
    void getOnce(id, more).then(
      () => refused.delete(id),
      () => undefined,
    );
  },
  /**
   * It did not play so many times: its address may have run out, or this browser may not play files of its kind, so that it comes as
   * FLAC, which all play; after a failure of the line it comes as it is. Gives whether another try is worthwhile.
   */
  renew: async (id: number, times: number, code: number | undefined): Promise<boolean> => {
    const address = known.get(id)?.address;
    if (times === CONVERTED_TRY && address !== undefined && (await isMediaFailure(code, address))) converted.add(id);
    else {
      known.delete(id);
      converted.delete(id);
    }
    return times <= CONVERTED_TRY;
  },
  /** It could not be loaded ahead. Gives whether it comes as something else from now on. */
  failed: async (address: string, code: number | undefined): Promise<boolean> => {
    unready.add(address);
    const [id] = [...known].find(([, signed]) => signed.address === address) ?? [];
    if (id === undefined || !(await isMediaFailure(code, address))) return false;
    converted.add(id);
    return true;
  },
  hasFailed: (address: string): boolean => unready.has(address),
  forgetAll: (): void => {
    known.clear();
    converted.clear();
    unready.clear();
    refused.clear();
  },
};
