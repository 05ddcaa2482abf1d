import { TOTAL } from '../../contract/limits.ts';
import { grouped, prettyTime } from '../../reading/domain/formats.ts';
import { type Goal, amountLabel, daysLabel, TIME_SPENT, TIMES_OPENED } from './goal.ts';

/** What of a goal's surroundings its texts tell. */
export interface Surroundings {
  /** The name of the goal's own device; undefined where it has none. */
  readonly device: string | undefined;
  readonly isDeviceGone: boolean;
  /** The category that it is for is there no more. */
  readonly isCategoryGone: boolean;
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

/** As a bar names it: `10h`, `45m`, `20 times`. */
const shortAmount = ({ measure, amount }: Goal): string => {
  if (measure === 'opened') return counted(amount, 'time');
  return amount < 3600 ? `${amount / 60}m` : `${grouped(amount / 3600)}h`;
};

const targetText = ({ target: { kind, name } }: Goal): string =>
  kind === 'app' && name === TOTAL ? 'all applications' : name;

const whatText = (goal: Goal, { isCategoryGone }: Surroundings): string => {
  const what = isCategoryGone ? `${goal.target.name} (a category that was deleted)` : targetText(goal);
  if (goal.measure === 'time') return `Time spent in ${what}`;
  return goal.target.kind === 'app' && goal.target.name === TOTAL
    ? `Times ${what} were opened`
    : `Times ${what} was opened`;
};

const whereText = ({ device, isDeviceGone, only }: Surroundings): string => {
  if (device !== undefined) return isDeviceGone ? `${device} (a computer that was removed)` : device;
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

export function shareOf({ amount }: Pick<Goal, 'amount'>, done: number): number {
  return done / amount;
}

/** What `done` (seconds, or times) makes of a goal. */
export function achievementOf(goal: Goal, done: number, around: Surroundings): Achievement {
  return {
    header: `${goal.target.name}: ${amountLabel(goal.measure === 'time' ? TIME_SPENT : TIMES_OPENED, goal.amount)}${goal.isLimit ? ' or less' : ''}`,
    lines: [whatText(goal, around), daysLabel(goal.days), whereText(around)],
    failedColour: goal.isLimit ? PASSED : OPEN,
    done: doneText(goal, done),
    share: shareOf(goal, done),
  };
}

/** Percents of a limit at which its owner is told. */
export const LEVELS = [80, 100] as const;
export type Level = (typeof LEVELS)[number];

/** The last day on which each level of a limit was told. Days are counted; a zone to the west may have today behind it again. */
export type NotifiedLevels = ReadonlyMap<Level, number>;

const isToldOf = (goal: Goal, level: Level, told: NotifiedLevels, today: number): boolean => {
  const day = told.get(level);
  return day !== undefined && day > today - goal.days && day <= today + 1;
};

/**
 * The level to tell now: the highest that is reached, where neither it nor a higher one was told in the days that the limit counts. So a limit
 * that stays passed is told of once in each such period; one that is passed at a stroke, once.
 */
export function levelToTell(goal: Goal, done: number, told: NotifiedLevels, today: number): Level | undefined {
  if (!goal.isLimit) return undefined;
  const reached = LEVELS.filter((level) => shareOf(goal, done) * 100 >= level);
  const highest = reached.at(-1);
  if (highest === undefined) return undefined;
  return LEVELS.some((level) => level >= highest && isToldOf(goal, level, told, today)) ? undefined : highest;
}

/** What the desktop says: a notification's title and text. */
export function noticeOf(
  goal: Goal,
  done: number,
  around: Surroundings,
): { readonly title: string; readonly text: string } {
  const { header, done: sofar, lines } = achievementOf(goal, done, around);
  const left = Math.floor(goal.amount - done);
  const rest = goal.measure === 'time' ? prettyTime(left) : `${grouped(left)} ${left === 1 ? 'time' : 'times'}`;
  const title = left > 0 ? `${rest} left of a limit` : done > goal.amount ? 'A limit is passed' : 'A limit is reached';
  const short = header.length > 120 ? `${Array.from(header).slice(0, 100).join('')}…` : header;
  return { title, text: `${short}\n${sofar}, ${lines[1].toLowerCase()}` };
}
