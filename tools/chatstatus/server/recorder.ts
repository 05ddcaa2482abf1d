import type { FastifyBaseLogger } from 'fastify';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { isSamePresence, UNKNOWN, type Presence } from '../domain/status.ts';
import { createBotCommands } from './botCommands.ts';
import type { ChatPlatform, BotCommand } from './chatPlatform.ts';
import { createStatusStore, type MemberChange } from './statusStore.ts';

/**
 * Platforms drop the connection every few hours and restore it at once. Shorter outages leave no gap in the history.
 */
export const GRACE_PERIOD_MS = 20_000;
export const HEARTBEAT_INTERVAL_SECONDS = 60;
/** Maximum time between heartbeats. After a longer one, the computer must have been asleep. */
const MAX_SILENCE_SECONDS = 2 * HEARTBEAT_INTERVAL_SECONDS;

/** A person who is recorded, and the last change that was stored. */
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
  readonly pageAddress: string | undefined;
}

/** Ends open intervals of a server run that was killed: presence is unknown after its last heartbeat. */
export async function closeOpenIntervals({ database }: Pick<RecorderDeps, 'database'>): Promise<void> {
  const store = createStatusStore(database.db);
  const [members, last, heartbeats] = await Promise.all([
    store.listRecorded(),
    store.listLastChanges(),
    store.readHeartbeats(),
  ]);
  const platforms = new Map(members.map(({ id, platform }) => [id, platform]));
  const open = last.filter(({ presence }) => !isSamePresence(presence, UNKNOWN));
  await store.saveChanges(
    open.map(({ member, at }) => ({
      member,
      at: Math.max(at, heartbeats.get(platforms.get(member) ?? '') ?? 0),
      presence: UNKNOWN,
    })),
  );
}

