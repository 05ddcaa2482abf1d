import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { focusWatched, type WatchedEvent, type WatchedFocus, type WatchedWindow } from '../domain/activityWatch.ts';
import { openRecord, coverRanges, type DeviceRecord } from '../domain/deviceRecord.ts';
import type { UsageInterval } from '../domain/interval.ts';
import type { SecondRange } from '../domain/track.ts';
import { toStoredName, type ApplicationIds } from './applicationIds.ts';
import { utcDays, type UsageRecorder } from './recording.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';

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

interface ImportingOptions {
  readonly context: Pick<ServerContext, 'database' | 'identity' | 'devices' | 'now'>;
  readonly store: UsageStore;
  readonly recording: UsageRecorder;
  readonly ids: ApplicationIds;
  readonly changes: UsageChanges;
  readonly onNewApplications: (account: number) => void;
}

interface NamedFocus extends WatchedFocus {
  readonly name: string;
}

interface Target {
  readonly account: number;
  readonly device: number;
  readonly zone: string;
}

/** What an event added. */
interface ImportedIntervals {
  readonly stretches: readonly UsageInterval[];
  readonly seconds: number;
}

/** Adds the new part of an event's intervals. */
const addNewIntervals = (record: DeviceRecord, intervals: readonly UsageInterval[]): ImportedIntervals => {
  const newIntervals: UsageInterval[] = [];
  let seconds = 0;
  for (const interval of intervals) {
    const free = record.uncovered(interval);
    const gained = record.put(interval) ?? 0;
    if (gained > 0) newIntervals.push(...free.map((span) => ({ ...interval, ...span })));
    seconds += gained;
  }
  return { stretches: newIntervals, seconds };
};

/** Creates the import of ActivityWatch events. Recorded usage stays, so the same file can be imported twice. */
export function createUsageImporter(options: ImportingOptions) {
  const { store, recording, ids, changes, onNewApplications } = options;
  const { database, identity, devices, now } = options.context;

  /** Finds or creates the recorded computer. It has no token, so nothing connects as it. */
  const findOrCreateComputer = async (account: number, hostname: string, zone: string): Promise<number> =>
    database.transaction(async ({ tx }) => {
      await store.book.raise(tx, account, zone);
      const resolved =
        (await store.devices.findByMergedHostname(tx, account, hostname)) ??
        (await store.devices.list(account, tx)).find((one) => one.hostname === hostname)?.id;
      if (resolved !== undefined) return resolved;
      const { id, name } = await devices.add(tx, {
        account,
        kind: 'computer',
        name: hostname,
        system: 'ActivityWatch',
      });
      await store.devices.saveCursor(tx, account, { id, name, hostname });
      return id;
    });

  /** Stores what an import added. Creates the import if needed, and returns its id. */
  const storeImport = async (
    tx: Transaction<unknown>,
    { account, device }: Target,
    importid: number | undefined,
    all: readonly ImportedIntervals[],
  ): Promise<number> => {
    const created = now().epochMilliseconds;
    const id = importid ?? (await store.imports.insert(tx, { account, device, created }));
    const intervals = all.flatMap((one) => one.stretches);
    const days = [...new Set(intervals.flatMap(utcDays))];
    const record = openRecord(await store.imports.readDays(tx, id, days));
    for (const interval of intervals) record.put(interval);
    await store.imports.saveDays(tx, id, record.changed());
    await store.imports.addSeconds(
      tx,
      id,
      all.reduce((sum, { seconds }) => sum + seconds, 0),
    );
    return id;
  };

  /**
   * Writes events.
   * @returns how many events added usage, and the id of their import
   */
  const write = async (
    target: Target,
    importid: number | undefined,
    events: readonly NamedFocus[],
  ): Promise<{ readonly taken: number; readonly importid: number | undefined }> =>
    database.transaction(async ({ tx, afterCommit }) => {
      const { account, device, zone } = target;
      const book = await store.book.raise(tx, account, zone);
      if (importid !== undefined && (await store.imports.get(tx, account, importid))?.device !== device)
        throw new Refusal('screentime.import_not_found', 'There is no such import. It may have been undone already');
      const time = now().epochMilliseconds;
      const resolved = await ids.findOrCreate(tx, account, { names: events.map(({ name }) => name), now: time });
      const identified = events.map(({ name, parts }) => {
        const application = resolved.ids.get(name);
        return application === undefined ? [] : parts.map((part): UsageInterval => ({ application, ...part }));
      });
      const all = identified.flat();
      const imported = await recording.record({ tx, device, book }, all, (record) =>
        identified.map((intervals) => addNewIntervals(record, intervals)).filter(({ seconds }) => seconds > 0),
      );
      const id = imported.length > 0 ? await storeImport(tx, target, importid, imported) : importid;
      const extent = all.reduce<SecondRange | undefined>(coverRanges, undefined);
      afterCommit(() => {
        resolved.saveUse();
        if (resolved.made) onNewApplications(account);
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
    const focus = focusWatched(window, away, Math.floor(now().epochMilliseconds / 1000)).flatMap(
      (one): NamedFocus[] => {
        const name = toStoredName(one.app);
        return name === undefined || one.parts.length === 0 ? [] : [{ ...one, name }];
      },
    );
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
