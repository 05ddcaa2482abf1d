import { TOTAL } from '../contract/limits.ts';
import type { Goal } from './goal.ts';
import { grouped, prettyTime } from './pretty.ts';

/** What of a goal's surroundings its texts tell. */
export interface Surroundings {
  /** The name of the goal's own device; undefined where it has none. */
  readonly device: string | undefined;
  readonly isDeviceGone: boolean;
  /** The category, or what the target was, is there no more. */
  readonly isTargetGone: boolean;
  /** Of a goal for all devices the one that it is looked at for. */
  readonly only: string | undefined;
}

export interface Achievement {
  readonly header: string;
  /** What, over which days, on which devices. */
  readonly lines: readonly [string, string, string];
  /** CSS: the bar's, of a limit that was passed or a goal that is not yet reached. */
  readonly failedColour: string;
  readonly done: string;
  /** 0 to 1, and beyond. */
  readonly share: number;
}

/** As the pages' own theme has them; other clients take the colour behind it. */
const PASSED = 'var(--red, #be2838)';
const OPEN = 'var(--accent, #5b4bd4)';

const counted = (count: number, one: string): string => `${grouped(count)} ${count === 1 ? one : `${one}s`}`;

/** An amount as a goal names it: `10 hours`, `45 minutes`, `20 times`. */
const amountText = ({ measure, amount }: Goal): string => {
  if (measure === 'opened') return counted(amount, 'time');
  return amount < 3600 ? counted(amount / 60, 'minute') : counted(amount / 3600, 'hour');
};

/** As a bar names it: `10h`, `45m`, `20 times`. */
const shortAmount = ({ measure, amount }: Goal): string => {
  if (measure === 'opened') return counted(amount, 'time');
  return amount < 3600 ? `${amount / 60}m` : `${grouped(amount / 3600)}h`;
};

const targetText = ({ target: { kind, name } }: Goal): string =>
  kind === 'app' && name === TOTAL ? 'all applications' : name;

const whatText = (goal: Goal, { isTargetGone }: Surroundings): string => {
  const gone = isTargetGone ? `, a ${goal.target.kind === 'cat' ? 'category' : 'program'} that was deleted` : '';
  if (goal.measure === 'time') return `Time spent in ${targetText(goal)}${gone}`;
  return `Times ${targetText(goal)}${gone}${isTargetGone ? ',' : ''} ${targetText(goal) === 'all applications' ? 'were' : 'was'} opened`;
};

const whereText = ({ device, isDeviceGone, only }: Surroundings): string => {
  if (device !== undefined) return isDeviceGone ? `${device}, a computer that was removed` : device;
  return only === undefined ? 'All devices' : `All devices, of which ${only}`;
};

const doneText = (goal: Goal, done: number): string => {
  const whole = Math.floor(done);
  if (goal.measure === 'opened') {
    const over = whole - goal.amount;
    return goal.isLimit && over > 0
      ? `${counted(whole, 'time')}, over by ${grouped(over)}`
      : `${grouped(whole)} of ${shortAmount(goal)}`;
  }
  return goal.isLimit && whole > goal.amount
    ? `${prettyTime(whole)}, over by ${prettyTime(whole - goal.amount)}`
    : `${prettyTime(whole)} of ${shortAmount(goal)}`;
};

export const shareOf = ({ amount }: Goal, done: number): number => done / amount;

/** What `done` (seconds, or times) makes of a goal. */
export const achievementOf = (goal: Goal, done: number, around: Surroundings): Achievement => ({
  header: `${goal.target.name}: ${amountText(goal)}${goal.isLimit ? ' or less' : ''}`,
  lines: [whatText(goal, around), goal.days === 1 ? 'Today' : `last ${goal.days} days`, whereText(around)],
  failedColour: goal.isLimit ? PASSED : OPEN,
  done: doneText(goal, done),
  share: shareOf(goal, done),
});
