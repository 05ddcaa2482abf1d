import type { FastifyBaseLogger } from 'fastify';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { isSamePresence, UNKNOWN, type Presence } from '../domain/status.ts';
import { createOrders } from './botCommands.ts';
import type { ChatPlatform, Order } from './chatPlatform.ts';
import { statusStore, type MemberChange } from './statusStore.ts';

/**
 * Platforms drop the connection every few hours and restore it at once. Shorter outages leave no gap in the history.
 */
export const GRACE_MS = 20_000;
export const BEAT_SECONDS = 60;
/** After this time without a heartbeat the computer must have been asleep. */
const BLIND_SECONDS = 2 * BEAT_SECONDS;

/** A person who is recorded, and the last change that was written. */
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
  /** Address of the page where people enter their code, if known: 'https://example.org/sleepstatus'. */
  readonly page: string | undefined;
}

/** Ends open intervals of a server run that was killed: presence is unknown after its last heartbeat. */
export async function endLastRun({ database }: Pick<RecorderDeps, 'database'>): Promise<void> {
  const store = statusStore(database.db);
  const [members, last, beats] = await Promise.all([
    store.listRecorded(),
    store.listLastChanges(),
    store.readHeartbeats(),
  ]);
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

/** Creates the recorder of one platform. It stores the presence of members who opted in, and runs their commands. */
export function createRecorder(context: RecorderDeps, platform: ChatPlatform) {
  const { database, log, timers, now } = context;
  const store = statusStore(database.db);
  const recorded = new Map<string, RecordedMember>();
  /** Whether `recorded` matches the database. */
  let isLoaded = false;
  const serialize = createSerialQueue();
  let isReady = false;
  /** Time of the last sign of life, by the wall clock, because timers stop while the computer sleeps. */
  let lastSignOfLife = 0;
  /** Whether the last written presence is still valid. */
  let isOpen = false;
  let cancel: (() => void) | undefined;

  const seconds = (): number => Math.floor(now().epochMilliseconds / 1000);

  const load = async (): Promise<void> => {
    const [members, last] = await Promise.all([store.listRecorded(), store.listLastChanges()]);
    recorded.clear();
    isLoaded = true;
    const changes = new Map(last.map((change) => [change.member, change]));
    for (const { id, person } of members.filter((member) => member.platform === platform.name)) {
      const change = changes.get(id);
      recorded.set(person, { member: id, at: change?.at ?? 0, presence: change?.presence });
    }
  };

  /** Writes the presences that have changed. A clock that was set back doesn't move stored times back. */
  const write = async (
    { people, at }: { readonly people: Iterable<string>; readonly at: number },
    getPresence: (person: string) => Presence,
  ): Promise<void> => {
    const changes: MemberChange[] = [];
    for (const person of people) {
      const entry = recorded.get(person);
      const presence = getPresence(person);
      if (!entry || (entry.presence && isSamePresence(entry.presence, presence))) continue;
      changes.push({ member: entry.member, at: Math.max(at, entry.at), presence });
    }
    await store.write(changes);
    const written = new Map(changes.map((change) => [change.member, change]));
    for (const entry of recorded.values()) Object.assign(entry, written.get(entry.member));
  };

  const readPresence = (person: string): Presence => platform.findPresence(person) ?? UNKNOWN;

  /** Runs work in order, so that events are written in the order in which they arrived. */
  const runInOrder = <T>(work: () => Promise<T>): Promise<T> =>
    serialize(async () => {
      if (!isLoaded) await load();
      return work();
    });
  const queue = (what: string, work: () => Promise<void>): void =>
    void runInOrder(work).catch((error: unknown) => log.error({ err: error, what }, 'chatstatus.status.failed'));

  /** Ends open intervals: presence is unknown after the last sign of life. */
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    const at = lastSignOfLife;
    queue('hole', () => write({ people: recorded.keys(), at }, unknown));
  };
  const endAfter = (silence: number): void => {
    if (seconds() - lastSignOfLife > silence) end();
  };
  const writeAll = (): void => {
    isOpen = true;
    const at = lastSignOfLife;
    queue('all presence', async () => {
      await write({ people: recorded.keys(), at }, readPresence);
      await store.saveHeartbeat(platform.name, at);
    });
  };

  /** Writes the current presence of a person. */
  const writePresence = (person: string): void => {
    if (!isReady || !recorded.has(person)) return;
    const [at, presence] = [seconds(), readPresence(person)];
    queue('presence', () => write({ people: [person], at }, () => presence));
  };

  const actions = createOrders({ platform: platform.name, page: context.page });
  const runCommand = async (person: string, order: Order): Promise<string> => {
    const current = { at: seconds(), presence: isReady ? readPresence(person) : UNKNOWN };
    try {
      return await database.transaction(async ({ tx, afterCommit }) => {
        const { answer, becomes } = await actions[order](person, current, statusStore(tx));
        afterCommit(() => {
          if (becomes === undefined) return;
          if (becomes === 'not recorded') recorded.delete(person);
          else recorded.set(person, { ...becomes });
          writePresence(person); // their presence may have changed since the command
        });
        return answer;
      });
    } catch (error) {
      // The transaction may have been committed: a connection can break while the database confirms it.
      isLoaded = false;
      throw error;
    }
  };

  /** Resolves when all earlier work is written. */
  const settled = (): Promise<void> => serialize(async () => undefined);

  return {
    platform,
    settled,
    start: (): void =>
      platform.start({
        onReady: () => {
          endAfter(isReady ? BLIND_SECONDS : GRACE_MS / 1000);
          cancel?.();
          isReady = true;
          lastSignOfLife = seconds();
          writeAll();
        },
        onLost: () => {
          if (!isReady) return;
          isReady = false;
          endAfter(BLIND_SECONDS);
          cancel = timers.schedule(GRACE_MS, end);
        },
        onPulse: () => {
          if (!isReady) return;
          endAfter(BLIND_SECONDS);
          lastSignOfLife = seconds();
          if (!isOpen) writeAll();
        },
        onPresence: writePresence,
        onOrder: (person, order) => runInOrder(() => runCommand(person, order)),
      }),
    /** Stores a heartbeat in the database. Must be called every `BEAT_SECONDS`. */
    beat: async (): Promise<void> => {
      endAfter(BLIND_SECONDS);
      const at = lastSignOfLife;
      if (isReady && isOpen) await runInOrder(() => store.saveHeartbeat(platform.name, at));
    },
    /** Stops recording. */
    stop: async (): Promise<void> => {
      endAfter(BLIND_SECONDS);
      if (isReady) lastSignOfLife = seconds();
      isReady = false;
      cancel?.();
      // Saves first: a platform may take long to stop.
      end();
      await platform.stop();
      await settled();
    },
  };
}
