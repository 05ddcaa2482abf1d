import type { AnswerOf } from '#platform/contract/call.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { gettimetrackergoals } from '../../contract.ts';
import { ALL_DEVICES } from '../../contract/limits.ts';
import type { RequestClock } from '../../reading/server/requestClock.ts';
import { toIso } from '../../usage/domain/days.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { ROLLING, TIME_SPENT, TIMES_OPENED } from '../domain/goal.ts';
import { computeAchievement, getShare, type ProgressContext } from '../domain/goalProgress.ts';
import type { Achievements, Done } from './achievements.ts';
import type { GoalDay, GoalStore, StoredGoal } from './goalStore.ts';

type WireGoal = AnswerOf<typeof gettimetrackergoals>['goals'][number];

/** Days of history in the answer. */
const HISTORY_DAYS = 14;

interface GoalReadQuery {
  readonly clock: RequestClock;
  /** Restricts goals for all devices to this one; undefined: no restriction. */
  readonly device: number | undefined;
}

/** Names of an account's computers, and the paired ones. */
interface Computers {
  readonly names: ReadonlyMap<number, string>;
  readonly paired: ReadonlySet<number>;
}

const getSurroundings = (
  { goal, deviceName }: StoredGoal,
  { isCategoryGone }: Pick<Done, 'isCategoryGone'>,
  { names, paired }: Computers,
  only: number | undefined,
): ProgressContext => {
  const { device } = goal;
  return {
    device: device === undefined ? undefined : (names.get(device) ?? deviceName ?? 'A computer'),
    isDeviceGone: device !== undefined && !paired.has(device),
    isCategoryGone,
    only: only === undefined ? undefined : names.get(only),
  };
};

const toWire = (
  { id, goal }: StoredGoal,
  done: number,
  around: ProgressContext,
  history: readonly GoalDay[],
): WireGoal => {
  const achievement = computeAchievement(goal, done, around);
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
      header: achievement.header,
      maindesc: [...achievement.lines],
      failed: achievement.failedColour,
      actualdone: achievement.done,
      decdone: achievement.share,
    },
    history: history.map((day) => ({ date: toIso(day.day), decdone: getShare(day, day.done), limit: day.isLimit })),
  };
};

interface Stores {
  readonly usage: UsageStore;
  readonly goals: GoalStore;
}

/** Creates the reader of goals with their progress. */
export function createGoalReader(
  { devices }: Pick<ServerContext, 'devices'>,
  { usage, goals }: Stores,
  achieving: Achievements,
) {
  const listComputers = async (account: number): Promise<Computers> => {
    const paired = (await devices.list(account)).filter(({ kind }) => kind === 'computer');
    const storedDevices = await usage.devices.list(account);
    return {
      names: new Map([...storedDevices, ...paired].map(({ id, name }) => [id, name])),
      // Imported computers never had a token and can't be removed.
      paired: new Set([
        ...paired.map(({ id }) => id),
        ...storedDevices.flatMap(({ id, hostname }) => (hostname === undefined ? [] : [id])),
      ]),
    };
  };

  /** Computes the progress of goals with their texts. */
  const achieved = async (account: number, all: readonly StoredGoal[], { clock, device }: GoalReadQuery) => {
    if (all.length === 0) return [];
    const queries = all.map(({ goal }) => ({ goal, device: goal.device ?? device }));
    const [done, computers] = await Promise.all([achieving.done(account, queries, clock), listComputers(account)]);
    return all.map((goal, at) => {
      const own = done[at] ?? { done: 0, isCategoryGone: false };
      return { goal, done: own.done, around: getSurroundings(goal, own, computers, device) };
    });
  };

  return {
    achieved,
    onWire: async (account: number, all: readonly StoredGoal[], query: GoalReadQuery): Promise<WireGoal[]> => {
      const results = await goals.readResults(account, query.clock.today - HISTORY_DAYS);
      return (await achieved(account, all, query)).map(({ goal, done, around }) =>
        toWire(goal, done, around, results.get(goal.id) ?? []),
      );
    },
  };
}
export type GoalReading = ReturnType<typeof createGoalReader>;
