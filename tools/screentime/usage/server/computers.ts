import type { Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Day } from '../domain/days.ts';
import { coverRanges, type DeviceRecord } from '../domain/deviceRecord.ts';
import type { UsageInterval } from '../domain/interval.ts';
import { ALL_APPLICATIONS, sumLengths, addRange, clipRanges, type SecondRange, type Track } from '../domain/track.ts';
import type { ApplicationIds } from './applicationIds.ts';
import type { UsageRecorder } from './recording.ts';
import type { UsageDevice } from './store/deviceStore.ts';
import type { UsageRevision } from './store/revisionStore.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';

/** UTC days per transaction, so that other writes can run in between. */
const DAYS_PER_TRANSACTION = 16;

export interface MergedComputers {
  readonly from: number;
  readonly into: number;
  /** Name of the computer that remains. */
  readonly name: string;
}

export interface ComputersOptions {
  readonly context: Pick<ServerContext, 'database' | 'devices' | 'identity'>;
  readonly store: UsageStore;
  readonly recording: UsageRecorder;
  readonly ids: Pick<ApplicationIds, 'clearAccount'>;
  readonly changes: UsageChanges;
  /** Runs in the last transaction of a merge, to move what refers to the merged computer. */
  readonly onMerge: (tx: Transaction<unknown>, account: number, computers: MergedComputers) => Promise<void>;
  /** Called after recorded usage has changed, to recompute what was derived from these days. */
  readonly onPastChange: (account: number, range: SecondRange) => Promise<void>;
  readonly onApplicationsRemoved: (account: number) => void;
}

export type ComputerOrigin = 'paired' | 'imported' | 'removed';

interface ComputerEdit {
  readonly tx: Transaction<unknown>;
  readonly account: number;
  readonly revision: UsageRevision;
}

const createDeviceNotFound = (): Refusal => new Refusal('device.not_found', 'There is no such device');

const toIntervals = (days: ReadonlyMap<Day, readonly Track[]>): readonly UsageInterval[] =>
  [...days.values()].flatMap((tracks) =>
    tracks.flatMap(({ application, status, ranges }) => ranges.map((range) => ({ application, status, ...range }))),
  );

const sumFocusedSeconds = (intervals: readonly UsageInterval[]): number =>
  sumLengths(intervals.filter(({ status }) => status === 'on'));

function toDayRange(days: readonly Day[]): SecondRange | undefined {
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined
    ? undefined
    : { from: first * DAY_SECONDS, until: (last + 1) * DAY_SECONDS };
}

/** Returns the parts of tracks that overlap the intervals, by UTC day. */
export function intersectTracks(
  days: ReadonlyMap<Day, readonly Track[]>,
  intervals: readonly UsageInterval[],
): ReadonlyMap<Day, readonly Track[]> {
  const rangesByTrack = new Map<string, SecondRange[]>();
  for (const { application, status, ...range } of intervals) {
    const key = `${application} ${status}`;
    addRange(getOrCreateList(rangesByTrack, key), { from: range.from, until: range.until });
  }
  return new Map(
    [...days].map(([day, tracks]) => [
      day,
      tracks.map((track) => ({
        ...track,
        ranges: track.ranges.flatMap((range) =>
          clipRanges(rangesByTrack.get(`${track.application} ${track.status}`) ?? [], range),
        ),
      })),
    ]),
  );
}

function getOrigin({ id, hostname }: UsageDevice, paired: ReadonlyMap<number, unknown>): ComputerOrigin {
  if (hostname !== undefined) return 'imported';
  return paired.has(id) ? 'paired' : 'removed';
}

