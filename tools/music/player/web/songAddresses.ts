import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { streamaddresses } from '../../contract.ts';

/** Codes of `MediaError`. */
const DECODE = 3;
const NOT_SUPPORTED = 4;

/**
 * Returns whether the browser can't play the content, as opposed to a failure of the connection or the server.
 * Browsers report "not supported" for both, so one byte is requested.
 */
export async function isMediaFailure(code: number | undefined, address: string): Promise<boolean> {
  if (code === DECODE) return true;
  if (code !== NOT_SUPPORTED) return false;
  try {
    const response = await fetch(address, { headers: { range: 'bytes=0-0' } });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

interface SignedAddress {
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** An address that expires sooner would not last for the song. */
const MIN_REMAINING_MS = MINUTE_MS;
/** The attempt that requests a conversion. Most failures only need a fresh address. */
const CONVERTED_ATTEMPT = 2;

const signedById = new Map<number, SignedAddress>();
/** Songs whose format this browser can't play. */
const convertedIds = new Set<number>();
/** Addresses that could not be preloaded, so that they are not requested again and again. */
const failedAddresses = new Set<string>();

const addFormat = (id: number, address: string): string => (convertedIds.has(id) ? `${address}&as=flac` : address);

function findKnownAddress(id: number): string | undefined {
  const signed = signedById.get(id);
  return signed && signed.until - Date.now() > MIN_REMAINING_MS ? addFormat(id, signed.address) : undefined;
}

async function request(id: number, more: readonly number[]): Promise<string> {
  const songs = [...new Set([id, ...more.filter((each) => findKnownAddress(each) === undefined)])];
  const answer = await call(streamaddresses, { songs }).catch((error: unknown) => {
    // One of the other songs may be deleted, which makes the server refuse all.
    if (songs.length === 1 || !(error instanceof Refusal)) throw error;
    return call(streamaddresses, { songs: [id] });
  });
  const until = Date.parse(answer.until);
  for (const [song, path] of Object.entries(answer.addresses))
    signedById.set(Number(song), { address: toSitePath(path), until });
  const path = answer.addresses[String(id)];
  if (path === undefined) throw new Error(`no address for song ${id}`);
  return addFormat(id, toSitePath(path));
}

/** Songs that were requested ahead, without an answer. */
const unansweredIds = new Set<number>();
const requestById = new Map<number, Promise<string>>();

/** Shares a running request for the same song. */
function requestOnce(id: number, more: readonly number[]): Promise<string> {
  const running = requestById.get(id) ?? request(id, more).finally(() => requestById.delete(id));
  requestById.set(id, running);
  return running;
}

/** Signed addresses for playback. They are valid for hours and are requested in small batches. */
export const addresses = {
  findKnown: findKnownAddress,
  /** @param more songs to request along with it. @throws Refusal or CallError */
  get: async (id: number, more: readonly number[]): Promise<string> => {
    unansweredIds.delete(id);
    return findKnownAddress(id) ?? (await requestOnce(id, more));
  },
  /** Requests addresses ahead. A failure is reported when the address is needed. */
  prefetch: (id: number, more: readonly number[]): void => {
    if (unansweredIds.has(id) || !reachability.isReachable()) return;
    unansweredIds.add(id);
    void requestOnce(id, more).then(
      () => unansweredIds.delete(id),
      () => undefined,
    );
  },
  /**
   * Prepares another attempt after a number of failures: with a fresh address, or as FLAC if the browser can't play the
   * format. Returns whether another attempt makes sense.
   */
  renew: async (id: number, failureCount: number, code: number | undefined): Promise<boolean> => {
    const address = signedById.get(id)?.address;
    if (failureCount === CONVERTED_ATTEMPT && address !== undefined && (await isMediaFailure(code, address)))
      convertedIds.add(id);
    else {
      signedById.delete(id);
      convertedIds.delete(id);
    }
    return failureCount <= CONVERTED_ATTEMPT;
  },
  /** Called if an address could not be preloaded. Returns whether it will be converted from now on. */
  handlePreloadFailure: async (address: string, code: number | undefined): Promise<boolean> => {
    failedAddresses.add(address);
    const [id] = [...signedById].find(([, signed]) => signed.address === address) ?? [];
    if (id === undefined || !(await isMediaFailure(code, address))) return false;
    convertedIds.add(id);
    return true;
  },
  hasFailed: (address: string): boolean => failedAddresses.has(address),
  clear: (): void => {
    signedById.clear();
    convertedIds.clear();
    failedAddresses.clear();
    unansweredIds.clear();
  },
};
