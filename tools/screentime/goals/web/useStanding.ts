import { useQuery } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { usageperiod } from '../../contract.ts';
import { ALL_DEVICES, TOTAL } from '../../contract/limits.ts';
import { SCREEN_TIME } from '../../web/keys.ts';
import { dayBefore } from '../../web/today.ts';
import { place } from '../../web/usageClock.ts';
import { achievementOf } from '../domain/goalProgress.ts';
import { isAmount, TIME_SPENT } from '../domain/options.ts';
import type { Fields } from './useGoals.ts';

type Period = Awaited<ReturnType<typeof ask>>;
const ask = (daysaffected: number, deviceid: number) =>
  call(usageperiod, {
    ...place(),
    from: dayBefore(daysaffected - 1),
    until: dayBefore(0),
    deviceid: String(deviceid),
    wall: '0',
  });

/** What a goal with these fields has come to: seconds, or times. Undefined for times of all applications together, which only the server counts. */
const doneOf = ({ typeoftarget, target, goaltype }: Fields, { applications, total }: Period): number | undefined => {
  const isTime = goaltype === TIME_SPENT;
  if (typeoftarget === 'app' && target === TOTAL) return isTime ? total : undefined;
  const own = applications.filter((each) => (typeoftarget === 'app' ? each.name : each.category) === target);
  return own.reduce((sum, { seconds, opened }) => sum + (isTime ? seconds : opened), 0);
};

export interface GoalStatus {
  readonly share: number;
  /** '8h 18m of 10h in code, last 7 days, All devices'. */
  readonly text: string;
}

/** How a goal would stand now, before it is saved. */
export const useStanding = (fields: Fields, computer: string | undefined): GoalStatus | undefined => {
  const { daysaffected, deviceid, goaltype, goalseconds } = fields;
  const { data } = useQuery({
    queryKey: [SCREEN_TIME, 'standing', deviceid, daysaffected],
    queryFn: () => ask(daysaffected, deviceid),
  });
  const done = data && doneOf(fields, data);
  if (done === undefined || !isAmount(goaltype, goalseconds)) return undefined;
  const achieved = achievementOf(
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
};
