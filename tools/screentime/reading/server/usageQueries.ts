import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
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
  addRanges,
  splitIntoBlocks,
  getBounds,
  copySums,
  countDays,
  createDaySums,
  splitRange,
  type DayRange,
  type DaySums,
} from '../domain/daySums.ts';
import type { ClosedDayCache } from './closedDayCache.ts';
import type { RequestClock } from './requestClock.ts';

/** Dependencies of usage queries. */
export interface UsageQueryDeps {
  readonly usage: UsageStore;
  readonly reading: ReadingStore;
  readonly categories: CategoryStore;
  readonly running: RunningApplications;
  readonly closedDays: ClosedDayCache;
}

/** Returns the days from a second since the epoch to today; only today if it is undefined. */
const getDaysSince = (first: number | undefined, { days, today }: RequestClock): DayRange => ({
  from: first === undefined ? today : Math.min(days.getDay(first), today),
  until: today,
});

/** Returns the days from the first focus to today; only today if there is none. */
export async function getUsedDays(
  { reading }: Pick<UsageQueryDeps, 'reading'>,
  { account, device }: Scope,
  clock: RequestClock,
): Promise<DayRange> {
  return getDaysSince(await reading.findFirstUse(account, device), clock);
}

/** Like `getUsedDays`, but from the first data of any status. It may start a day too early. */
export async function getStoredDays(
  { reading }: Pick<UsageQueryDeps, 'reading'>,
  { account, device }: Scope,
  clock: RequestClock,
): Promise<DayRange> {
  const first = await reading.findFirstDay(account, device);
  return getDaysSince(first === undefined ? undefined : first * DAY_SECONDS, clock);
}

/** Intersects two ranges of days. An empty result ends before it starts. */
export function intersectDays(period: DayRange, all: DayRange): DayRange {
  return { from: Math.max(period.from, all.from), until: Math.min(period.until, all.until) };
}

