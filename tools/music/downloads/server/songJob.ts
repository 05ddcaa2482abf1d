import type { UnitOfWork } from '#platform/server/database/database.ts';
import { EgressRefusal, type Egress } from '#platform/server/egress/egress.ts';
import {
  type Job,
  JobFailure,
  defineJobKind,
  type JobKind,
  type JobOutcome,
  type JobRun,
  type JobQueue,
} from '#platform/server/jobs/jobQueue.ts';
import { IncompleteSongFailure, type ProcessedSong, type Media, type SongStep } from '#platform/server/media/media.ts';
import { TITLE_LIMIT, FIRST_OF_LINK } from '../../contract/limits.ts';
import { type Song, oneLine } from '../../library/domain/song.ts';
import type { SongOrigin } from '../../library/server/store/songStore.ts';
import type { DownloadResult } from '../domain/download.ts';
import { EMPTY_LIST, ofStatus } from '../domain/failure.ts';
import { isFileName, getLinkKey, linkIn, mayBeList, NOT_AN_ADDRESS, formatLinkTitle } from '../domain/link.ts';
import { readList } from '../domain/plainList.ts';
import { whileFetching, whileFinishing, type FoundSong, parseSiteId } from '../domain/ytdlpProgress.ts';
import {
  fetchedBefore,
  type FetchedFile,
  removeFetchedRecord,
  rememberFetched,
  SONG,
  songInput,
  type SongInput,
} from './jobInput.ts';
import type { SongKeeper } from './songKeeper.ts';
import {
  type Downloader,
  type FetchResult,
  fetchSong,
  failing,
  probe,
  type DownloadRequest,
  type Entry,
} from './ytdlp.ts';

const MAX_LIST_BYTES = 1024 * 1024;
const RETRYABLE_FAULTS = ['unreached', 'answer'];

/** A song of a list, with an address that can be requested. */
export interface ListedSong {
  readonly url: string;
  /** Identifies the link. */
  readonly key: string;
  readonly title: string;
  readonly site: string;
  readonly siteId: string;
}

/** The songs of a list, up to the limit. */
export interface SongList {
  readonly title: string;
  readonly songs: readonly ListedSong[];
  /** Whether there are more songs than are taken. */
  readonly isCut: boolean;
  /** Number of songs in the list; undefined if unknown. */
  readonly of: number | undefined;
}

const toListedSongs = ({ title, url, extractor, id }: Entry): readonly ListedSong[] => {
  const link = linkIn(url);
  return link ? [{ url: link.href, key: getLinkKey(link), title, ...parseSiteId(extractor, id) }] : [];
};

/** Takes the first songs of a list, each once. @throws JobFailure if there is none */
const takeFirst = (title: string, entries: readonly Entry[], count: number | undefined): SongList => {
  const songs = new Map<string, ListedSong>();
  for (const song of entries.slice(0, FIRST_OF_LINK).flatMap(toListedSongs))
    if (!songs.has(song.key)) songs.set(song.key, song);
  if (songs.size === 0) throw failing(EMPTY_LIST);
  return { title, songs: [...songs.values()], isCut: (count ?? entries.length) > FIRST_OF_LINK, of: count };
};

/**
 * Reads a plain list of addresses, which yt-dlp would mistake for a stream manifest.
 * Returns undefined if it is not a list. @throws JobFailure
 */
export async function plainListAt(egress: Egress, url: string): Promise<SongList | undefined> {
  try {
    const response = await egress.fetch(url, { maxBytes: MAX_LIST_BYTES, isOfWeb: true });
    if (response.status !== 200) throw failing(ofStatus(response.status));
    const listedSongs = readList(Buffer.from(response.body).toString('utf8'), url);
    if (listedSongs === undefined) return undefined;
    const entries = listedSongs.map((each) => ({ ...each, extractor: '', id: '' }));
    return takeFirst('', entries, listedSongs.length);
  } catch (cause) {
    if (!(cause instanceof EgressRefusal)) throw cause;
    if (cause.fault === 'inner')
      throw new JobFailure(
        'final',
        "That address is in the server's own network. Ask the owner of this server to allow it",
        { cause },
      );
    throw new JobFailure(RETRYABLE_FAULTS.includes(cause.fault) ? 'again' : 'final', cause.message, { cause });
  }
}

/** Returns the list that a link leads to; undefined for a single song. @throws JobFailure */
export async function listAt(downloader: Downloader, request: DownloadRequest): Promise<SongList | undefined> {
  const { isList, title, entries, count } = await probe(downloader, request);
  return isList ? takeFirst(title, entries, count) : undefined;
}

