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
import { MAX_TITLE_LENGTH, MAX_SONGS_PER_LINK } from '../../contract/limits.ts';
import { type Song, toOneLine } from '../../library/domain/song.ts';
import type { SongOrigin } from '../../library/server/store/songStore.ts';
import type { DownloadResult } from '../domain/download.ts';
import { EMPTY_LIST, createStatusFailure } from '../domain/failure.ts';
import { isFileName, getLinkKey, parseLink, canBeList, NOT_AN_ADDRESS, formatLinkTitle } from '../domain/link.ts';
import { decodeList, parseList } from '../domain/plainList.ts';
import { toFetchProgress, toProcessingProgress, type FoundSong, parseSiteId } from '../domain/ytdlpProgress.ts';
import {
  loadFetchedFile,
  type FetchedFile,
  removeFetchedRecord,
  recordFetchedFile,
  SONG,
  songInput,
  type SongInput,
} from './jobInput.ts';
import type { SongImporter } from './songImporter.ts';
import {
  type Downloader,
  type FetchResult,
  fetchSong,
  toJobFailure,
  probeLink,
  type DownloadRequest,
  type LinkEntry,
} from './ytdlp.ts';

const MAX_LIST_BYTES = 1024 * 1024;
const RETRYABLE_FAULTS = ['unreached', 'answer'];

/** A song of a list, with an address that can be requested. */
export interface SongListEntry {
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
  readonly songs: readonly SongListEntry[];
  /** Whether there are more songs than are taken. */
  readonly isCut: boolean;
  /** Number of songs in the list; undefined if unknown. */
  readonly totalCount: number | undefined;
}

function toListedSongs({ title, url, extractor, id }: LinkEntry): readonly SongListEntry[] {
  const link = parseLink(url);
  return link ? [{ url: link.href, key: getLinkKey(link), title, ...parseSiteId(extractor, id) }] : [];
}

/** Returns the first songs of a list, each once. @throws JobFailure if there are none */
function toSongList(title: string, entries: readonly LinkEntry[], count: number | undefined): SongList {
  const songs = new Map<string, SongListEntry>();
  for (const song of entries.slice(0, MAX_SONGS_PER_LINK).flatMap(toListedSongs))
    if (!songs.has(song.key)) songs.set(song.key, song);
  if (songs.size === 0) throw toJobFailure(EMPTY_LIST);
  return {
    title,
    songs: [...songs.values()],
    isCut: (count ?? entries.length) > MAX_SONGS_PER_LINK,
    totalCount: count,
  };
}

/**
 * Reads a plain list of addresses, which yt-dlp would mistake for a stream manifest.
 * Returns undefined if it is not a list. @throws JobFailure
 */
export async function readPlainList(egress: Egress, url: string): Promise<SongList | undefined> {
  try {
    const response = await egress.fetch(url, { maxBytes: MAX_LIST_BYTES, allowsOnlyWebPorts: true });
    if (response.status !== 200) throw toJobFailure(createStatusFailure(response.status));
    const listedSongs = parseList(decodeList(response.body), url);
    if (listedSongs === undefined) return undefined;
    const entries = listedSongs.map((each) => ({ ...each, extractor: '', id: '' }));
    return toSongList('', entries, listedSongs.length);
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
export async function readSongList(downloader: Downloader, request: DownloadRequest): Promise<SongList | undefined> {
  const { isList, title, entries, count } = await probeLink(downloader, request);
  return isList ? toSongList(title, entries, count) : undefined;
}

export interface SongJobDeps {
  readonly downloader: Downloader;
  readonly media: Media;
  readonly jobs: JobQueue;
  readonly importer: SongImporter;
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
  readonly fetchResult: Exclude<FetchResult, { readonly kind: 'file' }>;
  /** Id of the song, if it is in the library already. */
  readonly songId: number | undefined;
}

/** Stage of a job while its list is read. */
export const LIST_STAGE = 'list';

const shorten = (title: string): string => Array.from(toOneLine(title)).slice(0, MAX_TITLE_LENGTH).join('');

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
    return { kind: 'list', songs: list.songs.length, isCut: list.isCut, of: list.totalCount };
  },
});

/**
 * Returns the title from the page, unless it is just the file name of the address. Then the title in the file is
 * better.
 */
function getTitles(found: FoundSong | undefined, input: SongInput, url: string) {
  const isTitleFileName = found !== undefined && found.site === '' && isFileName(found.title, url);
  const title = input.title || (isTitleFileName ? '' : (found?.title ?? ''));
  return { title: shorten(title), fallbackTitle: shorten(found?.title ?? '') || formatLinkTitle(new URL(url)) };
}

const toOrigin = (source: string, { site, siteId }: Pick<FoundSong, 'site' | 'siteId'>): SongOrigin => ({
  source,
  site,
  siteId,
});

