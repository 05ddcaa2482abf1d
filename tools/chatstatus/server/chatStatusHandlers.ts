import type { RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { type Rate, RateLimitError } from '#platform/server/http/rateLimiter.ts';
import { canonicalizeZone } from '#platform/server/identity/createIdentity.ts';
import { handle, createRawJsonAnswer, type Caller, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { chatstate, getstatusesdiscord } from '../contract.ts';
import { splitDays, type Day } from '../domain/days.ts';
import { findSleepByDate, findSleeps, type Sleep } from '../domain/sleep.ts';
import { COLOURS, VIEWS, type View, toStatusIntervals } from '../domain/status.ts';
import { parseCode } from '../domain/visibilityCode.ts';
import { hashCode } from './botCommands.ts';
import type { ChatPlatform, PlatformState } from './chatPlatform.ts';
import { createStatusStore, type Member } from './statusStore.ts';

/** Limit of wrong codes per address. Local addresses have the same limit. */
const WRONG_CODE_RATE: Rate = { times: 10, seconds: 60 };

const createRateLimitError = (milliseconds: number): RateLimitError =>
  new RateLimitError(Math.max(1, Math.ceil(milliseconds / 1000)), 'Too many wrong codes. Try again in a minute');

/** Limits wrong codes. An address that sent too many is locked out for a while, also with right codes. */
export function createWrongCodeLimiter({
  rateLimiter,
  cluster,
  now,
}: Pick<ServerContext, 'rateLimiter' | 'cluster' | 'now'>) {
  const lockedUntil = createReplicatedMap<number, string>(cluster, 'chatstatus lockouts');
  return {
    /**
     * Checks that an address is not locked out.
     * @throws RateLimitError
     */
    requireUnlocked: (address: string): void => {
      const remainingMs = (lockedUntil.get(getAddressKey(address)) ?? 0) - now().epochMilliseconds;
      if (remainingMs > 0) throw createRateLimitError(remainingMs);
      lockedUntil.delete(getAddressKey(address));
    },
    /**
     * Counts a wrong code.
     * @throws RateLimitError if it exceeds the limit.
     */
    countWrongCode: async (address: string): Promise<void> => {
      const key = getAddressKey(address);
      try {
        await rateLimiter.consume('getstatusesdiscord wrong', key, WRONG_CODE_RATE);
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
        const milliseconds = error.retryAfterSeconds * 1000;
        lockedUntil.set(key, now().epochMilliseconds + milliseconds);
        throw createRateLimitError(milliseconds);
      }
    },
    /** Removes lockouts that have expired. */
    removeExpired: (): void => {
      const moment = now().epochMilliseconds;
      for (const [key, until] of lockedUntil) if (until <= moment) lockedUntil.delete(key);
    },
  };
}

export type WrongCodeLimiter = ReturnType<typeof createWrongCodeLimiter>;

const CODE_NOT_FOUND_MESSAGE = 'There is no such code. Check it for typos, or get a new one with /schedule code';

interface ChatStatusHandlersDeps extends Pick<ServerContext, 'database' | 'now'> {
  readonly platforms: readonly ChatPlatform[];
  /** Returns the state of a platform, at the instance that is connected to it. */
  readonly getState: (platform: ChatPlatform) => PlatformState;
  readonly wrongCodeLimiter: WrongCodeLimiter;
  /** Settles when the open intervals of the previous server run are closed. */
  readonly ready: Promise<unknown>;
}

/**
 * Validates a zone name; default UTC.
 * @throws Refusal if the zone is unknown.
 */
function validateZone(tz: string | undefined): string {
  if (tz === undefined || tz === '') return 'UTC';
  const zone = canonicalizeZone(tz);
  if (zone === undefined) throw new Refusal('account.unknown_time_zone', 'There is no such time zone');
  return zone;
}

const toWireDay = ({ date, until, intervals }: Day, sleep: Sleep | undefined) => ({
  date,
  endtime: until,
  statuses: intervals.map(({ from, status }) => ({ time: from, status })),
  ...(sleep ? { slept: sleep } : {}),
});

export function createChatStatusHandlers(deps: ChatStatusHandlersDeps): readonly Handler[] {
  const { database, now, platforms, getState, wrongCodeLimiter, ready } = deps;
  const store = createStatusStore(database.db);

  async function findMember(text: string, { address }: Caller): Promise<Member> {
    wrongCodeLimiter.requireUnlocked(address);
    const code = parseCode(text);
    const member = code === undefined ? undefined : await store.findByCode(hashCode(code));
    if (member) return member;
    await wrongCodeLimiter.countWrongCode(address);
    throw new Refusal('chatstatus.code_not_found', CODE_NOT_FOUND_MESSAGE);
  }

  async function readDays({ id, isRecorded }: Member, view: View, zone: string) {
    const changes = await store.listChanges(id);
    const until = isRecorded ? Math.floor(now().epochMilliseconds / 1000) : (changes.at(-1)?.at ?? 0);
    const days = splitDays(toStatusIntervals(changes, view, until), zone);
    // A person sleeps only if no device is in use, so sleep ignores the requested view.
    const sleepByDate = findSleepByDate(days, findSleeps(toStatusIntervals(changes, 'both', until)));
    return Object.fromEntries(days.map((day) => [day.from, toWireDay(day, sleepByDate.get(day.date))]));
  }

  async function getStatuses({ code, state, tz }: RequestOf<typeof getstatusesdiscord>, caller: Caller) {
    if (code.trim() === '') throw new Refusal('chatstatus.code_empty', 'Enter code');
    const zone = validateZone(tz);
    await ready;
    const member = await findMember(code, caller);
    const statuses = await readDays(member, VIEWS[Number(state)] ?? 'both', zone);
    // A year may have 20,000 entries, all created above: skips the validation of the answer.
    return createRawJsonAnswer(JSON.stringify({ statuses, colours: COLOURS }));
  }

  return [
    handle(getstatusesdiscord, getStatuses),
    handle(chatstate, async () => ({
      platforms: platforms.map((platform) => {
        const { isReady, sentence } = getState(platform);
        return { name: platform.name, state: sentence, isReady };
      }),
    })),
  ];
}