export interface SongJobDeps {
  readonly downloader: Downloader;
  readonly media: Media;
  readonly jobs: JobQueue;
  readonly keeper: SongKeeper;
  /** Receives the duration of each step, for the benchmark. */
  readonly onStep?: ((step: SongStep | 'fetch', ms: number) => void) | undefined;
}

type SongJobRun = JobRun<SongInput>;

/** A processed song that is not in the library yet. */
interface PreparedSong {
  readonly song: ProcessedSong;
  readonly origin: SongOrigin;
  /** The song that has lost its file, and that this one replaces. */
  readonly lost: Song | undefined;
}

/** The result of a link that led to no new song. */
interface LinkWithoutSong {
  readonly got: Exclude<FetchResult, { readonly kind: 'file' }>;
  /** Id of the song, if it is in the library already. */
  readonly known: number | undefined;
}

/** Stage of a job while its list is read. */
export const LIST_STAGE = 'list';

const shorten = (title: string): string => Array.from(oneLine(title)).slice(0, TITLE_LIMIT).join('');

/** Queues a download for each song of a list. */
const queueSongs = (jobs: JobQueue, { job, input }: SongJobRun, list: SongList): JobOutcome => ({
  save: async (work: UnitOfWork): Promise<DownloadResult> => {
    const newJobs = list.songs.map(({ url, key, title, site, siteId }, position) => ({
      account: job.account,
      kind: SONG,
      input: { url, playlist: input.playlist, isEntry: true, title, site, siteId } satisfies SongInput,
      title: shorten(title) || formatLinkTitle(new URL(url)),
      key,
      parent: job.id,
      position,
    }));
    await jobs.add(work, newJobs);
    return { kind: 'list', songs: list.songs.length, isCut: list.isCut, of: list.of };
  },
});

/**
 * Returns the title from the page, unless it is just the file name of the address. Then the title in the file is
 * better.
 */
const getTitles = (found: FoundSong | undefined, input: SongInput, url: string) => {
  const isName = found !== undefined && found.site === '' && isFileName(found.title, url);
  const title = input.title || (isName ? '' : (found?.title ?? ''));
  return { title: shorten(title), fallbackTitle: shorten(found?.title ?? '') || formatLinkTitle(new URL(url)) };
};

const toOrigin = (source: string, { site, siteId }: Pick<FoundSong, 'site' | 'siteId'>): SongOrigin => ({
  source,
  site,
  siteId,
});

