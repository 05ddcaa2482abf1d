import type { UnitOfWork } from '#platform/server/database/database.ts';
import { getExtent, type DeviceRecord } from '../domain/deviceRecord.ts';
import type { ReportedInterval, UsageInterval } from '../domain/interval.ts';
import type { SecondRange } from '../domain/track.ts';
import { getEarliestReport, toStoredTitle, cutToBounds, type Bounds } from '../domain/usageReport.ts';
import { toStoredName } from './applicationIds.ts';
import type { UsageWriterDeps } from './recording.ts';
import type { Cursor } from './store/deviceStore.ts';
import type { UsageRevision } from './store/revisionStore.ts';
import type { StoredTitle } from './store/titleStore.ts';

/** Segments per transaction, so that other writes can run in between. */
const SEGMENTS_PER_TRANSACTION = 200;

export interface UsageReport {
  readonly account: number;
  readonly device: number;
  readonly boot: string;
  /** Number of the first segment. */
  readonly seq: number;
  readonly dropped: boolean;
  readonly segments: readonly ReportedInterval[];
}

export interface IngestResult {
  /** Last accepted number. */
  readonly taken: number;
  /** Only if the batch was rejected because of a gap. */
  readonly awaited?: number;
  /** Number of invalid segments. */
  readonly refused: number;
}

export interface IngestDeps extends UsageWriterDeps {
  /** Called when the stored days are not those of the home zone. */
  readonly onHomeZoneMismatch: (account: number) => void;
}

