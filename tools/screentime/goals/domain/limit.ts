import { grouped, prettyTime } from '../../reading/domain/formats.ts';
import type { Goal } from './goal.ts';
import { achievementOf, shareOf, type Surroundings } from './goalProgress.ts';

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
export const levelToTell = (goal: Goal, done: number, told: NotifiedLevels, today: number): Level | undefined => {
  if (!goal.isLimit) return undefined;
  const reached = LEVELS.filter((level) => shareOf(goal, done) * 100 >= level);
  const highest = reached.at(-1);
  if (highest === undefined) return undefined;
  return LEVELS.some((level) => level >= highest && isToldOf(goal, level, told, today)) ? undefined : highest;
};

/** What the desktop says: a notification's title and text. */
export const noticeOf = (
  goal: Goal,
  done: number,
  around: Surroundings,
): { readonly title: string; readonly text: string } => {
  const { header, done: sofar, lines } = achievementOf(goal, done, around);
  const left = Math.floor(goal.amount - done);
  const rest = goal.measure === 'time' ? prettyTime(left) : `${grouped(left)} ${left === 1 ? 'time' : 'times'}`;
  const title = left > 0 ? `${rest} left of a limit` : done > goal.amount ? 'A limit is passed' : 'A limit is reached';
  const short = header.length > 120 ? `${Array.from(header).slice(0, 100).join('')}…` : header;
  return { title, text: `${short}\n${sofar}, ${lines[1].toLowerCase()}` };
};
