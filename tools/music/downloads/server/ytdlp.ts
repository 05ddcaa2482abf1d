import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOUR_SECONDS, MINUTE_MS } from '#platform/contract/duration.ts';
import { type Egress, type EgressProxy, EgressRefusal } from '#platform/server/egress/egress.ts';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessResult, ProcessRunner } from '#platform/server/programs/childProcesses.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { FIRST_OF_LINK } from '../../contract/limits.ts';
import { classifyFailure, LIVE, createTooLongFailure, type Failure } from '../domain/failure.ts';
import { isUnended } from '../domain/plainList.ts';
import { readLine, type FoundSong, type YtdlpLine, PREFIX } from '../domain/ytdlpProgress.ts';
import type { FetchedFile } from './jobInput.ts';

/** First version that has options for the JavaScript runtime and against plug-ins. */
const KNOWS_RUNTIMES = '2025.11.12';
export function knowsRuntimes(version: string): boolean {
  return version >= KNOWS_RUNTIMES;
}

interface OwnArguments {
  /** Validated options of the operator (`YTDLP_ARGS`). */
  readonly args?: readonly string[] | undefined;
  /** Plug-in folder of the operator (`YTDLP_PLUGINS`). */
  readonly plugins?: string | undefined;
  /** A file in the job's folder. */
  readonly cookies?: string | undefined;
}

/** Arguments of every run: no configuration of the user, no network access except through the proxy, and timeouts. */
export function getCommonArguments(proxy: string, version: string, own: OwnArguments = {}): readonly string[] {
  return [
    '--ignore-config',
    '--no-cache-dir',
    `--proxy=${proxy}`,
    '--socket-timeout=15',
    '--retries=3',
    '--fragment-retries=3',
    '--retry-sleep=1',
    '--no-colors',
    '--no-warnings',
    '--no-mark-watched',
    ...(knowsRuntimes(version) ? ['--no-plugin-dirs', `--js-runtimes=node:${process.execPath}`] : []),
    ...(knowsRuntimes(version) && own.plugins !== undefined ? [`--plugin-dirs=${own.plugins}`] : []),
    ...(own.cookies === undefined ? [] : [`--cookies=${own.cookies}`]),
    // Options of the operator take precedence.
    ...(own.args ?? []),
  ];
}

const FIELDS = 'id,title,track,artist,album,duration,extractor_key,is_live,live_status,playlist_id,n_entries';

/** Arguments to download the audio of one song. It prints progress in lines that `readLine` understands. */
function downloading(limitBytes: number): readonly string[] {
  return [
    '--no-playlist',
    '--playlist-items=1',
    '--no-mtime',
    '--fixup=never',
    '--ffmpeg-location=/nonexistent',
    '--hls-prefer-native',
    '--match-filters=!is_live',
    `--max-filesize=${limitBytes}`,
    '--format=bestaudio[protocol^=http]/bestaudio/best[height<=480]/best',
    '--output=media.%(ext)s',
    '--output=thumbnail:cover.%(ext)s',
    '--output=pl_thumbnail:',
    '--write-thumbnail',
    '--newline',
    '--progress',
    '--no-simulate',
    `--progress-template=download:${PREFIX.bytes}%(progress.{status,downloaded_bytes,total_bytes,total_bytes_estimate})j`,
    `--print=pre_process:${PREFIX.found}%(.{${FIELDS}})j`,
    `--print=before_dl:${PREFIX.begins}%(.{protocol,url})j`,
    `--print=after_move:${PREFIX.file}%(filepath)j`,
  ];
}

/** Arguments to read the entries of a list without a request for each song. */
const probing: readonly string[] = ['--flat-playlist', `--playlist-end=${FIRST_OF_LINK + 1}`, '--dump-single-json'];

const COOKIES_FILE = 'cookies.txt';
/** Maximum size of a stream manifest. One of twelve hours has less. */
const MAX_MANIFEST_BYTES = 4 * 1024 ** 2;
const MAX_SONG_HOURS = 12;

