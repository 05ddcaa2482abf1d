import type { Transaction } from 'kysely';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { getZoneDays, type Day, type ZoneDays, listUtcDays, sumSecondsBySlot } from '../domain/days.ts';
import {
  createDeviceRecord,
  coverRanges,
  getExtent,
  type DeviceRecord,
  type TrackChange,
  MIN_REOPEN_GAP_SECONDS,
  listUses,
  type Focus,
} from '../domain/deviceRecord.ts';
import type { UsageInterval } from '../domain/interval.ts';
import { ALL_APPLICATIONS, addRange, mergeRanges, type SecondRange, type Track } from '../domain/track.ts';
import type { ApplicationIds } from './applicationIds.ts';
import type { Total } from './store/dayStore.ts';
import type { UsageRevision } from './store/revisionStore.ts';
import type { SlotKey } from './store/slotStore.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';

/** Target of a write: a device, and the zones whose days are stored. */
export interface RecordingTarget {
  readonly tx: Transaction<unknown>;
  readonly device: number;
  readonly revision: UsageRevision;
}

interface StoredZone {
  readonly days: ZoneDays;
  readonly generation: number;
}

/** Lists the zone that is read, and the one that is being built. */
export function listZones({ zone, generation, nextZone }: UsageRevision): readonly StoredZone[] {
  return [
    { days: getZoneDays(zone), generation },
    ...(nextZone === undefined ? [] : [{ days: getZoneDays(nextZone), generation: generation + 1 }]),
  ];
}

/** Lists the days of a zone that a change of focus can affect. */
function listAffectedDays({ getDay }: ZoneDays, ranges: Iterable<SecondRange>): ReadonlySet<Day> {
  const days = new Set<Day>();
  for (const { from, until } of ranges)
    // The change may affect whether a start of focus soon after it counts as an opening.
    for (let day = getDay(from); day <= getDay(until - 1 + MIN_REOPEN_GAP_SECONDS); day += 1) days.add(day);
  return days;
}

/** Lists the UTC days that days of a zone are computed from. */
const listSourceUtcDays = ({ getStart }: ZoneDays, days: Iterable<Day>): readonly Day[] =>
  [...days].flatMap((day) => {
    const [from, until] = [getStart(day), getStart(day + 1)];
    return from < until ? listUtcDays({ from: from - MIN_REOPEN_GAP_SECONDS, until }) : [];
  });

/** Collects all focus on these UTC days, by application. */
export function collectFocus(days: Iterable<Day>, listTracks: (day: Day) => readonly Track[]): Focus {
  const focus = new Map<number, SecondRange[]>();
  for (const day of [...new Set(days)].toSorted((a, b) => a - b))
    for (const { application, status, ranges } of listTracks(day)) {
      if (status !== 'on') continue;
      const focusedRanges = getOrCreateList(focus, application);
      for (const range of ranges) addRange(focusedRanges, range);
    }
  return focus;
}

/** Recomputes and writes the days of a zone that these changes of focus can affect. */
export async function rewriteDays(
  { segments, days: dayStore }: Pick<UsageStore, 'segments' | 'days'>,
  { tx, device }: Pick<RecordingTarget, 'tx' | 'device'>,
  { days, generation }: StoredZone,
  focused: Iterable<SecondRange>,
): Promise<void> {
  const rewrittenDays = listAffectedDays(days, focused);
  const tracksByDay = await segments.readDays(tx, device, [...new Set(listSourceUtcDays(days, rewrittenDays))]);
  const focus = collectFocus(tracksByDay.keys(), (day) => tracksByDay.get(day) ?? []);
  const uses = listUses(focus, days, [...rewrittenDays], [ALL_APPLICATIONS, ...focus.keys()]);
  await dayStore.save(tx, { device, generation }, rewrittenDays, uses);
}

/** Adds all applications together, if any focus changed. */
function addAllApplications(changes: readonly TrackChange[]): readonly TrackChange[] {
  const focus = changes.filter(({ status }) => status === 'on');
  if (focus.length === 0) return [];
  const netSeconds = focus.reduce((sum, change) => sum + change.netSeconds, 0);
  const hasLost = focus.some((change) => change.hasLost);
  const extent = focus.reduce<SecondRange | undefined>(
    (covered, change) => coverRanges(covered, change.added),
    undefined,
  );
  return [...focus, { application: ALL_APPLICATIONS, status: 'on', netSeconds, hasLost, added: extent }];
}

