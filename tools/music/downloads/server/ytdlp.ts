import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Egress, type EgressProxy, EgressRefusal } from '#platform/server/egress/egress.ts';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessResult, ProcessRunner } from '#platform/server/programs/childProcesses.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { failureOf, LIVE, tooLong, type Failure } from '../domain/failure.ts';
import { isUnended } from '../domain/plainList.ts';
import { readLine, type FoundSong, type YtdlpLine } from '../domain/ytdlpProgress.ts';
import type { FetchedFile } from './jobInput.ts';
import { common, downloading, knowsRuntimes, type OwnArguments, probing } from './ytdlpArguments.ts';

const MINUTE_MS = 60_000;
const COOKIES = 'cookies.txt';
/** Of the list of a stream's parts; one of twelve hours has less. */
const PARTS_BYTES = 4 * 1024 ** 2;
const MAX_SONG_HOURS = 12;

/** What downloads run on. */
export interface Downloader {
  readonly children: ProcessRunner;
  readonly programs: MediaPrograms;
  readonly egress: Egress;
  /** Of a song's file. */
  readonly limitBytes: number;
  /** For so long a site may send nothing. */
  readonly silentMs: number;
  /** Of the operator, for every run. */
  readonly own: Pick<OwnArguments, 'args' | 'plugins'>;
  /** What of an account's cookies.txt the site of a link may see. */
  readonly cookiesFor: (account: number, link: string) => Promise<string | undefined>;
}

export interface DownloadRequest {
  readonly url: string;
  readonly account: number;
  /** Absolute: the job's own. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * `left`: there is no need for it. `list`: the link leads to a list of songs; `stream`: to what may be a list of addresses. `nothing`: why
 * there is nothing, and whether that may be because it is a list whose first song is gone.
 */
export type FetchResult =
  | ({ readonly kind: 'file' } & FetchedFile)
  | { readonly kind: 'left' | 'list' | 'stream' }
  | { readonly kind: 'nothing'; readonly failure: JobFailure; readonly mayBeList: boolean };

export interface SongRequest extends DownloadRequest {
  /** It stands in a list: it is fetched even where it is the first of one itself. */
  readonly isEntry: boolean;
  /** Told what it is, while it is fetched already; false leaves it. */
  readonly onFound: (found: FoundSong) => Promise<boolean>;
  /** 0 to 100. */
  readonly onPercent: (percent: number) => void;
  /** Told what there is of it once, as soon as yt-dlp says that it has it: its end is a while off, and may yet be a bad one. */
  readonly onFile: (file: Promise<FetchedFile>) => void;
}

/** What the site said stands on a line of its own, for the end alone: another try says nothing more. */
export function failing({ means, sentence, details }: Failure): JobFailure {
  return new JobFailure(means, means === 'final' && details !== undefined ? `${sentence}\n${details}` : sentence);
}

/** Of addresses: a JavaScript runtime sets many aside that it never uses. */
const MEMORY_BYTES = 4 * 1024 ** 3;

/** Ends a run that has said enough. */
class Enough extends Error {
  override readonly name = 'Enough';
  readonly why: 'left' | 'list' | 'stream' | 'broken';
  constructor(why: Enough['why']) {
    super(`enough was said: ${why}`);
    this.why = why;
  }
}

/** What yt-dlp left, and what is known of how. */
interface YtdlpRun {
  readonly end: ProcessResult | undefined;
  readonly enough: Enough['why'] | undefined;
  readonly proxy: EgressProxy;
  readonly version: string;
}

const failureIn = (
  { end, proxy, version }: YtdlpRun,
  seen: { isLive: boolean; hasBegun: boolean },
  limitBytes: number,
) =>
  failing(
    failureOf({
      code: end?.exitCode,
      died: end?.signal,
      stopped: end?.exceededLimit,
      errors: end?.errorOutput ?? '',
      troubles: proxy.getFaults().map(({ fault }) => fault),
      version,
      limitBytes,
      ...seen,
    }),
  );

const orEnough = (ended: Promise<ProcessResult>): Promise<Pick<YtdlpRun, 'end' | 'enough'>> =>
  ended.then(
    (end) => ({ end, enough: undefined }),
    (error: unknown) => {
      if (error instanceof Enough) return { end: undefined, enough: error.why };
      throw error;
    },
  );

/** A cookies.txt in the job's folder for as long as one run takes; without a name where there are none to lay. */
const layCookies = async (
  folder: string,
  text: string | undefined,
): Promise<AsyncDisposable & { readonly name: string | undefined }> => {
  const path = join(folder, COOKIES);
  if (text !== undefined) await writeFile(path, text, { mode: 0o600 });
  return {
    name: text === undefined ? undefined : COOKIES,
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
};

/** Runs yt-dlp in its limits, with no other way to the network than a proxy of its own, which ends with it. */
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
    onBroken: () => stop.abort(new Enough('broken')),
  });
  await using cookies = await layCookies(folder, await cookiesFor(account, url));
  const ended = children.run({
    program,
    args: [...common(proxy.address, version, { ...own, cookies: cookies.name }), ...how.args, '--', url],
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
      const said = readLine(line);
      if (said) how.onSaid?.(said);
    },
  });
  return await then({ ...(await orEnough(ended)), proxy, version });
};

/** What an earlier try of the same job left and this one can go on with. */
const isKept = (name: string): boolean => name === 'id' || /^media\..*\.(part|ytdl)/.test(name);

const sweep = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder))
    if (!isKept(name)) await rm(join(folder, name), { recursive: true, force: true });
};