/** What downloads need to run. */
export interface Downloader {
  readonly children: ProcessRunner;
  readonly programs: MediaPrograms;
  readonly egress: Egress;
  /** Maximum size of a song's file. */
  readonly limitBytes: number;
  /** How long a site can be silent. */
  readonly silentMs: number;
  /** Options of the operator for every run. */
  readonly own: Pick<OwnArguments, 'args' | 'plugins'>;
  /** Returns the part of an account's cookies.txt for the site of a link. */
  readonly cookiesFor: (account: number, link: string) => Promise<string | undefined>;
}

export interface DownloadRequest {
  readonly url: string;
  readonly account: number;
  /** Absolute path of the job's folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * `left`: not needed. `list`: the link leads to a list of songs. `stream`: it may lead to a list of addresses.
 * `nothing`: why there is nothing, and whether that may be because the first song of a list is gone.
 */
export type FetchResult =
  | ({ readonly kind: 'file' } & FetchedFile)
  | { readonly kind: 'left' | 'list' | 'stream' }
  | { readonly kind: 'nothing'; readonly failure: JobFailure; readonly mayBeList: boolean };

export interface SongRequest extends DownloadRequest {
  /**
   * Whether the song comes from a list. Then it is downloaded even if it is itself a list, whose first song is taken.
   */
  readonly isEntry: boolean;
  /** Called with the song while it is being downloaded. Returns false to stop the download. */
  readonly onFound: (found: FoundSong) => Promise<boolean>;
  /** 0 to 100. */
  readonly onPercent: (percent: number) => void;
  /** Called once when yt-dlp reports the file as complete. The run can still fail until it exits. */
  readonly onFile: (file: Promise<FetchedFile>) => void;
}

/** Converts a failure. The site's own message goes on a separate line, for the last attempt only. */
export function failing({ means, sentence, details }: Failure): JobFailure {
  return new JobFailure(means, means === 'final' && details !== undefined ? `${sentence}\n${details}` : sentence);
}

/** Limit of the address space. JavaScript runtimes reserve much more than they use. */
const MEMORY_BYTES = 4 * 1024 ** 3;

/** Stops a run whose output is sufficient. */
class EnoughItems extends Error {
  override readonly name = 'Enough';
  readonly why: 'left' | 'list' | 'stream' | 'broken';
  constructor(why: EnoughItems['why']) {
    super(`enough was said: ${why}`);
    this.why = why;
  }
}

/** The end of a yt-dlp run, and its circumstances. */
interface YtdlpRun {
  readonly end: ProcessResult | undefined;
  readonly enough: EnoughItems['why'] | undefined;
  readonly proxy: EgressProxy;
  readonly version: string;
}

const toFailure = (
  { end, proxy, version }: YtdlpRun,
  seen: { isLive: boolean; hasBegun: boolean },
  limitBytes: number,
) =>
  failing(
    classifyFailure({
      code: end?.exitCode,
      died: end?.signal,
      stopped: end?.exceededLimit,
      errors: end?.errorOutput ?? '',
      problems: proxy.getFaults().map(({ fault }) => fault),
      version,
      limitBytes,
      ...seen,
    }),
  );

const catchEnough = (ended: Promise<ProcessResult>): Promise<Pick<YtdlpRun, 'end' | 'enough'>> =>
  ended.then(
    (end) => ({ end, enough: undefined }),
    (error: unknown) => {
      if (error instanceof EnoughItems) return { end: undefined, enough: error.why };
      throw error;
    },
  );

/** Writes a cookies.txt into the job's folder for one run. Without cookies the result has no name. */
const writeCookies = async (
  folder: string,
  text: string | undefined,
): Promise<AsyncDisposable & { readonly name: string | undefined }> => {
  const path = join(folder, COOKIES_FILE);
  if (text !== undefined) await writeFile(path, text, { mode: 0o600 });
  return {
    name: text === undefined ? undefined : COOKIES_FILE,
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
};

/** Runs yt-dlp within its limits. Its only access to the network is a proxy that is closed after the run. */
const run = async <T>(
  { children, programs, egress, limitBytes, silentMs, own, cookiesFor }: Downloader,
  { url, account, folder, signal }: DownloadRequest,
  how: { readonly args: readonly string[]; readonly wallMs: number; readonly onSaid?: (said: YtdlpLine) => void },
  then: (run: YtdlpRun) => Promise<T>,
): Promise<T> => {
  const { program, version = '', readablePaths } = await programs.findYtdlp();
  const stop = new AbortController();
  await using proxy = await egress.openProxy({
    maxBytes: Math.ceil(limitBytes * 1.1),
    silentMs,
    onBroken: () => stop.abort(new EnoughItems('broken')),
  });
  await using cookies = await writeCookies(folder, await cookiesFor(account, url));
  const ended = children.run({
    program,
    args: [...getCommonArguments(proxy.address, version, { ...own, cookies: cookies.name }), ...how.args, '--', url],
    folder,
    network: true,
    reads: [
      ...readablePaths,
      ...(knowsRuntimes(version) ? [dirname(process.execPath)] : []),
      ...(own.plugins === undefined ? [] : [own.plugins]),
    ],
    limits: {
      timeoutMs: how.wallMs,
      maxCpuSeconds: 120,
      maxFileBytes: Math.ceil(limitBytes * 1.1),
      memoryBytes: MEMORY_BYTES,
    },
    signal: AbortSignal.any([signal, stop.signal]),
    onLine: (line) => {
      const parsedLine = readLine(line);
      if (parsedLine) how.onSaid?.(parsedLine);
    },
  });
  return await then({ ...(await catchEnough(ended)), proxy, version });
};

/** Files of an earlier attempt of the same job that this one can continue. */
const isResumable = (name: string): boolean => name === 'id' || /^media\..*\.(part|ytdl)/.test(name);

const removeLeftovers = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder))
    if (!isResumable(name)) await rm(join(folder, name), { recursive: true, force: true });
};

