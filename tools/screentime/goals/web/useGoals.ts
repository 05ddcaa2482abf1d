import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
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
import { getDateBefore, SCREEN_TIME, getZoneFields } from '../../web/usageClock.ts';
import { ROLLING, TIME_SPENT, DEFAULT_TIME_SECONDS, isAmount } from '../domain/goal.ts';
import { describeProgress } from '../domain/goalProgress.ts';

type PeriodUsage = Awaited<ReturnType<typeof loadPeriod>>;
const loadPeriod = (daysaffected: number, deviceid: number) =>
  call(usageperiod, {
    ...getZoneFields(),
    from: getDateBefore(daysaffected - 1),
    until: getDateBefore(0),
    deviceid: String(deviceid),
    wall: '0',
  });

/**
 * Computes the amount of a goal with these fields. Undefined for times opened of all applications together, which only
 * the server counts.
 */
function computeDone(
  { typeoftarget, target, goaltype }: GoalFields,
  { applications, total }: PeriodUsage,
): number | undefined {
  const isTime = goaltype === TIME_SPENT;
  if (typeoftarget === 'app' && target === TOTAL) return isTime ? total : undefined;
  const targetApplications = applications.filter(
    ({ name, category }) => (typeoftarget === 'app' ? name : category) === target,
  );
  return targetApplications.reduce((sum, { seconds, opened }) => sum + (isTime ? seconds : opened), 0);
}

export interface GoalStatus {
  readonly share: number;
  /** Formatted like '8h 18m of 10h in code, last 7 days, All devices'. */
  readonly text: string;
}

/** Returns the progress of a goal before it is saved; undefined while it loads or the fields are invalid. */
export function useGoalPreview(fields: GoalFields, computer: string | undefined): GoalStatus | undefined {
  const { daysaffected, deviceid, goaltype, goalseconds } = fields;
  const { data } = useQuery({
    queryKey: [SCREEN_TIME, 'progress', deviceid, daysaffected],
    queryFn: () => loadPeriod(daysaffected, deviceid),
  });
  const done = data && computeDone(fields, data);
  if (done === undefined || !isAmount(goaltype, goalseconds)) return undefined;
  const progress = describeProgress(
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
    { device: computer, isDeviceRemoved: false, isCategoryDeleted: false, onlyDevice: undefined },
  );
  const [, days, devices] = progress.lines;
  return { share: progress.share, text: `${progress.done} in ${fields.target}, ${days}, ${devices}` };
}

export type GoalProgress = AnswerOf<typeof gettimetrackergoals>['goals'][number];
export type GoalFields = GoalProgress['goal'];

/** Initial fields of 'Add goal' (docs/specification/screentime.md section 6). */
export const NEW_GOAL: GoalFields = {
  target: TOTAL,
  typeoftarget: 'app',
  daysaffected: 7,
  goalseconds: DEFAULT_TIME_SECONDS,
  deviceid: ALL_DEVICES,
  begindate: '',
  goaltype: TIME_SPENT,
  daysaffectedtype: ROLLING,
  limit: false,
};
/** Id of a goal that is not saved yet. */
export const NEW_GOAL_ID = 0;

const GOALS_KEY = [SCREEN_TIME, 'goals'] as const;

/** Loads the goals of the account for the selected computer. */
export function useGoals({ deviceid }: Scope) {
  const queryClient = useQueryClient();
  useRealtimeEvent(goalsChanged, () => void queryClient.invalidateQueries({ queryKey: GOALS_KEY }));
  return useQuery({
    queryKey: [...GOALS_KEY, deviceid],
    queryFn: async () => (await call(gettimetrackergoals, { ...getZoneFields(), deviceid })).goals,
    staleTime: createLiveStaleTime([goalsChanged]),
  });
}

async function save(goalid: number, fields: GoalFields): Promise<GoalProgress> {
  const { newgoal } = await call(settimetrackergoal, {
    ...getZoneFields(),
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
}

/** Returns the actions of the editor. A deleted goal can be restored. */
export function useGoalActions(goalid: number) {
  const queryClient = useQueryClient();
  const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey: GOALS_KEY });
  const saveMutation = useMutation({ mutationFn: (fields: GoalFields) => save(goalid, fields), onSettled: reload });
  const restore = (): void => void call(restoretimetrackergoal, { goalid: String(goalid) }).then(reload, showError);
  const deleteMutation = useMutation({
    mutationFn: async ({ goalachievment }: GoalProgress) => {
      await call(deletetimetrackergoal, { goalid: String(goalid) });
      notices.addWithAction(`Deleted ${goalachievment.header}`, 'Undo', restore);
    },
    onSettled: reload,
  });
  return { saveMutation, deleteMutation };
}