/** Defines the job that downloads a link: a song, or a list whose songs are queued as separate downloads. */
export function songKind({ downloader, media, jobs, keeper, onStep }: SongJobDeps): JobKind {
  const asList = async (run: SongJobRun): Promise<JobOutcome | undefined> => {
    run.reportProgress({ stage: LIST_STAGE });
    const list = await listAt(downloader, { ...run, account: run.job.account, url: run.input.url });
    if (list === undefined) return undefined;
    if (list.title !== '') run.reportProgress({ title: shorten(list.title) });
    return queueSongs(jobs, run, list);
  };
  /** Only the first song of a list may be missing: tries the link as a list before it fails. */
  const asListOrFail = async (run: SongJobRun, failure: JobFailure): Promise<JobOutcome> => {
    const list = await listAt(downloader, { ...run, account: run.job.account, url: run.input.url }).catch(
      () => undefined,
    );
    run.signal.throwIfAborted();
    if (list === undefined || list.songs.length < 2) throw failure;
    return queueSongs(jobs, run, list);
  };
  const asPlainList = async (run: SongJobRun): Promise<JobOutcome | undefined> => {
    const list = await plainListAt(downloader.egress, run.input.url);
    if (list === undefined) return undefined;
    run.reportProgress({ stage: LIST_STAGE });
    return queueSongs(jobs, run, list);
  };

  /** Processes a downloaded file in the job's folder. */
  const processFile = async (
    { job, input, folder, reportProgress }: SongJobRun,
    file: FetchedFile,
    signal: AbortSignal,
  ): Promise<PreparedSong> => {
    const { name, cover, found } = file;
    const origin = toOrigin(job.key, found ?? input);
    const lost = await keeper.findLostSong(job.account, origin);
    const { title, fallbackTitle } = getTitles(found, input, input.url);
    const own = { title, artist: shorten(found?.artist ?? ''), album: shorten(found?.album ?? '') };
    const song = await media.processSong({
      folder,
      name,
      cover,
      signal,
      announcedSeconds: found?.seconds,
      // The user may have changed the tags of the lost song.
      tags: lost ?? own,
      fallbackTitle,
      onProgress: (percent) => reportProgress({ percent: whileFinishing(percent) }),
      ...(onStep ? { onStep } : {}),
    });
    return { song, origin, lost };
  };

  const finish = async (
    { job, input, folder, reportProgress }: SongJobRun,
    processing: Promise<PreparedSong>,
  ): Promise<JobOutcome> => {
    const { song, origin, lost } = await processing.catch(async (error: unknown) => {
      // A partial file is downloaded again. A complete one is used by the next attempt.
      if (error instanceof IncompleteSongFailure) await removeFetchedRecord(folder);
      throw error;
    });
    reportProgress({ title: song.tags.title, percent: 100 });
    return keeper.storeSong({ job, folder, origin, playlist: input.playlist, lost }, song);
  };

  const fetchAndMake = async (run: SongJobRun): Promise<JobOutcome | LinkWithoutSong> => {
    const { job, input, reportProgress } = run;
    let known: number | undefined;
    let processing: Promise<PreparedSong> | undefined;
    const failed = new AbortController();
    const started = performance.now();
    try {
      const result = await fetchSong(downloader, {
        ...run,
        account: job.account,
        url: input.url,
        isEntry: input.isEntry,
        onPercent: (percent) => reportProgress({ percent: whileFetching(percent) }),
        onFound: async (found) => {
          if (found.title !== '') reportProgress({ title: shorten(found.title) });
          known = (await keeper.findStoredSong(job.account, toOrigin(job.key, found)))?.id;
          return known === undefined;
        },
        // Python takes 200 ms to exit. Only then it is known whether the download succeeded, but processing can start
        // now.
        onFile: (file) => {
          processing = file.then((one) => processFile(run, one, AbortSignal.any([run.signal, failed.signal])));
          // The error is handled where the result is awaited.
          processing.catch(() => undefined);
        },
      });
      onStep?.('fetch', performance.now() - started);
      if (result.kind !== 'file') return { got: result, known };
      if (!processing) throw new Error('nobody was told of a file');
      await rememberFetched(run.folder, result);
      return await finish(run, processing);
    } finally {
      // The next user of the folder must not find this attempt still working in it.
      failed.abort(new Error('its download failed'));
      await processing?.catch(() => undefined);
    }
  };

  const download = async (run: SongJobRun): Promise<JobOutcome> => {
    const { job, input } = run;
    const before = await fetchedBefore(run.folder);
    if (before) return finish(run, processFile(run, before, run.signal));
    const outcome = await fetchAndMake(run);
    if (!('got' in outcome)) return outcome;
    const { got, known } = outcome;
    switch (got.kind) {
      case 'list':
        return (await asList(run)) ?? download({ ...run, input: { ...input, isEntry: true } });
      case 'stream':
        return (await asPlainList(run)) ?? download({ ...run, input: { ...input, isEntry: true } });
      case 'nothing':
        if (got.mayBeList) return asListOrFail(run, got.failure);
        throw got.failure;
      case 'left':
        if (known === undefined) throw new Error('a download was left for no reason');
        return keeper.reuseSong(job, known, input.playlist);
    }
  };

  return defineJobKind<SongInput>({
    name: SONG,
    input: songInput,
    keepsFolder: true,
    run: async (run) => {
      const { job, input } = run;
      const link = linkIn(input.url);
      if (link === undefined) throw new JobFailure('final', NOT_AN_ADDRESS);
      const hindrance = await downloader.programs.getSetupProblem('download', job.account);
      if (hindrance !== '') throw new JobFailure('final', hindrance);
      const existing = await keeper.findStoredSong(job.account, toOrigin(getLinkKey(link), input));
      if (existing) return keeper.reuseSong(job, existing.id, input.playlist);
      if (input.isEntry || !mayBeList(link)) return download(run);
      // Stream manifests have the same file extension.
      return (await asPlainList(run)) ?? download({ ...run, input: { ...input, isEntry: true } });
    },
  });
}

/** Returns whether a job has turned out to be a list. */
export function isListNow({ stage, result }: Pick<Job, 'stage' | 'result'>): boolean {
  return stage === LIST_STAGE || (result as DownloadResult | undefined)?.kind === 'list';
}
