import { Refusal } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { limitNotice } from '../../contract.ts';
import { createRequestClock } from '../../reading/server/requestClock.ts';
import type { UsageChanges } from '../../usage/server/usageChanges.ts';
import { findLevelToNotify, formatNotice, type Level } from '../domain/goalProgress.ts';
import type { GoalReader } from './goalReader.ts';
import type { GoalStore, StoredGoal } from './goalStore.ts';

/** Notifies users on their computers that a limit is near or reached. */
export interface LimitNotices {
  /** Checks the account's limits soon, after its goals have changed. */
  readonly scheduleCheck: (account: number) => void;
  /** Waits for pending notifications. */
  readonly stop: () => Promise<void>;
}

/** A notification that a limit is near or reached. */
interface LimitNotification {
  readonly goal: StoredGoal;
  readonly level: Level;
  /** Day on which it is shown. */
  readonly today: number;
  readonly notice: ReturnType<typeof formatNotice>;
}

interface LimitNoticesDeps {
  readonly goals: GoalStore;
  readonly goalReader: GoalReader;
  readonly changes: UsageChanges;
}

export function createLimitNotices(
  context: ServerContext,
  { goals, goalReader, changes }: LimitNoticesDeps,
): LimitNotices {
  const { database, devices, cluster, log } = context;
  /** Accounts without limits: most have none, and usage arrives all the time. */
  const accountsWithoutLimits = new Set<number>();
  /** Accounts queued for a check, which sees all changes until then. */
  const queuedAccounts = new Set<number>();
  const serialize = createKeyedQueue();
  const runningChecks = new Set<Promise<void>>();
  let isStopped = false;

  /** Lists the computers of a goal that can show notifications now. */
  const listComputers = async (account: number, { goal }: StoredGoal): Promise<readonly Device[]> =>
    (await devices.list(account)).filter(
      ({ id, kind, abilities }) =>
        kind === 'computer' &&
        (goal.device === undefined || goal.device === id) &&
        abilities.notifications?.able !== false &&
        devices.getState(id) === 'Connected',
    );

  async function notifyLimit(account: number, { goal, level, today, notice }: LimitNotification): Promise<void> {
    const computers = await listComputers(account, goal);
    if (computers.length === 0) return;
    await database.transaction(async ({ tx }) => goals.insertNotice(tx, goal, level, today));
    const id = `limit-${goal.id}-${goal.version}-${level}-${today}`;
    const results = await Promise.allSettled(computers.map((device) => devices.send(device, limitNotice, notice, id)));
    for (const result of results)
      if (result.status === 'rejected' && !(result.reason instanceof Refusal))
        log.error({ err: result.reason, account }, 'screentime.limit.notice_failed');
    if (!results.some(({ status }) => status === 'fulfilled')) await goals.removeNotice(goal, level);
  }

  async function checkLimits(account: number): Promise<void> {
    queuedAccounts.delete(account);
    accountsWithoutLimits.delete(account);
    const limits = await goals.listLimits(account);
    if (limits.length === 0) {
      accountsWithoutLimits.add(account);
      return;
    }
    const clock = await createRequestClock(context, account, {});
    const notifiedLevels = await goals.getNotifiedLevels(account);
    for (const { goal, done, context: progressContext } of await goalReader.computeProgress(account, limits, {
      clock,
      device: undefined,
    })) {
      const level = findLevelToNotify(goal.goal, done, notifiedLevels.get(goal.id) ?? new Map(), clock.today);
      const notice = formatNotice(goal.goal, done, progressContext);
      if (level !== undefined) await notifyLimit(account, { goal, level, today: clock.today, notice });
    }
  }

  function scheduleCheck(account: number): void {
    if (isStopped || queuedAccounts.has(account)) return;
    queuedAccounts.add(account);
    const check = serialize(account, async () => checkLimits(account))
      .catch((error: unknown) => log.error({ err: error, account }, 'screentime.limit.check_failed'))
      .finally(() => runningChecks.delete(check));
    runningChecks.add(check);
  }

  changes.on(({ account }) => {
    if (!accountsWithoutLimits.has(account)) scheduleCheck(account);
  });
  /** Called when goals have changed. */
  function handleGoalsChanged(account: number): void {
    cluster.publish('screentime.limits', account);
    scheduleCheck(account);
  }
  cluster.subscribe('screentime.limits', (account: number) => accountsWithoutLimits.delete(account));
  cluster.onJoined(() => accountsWithoutLimits.clear());
  return {
    scheduleCheck: handleGoalsChanged,
    stop: async () => {
      isStopped = true;
      await Promise.all(runningChecks);
    },
  };
}