interface IngestTarget {
  readonly account: number;
  readonly device: number;
  readonly revision: UsageRevision;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

interface ReportingDevice {
  readonly zone: string;
  readonly name: string;
  /** Seconds since the epoch. */
  readonly earliest: number;
}

interface IngestedInterval {
  readonly name: string;
  /** As reported. */
  readonly range: SecondRange;
  /** The part that is new. If the last segment is sent again, the part after the cursor. */
  readonly newRange: SecondRange;
  readonly status: ReportedInterval['status'];
  readonly title: string | undefined;
}

/** Converts a segment; undefined if it is invalid. */
function toIngestedInterval(segment: ReportedInterval, bounds: Bounds, after: number): IngestedInterval | undefined {
  const name = toStoredName(segment.app);
  const range = cutToBounds(segment, bounds);
  if (name === undefined || !range) return undefined;
  const newRange = { from: Math.max(range.from, after), until: range.until };
  return { name, range, newRange, status: segment.status, title: toStoredTitle(segment) };
}

/** Lists the segments after the cursor. A repeated last segment comes first. */
function listNewSegments(cursor: Cursor, { seq, segments }: Pick<UsageReport, 'seq' | 'segments'>, bounds: Bounds) {
  const isRepeated = seq <= cursor.taken;
  return segments
    .slice(Math.max(0, cursor.taken - seq))
    .map((segment, index) => toIngestedInterval(segment, bounds, isRepeated && index === 0 ? cursor.until : 0));
}

/** Merges titles of one application that started in the same second. */
function toTitles(
  validIntervals: readonly (IngestedInterval & { readonly application: number })[],
): readonly StoredTitle[] {
  const titles = validIntervals.flatMap(({ application, range, newRange, title }) =>
    title === undefined || newRange.from >= newRange.until ? [] : { application, ...range, title },
  );
  return [...new Map(titles.map((title) => [`${title.from} ${title.application}`, title])).values()];
}

/** Creates the ingest of usage reports. It counts each segment once. */
export function createUsageIngest(deps: IngestDeps) {
  const { store, recording, ids, changes, onNewApplications, onHomeZoneMismatch } = deps;
  const { database, identity, devices, now } = deps.context;
  /** Stored device names, by id. */
  const storedNames = new Map<number, string>();

  /** Cache of the earliest valid report by account, because every report needs it. */
  const earliestByAccount = new Map<number, number>();
  async function getEarliest(account: number): Promise<number> {
    const earliestTime =
      earliestByAccount.get(account) ??
      getEarliestReport((await identity.findAccount(account))?.created.epochMilliseconds ?? 0);
    earliestByAccount.set(account, earliestTime);
    return earliestTime;
  }

  /** Writes new segments and returns the number of invalid ones. */
  async function write(
    { tx, afterCommit }: UnitOfWork,
    { account, device, revision, time }: IngestTarget,
    received: readonly (IngestedInterval | undefined)[],
  ): Promise<number> {
    const validIntervals = received.filter((interval) => interval !== undefined);
    const applicationIds = await ids.findOrCreate(tx, account, {
      names: validIntervals.map(({ name }) => name),
      now: time,
    });
    const identifiedIntervals = validIntervals.flatMap((interval) => {
      const application = applicationIds.ids.get(interval.name);
      return application === undefined ? [] : { ...interval, application };
    });
    const intervals = identifiedIntervals
      .map(({ application, status, newRange }): UsageInterval => ({ application, status, ...newRange }))
      .filter(({ from, until }) => from < until);
    const addIntervals = (record: DeviceRecord): number =>
      intervals.reduce((fullCount, interval) => fullCount + (record.add(interval) === undefined ? 1 : 0), 0);
    const fullCount =
      intervals.length === 0 ? 0 : await recording.record({ tx, device, revision }, intervals, addIntervals);
    await store.titles.save(tx, device, toTitles(identifiedIntervals));
    afterCommit(() => {
      applicationIds.cacheIds();
      if (applicationIds.hasNew) onNewApplications(account);
      const extent = getExtent(intervals);
      if (extent) changes.publish({ account, device, ...extent });
    });
    return fullCount + received.length - identifiedIntervals.length;
  }

  const ingestChunk = async (report: UsageReport, { zone, name, earliest }: ReportingDevice) =>
    database.transaction(async (unitOfWork): Promise<IngestResult> => {
      const { tx, afterCommit } = unitOfWork;
      const { account, device, boot, seq, segments } = report;
      const time = now().epochMilliseconds;
      const revision = await store.revisions.increment(tx, account, zone);
      const cursor = await store.cursors.get(tx, device, boot);
      const last = seq + segments.length - 1;
      if (seq > cursor.taken + 1 && !report.dropped)
        return { taken: cursor.taken, awaited: cursor.taken + 1, refused: 0 };
      if (last < cursor.taken || (segments.length === 0 && last === cursor.taken))
        return { taken: cursor.taken, refused: 0 };
      if (storedNames.get(device) !== name) {
        await store.devices.save(tx, account, { id: device, name, hostname: undefined });
        afterCommit(() => void storedNames.set(device, name));
      }
      const received = listNewSegments(cursor, report, { earliest, now: time });
      const refused = await write(unitOfWork, { account, device, revision, time }, received);
      const until = received.at(-1)?.range.until ?? 0;
      await store.cursors.save(
        tx,
        { device, boot, now: time },
        { taken: last, until: last === cursor.taken ? Math.max(until, cursor.until) : until },
      );
      if (revision.zone !== zone || revision.nextZone !== undefined) afterCommit(() => onHomeZoneMismatch(account));
      return { taken: last, refused };
    });

  return {
    ingest: async (report: UsageReport): Promise<IngestResult> => {
      const zone = await identity.resolveZone(report.account);
      const { name } = await devices.getOwned(report.account, String(report.device));
      const earliest = await getEarliest(report.account);
      let total: IngestResult = { taken: 0, refused: 0 };
      for (let index = 0; index === 0 || index < report.segments.length; index += SEGMENTS_PER_TRANSACTION) {
        const segments = report.segments.slice(index, index + SEGMENTS_PER_TRANSACTION);
        const result = await ingestChunk({ ...report, seq: report.seq + index, segments }, { zone, name, earliest });
        total = { ...result, refused: total.refused + result.refused };
        if (result.awaited !== undefined) break;
      }
      return total;
    },
    /** Clears the caches of an account. */
    clearAccount: async (account: number): Promise<void> => {
      ids.clearAccount(account);
      earliestByAccount.delete(account);
      for (const { id } of await store.devices.list(account)) storedNames.delete(id);
    },
  };
}
export type UsageIngest = ReturnType<typeof createUsageIngest>;
