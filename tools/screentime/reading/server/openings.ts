import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Day } from '../../usage/domain/days.ts';
import { MIN_REOPEN_GAP_SECONDS, listUses, type DayUse, type Focus } from '../../usage/domain/deviceRecord.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import type { UsageRevision } from '../../usage/server/store/revisionStore.ts';
import type { DeviceTracks } from '../../usage/server/store/segmentStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { splitIntoBlocks, getBounds, countDays, listDays, splitRange, type DayRange } from '../domain/daySums.ts';
import { readAtRevision, getLastClosedDay, type CachedQueryDeps, type ReadQuery, type Scope } from './usageQueries.ts';

/** How often an application got the focus, and its longest focused interval, on days of a range. */
export interface Openings {
  readonly opened: number;
  /** Longest focused interval within a day, in seconds. */
  readonly longest: number;
}

type DayOpenings = Openings & Pick<DayUse, 'day'> & { readonly application: number };

/** Days per batch of segments, so that other requests run in between. */
const DAYS_PER_BATCH = 32;
/** Estimated memory of a day's openings. */
const OPENING_BYTES = 60;

const toFocus = (tracks: DeviceTracks['tracks']): Focus =>
  new Map(tracks.filter(({ status }) => status === 'on').map(({ application, ranges }) => [application, ranges]));

/** Returns the openings of every application from segments, for each day and computer. */
async function countFromSegments(
  { segments }: UsageStore,
  { account, device, days }: Scope,
  range: DayRange,
): Promise<readonly DayOpenings[]> {
  await yieldToOthers();
  const { from, until } = getBounds(days, range);
  const computers = await segments.listBetween(account, { device, from: from - MIN_REOPEN_GAP_SECONDS, until });
  return computers.flatMap(({ tracks }) => {
    const focus = toFocus(tracks);
    const uses = listUses(focus, days, listDays(range), [ALL_APPLICATIONS, ...focus.keys()]);
    return [...uses].flatMap(([application, dayUses]) =>
      dayUses.map(({ day, opened, longest }) => ({ application, day, opened, longest })),
    );
  });
}

/** Returns the openings in another zone than the home zone, from segments. Blocks of closed days are cached. */
async function countInOtherZone(
  { usage, closedDays }: CachedQueryDeps,
  scope: Scope,
  range: DayRange,
  today: Day,
): Promise<readonly DayOpenings[]> {
  const result: DayOpenings[] = [];
  const { blocks, open } = splitIntoBlocks(range, getLastClosedDay(today), DAYS_PER_BATCH);
  for (const block of blocks) {
    const key = `openings ${scope.device ?? 'all'} ${scope.days.zone} ${block.from} ${block.until}`;
    const compute = async () => {
      const value = await countFromSegments(usage, scope, block);
      return { value, bytes: value.length * OPENING_BYTES };
    };
    for (const dayOpenings of await closedDays.getOrCompute(
      scope.account,
      { key, ...getBounds(scope.days, block) },
      compute,
    ))
      if (dayOpenings.day >= range.from && dayOpenings.day <= range.until) result.push(dayOpenings);
  }
  for (const part of splitRange(open, DAYS_PER_BATCH)) result.push(...(await countFromSegments(usage, scope, part)));
  return result;
}

/** Returns the openings on stored days of the home zone, for each computer and application. */
async function loadStoredOpenings(
  { days }: UsageStore,
  { account, device }: Scope,
  query: ReadQuery,
  { generation }: UsageRevision,
): Promise<readonly Omit<DayOpenings, 'day'>[]> {
  const seriesOfDays = await days.listBetween(account, { generation, device, ...query });
  return seriesOfDays.map(({ application, opened, longest }) => ({
    application,
    opened: opened.reduce((sum, times) => sum + times, 0),
    longest: longest.reduce((max, seconds) => Math.max(max, seconds), 0),
  }));
}

/** Returns openings by application, including `ALL_APPLICATIONS`; several computers are added up. */
export async function loadOpenings(
  deps: CachedQueryDeps,
  scope: Scope,
  query: ReadQuery,
  today: Day,
): Promise<ReadonlyMap<number, Openings>> {
  const openingsByApplication = new Map<number, Openings>();
  if (countDays(query) === 0) return openingsByApplication;
  const openings = await readAtRevision(deps.usage, scope.account, async (revision) =>
    revision.zone === scope.days.zone
      ? loadStoredOpenings(deps.usage, scope, query, revision)
      : countInOtherZone(deps, scope, { from: query.from, until: query.until }, today),
  );
  function addOpenings(application: number, { opened, longest }: Openings): void {
    const before = openingsByApplication.get(application);
    openingsByApplication.set(application, {
      opened: opened + (before?.opened ?? 0),
      longest: Math.max(longest, before?.longest ?? 0),
    });
  }
  for (const { application, ...counts } of openings ?? []) addOpenings(application, counts);
  return openingsByApplication;
}
