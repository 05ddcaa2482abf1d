import { setImmediate as othersFirst } from 'node:timers/promises';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { SLOT_SECONDS, type Day, type ZoneDays } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS, mergeRanges, type SecondRange } from '../../usage/domain/track.ts';
import type { RunningApplications } from '../../usage/server/runningApplications.ts';
import type { UsageRevision } from '../../usage/server/store/revisionStore.ts';
import type { DeviceTracks } from '../../usage/server/store/segmentStore.ts';
import type { UsageStore, ReadingStore } from '../../usage/server/store/usageStores.ts';
import {
  addDays,
  addMoments,
  addSpans,
  splitIntoBlocks,
  getBounds,
  copyInto,
  lengthOfRange,
  noSums,
  splitRange,
  type DayRange,
  type DaySums,
} from '../domain/daySums.ts';
import type { ClosedDayCache } from './closedDayCache.ts';
import type { RequestClock } from './requestClock.ts';

/** Dependencies of usage queries. */
export interface Sources {
  readonly usage: UsageStore;
  readonly reading: ReadingStore;
  readonly categories: CategoryStore;
  readonly running: RunningApplications;
  readonly closedDays: ClosedDayCache;
}

interface UsedDaysSources {
  readonly reading: ReadingStore;
}

/** Returns the days from a second since the epoch to today; only today if it is undefined. */
const listDaysSince = (first: number | undefined, { days, today }: RequestClock): DayRange => ({
  from: first === undefined ? today : Math.min(days.getDay(first), today),
  until: today,
});

/** Returns the days from the first focus to today; only today if there is none. */
export async function allDays(
  { reading }: UsedDaysSources,
  { account, device }: Scope,
  clock: RequestClock,
): Promise<DayRange> {
  return listDaysSince(await reading.findFirstUse(account, device), clock);
}

/** Like `allDays`, but from the first data of any status. It may start a day too early. */
export async function listStoredDays(
  { reading }: UsedDaysSources,
  { account, device }: Scope,
  clock: RequestClock,
): Promise<DayRange> {
  const first = await reading.findFirstDay(account, device);
  return listDaysSince(first === undefined ? undefined : first * DAY_SECONDS, clock);
}

/** Intersects two ranges of days. An empty result ends before it starts. */
export function intersectDays(period: DayRange, all: DayRange): DayRange {
  return {
    from: Math.max(period.from, all.from),
    until: Math.min(period.until, all.until),
  };
}

/** Whose usage is requested, in which zone, and how several computers count. */
export interface Scope {
  readonly account: number;
  /** Undefined: all computers. */
  readonly device: number | undefined;
  readonly days: ZoneDays;
  /** Time on several computers at the same time counts once. */
  readonly isWall: boolean;
}

export interface ReadQuery extends DayRange {
  /** All if missing, including `ALL_APPLICATIONS`. */
  readonly applications?: readonly number[];
}

type UsageSums = Map<number, DaySums>;

/** Days per batch of segments, so that other requests run in between. */
const DAYS_PER_BATCH = 64;
/** Same number of days as in a stored row. */
export const DAYS_PER_BLOCK = 256;
/** Days per read of a single application. */
const DAYS_OF_ONE = 2048;
/** Up to this number of days, counting segments is faster than reading rows of many days. */
const FEW_DAYS = 3;
/** Yesterday and the day before may still be reported. */
const OPEN_DAYS = 2;

const getOrCreateSums = (sums: UsageSums, range: DayRange, application: number): DaySums => {
  const own = sums.get(application) ?? noSums(range);
  sums.set(application, own);
  return own;
};

/** Reads stored days of the home zone; sums slots for other zones. */
const sumRollups = async (
  { days: dayStore, slots }: UsageStore,
  { account, device, days }: Scope,
  { from, until, applications }: ReadQuery,
  { zone, generation }: UsageRevision,
): Promise<UsageSums> => {
  const range = { from, until };
  const found: UsageSums = new Map();
  if (zone === days.zone)
    for (const each of await dayStore.listBetween(account, { generation, device, applications, from, until }))
      addDays(getOrCreateSums(found, range, each.application), range, each);
  else
    for (const { application, slots: own, seconds } of await slots.listBetween(account, {
      device,
      applications,
      ...getBounds(days, range),
    }))
      addMoments(
        getOrCreateSums(found, range, application),
        days,
        range,
        own.map((slot, at) => [slot * SLOT_SECONDS, seconds[at] ?? 0]),
      );
  return found;
};

type Focus = ReadonlyMap<number, readonly SecondRange[]>;

/** Merges the focus of all computers by application, including all applications together. */
const mergeFocus = (all: readonly DeviceTracks[]): Focus => {
  const focus = new Map<number, SecondRange[]>();
  for (const { tracks } of all)
    for (const { application, status, spans } of tracks) {
      if (status !== 'on') continue;
      const own = focus.get(application) ?? [];
      focus.set(application, own);
      for (const span of spans) own.push(span);
    }
  const together = [...focus].map(([application, spans]) => [application, mergeRanges(spans)] as const);
  return new Map([...together, [ALL_APPLICATIONS, mergeRanges([...focus.values()].flat())]]);
};

