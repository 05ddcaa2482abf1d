import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { coverRanges, type DeviceRecord } from '../domain/deviceRecord.ts';
import type { ReportedInterval, UsageInterval } from '../domain/interval.ts';
import type { SecondRange } from '../domain/track.ts';
import { earliestReport, toStoredTitle, cutToBounds, type Bounds } from '../domain/usageReport.ts';
import { toStoredName, type ApplicationIds } from './applicationIds.ts';
import type { UsageRecorder } from './recording.ts';
import type { Cursor } from './store/deviceStore.ts';
import type { UsageRevision } from './store/revisionStore.ts';
import type { StoredTitle } from './store/titleStore.ts';
import type { UsageStore } from './store/usageStores.ts';
import type { UsageChanges } from './usageChanges.ts';

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

export interface IngestOptions {
  readonly context: Pick<ServerContext, 'database' | 'identity' | 'devices' | 'now'>;
  readonly store: UsageStore;
  readonly recording: UsageRecorder;
  readonly ids: ApplicationIds;
  readonly changes: UsageChanges;
  /** Called after the commit that created applications. */
  readonly onNewApplications: (account: number) => void;
  /** Called when the stored days are not those of the home zone. */
  readonly onHomeZoneMismatch: (account: number) => void;
}

interface Target {
  readonly account: number;
  readonly device: number;
  readonly book: UsageRevision;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** The device that reports. */
interface Reporter {
  readonly zone: string;
  readonly name: string;
  /** Seconds since the epoch. */
  readonly earliest: number;
}

interface IngestedInterval {
  readonly name: string;
  /** As reported. */
  readonly span: SecondRange;
  /** The part that is new. If the last segment is sent again, the part after the cursor. */
  readonly fresh: SecondRange;
  readonly status: ReportedInterval['status'];
  readonly title: string | undefined;
}

/** Converts a segment; undefined if it is invalid. */
const toIngestedInterval = (segment: ReportedInterval, bounds: Bounds, after: number): IngestedInterval | undefined => {
  const name = toStoredName(segment.app);
  const span = cutToBounds(segment, bounds);
  if (name === undefined || !span) return undefined;
  const newRange = { from: Math.max(span.from, after), until: span.until };
  return { name, span, fresh: newRange, status: segment.status, title: toStoredTitle(segment) };
};

/** Returns the segments after the cursor. A repeated last segment comes first. */
const listNewSegments = (cursor: Cursor, { seq, segments }: Pick<UsageReport, 'seq' | 'segments'>, bounds: Bounds) => {
  const isAgain = seq <= cursor.taken;
  return segments
    .slice(Math.max(0, cursor.taken - seq))
    .map((segment, at) => toIngestedInterval(segment, bounds, isAgain && at === 0 ? cursor.until : 0));
};

/** Merges titles of one application that started in the same second. */
const toTitles = (
  accepted: readonly (IngestedInterval & { readonly application: number })[],
): readonly StoredTitle[] => {
  const titles = accepted.flatMap(({ application, span, fresh: newRange, title }) =>
    title === undefined || newRange.from >= newRange.until ? [] : { application, ...span, title },
  );
  return [...new Map(titles.map((title) => [`${title.from} ${title.application}`, title])).values()];
};

const getExtent = (spans: readonly SecondRange[]): SecondRange | undefined =>
  spans.reduce<SecondRange | undefined>(coverRanges, undefined);

/** Creates the ingest of usage reports. It counts each segment once. */
export function createUsageIngest(options: IngestOptions) {
  const { store, recording, ids, changes, onNewApplications, onHomeZoneMismatch } = options;
  const { database, identity, devices, now } = options.context;
  /** Stored device names, by id. */
  const storedNames = new Map<number, string>();

  /** Cache of the earliest valid report by account, because every report needs it. */
  const earliestByAccount = new Map<number, number>();
  const getEarliest = async (account: number): Promise<number> => {
    const earliestTime =
      earliestByAccount.get(account) ??
      earliestReport((await identity.findAccount(account))?.created.epochMilliseconds ?? 0);
    earliestByAccount.set(account, earliestTime);
    return earliestTime;
  };

  /** Writes new segments and returns the number of invalid ones. */
  const write = async (
    { tx, afterCommit }: UnitOfWork,
    { account, device, book, time }: Target,
    received: readonly (IngestedInterval | undefined)[],
  ): Promise<number> => {
    const accepted = received.filter((piece) => piece !== undefined);
    const resolved = await ids.findOrCreate(tx, account, { names: accepted.map(({ name }) => name), now: time });
    const identified = accepted.flatMap((piece) => {
      const application = resolved.ids.get(piece.name);
      return application === undefined ? [] : { ...piece, application };
    });
    const intervals = identified
      .map(({ application, status, fresh: newRange }): UsageInterval => ({ application, status, ...newRange }))
      .filter(({ from, until }) => from < until);
    const put = (record: DeviceRecord): number =>
      intervals.reduce((full, interval) => full + (record.put(interval) === undefined ? 1 : 0), 0);
    const full = intervals.length === 0 ? 0 : await recording.record({ tx, device, book }, intervals, put);
    await store.titles.save(tx, device, toTitles(identified));
    afterCommit(() => {
      resolved.saveUse();
      if (resolved.made) onNewApplications(account);
      const extent = getExtent(intervals);
      if (extent) changes.publish({ account, device, ...extent });
    });
    return full + received.length - identified.length;
  };

  const ingestChunk = async (report: UsageReport, { zone, name, earliest }: Reporter) =>
    database.transaction(async (work): Promise<IngestResult> => {
      const { tx, afterCommit } = work;
      const { account, device, boot, seq, segments } = report;
      const time = now().epochMilliseconds;
      const book = await store.book.raise(tx, account, zone);
      const cursor = await store.cursors.get(tx, device, boot);
      const last = seq + segments.length - 1;
      if (seq > cursor.taken + 1 && !report.dropped)
        return { taken: cursor.taken, awaited: cursor.taken + 1, refused: 0 };
      if (last < cursor.taken || (segments.length === 0 && last === cursor.taken))
        return { taken: cursor.taken, refused: 0 };
      if (storedNames.get(device) !== name) {
        await store.devices.saveCursor(tx, account, { id: device, name, hostname: undefined });
        afterCommit(() => void storedNames.set(device, name));
      }
      const received = listNewSegments(cursor, report, { earliest, now: time });
      const refused = await write(work, { account, device, book, time }, received);
      const until = received.at(-1)?.span.until ?? 0;
      await store.cursors.move(
        tx,
        { device, boot, now: time },
        { taken: last, until: last === cursor.taken ? Math.max(until, cursor.until) : until },
      );
      if (book.zone !== zone || book.nextZone !== undefined) afterCommit(() => onHomeZoneMismatch(account));
      return { taken: last, refused };
    });

  return {
    ingest: async (report: UsageReport): Promise<IngestResult> => {
      const zone = await identity.resolveZone(report.account);
      const { name } = await devices.getOwned(report.account, String(report.device));
      const earliest = await getEarliest(report.account);
      let all: IngestResult = { taken: 0, refused: 0 };
      for (let at = 0; at === 0 || at < report.segments.length; at += SEGMENTS_PER_TRANSACTION) {
        const segments = report.segments.slice(at, at + SEGMENTS_PER_TRANSACTION);
        const result = await ingestChunk({ ...report, seq: report.seq + at, segments }, { zone, name, earliest });
        all = { ...result, refused: all.refused + result.refused };
        if (result.awaited !== undefined) break;
      }
      return all;
    },
    /** Clears the caches of an account. */
    forget: async (account: number): Promise<void> => {
      ids.forget(account);
      earliestByAccount.delete(account);
      for (const { id } of await store.devices.list(account)) storedNames.delete(id);
    },
  };
}
export type UsageIngest = ReturnType<typeof createUsageIngest>;
