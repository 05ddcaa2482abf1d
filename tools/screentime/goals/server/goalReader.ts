import type { AnswerOf } from '#platform/contract/call.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { gettimetrackergoals } from '../../contract.ts';
import { ALL_DEVICES } from '../../contract/limits.ts';
import type { RequestClock } from '../../reading/server/requestClock.ts';
import { toIso } from '../../usage/domain/days.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { ROLLING, TIME_SPENT, TIMES_OPENED } from '../domain/goal.ts';
import { describeProgress, computeShare, type ProgressContext } from '../domain/goalProgress.ts';
import type { GoalAmounts, GoalAmount } from './goalAmounts.ts';
import type { GoalDay, GoalStore, StoredGoal } from './goalStore.ts';

type WireGoal = AnswerOf<typeof gettimetrackergoals>['goals'][number];

/** Days of history in the answer. */
const HISTORY_DAYS = 14;

interface GoalReadQuery {
  readonly clock: RequestClock;
  /** Restricts goals for all devices to this one; undefined: no restriction. */
  readonly device: number | undefined;
}

/** An account's computers. */
interface Computers {
  readonly nameById: ReadonlyMap<number, string>;
  /** Ids of the computers that were not removed. */
  readonly presentIds: ReadonlySet<number>;
}

function toProgressContext(
  { goal, deviceName }: StoredGoal,
  { isCategoryDeleted }: Pick<GoalAmount, 'isCategoryDeleted'>,
  { nameById, presentIds }: Computers,
  onlyDevice: number | undefined,
): ProgressContext {
  const { device } = goal;
  return {
    device: device === undefined ? undefined : (nameById.get(device) ?? deviceName ?? 'A computer'),
    isDeviceRemoved: device !== undefined && !presentIds.has(device),
    isCategoryDeleted,
    onlyDevice: onlyDevice === undefined ? undefined : nameById.get(onlyDevice),
  };
}

function toWire(
  { id, goal }: StoredGoal,
  done: number,
  context: ProgressContext,
  history: readonly GoalDay[],
): WireGoal {
  const progress = describeProgress(goal, done, context);
  return {
    goalid: id,
    goal: {
      target: goal.target.name,
      typeoftarget: goal.target.kind,
      daysaffected: goal.days,
      goalseconds: goal.amount,
      deviceid: goal.device ?? ALL_DEVICES,
      begindate: goal.begins,
      goaltype: goal.measure === 'time' ? TIME_SPENT : TIMES_OPENED,
      daysaffectedtype: ROLLING,
      limit: goal.isLimit,
    },
    goalachievment: {
      header: progress.header,
      maindesc: [...progress.lines],
      failed: progress.failedColour,
      actualdone: progress.done,
      decdone: progress.share,
    },
    history: history.map((day) => ({ date: toIso(day.day), decdone: computeShare(day, day.done), limit: day.isLimit })),
  };
}

interface GoalReaderDeps {
  readonly usage: UsageStore;
  readonly goals: GoalStore;
  readonly goalAmounts: GoalAmounts;
}

/** Creates the reader of goals with their progress. */
export function createGoalReader(
  { devices }: Pick<ServerContext, 'devices'>,
  { usage, goals, goalAmounts }: GoalReaderDeps,
) {
  async function listComputers(account: number): Promise<Computers> {
    const paired = (await devices.list(account)).filter(({ kind }) => kind === 'computer');
    const storedDevices = await usage.devices.list(account);
    return {
      nameById: new Map([...storedDevices, ...paired].map(({ id, name }) => [id, name])),
      // Imported computers never had a token and can't be removed.
      presentIds: new Set([
        ...paired.map(({ id }) => id),
        ...storedDevices.flatMap(({ id, hostname }) => (hostname === undefined ? [] : [id])),
      ]),
    };
  }

  /** Returns each goal with the amount that was reached, and what its texts mention. */
  async function computeProgress(
    account: number,
    storedGoals: readonly StoredGoal[],
    { clock, device }: GoalReadQuery,
  ) {
    if (storedGoals.length === 0) return [];
    const queries = storedGoals.map(({ goal }) => ({ goal, device: goal.device ?? device }));
    const [amounts, computers] = await Promise.all([
      goalAmounts.compute(account, queries, clock),
      listComputers(account),
    ]);
    return storedGoals.map((goal, index) => {
      const amount = amounts[index] ?? { done: 0, isCategoryDeleted: false };
      return { goal, done: amount.done, context: toProgressContext(goal, amount, computers, device) };
    });
  }

  return {
    computeProgress,
    listWireGoals: async (
      account: number,
      storedGoals: readonly StoredGoal[],
      query: GoalReadQuery,
    ): Promise<WireGoal[]> => {
      const results = await goals.listResults(account, query.clock.today - HISTORY_DAYS);
      return (await computeProgress(account, storedGoals, query)).map(({ goal, done, context }) =>
        toWire(goal, done, context, results.get(goal.id) ?? []),
      );
    },
  };
}
export type GoalReader = ReturnType<typeof createGoalReader>;