const sumSegments = async (
  { segments }: UsageStore,
  { account, device, days, isWall }: Scope,
  range: DayRange,
): Promise<UsageSums> => {
  const found: UsageSums = new Map();
  const all = await segments.listBetween(account, { device, ...getBounds(days, range) });
  for (const focus of isWall ? [mergeFocus(all)] : all.map((one) => mergeFocus([one])))
    for (const [application, spans] of focus)
      if (spans.length > 0) addSpans(getOrCreateSums(found, range, application), days, range, spans);
  return found;
};

/** Reads stored days, and again if the home zone changed meanwhile. Undefined before an account has usage. */
export async function byBook<Read>(
  { book }: Pick<UsageStore, 'book'>,
  account: number,
  read: (book: UsageRevision) => Promise<Read>,
): Promise<Read | undefined> {
  const bookBefore = await book.find(account);
  if (!bookBefore) return undefined;
  const found = await read(bookBefore);
  const after = await book.find(account);
  return after?.generation === bookBefore.generation ? found : byBook({ book }, account, read);
}

const estimateBytes = (sums: UsageSums): number =>
  [...sums.values()].reduce((bytes, { byteLength }) => bytes + byteLength + 200, 200);

/** Returns the last day that is final. Later days may still be reported and are never cached. */
export function getLastClosedDay(today: Day): Day {
  return today - OPEN_DAYS;
}

interface UsageQueriesSources {
  readonly usage: UsageStore;
  readonly closedDays: ClosedDayCache;
}

/** A way to compute seconds by day. */
interface SumStrategy {
  readonly name: string;
  /** Days per block. */
  readonly size: number;
  /** Returns all applications, whatever is requested. */
  readonly isWhole: boolean;
  readonly read: (query: ReadQuery) => Promise<UsageSums>;
}

/** Computes block by block; complete blocks are cached. */
const readByBlock = async (
  { closedDays }: UsageQueriesSources,
  { account, device, days }: Scope,
  { applications, ...range }: ReadQuery,
  { over, name, size, isWhole, read }: SumStrategy & { readonly over: Day },
): Promise<UsageSums> => {
  const found: UsageSums = new Map();
  const take = (block: DayRange, all: UsageSums): void => {
    for (const [application, own] of all)
      if (applications?.includes(application) ?? true)
        copyInto({ sums: getOrCreateSums(found, range, application), range }, block, own);
  };
  const takeCached = async (block: DayRange, query: readonly number[] | undefined): Promise<void> => {
    const about = `${name} ${device ?? 'all'} ${days.zone} ${query?.join(' ') ?? 'every'} ${block.from} ${block.until}`;
    const make = async () => {
      await othersFirst();
      const value = await read({ ...block, ...(query && { applications: query }) });
      return { value, bytes: estimateBytes(value) };
    };
    take(block, await closedDays.getOrCompute(account, { name: about, ...getBounds(days, block) }, make));
  };
  const { blocks, open } = splitIntoBlocks(range, over, size);
  const applicationSets = isWhole || !applications ? [undefined] : applications.map((application) => [application]);
  for (const block of blocks) await Promise.all(applicationSets.map(async (query) => takeCached(block, query)));
  for (const part of splitRange(open, size)) take(part, await read({ ...part, ...(applications && { applications }) }));
  return found;
};

const createWallStrategy = ({ usage }: UsageQueriesSources, scope: Scope): SumStrategy => ({
  name: 'wall',
  size: DAYS_PER_BATCH,
  isWhole: true,
  read: async (range) => sumSegments(usage, scope, range),
});

const createSumStrategy = ({ usage }: UsageQueriesSources, scope: Scope, { applications }: ReadQuery): SumStrategy => ({
  name: 'days',
  size: applications === undefined ? DAYS_PER_BLOCK : DAYS_OF_ONE,
  isWhole: false,
  read: async (query) => {
    if (query.applications === undefined && lengthOfRange(query) <= FEW_DAYS) return sumSegments(usage, scope, query);
    const none = new Map<number, DaySums>();
    return (await byBook(usage, scope.account, async (book) => sumRollups(usage, scope, query, book))) ?? none;
  },
});

/** Returns focused seconds on each day, by application. Unused applications may be missing. */
export async function secondsByDay(
  sources: UsageQueriesSources,
  scope: Scope,
  query: ReadQuery,
  today: Day,
): Promise<ReadonlyMap<number, DaySums>> {
  // A single computer has one focus at a time.
  const strategy =
    scope.isWall && scope.device === undefined
      ? createWallStrategy(sources, scope)
      : createSumStrategy(sources, scope, query);
  return readByBlock(sources, scope, query, { ...strategy, over: getLastClosedDay(today) });
}
