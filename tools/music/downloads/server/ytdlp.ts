import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOUR_SECONDS, MINUTE_MS } from '#platform/contract/duration.ts';
import { type Egress, type EgressProxy, EgressRefusal } from '#platform/server/egress/egress.ts';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessResult, ProcessRunner } from '#platform/server/programs/childProcesses.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { MAX_SONGS_PER_LINK } from '../../contract/limits.ts';
import { classifyFailure, LIVE_STREAM, createTooLongFailure, type Failure } from '../domain/failure.ts';
import { isLiveManifest } from '../domain/plainList.ts';
import { parseLine, type FoundSong, type YtdlpLine, LINE_PREFIXES, parsePythonJson } from '../domain/ytdlpProgress.ts';
import type { FetchedFile } from './jobInput.ts';

/** First version that has options for the JavaScript runtime and against plug-ins. */
const MIN_RUNTIMES_VERSION = '2025.11.12';
export function supportsRuntimes(version: string): boolean {
  return version >= MIN_RUNTIMES_VERSION;
}

interface YtdlpOptions {
  /** Validated options of the operator (`YTDLP_ARGS`). */
  readonly args?: readonly string[] | undefined;
  /** Plug-in folder of the operator (`YTDLP_PLUGINS`). */
  readonly plugins?: string | undefined;
  /** A file in the job's folder. */
  readonly cookies?: string | undefined;
}

/** Arguments of every run: no configuration of the user, no network access except through the proxy, and timeouts. */
export function getCommonArguments(proxy: string, version: string, options: YtdlpOptions = {}): readonly string[] {
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
    ...(supportsRuntimes(version) ? ['--no-plugin-dirs', `--js-runtimes=node:${process.execPath}`] : []),
    ...(supportsRuntimes(version) && options.plugins !== undefined ? [`--plugin-dirs=${options.plugins}`] : []),
    ...(options.cookies === undefined ? [] : [`--cookies=${options.cookies}`]),
    // Options of the operator take precedence.
    ...(options.args ?? []),
  ];
}

const FIELDS = 'id,title,track,artist,album,duration,extractor_key,is_live,live_status,playlist_id,n_entries';

/** Arguments to download the audio of one song. It prints progress in lines that `readLine` understands. */
function getDownloadArguments(limitBytes: number): readonly string[] {
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
    `--progress-template=download:${LINE_PREFIXES.bytes}%(progress.{status,downloaded_bytes,total_bytes,total_bytes_estimate})j`,
    `--print=pre_process:${LINE_PREFIXES.found}%(.{${FIELDS}})j`,
    `--print=before_dl:${LINE_PREFIXES.started}%(.{protocol,url})j`,
    `--print=after_move:${LINE_PREFIXES.file}%(filepath)j`,
  ];
}

/** Arguments to read the entries of a list without a request for each song. */
const PROBE_ARGUMENTS: readonly string[] = [
  '--flat-playlist',
  `--playlist-end=${MAX_SONGS_PER_LINK + 1}`,
  '--dump-single-json',
];

const COOKIES_FILE = 'cookies.txt';
/** Maximum size of a stream manifest. One of twelve hours has less. */
const MAX_MANIFEST_BYTES = 4 * 1024 ** 2;
const MAX_SONG_HOURS = 12;

/** The services and options of downloads. */
export interface Downloader {
  readonly processRunner: ProcessRunner;
  readonly programs: MediaPrograms;
  readonly egress: Egress;
  /** Maximum size of a song's file. */
  readonly limitBytes: number;
  /** How long a site can be silent. */
  readonly silentMs: number;
  /** Options of the operator for every run. */
  readonly options: Pick<YtdlpOptions, 'args' | 'plugins'>;
  /** Returns the part of an account's cookies.txt for the site of a link. */
  readonly getCookiesFor: (account: number, link: string) => Promise<string | undefined>;
}

