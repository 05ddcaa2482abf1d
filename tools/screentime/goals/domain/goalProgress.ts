import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { TOTAL } from '../../contract/limits.ts';
import { formatInteger, formatDuration } from '../../usage/domain/formats.ts';
import { type Goal, formatAmount, formatDays, TIME_SPENT, TIMES_OPENED } from './goal.ts';

/** What the texts of a goal mention, apart from the goal. */
export interface ProgressContext {
  /** Name of the goal's device; undefined if it has none. */
  readonly device: string | undefined;
  readonly isDeviceRemoved: boolean;
  /** The target category was deleted. */
  readonly isCategoryDeleted: boolean;
  /** Device to which a goal for all devices is restricted in this view. */
  readonly onlyDevice: string | undefined;
}

/** Progress of a goal in words, and its bar. */
export interface ProgressDescription {
  readonly header: string;
  /** Three lines: what, which days, which devices. */
  readonly lines: readonly [string, string, string];
  /** CSS colour of the bar of an exceeded limit or an unreached goal. */
  readonly failedColour: string;
  /** Reached and wanted amount: '8h 18m of 10h'. */
  readonly done: string;
  /** Share from 0 to 1, and above if exceeded. */
  readonly share: number;
}

/** Theme colour of our pages; other clients use the fallback. */
const EXCEEDED_COLOUR = 'var(--red, #be2838)';
const UNREACHED_COLOUR = 'var(--accent, #5b4bd4)';

const formatCount = (count: number, noun: string): string =>
  `${formatInteger(count)} ${count === 1 ? noun : `${noun}s`}`;

/** Formats a short amount for bars: `10h`, `45m`, `20 times`. */
function formatShortAmount({ measure, amount }: Goal): string {
  if (measure === 'opened') return formatCount(amount, 'time');
  return amount < HOUR_SECONDS ? `${amount / 60}m` : `${formatInteger(amount / HOUR_SECONDS)}h`;
}

const formatTarget = ({ target: { kind, name } }: Goal): string =>
  kind === 'app' && name === TOTAL ? 'all applications' : name;

function formatSubject(goal: Goal, { isCategoryDeleted }: ProgressContext): string {
  const subject = isCategoryDeleted ? `${goal.target.name} (deleted category)` : formatTarget(goal);
  if (goal.measure === 'time') return `Time spent in ${subject}`;
  return goal.target.kind === 'app' && goal.target.name === TOTAL
    ? `Times ${subject} were opened`
    : `Times ${subject} was opened`;
}

function formatDevices({ device, isDeviceRemoved, onlyDevice }: ProgressContext): string {
  if (device !== undefined) return isDeviceRemoved ? `${device} (removed computer)` : device;
  return onlyDevice === undefined ? 'All devices' : `All devices (only ${onlyDevice})`;
}

function formatDone(goal: Goal, done: number): string {
  const wholeAmount = Math.floor(done);
  if (goal.measure === 'opened') {
    const excess = wholeAmount - goal.amount;
    return goal.isLimit && excess > 0
      ? `${formatCount(wholeAmount, 'time')}, over by ${formatInteger(excess)}`
      : `${formatInteger(wholeAmount)} of ${formatShortAmount(goal)}`;
  }
  return goal.isLimit && wholeAmount > goal.amount
    ? `${formatDuration(wholeAmount)}, over by ${formatDuration(wholeAmount - goal.amount)}`
    : `${formatDuration(wholeAmount)} of ${formatShortAmount(goal)}`;
}

/** Returns the share of a goal that was reached, from 0 to 1, and above if exceeded. */
export function computeShare({ amount }: Pick<Goal, 'amount'>, done: number): number {
  return done / amount;
}

/**
 * Describes the progress of a goal.
 * @param done seconds, or number of times
 */
export function describeProgress(goal: Goal, done: number, context: ProgressContext): ProgressDescription {
  return {
    header: `${goal.target.name}: ${formatAmount(goal.measure === 'time' ? TIME_SPENT : TIMES_OPENED, goal.amount)}${goal.isLimit ? ' or less' : ''}`,
    lines: [formatSubject(goal, context), formatDays(goal.days), formatDevices(context)],
    failedColour: goal.isLimit ? EXCEEDED_COLOUR : UNREACHED_COLOUR,
    done: formatDone(goal, done),
    share: computeShare(goal, done),
  };
}

/** Percentages of a limit at which its owner is notified. */
export const NOTICE_LEVELS = [80, 100] as const;
export type Level = (typeof NOTICE_LEVELS)[number];

/** Last day on which each level of a limit was notified. It may be tomorrow, after a move to a zone further west. */
export type NotifiedLevels = ReadonlyMap<Level, number>;

function wasNotified(goal: Goal, level: Level, notifiedLevels: NotifiedLevels, today: number): boolean {
  const day = notifiedLevels.get(level);
  return day !== undefined && day > today - goal.days && day <= today + 1;
}

/**
 * Returns the highest reached level, unless it or a higher one was notified within the days of the limit. So an
 * exceeded limit is notified once per period.
 */
export function findLevelToNotify(
  goal: Goal,
  done: number,
  notifiedLevels: NotifiedLevels,
  today: number,
): Level | undefined {
  if (!goal.isLimit) return undefined;
  const reachedLevels = NOTICE_LEVELS.filter((level) => computeShare(goal, done) * 100 >= level);
  const highest = reachedLevels.at(-1);
  if (highest === undefined) return undefined;
  return NOTICE_LEVELS.some((level) => level >= highest && wasNotified(goal, level, notifiedLevels, today))
    ? undefined
    : highest;
}

/** Formats the title and text of a desktop notification. */
export function formatNotice(
  goal: Goal,
  done: number,
  context: ProgressContext,
): { readonly title: string; readonly text: string } {
  const { header, done: progressText, lines } = describeProgress(goal, done, context);
  const remaining = Math.floor(goal.amount - done);
  const remainingText = goal.measure === 'time' ? formatDuration(remaining) : formatCount(remaining, 'time');
  const exceededTitle = done > goal.amount ? 'Limit exceeded' : 'Limit reached';
  const title = remaining > 0 ? `${remainingText} left until the limit` : exceededTitle;
  const shortHeader = header.length > 120 ? `${Array.from(header).slice(0, 100).join('')}…` : header;
  return { title, text: `${shortHeader}\n${progressText}, ${lines[1].toLowerCase()}` };
}