const toFetchedFile = async (folder: string, name: string, found: FoundSong | undefined): Promise<FetchedFile> => {
  const cover = (await readdir(folder)).find((one) => /^cover\.(jpe?g|png|webp|gif|avif)$/i.test(one));
  return { name, cover, found };
};

/** What yt-dlp has reported about a song so far. */
interface SongProgress {
  found: FoundSong | undefined;
  file: Promise<FetchedFile> | undefined;
  hasBegun: boolean;
}

/** @throws Enough or JobFailure if the download must stop. */
const checkFound = ({ isOfList, isLive, seconds = 0 }: FoundSong, isEntry: boolean): void => {
  if (isOfList && !isEntry) throw new EnoughItems('list');
  if (isLive) throw failing(LIVE);
  if (seconds > MAX_SONG_HOURS * HOUR_SECONDS) throw failing(createTooLongFailure(MAX_SONG_HOURS));
};

/**
 * Checks that a stream is not live: yt-dlp would save the available part as if it were the whole song. @throws
 * JobFailure
 */
const checkNotLive = async (egress: Egress, stream: string): Promise<void> => {
  const answer = await egress.fetch(stream, { maxBytes: MAX_MANIFEST_BYTES, isOfWeb: true }).catch((error: unknown) => {
    // yt-dlp reports the reason itself, or can send what the site requires.
    if (error instanceof EgressRefusal) return undefined;
    throw error;
  });
  if (answer?.status === 200 && isUnended(Buffer.from(answer.body).toString('utf8'))) throw failing(LIVE);
};

const toNothing = (
  one: YtdlpRun,
  { found, hasBegun }: SongProgress,
  { limitBytes, isEntry }: { readonly limitBytes: number; readonly isEntry: boolean },
): FetchResult => {
  const failure = toFailure(one, { isLive: found?.isLive ?? false, hasBegun }, limitBytes);
  const isRead = found !== undefined || one.proxy.getFaults().length > 0;
  return { kind: 'nothing', failure, mayBeList: !isRead && failure.retry === 'final' && !isEntry };
};

