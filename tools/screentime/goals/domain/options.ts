// What a goal can be set to (specification 2, sections 3, 5 and 9).

/** 0 time spent, 1 times opened, as the wire has them. */
export type GoalType = 0 | 1;
export const TIME_SPENT = 0;
export const TIMES_OPENED = 1;
/** 1 rolling, 0 between dates. */
export const ROLLING = 1;
export const BETWEEN_DATES = 0;

const MINUTE = 60;
const HOUR = 3600;
const upTo = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** In seconds: 15, 20, 30, 40, 45 minutes, 1 hour, then 2 to 3001 hours. */
export const TIME_AMOUNTS: readonly number[] = [
  ...[15, 20, 30, 40, 45].map((minutes) => minutes * MINUTE),
  ...upTo(1, 3001).map((hours) => hours * HOUR),
];
export const OPENED_AMOUNTS: readonly number[] = upTo(1, 201);
/** 1 is today alone. */
export const DAYS: readonly number[] = upTo(1, 999);

const amounts: Readonly<Record<GoalType, ReadonlySet<number>>> = {
  [TIME_SPENT]: new Set(TIME_AMOUNTS),
  [TIMES_OPENED]: new Set(OPENED_AMOUNTS),
};
export const isAmount = (type: GoalType, amount: number): boolean => amounts[type].has(amount);
export const isDays = (days: number): boolean => Number.isInteger(days) && days >= 1 && days <= 999;

/** Under this a time is taken for a number of times, and the other way round. */
const MIN_TIME_SECONDS = 899;
const MAX_TIMES = 3599;
export const USUAL_TIME = 10 * HOUR;
export const USUAL_TIMES = 10;

/** The amount once the type of a goal is chosen anew: what cannot be meant is reset, between 900 and 3599 both stay as they are (section 5). */
export const amountAs = (type: GoalType, amount: number): number => {
  if (type === TIME_SPENT) return amount < MIN_TIME_SECONDS ? USUAL_TIME : amount;
  return amount > MAX_TIMES ? USUAL_TIMES : amount;
};

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** '45 minutes', '10 hours', '20 times'. */
export const amountLabel = (type: GoalType, amount: number): string => {
  if (type === TIMES_OPENED) return counted(amount, 'time');
  if (amount % HOUR === 0) return counted(amount / HOUR, 'hour');
  return counted(Math.round(amount / MINUTE), 'minute');
};

/** 'Today', 'last 7 days'. */
export const daysLabel = (days: number): string => (days === 1 ? 'Today' : `last ${days} days`);