/** Defines the job that downloads a link: a song, or a list whose songs are queued as separate downloads. */
export function defineSongKind({ downloader, media, jobs, importer, onStep }: SongJobDeps): JobKind {
  async function queueAsList(run: SongJobRun): Promise<JobOutcome | undefined> {
    run.reportProgress({ stage: LIST_STAGE });
    const list = await readSongList(downloader, { ...run, account: run.job.account, url: run.input.url });
    if (list === undefined) return undefined;
    if (list.title !== '') run.reportProgress({ title: shorten(list.title) });
    return queueSongs(jobs, run, list);
  }
  /** Tries the link as a list before it fails, because only the first song of a list may be missing. */
  async function queueAsListOrFail(run: SongJobRun, failure: JobFailure): Promise<JobOutcome> {
    const list = await readSongList(downloader, { ...run, account: run.job.account, url: run.input.url }).catch(
      () => undefined,
    );
    run.signal.throwIfAborted();
    if (list === undefined || list.songs.length < 2) throw failure;
    return queueSongs(jobs, run, list);
  }
  async function queueAsPlainList(run: SongJobRun): Promise<JobOutcome | undefined> {
    const list = await readPlainList(downloader.egress, run.input.url);
    if (list === undefined) return undefined;
    run.reportProgress({ stage: LIST_STAGE });
    return queueSongs(jobs, run, list);
  }

  /** Processes a downloaded file in the job's folder. */
  async function processFile(
    { job, input, folder, reportProgress }: SongJobRun,
    file: FetchedFile,
    signal: AbortSignal,
  ): Promise<PreparedSong> {
    const { name, cover, found } = file;
    const origin = toOrigin(job.key, found ?? input);
    const lost = await importer.findLostSong(job.account, origin);
    const { title, fallbackTitle } = getTitles(found, input, input.url);
    const foundTags = { title, artist: shorten(found?.artist ?? ''), album: shorten(found?.album ?? '') };
    const song = await media.processSong({
      folder,
      name,
      cover,
      signal,
      announcedSeconds: found?.seconds,
      // The user may have changed the tags of the lost song.
      tags: lost ?? foundTags,
      fallbackTitle,
      onProgress: (percent) => reportProgress({ percent: toProcessingProgress(percent) }),
      ...(onStep ? { onStep } : {}),
    });
    return { song, origin, lost };
  }

  async function finishSong(
    { job, input, folder, reportProgress }: SongJobRun,
    processing: Promise<PreparedSong>,
  ): Promise<JobOutcome> {
    const { song, origin, lost } = await processing.catch(async (error: unknown) => {
      // A partial file is downloaded again. A complete one is used by the next attempt.
      if (error instanceof IncompleteSongFailure) await removeFetchedRecord(folder);
      throw error;
    });
    reportProgress({ title: song.tags.title, percent: 100 });
    return importer.storeSong({ job, folder, origin, playlist: input.playlist, lost }, song);
  }

  async function fetchAndProcess(run: SongJobRun): Promise<JobOutcome | LinkWithoutSong> {
    const { job, input, reportProgress } = run;
    let songId: number | undefined;
    let processing: Promise<PreparedSong> | undefined;
    const failController = new AbortController();
    const startMs = performance.now();
    try {
      const result = await fetchSong(downloader, {
        ...run,
        account: job.account,
        url: input.url,
        isEntry: input.isEntry,
        onPercent: (percent) => reportProgress({ percent: toFetchProgress(percent) }),
        onFound: async (found) => {
          if (found.title !== '') reportProgress({ title: shorten(found.title) });
          songId = (await importer.findStoredSong(job.account, toOrigin(job.key, found)))?.id;
          return songId === undefined;
        },
        // yt-dlp takes 200 ms to exit and report success, but processing can start now.
        onFile: (file) => {
          processing = file.then((fetchedFile) =>
            processFile(run, fetchedFile, AbortSignal.any([run.signal, failController.signal])),
          );
          // The error is handled where the result is awaited.
          processing.catch(() => undefined);
        },
      });
      onStep?.('fetch', performance.now() - startMs);
      if (result.kind !== 'file') return { fetchResult: result, songId };
      if (!processing) throw new Error('yt-dlp reported no file');
      await recordFetchedFile(run.folder, result);
      return await finishSong(run, processing);
    } finally {
      // This attempt must not use the folder while the next one runs.
      failController.abort(new Error('its download failed'));
      await processing?.catch(() => undefined);
    }
  }

  async function download(run: SongJobRun): Promise<JobOutcome> {
    const { job, input } = run;
    const fetchedFile = await loadFetchedFile(run.folder);
    if (fetchedFile) return finishSong(run, processFile(run, fetchedFile, run.signal));
    const outcome = await fetchAndProcess(run);
    if (!('fetchResult' in outcome)) return outcome;
    const { fetchResult, songId } = outcome;
    switch (fetchResult.kind) {
      case 'list':
        return (await queueAsList(run)) ?? download({ ...run, input: { ...input, isEntry: true } });
      case 'stream':
        return (await queueAsPlainList(run)) ?? download({ ...run, input: { ...input, isEntry: true } });
      case 'nothing':
        if (fetchResult.canBeList) return queueAsListOrFail(run, fetchResult.failure);
        throw fetchResult.failure;
      case 'skipped':
        if (songId === undefined) throw new Error('a download was stopped without a reason');
        return importer.reuseSong(job, songId, input.playlist);
    }
  }

  return defineJobKind<SongInput>({
    name: SONG,
    input: songInput,
    keepsFolder: true,
    run: async (run) => {
      const { job, input } = run;
      const link = parseLink(input.url);
      if (link === undefined) throw new JobFailure('final', NOT_AN_ADDRESS);
      const setupProblem = await downloader.programs.getSetupProblem('download', job.account);
      if (setupProblem !== '') throw new JobFailure('final', setupProblem);
      const existing = await importer.findStoredSong(job.account, toOrigin(getLinkKey(link), input));
      if (existing) return importer.reuseSong(job, existing.id, input.playlist);
      if (input.isEntry || !canBeList(link)) return download(run);
      // Stream manifests have the same file extension.
      return (await queueAsPlainList(run)) ?? download({ ...run, input: { ...input, isEntry: true } });
    },
  });
}

/** Returns whether a job has turned out to be a list. */
export function isListJob({ stage, result }: Pick<Job, 'stage' | 'result'>): boolean {
  return stage === LIST_STAGE || (result as DownloadResult | undefined)?.kind === 'list';
}
