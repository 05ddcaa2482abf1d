import type { EventInputOf } from '#platform/contract/event.ts';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { Realtime, Room } from '#platform/server/realtime/realtime.ts';
import { downloadError, downloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { getDownloadStatus, TEXTS, type ListProgress, type DownloadResult, type Status } from '../domain/download.ts';
import { KINDS, SONG, UPLOAD, uploadInput } from './jobInput.ts';
import { isListJob } from './songJob.ts';

type WireDownloadState = EventInputOf<typeof downloadProgress>['status'];

const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);
/** How long a poll includes downloads that have ended. */
const ENDED_TTL = Temporal.Duration.from({ minutes: 10 });
/** How long the page lists downloads that failed or were not saved. */
const FAILED_TTL = Temporal.Duration.from({ hours: 7 * 24 });

/** Pages poll every second. Above this number a poll only returns changes, with a full list once in a while. */
const MAX_FULL_POLL_DOWNLOADS = 100;
const FULL_LIST_INTERVAL_MS = 10_000;

const MAX_TRACKED_DOWNLOADS = 5000;

/** What was sent to a page that polls. */
export interface PollState {
  readonly lastSent: Map<number, string>;
  /** When the full list was sent, in milliseconds since the epoch. */
  fullListSentAt: number;
}

/** Returns the room of all music pages of the account, so that each can follow downloads of the others. */
export function getMusicRoom(account: number): Room {
  return `music:${account}`;
}

const isOpen = ({ state }: Job): boolean => state === 'queued' || state === 'running';

/** Counts the songs of each list among these jobs, by the id of the list. */
function countSongsByList(jobs: readonly Job[]): ReadonlyMap<number, ListProgress> {
  const progressByList = new Map<number, ListProgress>();
  for (const job of jobs) {
    if (job.parent === undefined) continue;
    const { all, open, failed } = progressByList.get(job.parent) ?? { all: 0, open: 0, failed: 0 };
    const hasFailed = job.state === 'failed' || job.state === 'cancelled';
    progressByList.set(job.parent, {
      all: all + 1,
      open: open + (isOpen(job) ? 1 : 0),
      failed: failed + (hasFailed ? 1 : 0),
    });
  }
  return progressByList;
}

/** Returns whether a failed download was closed. Finished ones stay listed, because they were saved or can be saved. */
const isClosed = ({ isDismissed }: Job, { code }: Pick<Status, 'code'>): boolean =>
  isDismissed && code === codes.failed;

const toWire = (job: Job, { status, code, song, percent, reason, remedy, details }: Status): WireDownloadState => ({
  title: job.title,
  status,
  failed: code,
  video_id: song ?? '',
  ...(percent === undefined ? {} : { percent }),
  ...(reason === undefined ? {} : { reason }),
  ...(remedy === undefined ? {} : { remedy, ...(job.kind === SONG ? { url: job.key } : {}) }),
  ...(details === undefined ? {} : { details }),
  ...(job.parent === undefined ? {} : { parent: job.parent }),
  ...(job.kind === UPLOAD ? { upload: uploadInput.parse(job.input).upload } : {}),
  ...(isClosed(job, { code }) ? { closed: true as const } : {}),
});

/** Returns the state of a job for the user. @param parts progress of the songs, if it is a list */
export function getJobStatus(job: Job, parts?: ListProgress): Status {
  return getDownloadStatus({ ...job, isList: isListJob(job), result: job.result as DownloadResult | undefined }, parts);
}

const isList = ({ result }: Job): boolean => (result as DownloadResult | undefined)?.kind === 'list';

interface DownloadNotifierDeps {
  readonly jobs: JobQueue;
  readonly realtime: Pick<Realtime, 'send' | 'isEmpty'>;
  readonly now: () => Temporal.Instant;
  /** Receives errors of notifications. */
  readonly onFault: (error: unknown) => void;
}

/** A download on the wire. */
export type WireDownload = WireDownloadState & { readonly downloadid: number };

