import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#platform/server/database/database.ts';
import { createSerialQueue } from '#platform/server/schedule/serialQueue.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { isSamePresence, UNKNOWN, type Presence } from '../domain/status.ts';
import { createOrders } from './botCommands.ts';
import type { ChatPlatform, Order } from './chatPlatform.ts';
import { statusStore, type MemberChange } from './statusStore.ts';

/** Platforms break the line every few hours and have it back in a moment: that is no hole. */
export const GRACE_MS = 20_000;
export const BEAT_SECONDS = 60;
/** Nobody has looked for so long: the computer slept. */
const BLIND_SECONDS = 2 * BEAT_SECONDS;

/** Somebody who is recorded, and what was written of them last. */
interface RecordedMember {
  readonly member: number;
  at: number;
  presence: Presence | undefined;
}

interface RecorderDeps {
  readonly database: Database;
  readonly log: FastifyBaseLogger;
  readonly timers: Timers;
  readonly now: () => Temporal.Instant;
  /** Where people enter their code, where that is known: 'https://example.org/sleepstatus'. */
  readonly page: string | undefined;
}

/** Ends with `unknown` what the last run of the server, if it was killed, has left open: nobody looked since its last heartbeat. */
export async function endLastRun({ database }: Pick<RecorderDeps, 'database'>): Promise<void> {
  const store = statusStore(database.db);
  const [members, last, beats] = await Promise.all([store.recorded(), store.lastChanges(), store.beats()]);
  const platforms = new Map(members.map(({ id, platform }) => [id, platform]));
  const open = last.filter(({ presence }) => !isSamePresence(presence, UNKNOWN));
  await store.write(
    open.map(({ member, at }) => ({
      member,
      at: Math.max(at, beats.get(platforms.get(member) ?? '') ?? 0),
      presence: UNKNOWN,
    })),
  );
}

const unknown = (): Presence => UNKNOWN;

/** Writes down how the people of one platform stand who asked for it, and does what they ask. */
export function createRecorder(ground: RecorderDeps, platform: ChatPlatform) {
  const { database, log, timers, now } = ground;
  const store = statusStore(database.db);
  const recorded = new Map<string, RecordedMember>();
  /** Whether `recorded` is what the database says. */
  let isLoaded = false;
  const inTurn = createSerialQueue();
  let isReady = false;
  /** When the platform was heard last, by the wall clock: timers stand still while the computer sleeps. */
  let heardAt = 0;
  /** Whether what was written last goes on. */
  let isOpen = false;
  let callOff: (() => void) | undefined;

  const seconds = (): number => Math.floor(now().epochMilliseconds / 1000);

  const load = async (): Promise<void> => {
    const [members, last] = await Promise.all([store.recorded(), store.lastChanges()]);
    recorded.clear();
    isLoaded = true;
    const changes = new Map(last.map((change) => [change.member, change]));
    for (const { id, person } of members.filter((member) => member.platform === platform.name)) {
      const change = changes.get(id);
      recorded.set(person, { member: id, at: change?.at ?? 0, presence: change?.presence });
    }
  };

  /** Writes what is another than before. A clock that was turned back does not turn back what is written. */
  const write = async (
    { people, at }: { readonly people: Iterable<string>; readonly at: number },
    presenceOf: (person: string) => Presence,
  ): Promise<void> => {
    const changes: MemberChange[] = [];
    for (const person of people) {
      const known = recorded.get(person);
      const presence = presenceOf(person);
      if (!known || (known.presence && isSamePresence(known.presence, presence))) continue;
      changes.push({ member: known.member, at: Math.max(at, known.at), presence });
    }
    await store.write(changes);
    const written = new Map(changes.map((change) => [change.member, change]));
    for (const known of recorded.values()) Object.assign(known, written.get(known.member));
  };

  const asTold = (person: string): Presence => platform.presenceOf(person) ?? UNKNOWN;

  /** One after another: what came first is written first. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(platform.name, async () => {
      if (!isLoaded) await load();
      return work();
    });
  const queue = (what: string, work: () => Promise<void>): void =>
    void inOrder(work).catch((error: unknown) => log.error({ err: error, what }, 'chat status failed'));

  /** Nobody knows what was after the platform was heard last. */
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    const at = heardAt;
    queue('hole', () => write({ people: recorded.keys(), at }, unknown));
  };
  const endAfter = (silence: number): void => {
    if (seconds() - heardAt > silence) end();
  };
  const writeAll = (): void => {
    isOpen = true;
    const at = heardAt;
    queue('all presence', async () => {
      await write({ people: recorded.keys(), at }, asTold);
      await store.beat(platform.name, at);
    });
  };

  /** Writes how somebody stands now. */
  const look = (person: string): void => {
    if (!isReady || !recorded.has(person)) return;
    const [at, presence] = [seconds(), asTold(person)];
    queue('presence', () => write({ people: [person], at }, () => presence));
  };

  const orders = createOrders({ platform: platform.name, page: ground.page });
  const obey = async (person: string, order: Order): Promise<string> => {
    const standing = { at: seconds(), presence: isReady ? asTold(person) : UNKNOWN };
    try {
      return await database.transaction(async ({ tx, afterCommit }) => {
        const { answer, becomes } = await orders[order](person, standing, statusStore(tx));
        afterCommit(() => {
          if (becomes === undefined) return;
          if (becomes === 'not recorded') recorded.delete(person);
          else recorded.set(person, { ...becomes });
          look(person); // who began may stand otherwise than when they asked
        });
        return answer;
      });
    } catch (error) {
      // It may have been done all the same: a connection can break while the database says so.
      isLoaded = false;
      throw error;
    }
  };

  /** What came before is written. */
  const settled = (): Promise<void> => inTurn(platform.name, async () => undefined);

  return {
    platform,
    settled,
    start: (): void =>
      platform.start({
        onReady: () => {
          endAfter(isReady ? BLIND_SECONDS : GRACE_MS / 1000);
          callOff?.();
          isReady = true;
          heardAt = seconds();
          writeAll();
        },
        onLost: () => {
          if (!isReady) return;
          isReady = false;
          endAfter(BLIND_SECONDS);
          callOff = timers.schedule(GRACE_MS, end);
        },
        onPulse: () => {
          if (!isReady) return;
          endAfter(BLIND_SECONDS);
          heardAt = seconds();
          if (!isOpen) writeAll();
        },
        onPresence: look,
        onOrder: (person, order) => inOrder(() => obey(person, order)),
      }),
    /** Says in the database until when somebody looked; to be called every `BEAT_SECONDS`. */
    beat: async (): Promise<void> => {
      endAfter(BLIND_SECONDS);
      const at = heardAt;
      if (isReady && isOpen) await inOrder(() => store.beat(platform.name, at));
    },
    /** Nobody looks from now on. */
    stop: async (): Promise<void> => {
      endAfter(BLIND_SECONDS);
      if (isReady) heardAt = seconds();
      isReady = false;
      callOff?.();
      // First what must not be lost: a platform may take its time.
      end();
      await platform.stop();
      await settled();
    },
  };
}