/** Creates the writer of usage. It updates the segments and all rollups in one transaction. */
export function createUsageRecorder({ segments, slots, days, totals }: UsageStore) {
  async function writeSlots({ tx, device }: RecordingTarget, record: DeviceRecord): Promise<void> {
    const changedDays = record.getChangedDays();
    const focus = collectFocus(changedDays.keys(), record.getTracks);
    const keys: SlotKey[] = record.listTrackChanges().map(({ application, status }) => ({ application, status }));
    if (keys.some(({ status }) => status === 'on')) keys.push({ application: ALL_APPLICATIONS, status: 'on' });
    function listRanges({ application, status }: SlotKey): readonly SecondRange[] {
      if (application === ALL_APPLICATIONS) return mergeRanges([...focus.values()].flat());
      if (status === 'on') return focus.get(application) ?? [];
      return [...changedDays.values()]
        .flatMap((tracks) => tracks.find((track) => track.application === application && track.status === status) ?? [])
        .flatMap(({ ranges }) => ranges)
        .toSorted((a, b) => a.from - b.from);
    }
    await slots.save(tx, device, keys, {
      days: [...changedDays.keys()],
      listEntries: (key) => sumSecondsBySlot(listRanges(key)),
    });
  }

  async function writeDays(
    { tx, device }: RecordingTarget,
    record: DeviceRecord,
    affectedDaysByZone: ReadonlyMap<StoredZone, ReadonlySet<Day>>,
  ): Promise<void> {
    const applications = addAllApplications(record.listTrackChanges()).map(({ application }) => application);
    if (applications.length === 0) return;
    for (const [zone, rewrittenDays] of affectedDaysByZone) {
      const focus = collectFocus(listSourceUtcDays(zone.days, rewrittenDays), record.getTracks);
      const uses = listUses(focus, zone.days, [...rewrittenDays], applications);
      await days.save(tx, { device, generation: zone.generation }, rewrittenDays, uses);
    }
  }

  /** Reads the first and last stored interval from the segments. */
  async function readEdges({ tx, device }: RecordingTarget, application: number): Promise<SecondRange | undefined> {
    const firstAndLast = await slots.findFirstAndLastDay(tx, device, { application, status: 'on' });
    if (!firstAndLast) return undefined;
    const tracksByDay = await segments.readDays(tx, device, [firstAndLast.first, firstAndLast.last]);
    const focusedRanges = [...collectFocus(tracksByDay.keys(), (day) => tracksByDay.get(day) ?? [])]
      .filter(([id]) => application === ALL_APPLICATIONS || id === application)
      .flatMap(([, ranges]) => ranges);
    return getExtent(focusedRanges);
  }

  async function writeTotals(target: RecordingTarget, record: DeviceRecord): Promise<void> {
    const { tx, device } = target;
    const changes = addAllApplications(record.listTrackChanges());
    const storedTotals = await totals.readByDevice(
      tx,
      device,
      changes.map(({ application }) => application),
    );
    const newTotals: Total[] = [];
    for (const { application, netSeconds, hasLost, added: extent } of changes) {
      const storedTotal = storedTotals.get(application);
      const storedRange = storedTotal && { from: storedTotal.first, until: storedTotal.last };
      const edges = hasLost ? await readEdges(target, application) : coverRanges(storedRange, extent);
      const { from, until } = edges ?? { from: 0, until: 0 };
      newTotals.push({ application, seconds: (storedTotal?.seconds ?? 0) + netSeconds, first: from, last: until });
    }
    await totals.save(tx, device, newTotals);
  }

  /**
   * Loads what a device did at these times, edits it, and writes it with all rollups.
   * @param intervals everything that `edit` adds or removes
   */
  async function recordUsage<T>(
    target: RecordingTarget,
    intervals: readonly UsageInterval[],
    edit: (record: DeviceRecord) => T,
  ): Promise<T> {
    const { tx, device, revision } = target;
    const focused = intervals.filter(({ status }) => status === 'on');
    const affectedDaysByZone = new Map(listZones(revision).map((zone) => [zone, listAffectedDays(zone.days, focused)]));
    const neededDays = new Set([
      ...intervals.flatMap(listUtcDays),
      ...[...affectedDaysByZone].flatMap(([zone, zoneDays]) => listSourceUtcDays(zone.days, zoneDays)),
    ]);
    const deviceRecord = createDeviceRecord(await segments.readDays(tx, device, [...neededDays]));
    const result = edit(deviceRecord);
    const changedDays = deviceRecord.getChangedDays();
    if (changedDays.size === 0) return result;
    await segments.save(tx, device, changedDays);
    await writeSlots(target, deviceRecord);
    await writeDays(target, deviceRecord, affectedDaysByZone);
    await writeTotals(target, deviceRecord);
    return result;
  }
  return { record: recordUsage };
}
export type UsageRecorder = ReturnType<typeof createUsageRecorder>;

/** Dependencies of everything that writes usage of named applications. */
export interface UsageWriterDeps {
  readonly context: Pick<ServerContext, 'database' | 'devices' | 'identity' | 'now'>;
  readonly store: UsageStore;
  readonly recording: UsageRecorder;
  readonly ids: ApplicationIds;
  readonly changes: UsageChanges;
  /** Called after the commit that created applications. */
  readonly onNewApplications: (account: number) => void;
}
