import { SLOT_SECONDS, type Day, type ZoneDays } from '../domain/days.ts';
import { daysInOrder, gathered, lengthOfRange, type DayRange, type DaySums, type Gathered } from '../domain/daySums.ts';
import { ALL_APPLICATIONS, lengthOf, united, within, type Span } from '../domain/segment.ts';
import type { Book } from './store/book.ts';
import type { DeviceTracks } from './store/segments.ts';
import type { UsageStore } from './store/usage.ts';

/** Whose use is asked for, where days begin, and how several computers count. */
export interface Scope {
  readonly account: number;
  /** Undefined: all of them together. */
  readonly device: number | undefined;
  readonly days: ZoneDays;
  /** Time that several computers were used at once counts once. */
  readonly isWall: boolean;
}

export interface Asked extends DayRange {
  /** All of them where left out, with `ALL_APPLICATIONS` among them. */
  readonly applications?: readonly number[];
}

/** Segments that are looked through at once, so that others are answered in between. */
const DAYS_AT_ONCE = 31;

/** Days of the home zone are kept; those of any other one are sums of slots. */
const sumsOf = async (
  { days: dayStore, slots }: UsageStore,
  { account, device, days }: Scope,
  { from, until, applications }: Asked,
  book: Book,
): Promise<ReadonlyMap<number, Gathered>> => {
  if (book.zone === days.zone) {
    const { generation } = book;
    const series = await dayStore.between(account, { generation, device, applications, from, until });
    const all = series.map((each) => ({ ...each, places: each.days }));
    return gathered(all, { from, until }, () => (day) => day);
  }
  const bounds = { from: days.startOf(from), until: days.startOf(until + 1) };
  const series = await slots.between(account, { device, applications, ...bounds });
  const all = series.map((each) => ({ ...each, places: each.slots }));
  return gathered(all, { from, until }, () => {
    const dayOf = daysInOrder(days);
    return (slot) => dayOf(slot * SLOT_SECONDS);
  });
};

/** All focus on all computers by application, and of all of them together, where it overlapped as one. */
const focusOf = (all: readonly DeviceTracks[]): ReadonlyMap<number, readonly Span[]> => {
  const focus = new Map<number, Span[]>();
  for (const { tracks } of all)
    for (const { application, status, spans } of tracks) {
      if (status !== 'on') continue;
      const own = focus.get(application) ?? [];
      focus.set(application, own);
      for (const span of spans) own.push(span);
    }
  const together = [...focus].map(([application, spans]) => [application, united(spans)] as const);
  return new Map([...together, [ALL_APPLICATIONS, united([...focus.values()].flat())]]);
};

const boundsOf = ({ startOf }: ZoneDays, day: Day): Span => ({ from: startOf(day), until: startOf(day + 1) });

/** Places of days on which several computers had the same application in focus. */
const shared = (all: ReadonlyMap<number, Gathered>): readonly number[] => {
  const places = new Set<number>();
  for (const { computers } of all.values())
    for (const [place, count] of computers.entries()) if (count > 1) places.add(place);
  return [...places].toSorted((one, other) => one - other);
};

/** The days of a range. */
export const numbersOf = ({ from, until }: DayRange): readonly Day[] =>
  Array.from({ length: lengthOfRange({ from, until }) }, (_, at) => from + at);

/** Cuts a list of days into ranges without gaps, none of them too long. */
export const rangesOf = (all: readonly Day[]): readonly DayRange[] => {
  const ranges: { from: Day; until: Day }[] = [];
  for (const day of all) {
    const last = ranges.at(-1);
    if (last && last.until + 1 === day && lengthOfRange(last) < DAYS_AT_ONCE) last.until = day;
    else ranges.push({ from: day, until: day });
  }
  return ranges;
};

/** Puts right the days on which adding up counts time twice. Only those are looked at segment by segment. */
const countOnce = async (
  { segments }: UsageStore,
  { account, days }: Scope,
  { from }: DayRange,
  all: ReadonlyMap<number, Gathered>,
): Promise<void> => {
  for (const range of rangesOf(shared(all).map((place) => from + place))) {
    const bounds = { from: days.startOf(range.from), until: days.startOf(range.until + 1) };
    const focus = focusOf(await segments.between(account, bounds));
    for (const [application, { sums, computers }] of all) {
      const own = focus.get(application) ?? [];
      for (const day of numbersOf(range).filter((each) => (computers[each - from] ?? 0) > 1))
        sums[day - from] = lengthOf(within(own, boundsOf(days, day)));
    }
  }
};

/** Reads by the days that are kept; anew where those of another zone took their place meanwhile. Undefined before an account's first usage. */
export const byBook = async <Read>(
  { book }: Pick<UsageStore, 'book'>,
  account: number,
  read: (book: Book) => Promise<Read>,
): Promise<Read | undefined> => {
  const known = await book.of(account);
  if (!known) return undefined;
  const found = await read(known);
  const after = await book.of(account);
  return after?.generation === known.generation ? found : byBook({ book }, account, read);
};

/** Seconds of focus on each day, by application. One that was not used at all is missing. */
export const secondsByDay = async (
  store: UsageStore,
  scope: Scope,
  asked: Asked,
): Promise<ReadonlyMap<number, DaySums>> => {
  if (lengthOfRange(asked) === 0) return new Map();
  const all = (await byBook(store, scope.account, async (book) => sumsOf(store, scope, asked, book))) ?? new Map();
  if (scope.isWall && scope.device === undefined) await countOnce(store, scope, asked, all);
  return new Map([...all].map(([application, { sums }]) => [application, sums]));
};
