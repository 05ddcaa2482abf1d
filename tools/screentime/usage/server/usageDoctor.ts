import type { Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { DataProblem } from '#platform/server/tool.ts';
import { STATUSES } from '../../contract/limits.ts';
import { type Day, listIntegers, sumSecondsBySlot } from '../domain/days.ts';
import { coverRanges, listUses, type DayUse } from '../domain/deviceRecord.ts';
import { ALL_APPLICATIONS, sumLengths, type SecondRange, type Track } from '../domain/track.ts';
import { collectFocus, listZones, rewriteDays } from './recording.ts';
import type { Total } from './store/dayStore.ts';
import type { UsageRevision } from './store/revisionStore.ts';
import type { SlotKey } from './store/slotStore.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';

interface DataCheckDeps {
  readonly database: Database;
  readonly store: UsageStore;
  readonly changes: UsageChanges;
}
interface DeviceContext {
  readonly tx: Transaction<unknown>;
  readonly account: number;
  readonly device: number;
  readonly revision: UsageRevision;
}

/** UTC days that are rewritten together. */
const REPAIR_BATCH_DAYS = 32;
/** Rollup values by name, such as `slot 12 on 1983244`. */
type CountsByName = Map<string, string>;

/** Returns the zones that are read. Days of a zone that is still being built may be missing. */
const listReadZones = (revision: UsageRevision) => listZones({ ...revision, nextZone: undefined });

/** Days that are checked together. */
const CHECK_BATCH_DAYS = 512;
/** No usage is before 2000 or after 2150. */
const FIRST_DAY = 10_957;
const LAST_DAY = 65_745;
/** UTC days that days of a zone can reach, on either side. */
const MARGIN_DAYS = 2;

function countSlots(counts: CountsByName, tracks: readonly Track[]): void {
  for (const { application, status, spans } of tracks)
    for (const [slot, seconds] of sumSecondsBySlot(spans))
      counts.set(`slot ${application} ${status} ${slot}`, `${seconds}`);
}
function countDays(counts: CountsByName, generation: number, uses: ReadonlyMap<number, readonly DayUse[]>): void {
  for (const [application, dayUses] of uses)
    for (const { day, seconds, opened, longest } of dayUses)
      counts.set(`day ${generation} ${application} ${day}`, `${seconds} ${opened} ${longest}`);
}

/** Merges a day's focus of all applications into one track. */
const mergeFocus = (tracks: readonly Track[]): Track => ({
  application: ALL_APPLICATIONS,
  status: 'on',
  spans: tracks.flatMap(({ status, spans }) => (status === 'on' ? spans : [])).toSorted((a, b) => a.from - b.from),
});

interface DayWindow {
  readonly first: Day;
  readonly last: Day;
}
type Totals = Map<number, { readonly seconds: number; readonly extent: SecondRange | undefined }>;

/** Computes the rollups from the segments alone. Adds to `totals`. */
async function computeCounts(
  { tx, device, revision }: DeviceContext,
  { segments }: UsageStore,
  { first, last }: DayWindow,
  totals: Totals,
): Promise<CountsByName> {
  const counts: CountsByName = new Map();
  const tracksByDay = await segments.readDays(tx, device, listIntegers(first - MARGIN_DAYS, last + MARGIN_DAYS));
  for (const [day, tracks] of tracksByDay) {
    if (day < first || day > last) continue;
    const all = [...tracks, mergeFocus(tracks)];
    countSlots(counts, all);
    for (const { application, status, spans } of all) {
      if (status !== 'on' || spans.length === 0) continue;
      const { seconds = 0, extent } = totals.get(application) ?? {};
      totals.set(application, { seconds: seconds + sumLengths(spans), extent: spans.reduce(coverRanges, extent) });
    }
  }
  const focus = collectFocus(tracksByDay.keys(), (day) => tracksByDay.get(day) ?? []);
  if (focus.size > 0)
    for (const { days, generation } of listReadZones(revision))
      countDays(
        counts,
        generation,
        listUses(focus, days, listIntegers(first, last), [ALL_APPLICATIONS, ...focus.keys()]),
      );
  return counts;
}

/** Reads the stored rollups. */
async function readStoredCounts(
  { tx, account, device, revision }: DeviceContext,
  { slots, days }: UsageStore,
  { first, last }: DayWindow,
): Promise<CountsByName> {
  const counts: CountsByName = new Map();
  const bounds = { from: first * DAY_SECONDS, until: (last + 1) * DAY_SECONDS };
  for (const series of await slots.listBetween(account, { device, statuses: STATUSES, ...bounds }, tx))
    for (const [index, slot] of series.slots.entries())
      counts.set(`slot ${series.application} ${series.status} ${slot}`, `${series.seconds[index]}`);
  for (const { generation } of listReadZones(revision))
    for (const series of await days.listBetween(account, { generation, device, from: first, until: last }, tx))
      for (const [index, day] of series.days.entries())
        counts.set(
          `day ${generation} ${series.application} ${day}`,
          `${series.seconds[index]} ${series.opened[index]} ${series.longest[index]}`,
        );
  return counts;
}

const formatTotals = (totals: Iterable<Total>): CountsByName =>
  new Map(
    [...totals].map(({ application, seconds, first, last }) => [`${application}`, `${seconds} ${first} ${last}`]),
  );

const countDifferences = (a: CountsByName, b: CountsByName): number =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).length;