/** Creates the recorder of one platform. It stores the presence of members who opted in, and runs their commands. */
export function createRecorder(context: RecorderDeps, platform: ChatPlatform) {
  const { database, log, timers, now } = context;
  const store = createStatusStore(database.db);
  const recordedMembers = new Map<string, RecordedMember>();
  /** Whether `recordedMembers` matches the database. */
  let isLoaded = false;
  const serialize = createSerialQueue();
  let isReady = false;
  /** Time of the last sign of life, by the wall clock, because timers stop while the computer sleeps. */
  let lastSignOfLife = 0;
  /** Whether the last stored presence is still valid. */
  let isOpen = false;
  let cancelGracePeriod: (() => void) | undefined;

  const getNowSeconds = (): number => Math.floor(now().epochMilliseconds / 1000);

  async function load(): Promise<void> {
    const [members, last] = await Promise.all([store.listRecorded(), store.listLastChanges()]);
    recordedMembers.clear();
    isLoaded = true;
    const changes = new Map(last.map((change) => [change.member, change]));
    for (const { id, person } of members.filter((member) => member.platform === platform.name)) {
      const change = changes.get(id);
      recordedMembers.set(person, { member: id, at: change?.at ?? 0, presence: change?.presence });
    }
  }

  /** Stores the presences that have changed. A clock that was set back doesn't move stored times back. */
  async function savePresences(
    { people, at }: { readonly people: Iterable<string>; readonly at: number },
    getPresence: (person: string) => Presence,
  ): Promise<void> {
    const changes: MemberChange[] = [];
    for (const person of people) {
      const entry = recordedMembers.get(person);
      const presence = getPresence(person);
      if (!entry || (entry.presence && isSamePresence(entry.presence, presence))) continue;
      changes.push({ member: entry.member, at: Math.max(at, entry.at), presence });
    }
    await store.saveChanges(changes);
    const saved = new Map(changes.map((change) => [change.member, change]));
    for (const entry of recordedMembers.values()) Object.assign(entry, saved.get(entry.member));
  }

  const readPresence = (person: string): Presence => platform.findPresence(person) ?? UNKNOWN;

  /** Runs work in order, so that events are written in the order in which they arrived. */
  const runInOrder = <T>(work: () => Promise<T>): Promise<T> =>
    serialize(async () => {
      if (!isLoaded) await load();
      return work();
    });
  const enqueue = (what: string, work: () => Promise<void>): void =>
    void runInOrder(work).catch((error: unknown) => log.error({ err: error, what }, 'chatstatus.status.failed'));

  /** Ends open intervals: presence is unknown after the last sign of life. */
  function endIntervals(): void {
    if (!isOpen) return;
    isOpen = false;
    const at = lastSignOfLife;
    enqueue('hole', () => savePresences({ people: recordedMembers.keys(), at }, () => UNKNOWN));
  }
  function endIntervalsAfter(silenceSeconds: number): void {
    if (getNowSeconds() - lastSignOfLife > silenceSeconds) endIntervals();
  }
  function saveAllPresences(): void {
    isOpen = true;
    const at = lastSignOfLife;
    enqueue('all presence', async () => {
      await savePresences({ people: recordedMembers.keys(), at }, readPresence);
      await store.saveHeartbeat(platform.name, at);
    });
  }

  /** Stores the current presence of a person. */
  function savePresence(person: string): void {
    if (!isReady || !recordedMembers.has(person)) return;
    const [at, presence] = [getNowSeconds(), readPresence(person)];
    enqueue('presence', () => savePresences({ people: [person], at }, () => presence));
  }

  const actions = createBotCommands({ platform: platform.name, pageAddress: context.pageAddress });
  async function runCommand(person: string, command: BotCommand): Promise<string> {
    const current = { at: getNowSeconds(), presence: isReady ? readPresence(person) : UNKNOWN };
    try {
      return await database.transaction(async ({ tx, afterCommit }) => {
        const { answer, memberChange } = await actions[command](person, current, createStatusStore(tx));
        afterCommit(() => {
          if (memberChange === undefined) return;
          if (memberChange === 'not recorded') recordedMembers.delete(person);
          else recordedMembers.set(person, { ...memberChange });
          savePresence(person); // their presence may have changed since the command
        });
        return answer;
      });
    } catch (error) {
      // The transaction may have been committed: a connection can break while the database confirms it.
      isLoaded = false;
      throw error;
    }
  }

  /** Resolves when all earlier work is written. */
  const waitUntilSettled = (): Promise<void> => serialize(async () => undefined);

  return {
    platform,
    waitUntilSettled,
    start: (): void =>
      platform.start({
        onReady: () => {
          endIntervalsAfter(isReady ? MAX_SILENCE_SECONDS : GRACE_PERIOD_MS / 1000);
          cancelGracePeriod?.();
          isReady = true;
          lastSignOfLife = getNowSeconds();
          saveAllPresences();
        },
        onLost: () => {
          if (!isReady) return;
          isReady = false;
          endIntervalsAfter(MAX_SILENCE_SECONDS);
          cancelGracePeriod = timers.schedule(GRACE_PERIOD_MS, endIntervals);
        },
        onHeartbeat: () => {
          if (!isReady) return;
          endIntervalsAfter(MAX_SILENCE_SECONDS);
          lastSignOfLife = getNowSeconds();
          if (!isOpen) saveAllPresences();
        },
        onPresence: savePresence,
        onCommand: (person, command) => runInOrder(() => runCommand(person, command)),
      }),
    /** Stores a heartbeat in the database. Must be called every `HEARTBEAT_INTERVAL_SECONDS`. */
    saveHeartbeat: async (): Promise<void> => {
      endIntervalsAfter(MAX_SILENCE_SECONDS);
      const at = lastSignOfLife;
      if (isReady && isOpen) await runInOrder(() => store.saveHeartbeat(platform.name, at));
    },
    /** Stops recording. */
    stop: async (): Promise<void> => {
      endIntervalsAfter(MAX_SILENCE_SECONDS);
      if (isReady) lastSignOfLife = getNowSeconds();
      isReady = false;
      cancelGracePeriod?.();
      // Saves first: a platform may take long to stop.
      endIntervals();
      await platform.stop();
      await waitUntilSettled();
    },
  };
}