/** Downloads the audio of a link, and the picture of its page. @throws JobFailure with a sentence for the user */
export async function fetchSong(downloader: Downloader, request: SongRequest): Promise<FetchResult> {
  await removeLeftovers(request.folder);
  const { limitBytes, egress } = downloader;
  const progress: SongProgress = { found: undefined, file: undefined, hasBegun: false };
  const left = new AbortController();
  const checks: Promise<void>[] = [];
  const check = (work: Promise<void>): void => void checks.push(work.catch((error: unknown) => left.abort(error)));

  const handleLine = (line: YtdlpLine): void => {
    switch (line.kind) {
      case 'found':
        progress.found = line.found;
        checkFound(line.found, request.isEntry);
        check(
          request.onFound(line.found).then((isWanted) => (isWanted ? undefined : left.abort(new EnoughItems('left')))),
        );
        return;
      case 'begins':
        progress.hasBegun = true;
        if (line.stream === undefined) return;
        // Some sites serve a plain list as if it were a stream.
        if (progress.found?.site === '' && !request.isEntry) throw new EnoughItems('stream');
        check(checkNotLive(egress, line.stream));
        return;
      case 'bytes':
        if (line.percent !== undefined) request.onPercent(line.percent);
        return;
      case 'file':
        if (progress.file !== undefined) return;
        progress.file = toFetchedFile(request.folder, line.name, progress.found);
        request.onFile(progress.file);
    }
  };

  const ended = async (one: YtdlpRun): Promise<FetchResult> => {
    await Promise.all(checks);
    const { reason } = left.signal as { readonly reason: unknown };
    if (reason !== undefined && !(reason instanceof EnoughItems)) throw reason as Error;
    const why = reason?.why ?? one.enough;
    if (why !== undefined && why !== 'broken') return { kind: why };
    return progress.file !== undefined && one.end?.exitCode === 0
      ? { kind: 'file', ...(await progress.file) }
      : toNothing(one, progress, { limitBytes, isEntry: request.isEntry });
  };
  const requestWithStop = { ...request, signal: AbortSignal.any([request.signal, left.signal]) };
  return run(
    downloader,
    requestWithStop,
    { args: downloading(limitBytes), wallMs: 30 * MINUTE_MS, onSaid: handleLine },
    ended,
  );
}

/** A song of a list, as the list describes it. */
export interface Entry {
  readonly title: string;
  readonly url: string;
  readonly extractor: string;
  readonly id: string;
}

/** What a link leads to, without a request for each song. */
export interface LinkProbe {
  readonly isList: boolean;
  readonly title: string;
  readonly entries: readonly Entry[];
  /** Number of songs; undefined if the site doesn't report it. */
  readonly count: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const toEntry = (fields: Fields): Entry => ({
  title: text(fields['title']),
  url: [fields['url'], fields['webpage_url']].map(text).find((one) => /^https?:\/\//i.test(one)) ?? '',
  extractor: text(fields['ie_key']),
  id: text(fields['id']),
});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const toLinkProbe = (output: string): LinkProbe => {
  const json: unknown = JSON.parse(output.trim() || 'null');
  const fields: Fields = isFields(json) ? json : {};
  const { entries, playlist_count: count } = fields;
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return {
    isList: fields['_type'] === 'playlist' || fields['_type'] === 'multi_video',
    title: text(fields['title']),
    entries: list.filter(isFields).map(toEntry),
    count: typeof count === 'number' ? count : undefined,
  };
};

/** Reads the entries of a list. @throws JobFailure with a sentence for the user */
export async function probe(downloader: Downloader, request: DownloadRequest): Promise<LinkProbe> {
  return run(downloader, request, { args: probing, wallMs: 5 * MINUTE_MS }, async (ended) => {
    if (ended.end?.exitCode !== 0) throw toFailure(ended, { isLive: false, hasBegun: false }, downloader.limitBytes);
    return toLinkProbe(ended.end.output);
  });
}
