import { DAY_SECONDS } from '../../usage/domain/days.ts';
import type { ReadingStore } from '../../usage/server/store/reading.ts';
import type { DayRange } from '../domain/daySums.ts';
import type { RequestClock } from './requestClock.ts';
import type { Scope } from './usageQueries.ts';

interface Sources {
  readonly reading: ReadingStore;
}

/** From the day of a second since the epoch to the present one; the present one alone where it is undefined. */
const daysSince = (first: number | undefined, { days, today }: RequestClock): DayRange => ({
  from: first === undefined ? today : Math.min(days.dayOf(first), today),
  until: today,
});

/** From the first day on which anything was in focus to the present one; the present one alone where nothing ever was. */
export const allDays = async (
  { reading }: Sources,
  { account, device }: Scope,
  place: RequestClock,
): Promise<DayRange> => daysSince(await reading.firstUse(account, device), place);

/** The same of anything that is kept, also where it was only open or heard. It may begin a day too soon. */
export const keptDays = async (
  { reading }: Sources,
  { account, device }: Scope,
  place: RequestClock,
): Promise<DayRange> => {
  const first = await reading.firstKept(account, device);
  return daysSince(first === undefined ? undefined : first * DAY_SECONDS, place);
};

/** Those days of a period that are among others; where there are none it ends before it begins. */
export const daysIn = (period: DayRange, all: DayRange): DayRange => ({
  from: Math.max(period.from, all.from),
  until: Math.min(period.until, all.until),
});
