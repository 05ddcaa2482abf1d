import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RangedFile } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { createRangedFile } from '#platform/server/http/rangedParts.ts';
import type { ProcessRunner } from '#platform/server/programs/childProcesses.ts';
import type { DiskSpace } from '#platform/server/storage/diskSpace.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { Song } from '../../library/domain/song.ts';

/** Bit rates of conversions in kbit/s. Other values are rounded down. */
const KBIT_STEPS = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;

/** Returns the supported bit rate for a requested one, both in kbit/s. */
export function roundBitRate(kbit: number): number {
  return KBIT_STEPS.findLast((step) => step <= kbit) ?? KBIT_STEPS[0];
}

const SCRATCH_FOLDER = 'lowered';
/** Limits of the cache; the least recently used file is removed first. Running conversions are not included. */
const CACHE_LIMITS = { files: 40, bytes: 2 * 1024 ** 3 };
/** With more requests, songs are sent unconverted. */
const MAX_CONCURRENT_CONVERSIONS = 2;
const PROCESS_LIMITS = { timeoutMs: 30 * MINUTE_MS, maxCpuSeconds: 900, maxFileBytes: 1024 ** 3, maxIdleMs: 60_000 };
const CHUNK_BYTES = 64 * 1024;

/** A running or finished conversion. */
interface Transcode {
  /** Resolves when its file can be opened. */
  readonly path: Promise<string>;
  /** Size in bytes, once it is complete. */
  size: number | undefined;
  hasFailed: boolean;
  /** Resolves when the file has grown. */
  grown: PromiseWithResolvers<void>;
  /** Stops ffmpeg when the song is removed. */
  readonly removal: AbortController;
}

/** Yields the content of the file while it grows. @throws if the conversion fails, which aborts the response */
async function* readWhileGrowing(transcode: Transcode): AsyncGenerator<Uint8Array> {
  await using file = await open(await transcode.path, 'r');
  for (;;) {
    // Read before the file: bytes that are written later resolve `grown`.
    const { size, hasFailed, grown } = transcode;
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
    if (bytesRead > 0) yield chunk.subarray(0, bytesRead);
    else if (hasFailed) throw new Error('the conversion failed');
    else if (size !== undefined) return;
    else await grown.promise;
  }
}

const GLOBAL_ARGS = '-nostdin -hide_banner -v error -stats_period 0.2 -progress pipe:1'.split(' ');
/** Restrictions for all files that come from elsewhere. */
const INPUT_ARGS = '-format_whitelist mp3,mov,flac,ogg,wav -protocol_whitelist file,pipe'.split(' ');
/** Without a header with a seek table, which could only be written at the end. */
const MP3_ARGS = '-map 0:a:0 -map_metadata -1 -c:a libmp3lame -write_xing 0 -flush_packets 1 -f mp3 -y'.split(' ');

interface TranscodeRequest {
  readonly program: string;
  /** Name of the stored file. */
  readonly from: string;
  /** Bit rate of an MP3. If it is absent, the result is a FLAC file. */
  readonly kbit?: number;
}

/** Lossless. */
const FLAC_ARGS = '-map 0:a:0 -map_metadata -1 -c:a flac -f flac -y'.split(' ');

const getArgs = (path: string, { kbit }: TranscodeRequest, fileName: string): readonly string[] => [
  ...GLOBAL_ARGS,
  ...INPUT_ARGS,
  '-i',
  path,
  ...(kbit === undefined ? FLAC_ARGS : [...MP3_ARGS, '-b:a', `${kbit}k`]),
  fileName,
];

interface TranscoderDeps {
  readonly processRunner: Pick<ProcessRunner, 'run'>;
  /** Path of ffmpeg; undefined if there is none. */
  readonly ffmpeg: () => Promise<string | undefined>;
  readonly files: Pick<FileStorage, 'withLocalFile' | 'createScratchFolder'>;
  readonly disk: Pick<DiskSpace, 'canStoreFiles'>;
  readonly cacheLimits?: typeof CACHE_LIMITS;
}