/** Creates the service that lists, deletes and merges computers with usage, and undoes imports. */
export function createComputers(options: ComputersOptions) {
  const { store, recording, ids, changes, onMerge, onPastChange, onApplicationsRemoved } = options;
  const { database, devices, identity } = options.context;

  const listPaired = async (account: number): Promise<ReadonlyMap<number, Device>> =>
    new Map(
      (await devices.list(account)).flatMap((device) => (device.kind === 'computer' ? [[device.id, device]] : [])),
    );

  /** Runs in a transaction that locks the account's usage. */
  async function runEdit<T>(account: number, run: (context: ComputerEdit) => Promise<T>): Promise<T> {
    const zone = await identity.resolveZone(account);
    return database.transaction(async ({ tx }) =>
      run({ tx, account, revision: await store.revisions.increment(tx, account, zone) }),
    );
  }

  /**
   * Finds a computer.
   * @throws Refusal with the same sentence for unknown and foreign ones.
   */
  async function requireDevice({ tx, account }: ComputerEdit, id: number): Promise<UsageDevice> {
    const match = (await store.devices.list(account, tx)).find((device) => device.id === id);
    if (!match) throw createDeviceNotFound();
    return match;
  }

  /** Invalidates caches and notifies pages after every change. */
  async function handleChange(account: number, device: number, range: SecondRange | undefined): Promise<void> {
    if (!range) return;
    changes.publish({ account, device, ...range });
    await onPastChange(account, range);
  }

  async function removeUnusedApplications({ tx, account }: ComputerEdit): Promise<boolean> {
    // Inside the transaction: waiting transactions must not use an id that is deleted.
    ids.clearAccount(account);
    return (await store.applications.removeUnused(tx, account)) > 0;
  }

  /** Removes an imported computer from the list of devices. It was never paired. */
  async function removeFromDeviceList(account: number, device: number): Promise<void> {
    if ((await listPaired(account)).has(device)) await devices.remove(account, device);
  }

  async function list(account: number) {
    const [storedDevices, paired, totals] = [
      await store.devices.list(account),
      await listPaired(account),
      await store.totals.list(account),
    ];
    const all = new Map(
      totals.filter(({ application }) => application === ALL_APPLICATIONS).map((total) => [total.device, total]),
    );
    const unusedComputers = [...paired.values()].filter(({ id }) => !storedDevices.some((device) => device.id === id));
    const computers = [
      ...storedDevices,
      ...unusedComputers.map(({ id, name }): UsageDevice => ({ id, name, hostname: undefined })),
    ];
    return computers.map((device) => {
      const { seconds = 0, first, last } = all.get(device.id) ?? {};
      return {
        id: device.id,
        name: paired.get(device.id)?.name ?? device.name,
        origin: getOrigin(device, paired),
        seconds,
        ...(first === undefined || last === undefined ? {} : { first: first * 1000, last: last * 1000 }),
      };
    });
  }

  /**
   * Deletes all usage of a computer.
   * @throws Refusal if it is unknown.
   */
  async function remove(account: number, id: number): Promise<void> {
    const paired = await listPaired(account);
    const { origin, range, hasRemoved } = await runEdit(account, async (context) => {
      const { tx } = context;
      const device = await requireDevice(context, id);
      const currentOrigin = getOrigin(device, paired);
      const days = await store.segments.listDaysWithData(tx, id);
      if (currentOrigin === 'paired')
        // The position of its agent stays, so that uploaded segments are not uploaded again.
        for (const table of [store.segments, store.slots, store.days, store.totals, store.titles, store.imports])
          await table.clear(tx, id);
      else await store.devices.remove(tx, account, id);
      return { origin: currentOrigin, range: toDayRange(days), hasRemoved: await removeUnusedApplications(context) };
    });
    if (origin === 'imported') await removeFromDeviceList(account, id);
    if (hasRemoved) onApplicationsRemoved(account);
    await handleChange(account, id, range);
  }

  /** Moves a computer's usage and imports on some days. Returns the focused seconds that were moved and dropped. */
  async function moveDays(context: ComputerEdit, from: number, into: number, days: readonly Day[]) {
    const { tx, revision } = context;
    const intervals = toIntervals(await store.segments.readDays(tx, from, days));
    const movedIntervals = await recording.record({ tx, device: into, revision }, intervals, (record: DeviceRecord) =>
      intervals.flatMap((interval) => {
        const free = record.listUncovered(interval);
        return record.add(interval) === undefined
          ? []
          : free.map((range): UsageInterval => ({ ...interval, ...range }));
      }),
    );
    for (const { id } of await store.imports.listByDevice(tx, from)) {
      const before = await store.imports.readDays(tx, id, days);
      const after = intersectTracks(before, movedIntervals);
      await store.imports.saveDays(tx, id, after);
      const gained = sumFocusedSeconds(toIntervals(after)) - sumFocusedSeconds(toIntervals(before));
      await store.imports.addSeconds(tx, id, gained);
    }
    await recording.record({ tx, device: from, revision }, intervals, (record) => {
      for (const interval of intervals) record.remove(interval);
    });
    const seconds = sumFocusedSeconds(movedIntervals);
    return { moved: seconds, overlapping: sumFocusedSeconds(intervals) - seconds };
  }

  /**
   * Merges two computers.
   * @throws Refusal if `from` is still paired, or either is unknown.
   */
  async function merge(account: number, from: number, into: number) {
    if (from === into) throw new Refusal('screentime.same_computer', 'Choose two different computers');
    const paired = await listPaired(account);
    const source = await runEdit(account, async (context) => {
      const computer = await requireDevice(context, from);
      if (getOrigin(computer, paired) === 'paired')
        throw new Refusal(
          'screentime.still_paired',
          `${computer.name} is still paired. Merge the other computer into it, or revoke it first`,
        );
      const target = paired.get(into);
      if (target) await store.devices.save(context.tx, account, { id: into, name: target.name, hostname: undefined });
      else await requireDevice(context, into);
      return computer;
    });
    const total = { moved: 0, overlapping: 0 };
    let touched: SecondRange | undefined;
    for (let isOver = false; !isOver;)
      isOver = await runEdit(account, async (context) => {
        const { tx } = context;
        const target = await requireDevice(context, into);
        await requireDevice(context, from);
        const days = (await store.segments.listDaysWithData(tx, from)).slice(0, DAYS_PER_TRANSACTION);
        const result = await moveDays(context, from, into, days);
        total.moved += result.moved;
        total.overlapping += result.overlapping;
        touched = coverRanges(touched, toDayRange(days));
        if ((await store.segments.listDaysWithData(tx, from)).length > 0) return false;
        await store.titles.moveAll(tx, from, into);
        await store.imports.moveAll(tx, from, into);
        await store.devices.moveHostnames(tx, account, { from: source, into });
        await onMerge(tx, account, { from, into, name: target.name });
        await store.devices.remove(tx, account, from);
        return true;
      });
    if (source.hostname !== undefined) await removeFromDeviceList(account, from);
    if (touched) changes.publish({ account, device: from, ...touched });
    await handleChange(account, into, touched);
    return total;
  }

  /**
   * Removes what is left of an import.
   * @throws Refusal if it is unknown.
   */
  async function undoImport(account: number, id: number): Promise<void> {
    let touched: SecondRange | undefined;
    let isEmpty = false;
    let hasRemoved = false;
    let device = 0;
    for (let isOver = false; !isOver;)
      isOver = await runEdit(account, async (context) => {
        const { tx, revision } = context;
        const storedImport = await store.imports.get(tx, account, id);
        if (!storedImport)
          throw new Refusal('screentime.import_not_found', 'There is no such import. It may have been undone already');
        ({ device } = storedImport);
        const days = await store.imports.listFirstDays(tx, id, DAYS_PER_TRANSACTION);
        const intervals = toIntervals(await store.imports.readDays(tx, id, days));
        await recording.record({ tx, device, revision }, intervals, (record) => {
          for (const interval of intervals) record.remove(interval);
        });
        await store.imports.saveDays(tx, id, new Map(days.map((day) => [day, []])));
        touched = coverRanges(touched, toDayRange(days));
        if (days.length === DAYS_PER_TRANSACTION) return false;
        await store.imports.remove(tx, id);
        const { hostname } = await requireDevice(context, device);
        isEmpty = hostname !== undefined && (await store.segments.listDaysWithData(tx, device)).length === 0;
        if (isEmpty) await store.devices.remove(tx, account, device);
        hasRemoved = await removeUnusedApplications(context);
        return true;
      });
    if (isEmpty) await removeFromDeviceList(account, device);
    if (hasRemoved) onApplicationsRemoved(account);
    await handleChange(account, device, touched);
  }

  return { list, remove, merge, undoImport };
}
export type UsageComputers = ReturnType<typeof createComputers>;
