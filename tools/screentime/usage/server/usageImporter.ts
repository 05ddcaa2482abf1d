import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import { listFocus, type WatchedEvent, type WatchedFocus, type WatchedWindow } from '../domain/activityWatch.ts';
import { listUtcDays } from '../domain/days.ts';
import { createDeviceRecord, getExtent, type DeviceRecord } from '../domain/deviceRecord.ts';
import type { UsageInterval } from '../domain/interval.ts';
import { toStoredName } from './applicationIds.ts';
import type { UsageWriterDeps } from './recording.ts';

/** Events per transaction, so that other writes can run in between. */
const EVENTS_PER_TRANSACTION = 200;

interface ImportRequest {
  readonly account: number;
  readonly hostname: string;
  readonly window: readonly WatchedWindow[];
  readonly away: readonly WatchedEvent[];
  /** Import of the earlier chunks. */
  readonly importid: number | undefined;
}

interface NamedFocus extends WatchedFocus {
  readonly name: string;
}

interface ImportTarget {
  readonly account: number;
  readonly device: number;
  readonly zone: string;
}

/** What an event added. */
interface ImportedIntervals {
  readonly intervals: readonly UsageInterval[];
  readonly seconds: number;
}

/** Adds the new part of an event's intervals. */
function addNewIntervals(record: DeviceRecord, intervals: readonly UsageInterval[]): ImportedIntervals {
  const newIntervals: UsageInterval[] = [];
  let seconds = 0;
  for (const interval of intervals) {
    const uncovered = record.listUncovered(interval);
    const addedSeconds = record.add(interval) ?? 0;
    if (addedSeconds > 0) newIntervals.push(...uncovered.map((range) => ({ ...interval, ...range })));
    seconds += addedSeconds;
  }
  return { intervals: newIntervals, seconds };
}

/** Creates the import of ActivityWatch events. Recorded usage stays, so the same file can be imported twice. */
export function createUsageImporter(deps: UsageWriterDeps) {
  const { store, recording, ids, changes, onNewApplications } = deps;
  const { database, identity, devices, now } = deps.context;

  /** Finds or creates the recorded computer. It has no token, so nothing connects as it. */
  const findOrCreateComputer = async (account: number, hostname: string, zone: string): Promise<number> =>
    database.transaction(async ({ tx }) => {
      await store.revisions.increment(tx, account, zone);
      const existingId =
        (await store.devices.findByMergedHostname(tx, account, hostname)) ??
        (await store.devices.list(account, tx)).find((device) => device.hostname === hostname)?.id;
      if (existingId !== undefined) return existingId;
      const { id, name } = await devices.add(tx, {
        account,
        kind: 'computer',
        name: hostname,
        system: 'ActivityWatch',
      });
      await store.devices.save(tx, account, { id, name, hostname });
      return id;
    });

  /** Stores what an import added. Creates the import if needed, and returns its id. */
  async function storeImport(
    tx: Transaction<unknown>,
    { account, device }: ImportTarget,
    importid: number | undefined,
    importedEvents: readonly ImportedIntervals[],
  ): Promise<number> {
    const created = now().epochMilliseconds;
    const id = importid ?? (await store.imports.insert(tx, { account, device, created }));
    const intervals = importedEvents.flatMap((imported) => imported.intervals);
    const days = [...new Set(intervals.flatMap(listUtcDays))];
    const record = createDeviceRecord(await store.imports.readDays(tx, id, days));
    for (const interval of intervals) record.add(interval);
    await store.imports.saveDays(tx, id, record.getChangedDays());
    await store.imports.addSeconds(
      tx,
      id,
      importedEvents.reduce((sum, { seconds }) => sum + seconds, 0),
    );
    return id;
  }

  /**
   * Writes events.
   * @returns how many events added usage, and the id of their import
   */
  const write = async (
    target: ImportTarget,
    importid: number | undefined,
    events: readonly NamedFocus[],
  ): Promise<{ readonly taken: number; readonly importid: number | undefined }> =>
    database.transaction(async ({ tx, afterCommit }) => {
      const { account, device, zone } = target;
      const revision = await store.revisions.increment(tx, account, zone);
      if (importid !== undefined && (await store.imports.get(tx, account, importid))?.device !== device)
        throw new Refusal('screentime.import_not_found', 'There is no such import. It may have been undone already');
      const time = now().epochMilliseconds;
      const applicationIds = await ids.findOrCreate(tx, account, { names: events.map(({ name }) => name), now: time });
      const intervalsByEvent = events.map(({ name, parts }) => {
        const application = applicationIds.ids.get(name);
        return application === undefined ? [] : parts.map((part): UsageInterval => ({ application, ...part }));
      });
      const intervals = intervalsByEvent.flat();
      const imported = await recording.record({ tx, device, revision }, intervals, (record) =>
        intervalsByEvent
          .map((eventIntervals) => addNewIntervals(record, eventIntervals))
          .filter(({ seconds }) => seconds > 0),
      );
      const id = imported.length > 0 ? await storeImport(tx, target, importid, imported) : importid;
      const extent = getExtent(intervals);
      afterCommit(() => {
        applicationIds.cacheIds();
        if (applicationIds.hasNew) onNewApplications(account);
        if (imported.length > 0 && extent) changes.publish({ account, device, ...extent });
      });
      return { taken: imported.length, importid: id };
    });

  /**
   * Imports events.
   * @throws Refusal if the computer has no name.
   */
  return async ({ account, hostname, window, away, importid }: ImportRequest) => {
    const host = toStoredName(hostname);
    if (host === undefined)
      throw new Refusal('screentime.hostname_empty', 'hostname: is empty, enter the name of the recorded computer');
    const zone = await identity.resolveZone(account);
    const device = await findOrCreateComputer(account, host, zone);
    const focus = listFocus(window, away, Math.floor(now().epochMilliseconds / 1000)).flatMap((event): NamedFocus[] => {
      const name = toStoredName(event.app);
      return name === undefined || event.parts.length === 0 ? [] : [{ ...event, name }];
    });
    let progress = { taken: 0, importid };
    // An empty chunk is written too, because its import may have been undone.
    const parts = focus.length === 0 && importid !== undefined ? [[]] : splitIntoChunks(focus, EVENTS_PER_TRANSACTION);
    for (const events of parts) {
      const chunk = await write({ account, device, zone }, progress.importid, events);
      progress = { taken: progress.taken + chunk.taken, importid: chunk.importid };
    }
    return {
      taken: progress.taken,
      skipped: window.length - progress.taken,
      ...(progress.importid === undefined ? {} : { importid: progress.importid }),
    };
  };
}