export interface DownloadRequest {
  readonly url: string;
  readonly account: number;
  /** Absolute path of the job's folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * `skipped`: not needed. `list`: the link leads to a list of songs. `stream`: it may lead to a list of addresses.
 * `nothing`: the failure, and whether the link may be a list whose first song is missing.
 */
export type FetchResult =
  | ({ readonly kind: 'file' } & FetchedFile)
  | { readonly kind: 'skipped' | 'list' | 'stream' }
  | { readonly kind: 'nothing'; readonly failure: JobFailure; readonly canBeList: boolean };

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
export function toJobFailure({ retry, sentence, details }: Failure): JobFailure {
  return new JobFailure(retry, retry === 'final' && details !== undefined ? `${sentence}\n${details}` : sentence);
}

/** Limit of the address space. JavaScript runtimes reserve much more than they use. */
const MEMORY_BYTES = 4 * 1024 ** 3;

/** Stops a run whose output is sufficient. */
class EarlyStop extends Error {
  override readonly name = 'EarlyStop';
  readonly reason: 'skipped' | 'list' | 'stream' | 'broken';
  constructor(reason: EarlyStop['reason']) {
    super(`the output is sufficient: ${reason}`);
    this.reason = reason;
  }
}

/** The end of a yt-dlp run, and its circumstances. */
interface YtdlpRun {
  readonly end: ProcessResult | undefined;
  readonly earlyStop: EarlyStop['reason'] | undefined;
  readonly proxy: EgressProxy;
  readonly version: string;
}

const toFailure = (
  { end, proxy, version }: YtdlpRun,
  progress: { isLive: boolean; hasStarted: boolean },
  limitBytes: number,
) =>
  toJobFailure(
    classifyFailure({
      code: end?.exitCode,
      exitSignal: end?.signal,
      exceededLimit: end?.exceededLimit,
      errors: end?.errorOutput ?? '',
      proxyFaults: proxy.getFaults().map(({ fault }) => fault),
      version,
      limitBytes,
      ...progress,
    }),
  );

const catchEarlyStop = (ended: Promise<ProcessResult>): Promise<Pick<YtdlpRun, 'end' | 'earlyStop'>> =>
  ended.then(
    (end) => ({ end, earlyStop: undefined }),
    (error: unknown) => {
      if (error instanceof EarlyStop) return { end: undefined, earlyStop: error.reason };
      throw error;
    },
  );

/** Writes a cookies.txt into the job's folder for one run. Without cookies the result has no name. */
async function writeCookies(
  folder: string,
  text: string | undefined,
): Promise<AsyncDisposable & { readonly name: string | undefined }> {
  const path = join(folder, COOKIES_FILE);
  if (text !== undefined) await writeFile(path, text, { mode: 0o600 });
  return {
    name: text === undefined ? undefined : COOKIES_FILE,
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
}

interface RunOptions {
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly onLine?: (line: YtdlpLine) => void;
}

/** Runs yt-dlp within its limits. Its only access to the network is a proxy that is closed after the run. */
async function run<T>(
  { processRunner, programs, egress, limitBytes, silentMs, options, getCookiesFor }: Downloader,
  { url, account, folder, signal }: DownloadRequest,
  { args, timeoutMs, onLine }: RunOptions,
  onEnd: (run: YtdlpRun) => Promise<T>,
): Promise<T> {
  const { program, version = '', readablePaths } = await programs.findYtdlp();
  const stop = new AbortController();
  await using proxy = await egress.openJobProxy({
    maxBytes: Math.ceil(limitBytes * 1.1),
    maxIdleMs: silentMs,
    onLimitExceeded: () => stop.abort(new EarlyStop('broken')),
  });
  await using cookies = await writeCookies(folder, await getCookiesFor(account, url));
  const ended = processRunner.run({
    program,
    args: [...getCommonArguments(proxy.address, version, { ...options, cookies: cookies.name }), ...args, '--', url],
    folder,
    network: true,
    reads: [
      ...readablePaths,
      ...(supportsRuntimes(version) ? [dirname(process.execPath)] : []),
      ...(options.plugins === undefined ? [] : [options.plugins]),
    ],
    limits: {
      timeoutMs,
      maxCpuSeconds: 120,
      maxFileBytes: Math.ceil(limitBytes * 1.1),
      maxMemoryBytes: MEMORY_BYTES,
    },
    signal: AbortSignal.any([signal, stop.signal]),
    onLine: (line) => {
      const parsedLine = parseLine(line);
      if (parsedLine) onLine?.(parsedLine);
    },
  });
  return await onEnd({ ...(await catchEarlyStop(ended)), proxy, version });
}

/** Files of an earlier attempt of the same job that this one can continue. */
const isResumable = (name: string): boolean => name === 'id' || /^media\..*\.(part|ytdl)/.test(name);

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (!isResumable(name)) await rm(join(folder, name), { recursive: true, force: true });
}

async function toFetchedFile(folder: string, name: string, found: FoundSong | undefined): Promise<FetchedFile> {
  const cover = (await readdir(folder)).find((fileName) => /^cover\.(jpe?g|png|webp|gif|avif)$/i.test(fileName));
  return { name, cover, found };
}

/** What yt-dlp has reported about a song so far. */
interface SongProgress {
  found: FoundSong | undefined;
  file: Promise<FetchedFile> | undefined;
  hasStarted: boolean;
}

/** @throws EarlyStop or JobFailure if the download must stop. */
function assertDownloadable({ isOfList, isLive, seconds = 0 }: FoundSong, isEntry: boolean): void {
  if (isOfList && !isEntry) throw new EarlyStop('list');
  if (isLive) throw toJobFailure(LIVE_STREAM);
  if (seconds > MAX_SONG_HOURS * HOUR_SECONDS) throw toJobFailure(createTooLongFailure(MAX_SONG_HOURS));
}

/**
 * Checks that a stream is not live: yt-dlp would save the available part as if it were the whole song. @throws
 * JobFailure
 */
async function assertNotLive(egress: Egress, stream: string): Promise<void> {
  const response = await egress
    .fetch(stream, { maxBytes: MAX_MANIFEST_BYTES, allowsOnlyWebPorts: true })
    .catch((error: unknown) => {
      // yt-dlp reports the reason itself, or can send what the site requires.
      if (error instanceof EgressRefusal) return undefined;
      throw error;
    });
  if (response?.status === 200 && isLiveManifest(Buffer.from(response.body).toString('utf8')))
    throw toJobFailure(LIVE_STREAM);
}

function toNothingResult(
  ended: YtdlpRun,
  { found, hasStarted }: SongProgress,
  { limitBytes, isEntry }: { readonly limitBytes: number; readonly isEntry: boolean },
): FetchResult {
  const failure = toFailure(ended, { isLive: found?.isLive ?? false, hasStarted }, limitBytes);
  const isRead = found !== undefined || ended.proxy.getFaults().length > 0;
  return { kind: 'nothing', failure, canBeList: !isRead && failure.retry === 'final' && !isEntry };
}

/** Downloads the audio of a link, and the picture of its page. @throws JobFailure with a sentence for the user */
export async function fetchSong(downloader: Downloader, request: SongRequest): Promise<FetchResult> {
  await removeLeftovers(request.folder);
  const { limitBytes, egress } = downloader;
  const progress: SongProgress = { found: undefined, file: undefined, hasStarted: false };
  const stopController = new AbortController();
  const checks: Promise<void>[] = [];
  const check = (work: Promise<void>): void =>
    void checks.push(work.catch((error: unknown) => stopController.abort(error)));

  function handleLine(line: YtdlpLine): void {
    switch (line.kind) {
      case 'found':
        progress.found = line.found;
        assertDownloadable(line.found, request.isEntry);
        check(
          request
            .onFound(line.found)
            .then((isWanted) => (isWanted ? undefined : stopController.abort(new EarlyStop('skipped')))),
        );
        return;
      case 'begins':
        progress.hasStarted = true;
        if (line.stream === undefined) return;
        // Some sites serve a plain list as if it were a stream.
        if (progress.found?.site === '' && !request.isEntry) throw new EarlyStop('stream');
        check(assertNotLive(egress, line.stream));
        return;
      case 'bytes':
        if (line.percent !== undefined) request.onPercent(line.percent);
        return;
      case 'file':
        if (progress.file !== undefined) return;
        progress.file = toFetchedFile(request.folder, line.name, progress.found);
        request.onFile(progress.file);
    }
  }

  async function handleEnd(ended: YtdlpRun): Promise<FetchResult> {
    await Promise.all(checks);
    const { reason: error } = stopController.signal as { readonly reason: unknown };
    if (error !== undefined && !(error instanceof EarlyStop)) throw error as Error;
    const reason = error?.reason ?? ended.earlyStop;
    if (reason !== undefined && reason !== 'broken') return { kind: reason };
    return progress.file !== undefined && ended.end?.exitCode === 0
      ? { kind: 'file', ...(await progress.file) }
      : toNothingResult(ended, progress, { limitBytes, isEntry: request.isEntry });
  }
  const requestWithStop = { ...request, signal: AbortSignal.any([request.signal, stopController.signal]) };
  return run(
    downloader,
    requestWithStop,
    { args: getDownloadArguments(limitBytes), timeoutMs: 30 * MINUTE_MS, onLine: handleLine },
    handleEnd,
  );
}

/** A song of a list, as the list describes it. */
export interface LinkEntry {
  readonly title: string;
  readonly url: string;
  readonly extractor: string;
  readonly id: string;
}

/** The result of a probe, which sends no request for each song. */
export interface LinkProbe {
  readonly isList: boolean;
  readonly title: string;
  readonly entries: readonly LinkEntry[];
  /** Number of songs; undefined if the site doesn't report it. */
  readonly count: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

const toLinkEntry = (fields: Fields): LinkEntry => ({
  title: toText(fields['title']),
  url: [fields['url'], fields['webpage_url']].map(toText).find((address) => /^https?:\/\//i.test(address)) ?? '',
  extractor: toText(fields['ie_key']),
  id: toText(fields['id']),
});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function toLinkProbe(output: string): LinkProbe {
  // Plug-ins can print lines before it.
  const json = parsePythonJson(output) ?? parsePythonJson(output.trim().split('\n').at(-1) ?? '');
  const fields: Fields = isFields(json) ? json : {};
  const { entries, playlist_count: count } = fields;
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return {
    isList: fields['_type'] === 'playlist' || fields['_type'] === 'multi_video',
    title: toText(fields['title']),
    entries: list.filter(isFields).map(toLinkEntry),
    count: typeof count === 'number' ? count : undefined,
  };
}

/** Reads the entries of a list. @throws JobFailure with a sentence for the user */
export async function probeLink(downloader: Downloader, request: DownloadRequest): Promise<LinkProbe> {
  return run(downloader, request, { args: PROBE_ARGUMENTS, timeoutMs: 5 * MINUTE_MS }, async (ended) => {
    if (ended.end?.exitCode !== 0) throw toFailure(ended, { isLive: false, hasStarted: false }, downloader.limitBytes);
    return toLinkProbe(ended.end.output);
  });
}