/** Creates the service that converts songs to MP3, which is sent while it is created, and to FLAC for browsers. */
export function createTranscoder({ processRunner, ffmpeg, files, disk, cacheLimits = CACHE_LIMITS }: TranscoderDeps) {
  /** By name, ordered by last use. */
  const cache = new Map<string, Transcode>();
  /** Includes conversions that were removed from the cache, which take CPU time until they end. */
  const runningTranscodes = new Set<Transcode>();
  /** Counts files, so that a removed one and the next of the same name never share a file. */
  let fileCount = 0;
  const stopController = new AbortController();

  function notifyGrown(transcode: Transcode): void {
    const { grown } = transcode;
    transcode.grown = Promise.withResolvers();
    grown.resolve();
  }

  async function removeFile(name: string, transcode: Transcode): Promise<void> {
    if (cache.get(name) === transcode) cache.delete(name);
    await rm(await transcode.path, { force: true });
  }

  /** Removes the oldest files until the cache is within its limits; never `current` or a running conversion. */
  async function prune(current?: Transcode): Promise<void> {
    let bytes = [...cache.values()].reduce((sum, { size = 0 }) => sum + size, 0);
    for (const [name, transcode] of cache) {
      if (cache.size <= cacheLimits.files && bytes <= cacheLimits.bytes) return;
      if (transcode === current || runningTranscodes.has(transcode)) continue;
      bytes -= transcode.size ?? 0;
      await removeFile(name, transcode);
    }
  }

  async function convert(name: string, transcode: Transcode, request: TranscodeRequest): Promise<void> {
    try {
      const path = await transcode.path;
      const { exitCode, exceededLimit } = await files.withLocalFile(request.from, (from) =>
        processRunner.run({
          program: request.program,
          args: getArgs(from, request, basename(path)),
          folder: dirname(path),
          limits: PROCESS_LIMITS,
          reads: [from],
          onLine: () => notifyGrown(transcode),
          signal: AbortSignal.any([stopController.signal, transcode.removal.signal]),
        }),
      );
      if (exitCode !== 0 || exceededLimit !== undefined)
        throw new Error(`ffmpeg ended with ${exceededLimit ?? exitCode}`);
      transcode.removal.signal.throwIfAborted();
      transcode.size = (await stat(path)).size;
      await prune(transcode);
    } catch (error) {
      transcode.hasFailed = true;
      await removeFile(name, transcode);
      throw error;
    } finally {
      runningTranscodes.delete(transcode);
      notifyGrown(transcode);
    }
  }

  /** Creates an empty file, so that readers can open it immediately. @returns its path */
  async function prepare(name: string): Promise<string> {
    fileCount += 1;
    const fileName = `${fileCount}-${name}`;
    const path = join(await files.createScratchFolder(SCRATCH_FOLDER), fileName);
    await (await open(path, 'w', 0o600)).close();
    await prune();
    return path;
  }

  function startTranscode(name: string, request: TranscodeRequest): Transcode {
    const grown = Promise.withResolvers<void>();
    const removal = new AbortController();
    const transcode: Transcode = { path: prepare(name), size: undefined, hasFailed: false, grown, removal };
    cache.set(name, transcode);
    runningTranscodes.add(transcode);
    // Readers of the file get the error.
    convert(name, transcode, request).catch(() => undefined);
    return transcode;
  }

  /** Removes a finished conversion from the cache if its file is missing. */
  async function removeIfMissing(name: string): Promise<void> {
    const cached = cache.get(name);
    if (cached?.size === undefined) return;
    const stats = await stat(await cached.path).catch(() => undefined);
    if (stats?.size !== cached.size && cache.get(name) === cached) cache.delete(name);
  }

  /** Waits until the file of any running conversion has grown. */
  const waitForGrowth = (): Promise<unknown> => Promise.race([...runningTranscodes].map(({ grown }) => grown.promise));

  function markAsUsed(name: string, transcode: Transcode): Transcode {
    cache.delete(name);
    cache.set(name, transcode);
    return transcode;
  }

  return {
    /**
     * Returns a song as FLAC, for browsers that can't play its format; undefined if it can't be converted.
     * It is sent when it is complete, so that ranges are possible.
     */
    convertToFlac: async (song: Pick<Song, 'id' | 'crc'>, from: string): Promise<RangedFile | undefined> => {
      const name = `${song.id}-${song.crc}.flac`;
      const program = await ffmpeg();
      await removeIfMissing(name);
      while (!cache.has(name) && runningTranscodes.size >= MAX_CONCURRENT_CONVERSIONS) await waitForGrowth();
      const cached = cache.get(name);
      if (program === undefined || (cached === undefined && !disk.canStoreFiles())) return undefined;
      const transcode = markAsUsed(name, cached ?? startTranscode(name, { program, from }));
      while (transcode.size === undefined && !transcode.hasFailed) await transcode.grown.promise;
      const { size } = transcode;
      if (size === undefined) return undefined;
      const path = await transcode.path;
      return createRangedFile([{ size, open: () => open(path, 'r') }], `${name}-${size.toString(36)}`);
    },
    /** Returns a response body with an MP3; undefined if it can't be converted or too many conversions are running. */
    convertToMp3: async (
      song: Pick<Song, 'id' | 'crc'>,
      from: string,
      kbit: number,
    ): Promise<EndpointResponse['body']> => {
      const name = `${song.id}-${song.crc}-${kbit}.mp3`;
      const program = await ffmpeg();
      await removeIfMissing(name);
      const cached = cache.get(name);
      if (program === undefined) return undefined;
      if (cached === undefined && (runningTranscodes.size >= MAX_CONCURRENT_CONVERSIONS || !disk.canStoreFiles()))
        return undefined;
      const transcode = markAsUsed(name, cached ?? startTranscode(name, { program, from, kbit }));
      const path = await transcode.path;
      const { size } = transcode;
      if (size === undefined) return readWhileGrowing(transcode);
      return createRangedFile([{ size, open: () => open(path, 'r') }], `${name}-${size.toString(36)}`);
    },
    /** Removes the conversions of a deleted song. */
    remove: async (song: number): Promise<void> => {
      // A copy: conversions that start during the removal are new ones.
      const songTranscodes = [...cache].filter(([name]) => name.startsWith(`${song}-`));
      for (const [name, transcode] of songTranscodes) {
        transcode.removal.abort(new Error('the song was removed'));
        await removeFile(name, transcode);
      }
    },
    /** Removes files of an earlier server process. */
    removeLeftovers: async (): Promise<void> => {
      await files.createScratchFolder(SCRATCH_FOLDER);
    },
    stop: (): void => stopController.abort(new Error('the server stops')),
  };
}
export type Transcoder = ReturnType<typeof createTranscoder>;
