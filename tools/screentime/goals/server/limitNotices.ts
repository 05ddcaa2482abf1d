import { Refusal } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { limitNotice } from '../../contract.ts';
import { createRequestClock } from '../../reading/server/requestClock.ts';
import type { UsageChanges } from '../../usage/server/usageChanges.ts';
import { levelToTell, formatNotice, type Level } from '../domain/goalProgress.ts';
import type { GoalReading } from './goalReader.ts';
import type { GoalStore, StoredGoal } from './goalStore.ts';

/** Notifies people on their desktops that a limit is near or exceeded. */
export interface Limits {
  /** Called when the account's goals have changed. */
  readonly changed: (account: number) => void;
  /** Waits for pending notifications. */
  readonly stop: () => Promise<void>;
}

/** What to show, and the first and last day it is about. */
interface LimitNotification {
  readonly goal: StoredGoal;
  readonly level: Level;
  readonly today: number;
  readonly notice: ReturnType<typeof formatNotice>;
}

interface LimitsDeps {
  readonly goals: GoalStore;
  readonly reading: GoalReading;
  readonly changes: UsageChanges;
}

export function createLimits(context: ServerContext, { goals, reading, changes }: LimitsDeps): Limits {
  const { database, devices, log } = context;
  /** Accounts without limits: most have none, and usage arrives all the time. */
  const accountsWithoutLimits = new Set<number>();
  /** Accounts queued for a check, which sees all changes until then. */
  const queued = new Set<number>();
  const serialize = createKeyedQueue();
  const running = new Set<Promise<void>>();
  let isStopped = false;

  /** Lists the computers of a goal that can show notifications now. */
  const computersFor = async (account: number, { goal }: StoredGoal): Promise<readonly Device[]> =>
    (await devices.list(account)).filter(
      ({ id, kind, abilities }) =>
        kind === 'computer' &&
        (goal.device === undefined || goal.device === id) &&
        abilities.notifications?.able !== false &&
        devices.getState(id) === 'Connected',
    );

  const notifyLimit = async (account: number, { goal, level, today, notice }: LimitNotification): Promise<void> => {
    const computers = await computersFor(account, goal);
    if (computers.length === 0) return;
    await database.transaction(async ({ tx }) => goals.note(tx, goal, level, today));
    const id = `limit-${goal.id}-${goal.version}-${level}-${today}`;
    const results = await Promise.allSettled(computers.map((device) => devices.send(device, limitNotice, notice, id)));
    for (const one of results)
      if (one.status === 'rejected' && !(one.reason instanceof Refusal))
        log.error({ err: one.reason, account }, 'screentime.limit.notice_failed');
    if (!results.some(({ status }) => status === 'fulfilled')) await goals.takeBack(goal, level);
  };

  const checkLimits = async (account: number): Promise<void> => {
    queued.delete(account);
    accountsWithoutLimits.delete(account);
    const limits = await goals.listLimits(account);
    if (limits.length === 0) {
      accountsWithoutLimits.add(account);
      return;
    }
    const clock = await createRequestClock(context, account, {});
    const notifiedLevels = await goals.getNotifiedLevels(account);
    for (const { goal, done, around } of await reading.achieved(account, limits, { clock, device: undefined })) {
      const level = levelToTell(goal.goal, done, notifiedLevels.get(goal.id) ?? new Map(), clock.today);
      const notice = formatNotice(goal.goal, done, around);
      if (level !== undefined) await notifyLimit(account, { goal, level, today: clock.today, notice });
    }
  };

  const scheduleCheck = (account: number): void => {
    if (isStopped || queued.has(account)) return;
    queued.add(account);
    const turn = serialize(account, async () => checkLimits(account))
      .catch((error: unknown) => log.error({ err: error, account }, 'screentime.limit.check_failed'))
      .finally(() => running.delete(turn));
    running.add(turn);
  };

  changes.on(({ account }) => {
    if (!accountsWithoutLimits.has(account)) scheduleCheck(account);
  });
  return {
    changed: scheduleCheck,
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
