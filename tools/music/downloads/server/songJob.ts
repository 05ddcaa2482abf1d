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
import { isNameOfFile, keyOfLink, linkIn, mayBeList, NOT_AN_ADDRESS, titleOfLink } from '../domain/link.ts';
import { readList } from '../domain/plainList.ts';
import { whileFetching, whileFinishing, type FoundSong, siteOf } from '../domain/ytdlpProgress.ts';
import {
  fetchedBefore,
  type FetchedFile,
  forgetFetched,
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

const LIST_BYTES = 1024 * 1024;
const REACHED_LATER = ['unreached', 'answer'];

/** A song of a list, with an address that can be asked. */
export interface ListedSong {
  readonly url: string;
  /** By which it is found again. */
  readonly key: string;
  readonly title: string;
  readonly site: string;
  readonly siteId: string;
}

/** A list of songs, as much of it as is taken. */
export interface SongList {
  readonly title: string;
  readonly songs: readonly ListedSong[];
  /** There are more than those that are looked at. */
  readonly isCut: boolean;
  /** How many there are in all; undefined where that is not known. */
  readonly of: number | undefined;
}

const listedOf = ({ title, url, extractor, id }: Entry): readonly ListedSong[] => {
  const link = linkIn(url);
  return link ? [{ url: link.href, key: keyOfLink(link), title, ...siteOf(extractor, id) }] : [];
};

/** The first ones, each once. @throws JobFailure where there is none */
const taken = (title: string, entries: readonly Entry[], count: number | undefined): SongList => {
  const songs = new Map<string, ListedSong>();
  for (const song of entries.slice(0, FIRST_OF_LINK).flatMap(listedOf))
    if (!songs.has(song.key)) songs.set(song.key, song);
  if (songs.size === 0) throw failing(EMPTY_LIST);
  return { title, songs: [...songs.values()], isCut: (count ?? entries.length) > FIRST_OF_LINK, of: count };
};

/** A plain list of addresses, read by ourselves: yt-dlp takes one for a stream in parts. Undefined where it is none. @throws JobFailure */
export async function plainListAt(egress: Egress, url: string): Promise<SongList | undefined> {
  try {
    const answer = await egress.fetch(url, { maxBytes: LIST_BYTES, isOfWeb: true });
    if (answer.status !== 200) throw failing(ofStatus(answer.status));
    const found = readList(Buffer.from(answer.body).toString('utf8'), url);
    if (found === undefined) return undefined;
    const entries = found.map((each) => ({ ...each, extractor: '', id: '' }));
    return taken('', entries, found.length);
  } catch (cause) {
    if (!(cause instanceof EgressRefusal)) throw cause;
    if (cause.fault === 'inner') throw new JobFailure('final', 'This address leads into a private network', { cause });
    throw new JobFailure(REACHED_LATER.includes(cause.fault) ? 'again' : 'final', cause.message, { cause });
  }
}

/** The list that a link leads to; undefined where it leads to a single song. @throws JobFailure */
export async function listAt(downloader: Downloader, asked: DownloadRequest): Promise<SongList | undefined> {
  const { isList, title, entries, count } = await probe(downloader, asked);
  return isList ? taken(title, entries, count) : undefined;
}

export interface SongJobDeps {
  readonly downloader: Downloader;
  readonly media: Media;
  readonly jobs: JobQueue;
  readonly keeper: SongKeeper;
  /** How long each step of a song took; for the bench. */
  readonly onStep?: ((step: SongStep | 'fetch', ms: number) => void) | undefined;
}

type SongJobRun = JobRun<SongInput>;

/** A song that is not yet in the library. */
interface PreparedSong {
  readonly song: ProcessedSong;
  readonly origin: SongOrigin;
  /** The one whose file is gone, and whose place it takes. */
  readonly lost: Song | undefined;
}

/** What a link led to instead of a song. */
interface LinkWithoutSong {
  readonly got: Exclude<FetchResult, { readonly kind: 'file' }>;
  /** The song is there already. */
  readonly known: number | undefined;
}

/** What the page shows while it is a list that is looked through. */
export const LIST_STAGE = 'list';

const short = (title: string): string => Array.from(oneLine(title)).slice(0, TITLE_LIMIT).join('');

/** Makes a download of each song of a list. */
const spread = (jobs: JobQueue, { job, input }: SongJobRun, list: SongList): JobOutcome => ({
  save: async (work: UnitOfWork): Promise<DownloadResult> => {
    const wishes = list.songs.map(({ url, key, title, site, siteId }, position) => ({
      account: job.account,
      kind: SONG,
      input: { url, playlist: input.playlist, isEntry: true, title, site, siteId } satisfies SongInput,
      title: short(title) || titleOfLink(new URL(url)),
      key,
      parent: job.id,
      position,
    }));
    await jobs.add(work, wishes);
    return { kind: 'list', songs: list.songs.length, isCut: list.isCut, of: list.of };
  },
});

/** The title of the page counts, but for one that is only the file's name in the address: there the words in the file know better. */
const titlesOf = (found: FoundSong | undefined, input: SongInput, url: string) => {
  const isName = found !== undefined && found.site === '' && isNameOfFile(found.title, url);
  const given = input.title || (isName ? '' : (found?.title ?? ''));
  return { title: short(given), fallbackTitle: short(found?.title ?? '') || titleOfLink(new URL(url)) };
};

const originOf = (source: string, { site, siteId }: Pick<FoundSong, 'site' | 'siteId'>): SongOrigin => ({
  source,
  site,
  siteId,
});

/** Fetches what a link leads to: a song, or, for a list, the songs that it names as downloads of their own. */
export function songKind({ downloader, media, jobs, keeper, onStep }: SongJobDeps): JobKind {
  const asList = async (run: SongJobRun): Promise<JobOutcome | undefined> => {
    run.reportProgress({ stage: LIST_STAGE });
    const list = await listAt(downloader, { ...run, account: run.job.account, url: run.input.url });
    if (list === undefined) return undefined;
    if (list.title !== '') run.reportProgress({ title: short(list.title) });
    return spread(jobs, run, list);
  };
  /** The first song of a list may be the one that is gone; the others are there all the same. */
  const asListOr = async (run: SongJobRun, failure: JobFailure): Promise<JobOutcome> => {
    const list = await listAt(downloader, { ...run, account: run.job.account, url: run.input.url }).catch(
      () => undefined,
    );
    run.signal.throwIfAborted();
    if (list === undefined || list.songs.length < 2) throw failure;
    return spread(jobs, run, list);
  };
  const asPlainList = async (run: SongJobRun): Promise<JobOutcome | undefined> => {
    const list = await plainListAt(downloader.egress, run.input.url);
    if (list === undefined) return undefined;
    run.reportProgress({ stage: LIST_STAGE });
    return spread(jobs, run, list);
  };

  /** Makes a song of what was fetched, in the job's folder alone. */
  const make = async (
    { job, input, folder, reportProgress }: SongJobRun,
    file: FetchedFile,
    signal: AbortSignal,
  ): Promise<PreparedSong> => {
    const { name, cover, found } = file;
    const origin = originOf(job.key, found ?? input);
    const lost = await keeper.songLost(job.account, origin);
    const { title, fallbackTitle } = titlesOf(found, input, input.url);
    const own = { title, artist: short(found?.artist ?? ''), album: short(found?.album ?? '') };
    const song = await media.processSong({
      folder,
      name,
      cover,
      signal,
      announcedSeconds: found?.seconds,
      // Its owner may have given it other words.
      tags: lost ?? own,
      fallbackTitle,
      onProgress: (percent) => reportProgress({ percent: whileFinishing(percent) }),
      ...(onStep ? { onStep } : {}),
    });
    return { song, origin, lost };
  };

  const finish = async (
    { job, input, folder, reportProgress }: SongJobRun,
    making: Promise<PreparedSong>,
  ): Promise<JobOutcome> => {
    const { song, origin, lost } = await making.catch(async (error: unknown) => {
      // Half a file is fetched once more; with a whole one the next try goes on.
      if (error instanceof IncompleteSongFailure) await forgetFetched(folder);
      throw error;
    });
    reportProgress({ title: song.tags.title, percent: 100 });
    return keeper.fresh({ job, folder, origin, playlist: input.playlist, lost }, song);
  };

  const fetchAndMake = async (run: SongJobRun): Promise<JobOutcome | LinkWithoutSong> => {
    const { job, input, reportProgress } = run;
    let known: number | undefined;
    let making: Promise<PreparedSong> | undefined;
    const over = new AbortController();
    const started = performance.now();
    try {
      const got = await fetchSong(downloader, {
        ...run,
        account: job.account,
        url: input.url,
        isEntry: input.isEntry,
        onPercent: (percent) => reportProgress({ percent: whileFetching(percent) }),
        onFound: async (found) => {
          if (found.title !== '') reportProgress({ title: short(found.title) });
          known = (await keeper.songThere(job.account, originOf(job.key, found)))?.id;
          return known === undefined;
        },
        // Python takes a fifth of a second to end. Only then is it known whether all went well, but until then much is done.
        onFile: (file) => {
          making = file.then((one) => make(run, one, AbortSignal.any([run.signal, over.signal])));
          making.catch(() => undefined); // told where it is waited for
        },
      });
      onStep?.('fetch', performance.now() - started);
      if (got.kind !== 'file') return { got, known };
      if (!making) throw new Error('nobody was told of a file');
      await rememberFetched(run.folder, got);
      return await finish(run, making);
    } finally {
      // Whoever has this folder next finds nobody in it.
      over.abort(new Error('its download failed'));
      await making?.catch(() => undefined);
    }
  };

  const fetched = async (run: SongJobRun): Promise<JobOutcome> => {
    const { job, input } = run;
    const before = await fetchedBefore(run.folder);
    if (before) return finish(run, make(run, before, run.signal));
    const outcome = await fetchAndMake(run);
    if (!('got' in outcome)) return outcome;
    const { got, known } = outcome;
    switch (got.kind) {
      case 'list':
        return (await asList(run)) ?? fetched({ ...run, input: { ...input, isEntry: true } });
      case 'stream':
        return (await asPlainList(run)) ?? fetched({ ...run, input: { ...input, isEntry: true } });
      case 'nothing':
        if (got.mayBeList) return asListOr(run, got.failure);
        throw got.failure;
      case 'left':
        if (known === undefined) throw new Error('a download was left for no reason');
        return keeper.known(job, known, input.playlist);
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
      const there = await keeper.songThere(job.account, originOf(keyOfLink(link), input));
      if (there) return keeper.known(job, there.id, input.playlist);
      if (input.isEntry || !mayBeList(link)) return fetched(run);
      // A stream in parts has the same ending.
      return (await asPlainList(run)) ?? fetched({ ...run, input: { ...input, isEntry: true } });
    },
  });
}

export function isListNow({ stage, result }: Pick<Job, 'stage' | 'result'>): boolean {
  return stage === LIST_STAGE || (result as DownloadResult | undefined)?.kind === 'list';
}
