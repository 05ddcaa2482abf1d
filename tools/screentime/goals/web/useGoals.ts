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
} from '../../contract.ts';
import { ALL_DEVICES, TOTAL } from '../../contract/limits.ts';
import type { Scope } from '../../reading/web/viewTypes.ts';
import { SCREEN_TIME } from '../../web/keys.ts';
import { place } from '../../web/usageClock.ts';
import { ROLLING, TIME_SPENT, USUAL_TIME } from '../domain/options.ts';

export type GoalProgress = AnswerOf<typeof gettimetrackergoals>['goals'][number];
export type Fields = GoalProgress['goal'];

/** The goal that 'Add goal' begins with (specification 2, section 3). */
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
/** The id of a goal that is not there yet. */
export const NEW_ID = 0;

const GOALS = [SCREEN_TIME, 'goals'] as const;

/** The goals of the account as they stand for the chosen computer. */
export const useGoals = ({ deviceid }: Scope) => {
  const queries = useQueryClient();
  useEffect(() => realtime.on(goalsChanged, () => void queries.invalidateQueries({ queryKey: GOALS })), [queries]);
  return useQuery({
    queryKey: [...GOALS, deviceid],
    queryFn: async () => (await call(gettimetrackergoals, { ...place(), deviceid })).goals,
    staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
  });
};

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

/** What the editor's buttons do. A deleted goal can be brought back. */
export const useGoalActs = (goalid: number) => {
  const queries = useQueryClient();
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: GOALS });
  const saving = useMutation({ mutationFn: (fields: Fields) => save(goalid, fields), onSettled: changed });
  const bringBack = (): void => void call(restoretimetrackergoal, { goalid: String(goalid) }).then(changed, showError);
  const deleting = useMutation({
    mutationFn: async ({ goalachievment }: GoalProgress) => {
      await call(deletetimetrackergoal, { goalid: String(goalid) });
      notices.addWithAction(`Deleted ${goalachievment.header}`, 'Undo', bringBack);
    },
    onSettled: changed,
  });
  return { saving, deleting };
};
