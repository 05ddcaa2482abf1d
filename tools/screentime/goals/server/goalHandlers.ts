import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  deletetimetrackergoal,
  gettimetrackergoals,
  goalsChanged,
  restoretimetrackergoal,
  settimetrackergoal,
} from '../../contract.ts';
import { DELETED_GOAL_TTL_MS, MAX_GOALS, TOTAL, UNASSIGNED } from '../../contract/limits.ts';
import { createRequestClock } from '../../reading/server/requestClock.ts';
import { getRequestedDevice } from '../../reading/server/requestFields.ts';
import { quote } from '../../sorting/domain/category.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { getZoneDays } from '../../usage/domain/days.ts';
import { toRecordedName } from '../../usage/domain/usageReport.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { validateGoal, isSameGoal, type Goal } from '../domain/goal.ts';
import type { GoalReader } from './goalReader.ts';
import type { GoalStore, StoredGoal } from './goalStore.ts';
import type { LimitNotices } from './limitNotices.ts';

interface GoalHandlersDeps {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
  readonly goals: GoalStore;
  readonly goalReader: GoalReader;
  readonly limitNotices: LimitNotices;
}

const MAX_ID = 2 ** 31 - 1;

/** The same refusal for foreign and unknown ids. */
const createGoalNotFound = (): Refusal =>
  new Refusal('screentime.goal_not_found', 'There is no such goal. It may have been deleted');

/**
 * Parses the id of a goal; undefined for a new one.
 * @throws Refusal if it is invalid.
 */
function parseGoalId(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '0' || trimmed === '-1') return undefined;
  if (!/^\d+$/.test(trimmed) || Number(trimmed) > MAX_ID) throw createGoalNotFound();
  return Number(trimmed);
}

function validateGoalCount(count: number): void {
  if (count >= MAX_GOALS)
    throw new Refusal('screentime.too_many_goals', `You have the maximum of ${MAX_GOALS} goals. Delete one first`);
}

export function createGoalHandlers(context: ServerContext, deps: GoalHandlersDeps): readonly Handler[] {
  const { database, devices, identity, now, realtime } = context;
  const { usage, categories, goals, goalReader, limitNotices } = deps;
  const notify = (account: number): void => realtime.send(`account:${account}`, goalsChanged, {});

  /**
   * Checks the target.
   * @throws Refusal if the application or category does not exist.
   */
  async function validateTarget(account: number, { target: { kind, name } }: Goal): Promise<void> {
    if (kind === 'cat') {
      if (name === UNASSIGNED || (await categories.list(account)).some((category) => category.name === name)) return;
      throw new Refusal('screentime.category_not_found', `There is no category ${quote(name)}. Choose another one`);
    }
    if (name === TOTAL) return;
    const recorded = toRecordedName(name);
    // A name that the database can't store can't be queried either.
    const isName = recorded !== undefined && replaceUnstorable(recorded) === recorded;
    if (!isName || !(await usage.applications.findByName(account, recorded)))
      throw new Refusal(
        'screentime.application_not_found',
        `There is no application ${quote(name)}. Choose another one`,
      );
  }

  /**
   * Returns the name of the goal's computer.
   * @throws Refusal if it is a browser or not of this account.
   */
  async function getComputerName(account: number, { device }: Goal): Promise<string | undefined> {
    if (device === undefined) return undefined;
    const computer =
      (await usage.devices.list(account)).find(({ id }) => id === device) ??
      (await devices.list(account)).find(({ id, kind }) => id === device && kind === 'computer');
    if (!computer) throw new Refusal('device.not_found', 'There is no such device');
    return computer.name;
  }

  /**
   * Removes or restores a goal.
   * @throws Refusal if `action` finds no such goal.
   */
  async function removeOrRestore(
    account: number,
    goalid: string,
    action: (tx: Transaction<unknown>, id: number) => Promise<boolean>,
  ): Promise<void> {
    const id = parseGoalId(goalid);
    const zone = await identity.resolveZone(account);
    await database.transaction(async ({ tx, afterCommit }) => {
      // Waits for other changes of the account.
      await usage.revisions.increment(tx, account, zone);
      if (id === undefined || !(await action(tx, id))) throw createGoalNotFound();
      afterCommit(() => {
        limitNotices.scheduleCheck(account);
        notify(account);
      });
    });
  }

  return [
    handle(gettimetrackergoals, async ({ deviceid, ...zoneFields }, { account }) => {
      const clock = await createRequestClock(context, account, zoneFields);
      const device = await getRequestedDevice(context, usage, account, deviceid);
      return { goals: await goalReader.listWireGoals(account, await goals.list(account), { clock, device }) };
    }),

    handle(settimetrackergoal, async ({ goalid, tz, tzoffset, ...fields }, { account }) => {
      const clock = await createRequestClock(context, account, { tz, tzoffset });
      const goal = validateGoal(fields);
      const goalId = parseGoalId(goalid);
      const previous = goalId === undefined ? undefined : await goals.find(account, goalId);
      if (goalId !== undefined && !previous) throw createGoalNotFound();
      // A deleted target must not prevent other changes.
      const { target, device } = previous?.goal ?? {};
      if (target?.kind !== goal.target.kind || target.name !== goal.target.name) await validateTarget(account, goal);
      const deviceName =
        previous && device === goal.device ? previous.deviceName : await getComputerName(account, goal);
      const zone = await identity.resolveZone(account);
      const since = getZoneDays(zone).getDay(Math.floor(now().epochMilliseconds / 1000));

      const saved = await database.transaction(async ({ tx, afterCommit }): Promise<StoredGoal> => {
        await usage.revisions.increment(tx, account, zone);
        afterCommit(() => notify(account));
        if (goalId === undefined) {
          validateGoalCount(await goals.count(tx, account));
          return { id: await goals.insert(tx, account, { goal, since, deviceName }), version: 1, goal, deviceName };
        }
        const current = await goals.find(account, goalId, tx);
        if (!current) throw createGoalNotFound();
        if (isSameGoal(current.goal, goal)) return current;
        const updated = { id: goalId, version: current.version + 1, goal, deviceName };
        await goals.update(tx, { ...updated, since });
        return updated;
      });
      limitNotices.scheduleCheck(account);
      const [newgoal] = await goalReader.listWireGoals(account, [saved], { clock, device: undefined });
      if (!newgoal) throw new Error('the saved goal could not be read');
      return { newgoal };
    }),

    handle(deletetimetrackergoal, async ({ goalid }, { account }) => {
      await removeOrRestore(account, goalid, (tx, id) => goals.remove(tx, account, id, now().epochMilliseconds));
    }),

    handle(restoretimetrackergoal, async ({ goalid }, { account }) => {
      await removeOrRestore(account, goalid, async (tx, id) => {
        validateGoalCount(await goals.count(tx, account));
        return goals.restore(tx, account, id, now().epochMilliseconds - DELETED_GOAL_TTL_MS);
      });
    }),
  ];
}