/** Notifies pages about downloads: the account's music room on every change, and a page when it polls. */
export function createDownloadNotifier({ jobs, realtime, now, onFault }: DownloadNotifierDeps) {
  /** The last status sent for each download, newest last, so that nothing is sent twice. */
  const lastSent = new Map<number, string>();
  function rememberSent(id: number, text: string): void {
    lastSent.delete(id);
    lastSent.set(id, text);
    for (const oldest of lastSent.keys()) {
      if (lastSent.size <= MAX_TRACKED_DOWNLOADS) break;
      lastSent.delete(oldest);
    }
  }

  const send = (room: Room, job: Job, status: Status): void =>
    realtime.send(room, downloadProgress, { downloadid: job.id, status: toWire(job, status) });

  function sendIfChanged(job: Job, status: Status): void {
    const isClosedDownload = isClosed(job, status);
    const text = JSON.stringify([job.title, status, isClosedDownload]);
    if (lastSent.get(job.id) === text) return;
    rememberSent(job.id, text);
    const room = getMusicRoom(job.account);
    if (realtime.isEmpty(room)) return;
    // 'Finished' is sent once, directly before 'please save'.
    if (status.code === codes.save) send(room, job, { ...status, code: codes.finished });
    send(room, job, status);
    if (status.code === codes.failed && job.state === 'failed' && !isClosedDownload)
      realtime.send(room, downloadError, {
        downloadid: job.id,
        error: status.reason ?? TEXTS.failed,
        title: job.title,
      });
  }

  const getListProgress = async (account: number, parent: number): Promise<ListProgress | undefined> =>
    countSongsByList(await jobs.list(account, { parent, endedAfter: LONG_AGO })).get(parent);

  async function sendList(account: number, id: number): Promise<void> {
    const list = await jobs.find(account, id);
    if (list && isList(list)) sendIfChanged(list, getJobStatus(list, await getListProgress(account, id)));
  }

  const dirtyByList = new Map<number, boolean>();
  const listUpdates = new Set<Promise<void>>();
  const stopController = new AbortController();
  /** Sends the state of a list after one of its songs has changed. Changes during a query share the next one. */
  function scheduleListUpdate(account: number, id: number): void {
    if (stopController.signal.aborted) return;
    if (dirtyByList.has(id)) return void dirtyByList.set(id, true);
    dirtyByList.set(id, false);
    async function sendUntilClean(): Promise<void> {
      do {
        dirtyByList.set(id, false);
        await sendList(account, id);
      } while (dirtyByList.get(id) === true && !stopController.signal.aborted);
    }
    const update: Promise<void> = sendUntilClean()
      .catch(onFault)
      .finally(() => {
        dirtyByList.delete(id);
        listUpdates.delete(update);
      });
    listUpdates.add(update);
  }

  async function listStatuses(
    account: number,
    after: Temporal.Instant,
  ): Promise<readonly { job: Job; status: Status }[]> {
    const recentJobs = await jobs.list(account, { kinds: KINDS, endedAfter: after });
    const progressByList = countSongsByList(recentJobs);
    const recentIds = new Set(recentJobs.map(({ id }) => id));
    // A list can have ended before `after` while its songs are still running.
    const olderListIds = [...progressByList.keys()].filter((id) => !recentIds.has(id));
    const olderLists = await Promise.all(olderListIds.map((id) => jobs.find(account, id)));
    const allJobs = [...olderLists.filter((job) => job !== undefined), ...recentJobs];
    const statuses: { job: Job; status: Status }[] = [];
    for (const job of allJobs) {
      const progress = isList(job) ? await getListProgress(account, job.id) : undefined;
      statuses.push({ job, status: getJobStatus(job, progress) });
    }
    return statuses;
  }

  return {
    /** Called when a job of this tool changes. */
    onJobChange: (job: Job): void => {
      if (job.parent !== undefined && job.state !== 'running' && !job.isDismissed)
        scheduleListUpdate(job.account, job.parent);
      if (isList(job)) scheduleListUpdate(job.account, job.id);
      else sendIfChanged(job, getJobStatus(job));
    },
    /** Answers a poll with all downloads that are open or have ended recently. */
    sendAll: async (account: number, room: Room, pollState: PollState): Promise<void> => {
      const visibleDownloads = (await listStatuses(account, now().subtract(ENDED_TTL))).filter(
        ({ job, status }) => !isClosed(job, status),
      );
      const time = now().epochMilliseconds;
      const isFullList =
        visibleDownloads.length <= MAX_FULL_POLL_DOWNLOADS || time - pollState.fullListSentAt >= FULL_LIST_INTERVAL_MS;
      if (isFullList) pollState.fullListSentAt = time;
      for (const { job, status } of visibleDownloads) {
        const text = JSON.stringify([job.title, status]);
        if (isFullList || pollState.lastSent.get(job.id) !== text) send(room, job, status);
        pollState.lastSent.set(job.id, text);
      }
    },
    /** Lists all downloads that are queued, running, failed or not saved yet. */
    list: async (account: number): Promise<readonly WireDownload[]> =>
      (await listStatuses(account, now().subtract(FAILED_TTL)))
        .filter(({ job, status }) => !job.isDismissed || status.code === codes.queued || status.code === codes.pending)
        .map(({ job, status }) => ({ downloadid: job.id, ...toWire(job, status) })),
    /** Waits for running updates, which read the database. */
    stop: async (): Promise<void> => {
      stopController.abort();
      await Promise.all(listUpdates);
    },
  };
}
export type DownloadNotifier = ReturnType<typeof createDownloadNotifier>;
