import type { DayRange } from '../domain/daySums.ts';
import type { Place } from './place.ts';
import type { Scope } from './reading.ts';
import type { ReadingStore } from './store/reading.ts';

interface Sources {
  readonly reading: ReadingStore;
}

/** From the first day on which anything was used to the present one; the present one alone where nothing ever was. */
export const allDays = async (
  { reading }: Sources,
  { account, device }: Scope,
  { days, today }: Place,
): Promise<DayRange> => {
  const first = await reading.firstUse(account, device);
  return { from: first === undefined ? today : Math.min(days.dayOf(first), today), until: today };
};

/** Those days of a period on which there can be anything; where there are none it ends before it begins. */
export const usedDays = async (
  sources: Sources,
  scope: Scope,
  place: Place,
  { from, until }: DayRange,
): Promise<DayRange> => {
  const all = await allDays(sources, scope, place);
  return { from: Math.max(from, all.from), until: Math.min(until, all.until) };
};