/** Whose usage is requested, in which zone, and how several computers count. */
export interface Scope {
  readonly account: number;
  /** Undefined: all computers. */
  readonly device: number | undefined;
  readonly days: ZoneDays;
  /** Whether time on several computers at the same time counts once. Otherwise it is added up. */
  readonly mergesComputers: boolean;
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
/** Days per block if applications are read one by one. */
const DAYS_PER_APPLICATION_BLOCK = 2048;
/** Up to this number of days, counting segments is faster than reading rows of many days. */
const MAX_DAYS_FROM_SEGMENTS = 3;
/** Yesterday and the day before may still be reported. */
const OPEN_DAYS = 2;

function getOrCreateSums(sums: UsageSums, range: DayRange, application: number): DaySums {
  const applicationSums = sums.get(application) ?? createDaySums(range);
  sums.set(application, applicationSums);
  return applicationSums;
}

/** Sums the focused seconds on each day from rollups: stored days for the home zone, slots for other zones. */
async function sumRollups(
  { days: dayStore, slots }: UsageStore,
  { account, device, days }: Scope,
  { from, until, applications }: ReadQuery,
  { zone, generation }: UsageRevision,
): Promise<UsageSums> {
  const range = { from, until };
  const sums: UsageSums = new Map();
  if (zone === days.zone)
    for (const series of await dayStore.listBetween(account, { generation, device, applications, from, until }))
      addDays(getOrCreateSums(sums, range, series.application), range, series);
  else
    for (const { application, slots: seriesSlots, seconds } of await slots.listBetween(account, {
      device,
      applications,
      ...getBounds(days, range),
    }))
      addMoments(
        getOrCreateSums(sums, range, application),
        days,
        range,
        seriesSlots.map((slot, index) => [slot * SLOT_SECONDS, seconds[index] ?? 0]),
      );
  return sums;
}

type Focus = ReadonlyMap<number, readonly SecondRange[]>;

/** Returns the focus on these computers by application, and that of all applications together. */
function mergeFocus(computers: readonly DeviceTracks[]): Focus {
  const rangesByApplication = new Map<number, SecondRange[]>();
  for (const { tracks } of computers)
    for (const { application, status, ranges } of tracks) {
      if (status !== 'on') continue;
      const applicationRanges = getOrCreateList(rangesByApplication, application);
      for (const range of ranges) applicationRanges.push(range);
    }
  const focus = new Map<number, readonly SecondRange[]>();
  for (const [application, ranges] of rangesByApplication) focus.set(application, mergeRanges(ranges));
  return focus.set(ALL_APPLICATIONS, mergeRanges([...rangesByApplication.values()].flat()));
}

/** Sums the focused seconds on each day from segments. */
async function sumSegments(
  { segments }: UsageStore,
  { account, device, days, mergesComputers }: Scope,
  range: DayRange,
): Promise<UsageSums> {
  const sums: UsageSums = new Map();
  const computers = await segments.listBetween(account, { device, ...getBounds(days, range) });
  const groups = mergesComputers ? [computers] : computers.map((computer) => [computer]);
  for (const focus of groups.map(mergeFocus))
    for (const [application, ranges] of focus)
      if (ranges.length > 0) addRanges(getOrCreateSums(sums, range, application), days, range, ranges);
  return sums;
}

/**
 * Returns what `read` reads from stored days; undefined before an account has usage. Reads again if the home zone
 * changed meanwhile.
 */
export async function readAtRevision<Read>(
  { revisions }: Pick<UsageStore, 'revisions'>,
  account: number,
  read: (revision: UsageRevision) => Promise<Read>,
): Promise<Read | undefined> {
  const revisionBefore = await revisions.find(account);
  if (!revisionBefore) return undefined;
  const result = await read(revisionBefore);
  const revisionAfter = await revisions.find(account);
  return revisionAfter?.generation === revisionBefore.generation
    ? result
    : readAtRevision({ revisions }, account, read);
}

const estimateBytes = (sums: UsageSums): number =>
  [...sums.values()].reduce((bytes, { byteLength }) => bytes + byteLength + 200, 200);

/** Returns the last day that is final. Later days may still be reported and are never cached. */
export function getLastClosedDay(today: Day): Day {
  return today - OPEN_DAYS;
}

/** Dependencies of queries that cache the days that can't change any more. */
export type CachedQueryDeps = Pick<UsageQueryDeps, 'usage' | 'closedDays'>;

/** A way to compute seconds by day. */
interface SumStrategy {
  readonly name: string;
  /** Days per block. */
  readonly blockDays: number;
  /** Returns all applications, whatever is requested. */
  readonly includesAll: boolean;
  readonly read: (query: ReadQuery) => Promise<UsageSums>;
}

/** Sums the focused seconds on each day, block by block. Blocks of closed days are cached. */
async function sumByBlock(
  { closedDays }: CachedQueryDeps,
  { account, device, days }: Scope,
  { applications, ...range }: ReadQuery,
  { lastClosedDay, name, blockDays, includesAll, read }: SumStrategy & { readonly lastClosedDay: Day },
): Promise<UsageSums> {
  const sums: UsageSums = new Map();
  function addBlock(block: DayRange, sumsByApplication: UsageSums): void {
    for (const [application, blockSums] of sumsByApplication)
      if (applications?.includes(application) ?? true)
        copySums({ sums: getOrCreateSums(sums, range, application), range }, block, blockSums);
  }
  async function addCachedBlock(block: DayRange, query: readonly number[] | undefined): Promise<void> {
    const key = `${name} ${device ?? 'all'} ${days.zone} ${query?.join(' ') ?? 'every'} ${block.from} ${block.until}`;
    async function compute() {
      await yieldToOthers();
      const value = await read({ ...block, ...(query && { applications: query }) });
      return { value, bytes: estimateBytes(value) };
    }
    addBlock(block, await closedDays.getOrCompute(account, { key, ...getBounds(days, block) }, compute));
  }
  const { blocks, open } = splitIntoBlocks(range, lastClosedDay, blockDays);
  const applicationSets = includesAll || !applications ? [undefined] : applications.map((application) => [application]);
  for (const block of blocks) await Promise.all(applicationSets.map(async (query) => addCachedBlock(block, query)));
  for (const part of splitRange(open, blockDays))
    addBlock(part, await read({ ...part, ...(applications && { applications }) }));
  return sums;
}

const createMergeStrategy = ({ usage }: CachedQueryDeps, scope: Scope): SumStrategy => ({
  name: 'merged',
  blockDays: DAYS_PER_BATCH,
  includesAll: true,
  read: async (range) => sumSegments(usage, scope, range),
});

const createSumStrategy = ({ usage }: CachedQueryDeps, scope: Scope, { applications }: ReadQuery): SumStrategy => ({
  name: 'days',
  blockDays: applications === undefined ? DAYS_PER_BLOCK : DAYS_PER_APPLICATION_BLOCK,
  includesAll: false,
  read: async (query) => {
    if (query.applications === undefined && countDays(query) <= MAX_DAYS_FROM_SEGMENTS)
      return sumSegments(usage, scope, query);
    const sums = await readAtRevision(usage, scope.account, async (revision) =>
      sumRollups(usage, scope, query, revision),
    );
    return sums ?? new Map<number, DaySums>();
  },
});

/** Returns the focused seconds on each day, by application. Unused applications may be missing. */
export async function loadSecondsByDay(
  deps: CachedQueryDeps,
  scope: Scope,
  query: ReadQuery,
  today: Day,
): Promise<ReadonlyMap<number, DaySums>> {
  // A single computer has one focus at a time.
  const strategy =
    scope.mergesComputers && scope.device === undefined
      ? createMergeStrategy(deps, scope)
      : createSumStrategy(deps, scope, query);
  return sumByBlock(deps, scope, query, { ...strategy, lastClosedDay: getLastClosedDay(today) });
}
