import type { Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
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

/** UTC days that a repair rewrites together. */
const REPAIR_BATCH_DAYS = 32;
/**
 * Rollups as texts by key. The text of `slot 12 on 1983244` has the seconds; that of `day 1 12 20000` has seconds,
 * openings and the longest focus.
 */
type RollupTextByKey = Map<string, string>;

/** Returns the zones whose days are read. Days of a zone that is still being built may be missing. */
const listReadZones = (revision: UsageRevision) => listZones({ ...revision, nextZone: undefined });

/** Days that are checked together. */
const CHECK_BATCH_DAYS = 512;
/** No usage is before 2000 or after 2150. */
const FIRST_DAY = 10_957;
const LAST_DAY = 65_745;
/** UTC days that days of a zone can reach, on either side. */
const MARGIN_DAYS = 2;

interface SlotRollup extends SlotKey {
  readonly slot: number;
}
const formatSlotKey = ({ application, status, slot }: SlotRollup): string => `slot ${application} ${status} ${slot}`;

function addSlotTexts(texts: RollupTextByKey, tracks: readonly Track[]): void {
  for (const { application, status, ranges } of tracks)
    for (const [slot, seconds] of sumSecondsBySlot(ranges))
      texts.set(formatSlotKey({ application, status, slot }), `${seconds}`);
}

function addDayTexts(texts: RollupTextByKey, generation: number, application: number, uses: readonly DayUse[]): void {
  for (const { day, seconds, opened, longest } of uses)
    texts.set(`day ${generation} ${application} ${day}`, `${seconds} ${opened} ${longest}`);
}

/** Returns the focus of a UTC day as a track of all applications together. */
const toFocusTrack = (tracks: readonly Track[]): Track => ({
  application: ALL_APPLICATIONS,
  status: 'on',
  ranges: tracks.flatMap(({ status, ranges }) => (status === 'on' ? ranges : [])).toSorted((a, b) => a.from - b.from),
});

interface DayWindow {
  readonly first: Day;
  readonly last: Day;
}
type Totals = Map<number, { readonly seconds: number; readonly extent: SecondRange | undefined }>;

/** Returns the rollups of a device as its segments give them. Adds the focus to `totals`. */
async function computeRollups(
  { tx, device, revision }: DeviceContext,
  { segments }: UsageStore,
  { first, last }: DayWindow,
  totals: Totals,
): Promise<RollupTextByKey> {
  const texts: RollupTextByKey = new Map();
  const tracksByDay = await segments.readDays(tx, device, listIntegers(first - MARGIN_DAYS, last + MARGIN_DAYS));
  for (const [day, tracks] of tracksByDay) {
    if (day < first || day > last) continue;
    const allTracks = [...tracks, toFocusTrack(tracks)];
    addSlotTexts(texts, allTracks);
    for (const { application, status, ranges } of allTracks) {
      if (status !== 'on' || ranges.length === 0) continue;
      const { seconds = 0, extent } = totals.get(application) ?? {};
      totals.set(application, { seconds: seconds + sumLengths(ranges), extent: ranges.reduce(coverRanges, extent) });
    }
  }
  const focus = collectFocus(tracksByDay.keys(), (day) => tracksByDay.get(day) ?? []);
  if (focus.size === 0) return texts;
  for (const { days, generation } of listReadZones(revision)) {
    const usesByApplication = listUses(focus, days, listIntegers(first, last), [ALL_APPLICATIONS, ...focus.keys()]);
    for (const [application, uses] of usesByApplication) addDayTexts(texts, generation, application, uses);
  }
  return texts;
}

async function readStoredRollups(
  { tx, account, device, revision }: DeviceContext,
  { slots, days }: UsageStore,
  { first, last }: DayWindow,
): Promise<RollupTextByKey> {
  const texts: RollupTextByKey = new Map();
  const bounds = { from: first * DAY_SECONDS, until: (last + 1) * DAY_SECONDS };
  for (const { application, status, slots: seriesSlots, seconds } of await slots.listBetween(
    account,
    { device, statuses: STATUSES, ...bounds },
    tx,
  ))
    for (const [index, slot] of seriesSlots.entries())
      texts.set(formatSlotKey({ application, status, slot }), `${seconds[index]}`);
  for (const { generation } of listReadZones(revision))
    for (const series of await days.listBetween(account, { generation, device, from: first, until: last }, tx))
      for (const [index, day] of series.days.entries())
        texts.set(
          `day ${generation} ${series.application} ${day}`,
          `${series.seconds[index]} ${series.opened[index]} ${series.longest[index]}`,
        );
  return texts;
}

const formatTotals = (totals: Iterable<Total>): RollupTextByKey =>
  new Map(
    [...totals].map(({ application, seconds, first, last }) => [`${application}`, `${seconds} ${first} ${last}`]),
  );

const countDifferences = (a: RollupTextByKey, b: RollupTextByKey): number =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).length;