const fileIn = async (folder: string, name: string, found: FoundSong | undefined): Promise<FetchedFile> => {
  const cover = (await readdir(folder)).find((one) => /^cover\.(jpe?g|png|webp|gif|avif)$/i.test(one));
  return { name, cover, found };
};

/** What was heard of a song until now. */
interface SongProgress {
  found: FoundSong | undefined;
  file: Promise<FetchedFile> | undefined;
  hasBegun: boolean;
}

/** @throws Enough, or JobFailure, for what is not to be fetched any further */
const checkFound = ({ isOfList, isLive, seconds = 0 }: FoundSong, isEntry: boolean): void => {
  if (isOfList && !isEntry) throw new Enough('list');
  if (isLive) throw failing(LIVE);
  if (seconds > MAX_SONG_HOURS * 3600) throw failing(tooLong(MAX_SONG_HOURS));
};

/** A stream that goes on while it is heard: yt-dlp would save the part that there is, as if that were all. @throws JobFailure */
const checkEnds = async (egress: Egress, stream: string): Promise<void> => {
  const answer = await egress.fetch(stream, { maxBytes: PARTS_BYTES, isOfWeb: true }).catch((error: unknown) => {
    if (error instanceof EgressRefusal) return undefined; // yt-dlp says why, or has what its site wants to see
    throw error;
  });
  if (answer?.status === 200 && isUnended(Buffer.from(answer.body).toString('utf8'))) throw failing(LIVE);
};

const nothingIn = (
  one: YtdlpRun,
  { found, hasBegun }: SongProgress,
  { limitBytes, isEntry }: { readonly limitBytes: number; readonly isEntry: boolean },
): FetchResult => {
  const failure = failureIn(one, { isLive: found?.isLive ?? false, hasBegun }, limitBytes);
  const isRead = found !== undefined || one.proxy.getFaults().length > 0;
  return { kind: 'nothing', failure, mayBeList: !isRead && failure.retry === 'final' && !isEntry };
};

/** Fetches the sound of a link, and the picture of its page. @throws JobFailure with a sentence */
export async function fetchSong(downloader: Downloader, wish: SongRequest): Promise<FetchResult> {
  await sweep(wish.folder);
  const { limitBytes, egress } = downloader;
  const heard: SongProgress = { found: undefined, file: undefined, hasBegun: false };
  const left = new AbortController();
  const checks: Promise<void>[] = [];
  const check = (work: Promise<void>): void => void checks.push(work.catch((error: unknown) => left.abort(error)));

  const onSaid = (said: YtdlpLine): void => {
    switch (said.kind) {
      case 'found':
        heard.found = said.found;
        checkFound(said.found, wish.isEntry);
        check(wish.onFound(said.found).then((isWanted) => (isWanted ? undefined : left.abort(new Enough('left')))));
        return;
      case 'begins':
        heard.hasBegun = true;
        if (said.stream === undefined) return;
        // Some sites hand out a plain list as if it were a stream.
        if (heard.found?.site === '' && !wish.isEntry) throw new Enough('stream');
        check(checkEnds(egress, said.stream));
        return;
      case 'bytes':
        if (said.percent !== undefined) wish.onPercent(said.percent);
        return;
      case 'file':
        if (heard.file !== undefined) return;
        heard.file = fileIn(wish.folder, said.name, heard.found);
        wish.onFile(heard.file);
    }
  };

  const ended = async (one: YtdlpRun): Promise<FetchResult> => {
    await Promise.all(checks);
    const { reason } = left.signal as { readonly reason: unknown };
    if (reason !== undefined && !(reason instanceof Enough)) throw reason as Error;
    const why = reason?.why ?? one.enough;
    if (why !== undefined && why !== 'broken') return { kind: why };
    return heard.file !== undefined && one.end?.exitCode === 0
      ? { kind: 'file', ...(await heard.file) }
      : nothingIn(one, heard, { limitBytes, isEntry: wish.isEntry });
  };
  const asked = { ...wish, signal: AbortSignal.any([wish.signal, left.signal]) };
  return run(downloader, asked, { args: downloading(limitBytes), wallMs: 30 * MINUTE_MS, onSaid }, ended);
}

/** A song of a list, as the list has it. */
export interface Entry {
  readonly title: string;
  readonly url: string;
  readonly extractor: string;
  readonly id: string;
}

/** What a link leads to, without looking at each song. */
export interface LinkProbe {
  readonly isList: boolean;
  readonly title: string;
  readonly entries: readonly Entry[];
  /** How many there are in all; undefined where the site does not say. */
  readonly count: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const entryOf = (fields: Fields): Entry => ({
  title: text(fields['title']),
  url: [fields['url'], fields['webpage_url']].map(text).find((one) => /^https?:\/\//i.test(one)) ?? '',
  extractor: text(fields['ie_key']),
  id: text(fields['id']),
});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const probedFrom = (output: string): LinkProbe => {
  const json: unknown = JSON.parse(output.trim() || 'null');
  const fields: Fields = isFields(json) ? json : {};
  const { entries, playlist_count: count } = fields;
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return {
    isList: fields['_type'] === 'playlist' || fields['_type'] === 'multi_video',
    title: text(fields['title']),
    entries: list.filter(isFields).map(entryOf),
    count: typeof count === 'number' ? count : undefined,
  };
};

/** Asks what stands in a list. @throws JobFailure with a sentence */
export async function probe(downloader: Downloader, asked: DownloadRequest): Promise<LinkProbe> {
  return run(downloader, asked, { args: probing, wallMs: 5 * MINUTE_MS }, async (ended) => {
    if (ended.end?.exitCode !== 0) throw failureIn(ended, { isLive: false, hasBegun: false }, downloader.limitBytes);
    return probedFrom(ended.end.output);
  });
}
