import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { realtime } from '#platform/web/app/socket.ts';
import {
  deletetimetrackergoal,
  gettimetrackergoals,
  goalsChanged,
  restoretimetrackergoal,
  settimetrackergoal,
  usageperiod,
} from '../../contract.ts';
import { ALL_DEVICES, TOTAL } from '../../contract/limits.ts';
import type { Scope } from '../../reading/web/viewTypes.ts';
import { dayBefore, SCREEN_TIME, place } from '../../web/usageClock.ts';
import { ROLLING, TIME_SPENT, USUAL_TIME, isAmount } from '../domain/goal.ts';
import { computeAchievement } from '../domain/goalProgress.ts';

type Period = Awaited<ReturnType<typeof ask>>;
const ask = (daysaffected: number, deviceid: number) =>
  call(usageperiod, {
    ...place(),
    from: dayBefore(daysaffected - 1),
    until: dayBefore(0),
    deviceid: String(deviceid),
    wall: '0',
  });

/**
 * Computes the amount of a goal with these fields. Undefined for times opened of all applications together, which only
 * the server counts.
 */
const computeDone = (
  { typeoftarget, target, goaltype }: Fields,
  { applications, total }: Period,
): number | undefined => {
  const isTime = goaltype === TIME_SPENT;
  if (typeoftarget === 'app' && target === TOTAL) return isTime ? total : undefined;
  const own = applications.filter((each) => (typeoftarget === 'app' ? each.name : each.category) === target);
  return own.reduce((sum, { seconds, opened }) => sum + (isTime ? seconds : opened), 0);
};

export interface GoalStatus {
  readonly share: number;
  /** Formatted like '8h 18m of 10h in code, last 7 days, All devices'. */
  readonly text: string;
}

/** Previews the progress of a goal before it is saved. */
export function useStanding(fields: Fields, computer: string | undefined): GoalStatus | undefined {
  const { daysaffected, deviceid, goaltype, goalseconds } = fields;
  const { data } = useQuery({
    queryKey: [SCREEN_TIME, 'standing', deviceid, daysaffected],
    queryFn: () => ask(daysaffected, deviceid),
  });
  const done = data && computeDone(fields, data);
  if (done === undefined || !isAmount(goaltype, goalseconds)) return undefined;
  const achieved = computeAchievement(
    {
      target: { kind: fields.typeoftarget, name: fields.target },
      measure: goaltype === TIME_SPENT ? 'time' : 'opened',
      amount: goalseconds,
      days: daysaffected,
      device: deviceid === ALL_DEVICES ? undefined : deviceid,
      begins: '',
      isLimit: fields.limit,
    },
    done,
    { device: computer, isDeviceGone: false, isCategoryGone: false, only: undefined },
  );
  const [, days, where] = achieved.lines;
  return { share: achieved.share, text: `${achieved.done} in ${fields.target}, ${days}, ${where}` };
}

export type GoalProgress = AnswerOf<typeof gettimetrackergoals>['goals'][number];
export type Fields = GoalProgress['goal'];

/** Initial fields of 'Add goal' (docs/specification/screentime.md section 6). */
export const NEW_GOAL: Fields = {
  target: TOTAL,
  typeoftarget: 'app',
  daysaffected: 7,
  goalseconds: USUAL_TIME,
  deviceid: ALL_DEVICES,
  begindate: '',
  goaltype: TIME_SPENT,
  daysaffectedtype: ROLLING,
  limit: false,
};
/** Id of a goal that is not saved yet. */
export const NEW_ID = 0;

const GOALS = [SCREEN_TIME, 'goals'] as const;

/** Loads the goals of the account for the selected computer. */
export function useGoals({ deviceid }: Scope) {
  const queries = useQueryClient();
  useEffect(() => realtime.on(goalsChanged, () => void queries.invalidateQueries({ queryKey: GOALS })), [queries]);
  return useQuery({
    queryKey: [...GOALS, deviceid],
    queryFn: async () => (await call(gettimetrackergoals, { ...place(), deviceid })).goals,
    staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
  });
}

const save = async (goalid: number, fields: Fields): Promise<GoalProgress> => {
  const { newgoal } = await call(settimetrackergoal, {
    ...place(),
    goalid: String(goalid),
    target: fields.target,
    type: fields.typeoftarget,
    goalseconds: String(fields.goalseconds),
    deviceid: String(fields.deviceid),
    daysaffected: String(fields.daysaffected),
    begindate: fields.begindate,
    daysaffectedtype: String(fields.daysaffectedtype),
    goaltype: String(fields.goaltype),
    limit: fields.limit ? '1' : '0',
  });
  return newgoal;
};

/** Actions of the editor. A deleted goal can be restored. */
export function useGoalActs(goalid: number) {
  const queries = useQueryClient();
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: GOALS });
  const saving = useMutation({ mutationFn: (fields: Fields) => save(goalid, fields), onSettled: changed });
  const restore = (): void => void call(restoretimetrackergoal, { goalid: String(goalid) }).then(changed, showError);
  const deleting = useMutation({
    mutationFn: async ({ goalachievment }: GoalProgress) => {
      await call(deletetimetrackergoal, { goalid: String(goalid) });
      notices.addWithAction(`Deleted ${goalachievment.header}`, 'Undo', restore);
    },
    onSettled: changed,
  });
  return { saving, deleting };
}