/** Compares the rollups of a device with its segments. Returns the number of differences, and the correct totals. */
async function compareWithSegments(deviceContext: DeviceContext, store: UsageStore) {
  const computedTotals: Totals = new Map();
  let differenceCount = 0;
  for (let first = FIRST_DAY; first <= LAST_DAY; first += CHECK_BATCH_DAYS) {
    const window = { first, last: first + CHECK_BATCH_DAYS - 1 };
    const rollups = await computeRollups(deviceContext, store, window, computedTotals);
    differenceCount += countDifferences(rollups, await readStoredRollups(deviceContext, store, window));
  }
  const totals = [...computedTotals].flatMap(([application, { seconds, extent }]): Total[] =>
    extent ? [{ application, seconds, first: extent.from, last: extent.until }] : [],
  );
  const storedTotals = await store.totals.list(deviceContext.account, deviceContext.device, deviceContext.tx);
  return {
    differenceCount: differenceCount + countDifferences(formatTotals(totals), formatTotals(storedTotals)),
    totals,
  };
}

function formatKey({ application, status }: SlotKey): string {
  return `${application} ${status}`;
}

/** Appends without a spread, because a day can have more ranges than a call may have arguments. */
function appendRanges(target: SecondRange[], ranges: readonly SecondRange[]): void {
  for (const range of ranges) target.push(range);
}

/** Rewrites all rollups of a device from its segments. */
async function rebuild(deviceContext: DeviceContext, store: UsageStore, totals: readonly Total[]): Promise<void> {
  const { tx, device, revision } = deviceContext;
  await store.slots.clear(tx, device);
  await store.days.clear(tx, device);
  await store.totals.clear(tx, device);
  await store.totals.save(tx, device, totals);
  for (const days of splitIntoChunks(await store.segments.listDaysWithData(tx, device), REPAIR_BATCH_DAYS)) {
    const tracksByDay = await store.segments.readDays(tx, device, days);
    const keys = new Map<string, SlotKey>();
    const rangesByKey = new Map<string, SecondRange[]>();
    for (const dayTracks of tracksByDay.values())
      for (const { application, status, ranges } of [...dayTracks, toFocusTrack(dayTracks)]) {
        const key = formatKey({ application, status });
        keys.set(key, { application, status });
        appendRanges(getOrCreateList(rangesByKey, key), ranges);
      }
    const listEntries = (key: SlotKey) =>
      sumSecondsBySlot((rangesByKey.get(formatKey(key)) ?? []).toSorted((a, b) => a.from - b.from));
    await store.slots.save(tx, device, [...keys.values()], { days, listEntries });
    const focus = [...tracksByDay.values()].flatMap((dayTracks) => toFocusTrack(dayTracks).ranges);
    for (const zone of listZones(revision)) await rewriteDays(store, deviceContext, zone, focus);
  }
}

/**
 * Compares all rollups with the segments. Each computer is one transaction.
 * @param shouldRepair whether to recalculate the rollups of computers with differences
 * @returns one problem for each computer with differences
 */
export async function checkUsage(
  { database, store, changes }: DataCheckDeps,
  shouldRepair: boolean,
): Promise<readonly DataProblem[]> {
  const problems: DataProblem[] = [];
  for (const account of await store.revisions.listAccounts())
    for (const { id: device, name } of await store.devices.list(account))
      await database.transaction(async ({ tx, afterCommit }) => {
        const current = await store.revisions.find(account, tx);
        if (!current) return;
        const revision = await store.revisions.increment(tx, account, current.zone);
        const deviceContext = { tx, account, device, revision };
        const { differenceCount, totals } = await compareWithSegments(deviceContext, store);
        if (differenceCount === 0) return;
        if (shouldRepair) {
          await rebuild(deviceContext, store, totals);
          afterCommit(() =>
            changes.publish({ account, device, from: FIRST_DAY * DAY_SECONDS, until: LAST_DAY * DAY_SECONDS }),
          );
        }
        problems.push({
          repair: shouldRepair ? 'done' : 'possible',
          message: `screen time of account ${account}, computer ${device} (${name}): ${differenceCount} totals do not match the recorded intervals${shouldRepair ? ' and were recalculated' : ''}`,
        });
      });
  return problems;
}