/** Counts differences from the segments, and returns the correct totals. */
async function compareWithSegments(deviceContext: DeviceContext, store: UsageStore) {
  const computedTotals: Totals = new Map();
  let wrongCount = 0;
  for (let first = FIRST_DAY; first <= LAST_DAY; first += CHECK_BATCH_DAYS) {
    const window = { first, last: first + CHECK_BATCH_DAYS - 1 };
    const expected = await computeCounts(deviceContext, store, window, computedTotals);
    wrongCount += countDifferences(expected, await readStoredCounts(deviceContext, store, window));
  }
  const totals = [...computedTotals].flatMap(([application, { seconds, extent }]): Total[] =>
    extent ? [{ application, seconds, first: extent.from, last: extent.until }] : [],
  );
  const storedTotals = await store.totals.list(deviceContext.account, deviceContext.device, deviceContext.tx);
  return { wrongCount: wrongCount + countDifferences(formatTotals(totals), formatTotals(storedTotals)), totals };
}

/** Rewrites all rollups of a device. */
async function rebuild(deviceContext: DeviceContext, store: UsageStore, totals: readonly Total[]): Promise<void> {
  const { tx, device, revision } = deviceContext;
  await store.slots.clear(tx, device);
  await store.days.clear(tx, device);
  await store.totals.clear(tx, device);
  await store.totals.save(tx, device, totals);
  for (const days of splitIntoChunks(await store.segments.listDaysWithData(tx, device), REPAIR_BATCH_DAYS)) {
    const tracksByDay = await store.segments.readDays(tx, device, days);
    const tracks = new Map<string, SecondRange[]>();
    const keys = new Map<string, SlotKey>();
    for (const dayTracks of tracksByDay.values())
      for (const { application, status, spans } of [...dayTracks, mergeFocus(dayTracks)]) {
        const key = `${application} ${status}`;
        keys.set(key, { application, status });
        tracks.set(key, [...(tracks.get(key) ?? []), ...spans]);
      }
    const listEntries = ({ application, status }: SlotKey) =>
      sumSecondsBySlot((tracks.get(`${application} ${status}`) ?? []).toSorted((a, b) => a.from - b.from));
    await store.slots.save(tx, device, [...keys.values()], { days, listEntries });
    const focused = [...tracksByDay.values()].flatMap((dayTracks) => mergeFocus(dayTracks).spans);
    for (const zone of listZones(revision)) await rewriteDays(store, deviceContext, zone, focused);
  }
}

/**
 * Compares all rollups with the segments and reports differences. Each computer is one transaction.
 * @param canRepair whether to repair differences
 */
export async function checkUsage(
  { database, store, changes }: DataCheckDeps,
  canRepair: boolean,
): Promise<readonly DataProblem[]> {
  const problems: DataProblem[] = [];
  for (const account of await store.revisions.listAccounts())
    for (const { id: device, name } of await store.devices.list(account))
      await database.transaction(async ({ tx, afterCommit }) => {
        const current = await store.revisions.find(account, tx);
        if (!current) return;
        const revision = await store.revisions.increment(tx, account, current.zone);
        const deviceContext = { tx, account, device, revision };
        const { wrongCount, totals } = await compareWithSegments(deviceContext, store);
        if (wrongCount === 0) return;
        if (canRepair) {
          await rebuild(deviceContext, store, totals);
          afterCommit(() =>
            changes.publish({ account, device, from: FIRST_DAY * DAY_SECONDS, until: LAST_DAY * DAY_SECONDS }),
          );
        }
        problems.push({
          repair: canRepair ? 'done' : 'possible',
          message: `screen time of account ${account}, computer ${device} (${name}): ${wrongCount} totals do not match the recorded intervals${canRepair ? ' and were recalculated' : ''}`,
        });
      });
  return problems;
}
