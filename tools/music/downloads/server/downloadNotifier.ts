import type { EventInputOf } from '#platform/contract/event.ts';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { Realtime, Room } from '#platform/server/realtime/realtime.ts';
import { getMusicRoom } from '#platform/server/realtime/rooms.ts';
import { downloadError, downloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { statusOf, TEXTS, type ListProgress, type DownloadResult, type Status } from '../domain/download.ts';
import { KINDS, SONG, UPLOAD, uploadInput } from './jobInput.ts';
import { isListNow } from './songJob.ts';

type OnWire = EventInputOf<typeof downloadProgress>['status'];

const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);
/** What ended is told for so long. */
const ENDED_TTL = Temporal.Duration.from({ minutes: 10 });
/** What failed, or was not saved, is shown for so long. */
const FAILED_TTL = Temporal.Duration.from({ hours: 7 * 24 });

/** Pages ask every second: of more than these they are told again only what has changed, and all once in a while. */
const MANY = 100;
const FULL_LIST_INTERVAL_MS = 10_000;

const MAX_TRACKED_DOWNLOADS = 5000;

/** What a page was told when it asked. */
export interface Asker {
  readonly told: Map<number, string>;
  /** When it was told everything, in milliseconds since the epoch. */
  toldAll: number;
}

const isOpen = ({ state }: Job): boolean => state === 'queued' || state === 'running';

/** How the songs of each list among these stand. */
const partsIn = (jobs: readonly Job[]): ReadonlyMap<number, ListProgress> => {
  const parts = new Map<number, ListProgress>();
  for (const job of jobs) {
    if (job.parent === undefined) continue;
    const { all, open, failed } = parts.get(job.parent) ?? { all: 0, open: 0, failed: 0 };
    const hasFailed = job.state === 'failed' || job.state === 'cancelled';
    parts.set(job.parent, { all: all + 1, open: open + (isOpen(job) ? 1 : 0), failed: failed + (hasFailed ? 1 : 0) });
  }
  return parts;
};

/** Of what is there nothing goes: it was saved, or might be yet. */
const isClosed = ({ isDismissed }: Job, { code }: Pick<Status, 'code'>): boolean =>
  isDismissed && code === codes.failed;

const wireOf = (job: Job, { status, code, song, percent, reason, remedy, details }: Status): OnWire => ({
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

export function statusOfJob(job: Job, parts?: ListProgress): Status {
  return statusOf({ ...job, isList: isListNow(job), result: job.result as DownloadResult | undefined }, parts);
}

const isList = ({ result }: Job): boolean => (result as DownloadResult | undefined)?.kind === 'list';

interface DownloadNotifierDeps {
  readonly jobs: JobQueue;
  readonly realtime: Pick<Realtime, 'send' | 'isEmpty'>;
  readonly now: () => Temporal.Instant;
  /** What could not be told. */
  readonly onFault: (error: unknown) => void;
}

/** A download as an answer has it. */
export type WireDownload = OnWire & { readonly downloadid: number };

/** Says how downloads go: on every change to whoever is in the account's music room, and to whoever asks. */
export function createDownloadNotifier({ jobs, realtime, now, onFault }: DownloadNotifierDeps) {
  /** What was told last of each, the newest behind, so that nothing is told twice. */
  const last = new Map<number, string>();
  const remember = (id: number, text: string): void => {
    last.delete(id);
    last.set(id, text);
    for (const oldest of last.keys()) {
      if (last.size <= MAX_TRACKED_DOWNLOADS) break;
      last.delete(oldest);
    }
  };

  const send = (room: Room, job: Job, status: Status): void =>
    realtime.send(room, downloadProgress, { downloadid: job.id, status: wireOf(job, status) });

  const say = (job: Job, status: Status): void => {
    const hasGone = isClosed(job, status);
    const text = JSON.stringify([job.title, status, hasGone]);
    if (last.get(job.id) === text) return;
    remember(job.id, text);
    const room = getMusicRoom(job.account);
    if (realtime.isEmpty(room)) return;
    // Finished is said once; that it waits to be saved, from then on.
    if (status.code === codes.save) send(room, job, { ...status, code: codes.finished });
    send(room, job, status);
    if (status.code === codes.failed && job.state === 'failed' && !hasGone)
      realtime.send(room, downloadError, {
        downloadid: job.id,
        error: status.reason ?? TEXTS.failed,
        title: job.title,
      });
  };

  const partsOf = async (account: number, parent: number): Promise<ListProgress | undefined> =>
    partsIn(await jobs.list(account, { parent, endedAfter: LONG_AGO })).get(parent);

  const sayList = async (account: number, id: number): Promise<void> => {
    const list = await jobs.find(account, id);
    if (list && isList(list)) say(list, statusOfJob(list, await partsOf(account, id)));
  };

  const parents = new Map<number, boolean>();
  /** The list that a song came from stands otherwise now. One question answers for all songs that change while it is asked. */
  const listChanged = (account: number, id: number): void => {
    if (parents.has(id)) return void parents.set(id, true);
    parents.set(id, false);
    const turn = async (): Promise<void> => {
      do {
        parents.set(id, false);
        await sayList(account, id);
      } while (parents.get(id) === true);
    };
    turn()
      .catch(onFault)
      .finally(() => parents.delete(id));
  };

  const all = async (account: number, after: Temporal.Instant): Promise<readonly { job: Job; status: Status }[]> => {
    const found = await jobs.list(account, { kinds: KINDS, endedAfter: after });
    const parts = partsIn(found);
    const known = new Set(found.map(({ id }) => id));
    // A list whose songs are still fetched may have ended before that time itself.
    const older = [...parts.keys()].filter((id) => !known.has(id));
    const lists = await Promise.all(older.map((id) => jobs.find(account, id)));
    const whole = [...lists.filter((job) => job !== undefined), ...found];
    const told: { job: Job; status: Status }[] = [];
    for (const job of whole) {
      const own = isList(job) ? await partsOf(account, job.id) : undefined;
      told.push({ job, status: statusOfJob(job, own) });
    }
    return told;
  };

  return {
    /** A job of ours has changed. */
    changed: (job: Job): void => {
      if (job.parent !== undefined && job.state !== 'running' && !job.isDismissed) listChanged(job.account, job.parent);
      if (isList(job)) listChanged(job.account, job.id);
      else say(job, statusOfJob(job));
    },
    /** To who asks: all that are open, and those that ended a short while ago. */
    tellAll: async (account: number, room: Room, asker: Asker): Promise<void> => {
      const found = (await all(account, now().subtract(ENDED_TTL))).filter(({ job, status }) => !isClosed(job, status));
      const time = now().epochMilliseconds;
      const isWhole = found.length <= MANY || time - asker.toldAll >= FULL_LIST_INTERVAL_MS;
      if (isWhole) asker.toldAll = time;
      for (const { job, status } of found) {
        const text = JSON.stringify([job.title, status]);
        if (isWhole || asker.told.get(job.id) !== text) send(room, job, status);
        asker.told.set(job.id, text);
      }
    },
    /** What is queued, running, failed or not yet saved. */
    list: async (account: number): Promise<readonly WireDownload[]> =>
      (await all(account, now().subtract(FAILED_TTL)))
        .filter(({ job, status }) => !job.isDismissed || status.code === codes.queued || status.code === codes.pending)
        .map(({ job, status }) => ({ downloadid: job.id, ...wireOf(job, status) })),
  };
}
export type DownloadNotifier = ReturnType<typeof createDownloadNotifier>;
