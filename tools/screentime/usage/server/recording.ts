import type { Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { getZoneDays, type Day, type ZoneDays, slotSeconds } from '../domain/days.ts';
import {
  openRecord,
  coverRanges,
  type DeviceRecord,
  type TrackChange,
  OPENED_AFTER,
  listUses,
  type Focus,
} from '../domain/deviceRecord.ts';
import type { UsageInterval } from '../domain/interval.ts';
import { ALL_APPLICATIONS, put, mergeRanges, type SecondRange, type Track } from '../domain/track.ts';
import type { Total } from './store/dayStore.ts';
import type { UsageRevision } from './store/revisionStore.ts';
import type { SlotKey } from './store/slotStore.ts';
import type { UsageStore } from './store/usageStores.ts';

/** Target of a write: a device, and the zones whose days are stored. */
export interface RecordingTarget {
  readonly tx: Transaction<unknown>;
  readonly device: number;
  readonly book: UsageRevision;
}

interface CachedZone {
  readonly days: ZoneDays;
  readonly generation: number;
}

/** Returns the zone that is read, and the one that is being built. */
export function listZones({ zone, generation, nextZone }: UsageRevision): readonly CachedZone[] {
  return [
    { days: getZoneDays(zone), generation },
    ...(nextZone === undefined ? [] : [{ days: getZoneDays(nextZone), generation: generation + 1 }]),
  ];
}

/** Returns the days of a zone that a change of focus can affect. */
const affectedDays = ({ getDay }: ZoneDays, spans: Iterable<SecondRange>): ReadonlySet<Day> => {
  const days = new Set<Day>();
  for (const { from, until } of spans)
    // The change may affect whether a start of focus soon after it counts as an opening.
    for (let day = getDay(from); day <= getDay(until - 1 + OPENED_AFTER); day += 1) days.add(day);
  return days;
};

/** Returns the UTC days of a range. */
export function utcDays({ from, until }: SecondRange): readonly Day[] {
  const first = Math.floor(from / DAY_SECONDS);
  return Array.from({ length: Math.floor((until - 1) / DAY_SECONDS) - first + 1 }, (_, at) => first + at);
}

/** Returns the UTC days that days of a zone are computed from. */
const sourceUtcDays = ({ getStart }: ZoneDays, days: Iterable<Day>): readonly Day[] =>
  [...days].flatMap((day) => {
    const [from, until] = [getStart(day), getStart(day + 1)];
    return from < until ? utcDays({ from: from - OPENED_AFTER, until }) : [];
  });

/** Returns all focus on these UTC days, by application. */
export function collectFocus(days: Iterable<Day>, listTracks: (day: Day) => readonly Track[]): Focus {
  const focus = new Map<number, SecondRange[]>();
  for (const day of [...new Set(days)].toSorted((one, other) => one - other))
    for (const { application, status, spans } of listTracks(day)) {
      if (status !== 'on') continue;
      const own = focus.get(application) ?? [];
      focus.set(application, own);
      for (const span of spans) put(own, span);
    }
  return focus;
}

/** Recomputes and writes the days of a zone that these changes of focus can affect. */
export async function rewriteDays(
  { segments, days: dayStore }: Pick<UsageStore, 'segments' | 'days'>,
  { tx, device }: Pick<RecordingTarget, 'tx' | 'device'>,
  { days, generation }: CachedZone,
  focused: Iterable<SecondRange>,
): Promise<void> {
  const written = affectedDays(days, focused);
  const stored = await segments.readDays(tx, device, [...new Set(sourceUtcDays(days, written))]);
  const focus = collectFocus(stored.keys(), (day) => stored.get(day) ?? []);
  const uses = listUses(focus, days, [...written], [ALL_APPLICATIONS, ...focus.keys()]);
  await dayStore.save(tx, { device, generation }, written, uses);
}

/** Adds all applications together, if any focus changed. */
const withAll = (touched: readonly TrackChange[]): readonly TrackChange[] => {
  const focus = touched.filter(({ status }) => status === 'on');
  if (focus.length === 0) return [];
  const gained = focus.reduce((sum, one) => sum + one.gained, 0);
  const hasLost = focus.some((one) => one.hasLost);
  const extent = focus.reduce<SecondRange | undefined>((all, one) => coverRanges(all, one.put), undefined);
  return [...focus, { application: ALL_APPLICATIONS, status: 'on', gained, hasLost, put: extent }];
};

/** Creates the writer of usage. It updates the segments and all rollups in one transaction. */
export function createUsageRecorder({ segments, slots, days, totals }: UsageStore) {
  const writeSlots = async ({ tx, device }: RecordingTarget, record: DeviceRecord): Promise<void> => {
    const changed = record.changed();
    const focus = collectFocus(changed.keys(), record.day);
    const keys: SlotKey[] = record.touched().map(({ application, status }) => ({ application, status }));
    if (keys.some(({ status }) => status === 'on')) keys.push({ application: ALL_APPLICATIONS, status: 'on' });
    const listSpans = ({ application, status }: SlotKey): readonly SecondRange[] => {
      if (application === ALL_APPLICATIONS) return mergeRanges([...focus.values()].flat());
      if (status === 'on') return focus.get(application) ?? [];
      return [...changed.values()]
        .flatMap((tracks) => tracks.find((track) => track.application === application && track.status === status) ?? [])
        .flatMap(({ spans }) => spans)
        .toSorted((one, other) => one.from - other.from);
    };
    await slots.save(tx, device, keys, {
      days: [...changed.keys()],
      listEntries: (key) => slotSeconds(listSpans(key)),
    });
  };

  const writeDays = async (
    { tx, device }: RecordingTarget,
    record: DeviceRecord,
    touched: ReadonlyMap<CachedZone, ReadonlySet<Day>>,
  ): Promise<void> => {
    const applications = withAll(record.touched()).map(({ application }) => application);
    if (applications.length === 0) return;
    for (const [zone, written] of touched) {
      const focus = collectFocus(sourceUtcDays(zone.days, written), record.day);
      const uses = listUses(focus, zone.days, [...written], applications);
      await days.save(tx, { device, generation: zone.generation }, written, uses);
    }
  };

  /** Reads the first and last stored interval from the segments. */
  const readEdges = async ({ tx, device }: RecordingTarget, application: number): Promise<SecondRange | undefined> => {
    const ends = await slots.findEnd(tx, device, { application, status: 'on' });
    if (!ends) return undefined;
    const tracksByDay = await segments.readDays(tx, device, [ends.first, ends.last]);
    const spans = [...collectFocus(tracksByDay.keys(), (day) => tracksByDay.get(day) ?? [])]
      .filter(([id]) => application === ALL_APPLICATIONS || id === application)
      .flatMap(([, own]) => own);
    return spans.reduce<SecondRange | undefined>(coverRanges, undefined);
  };

  const writeTotals = async (writing: RecordingTarget, record: DeviceRecord): Promise<void> => {
    const { tx, device } = writing;
    const touched = withAll(record.touched());
    const stored = await totals.readByDevice(
      tx,
      device,
      touched.map(({ application }) => application),
    );
    const newTotals: Total[] = [];
    for (const { application, gained, hasLost, put: extent } of touched) {
      const old = stored.get(application);
      const before = old && { from: old.first, until: old.last };
      const edges = hasLost ? await readEdges(writing, application) : coverRanges(before, extent);
      const { from, until } = edges ?? { from: 0, until: 0 };
      newTotals.push({ application, seconds: (old?.seconds ?? 0) + gained, first: from, last: until });
    }
    await totals.save(tx, device, newTotals);
  };

  /**
   * Loads what a device did at these times, edits it, and writes it with all rollups.
   * @param intervals everything that `edit` adds or removes
   */
  const record = async <T>(
    writing: RecordingTarget,
    intervals: readonly UsageInterval[],
    edit: (record: DeviceRecord) => T,
  ): Promise<T> => {
    const { tx, device, book } = writing;
    const focused = intervals.filter(({ status }) => status === 'on');
    const touched = new Map(listZones(book).map((zone) => [zone, affectedDays(zone.days, focused)]));
    const needed = new Set([
      ...intervals.flatMap(utcDays),
      ...[...touched].flatMap(([zone, own]) => sourceUtcDays(zone.days, own)),
    ]);
    const opened = openRecord(await segments.readDays(tx, device, [...needed]));
    const result = edit(opened);
    const changed = opened.changed();
    if (changed.size === 0) return result;
    await segments.save(tx, device, changed);
    await writeSlots(writing, opened);
    await writeDays(writing, opened, touched);
    await writeTotals(writing, opened);
    return result;
  };
  return { record };
}
export type UsageRecorder = ReturnType<typeof createUsageRecorder>;
