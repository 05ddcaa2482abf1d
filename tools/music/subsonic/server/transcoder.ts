import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Ranged } from '#platform/contract/call.ts';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { createRanged } from '#platform/server/http/rangedParts.ts';
import type { ProcessRunner } from '#platform/server/programs/childProcesses.ts';
import type { DiskSpace } from '#platform/server/storage/diskSpace.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { Song } from '../../library/domain/song.ts';

/** Steps of an MP3's bit rate that are made; what is asked for in between gets the one below. */
const STEPS = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;

/** The bit rate to be made of one that was asked for, both in kilobits in a second. */
export function stepOf(asked: number): number {
  return STEPS.findLast((step) => step <= asked) ?? STEPS[0];
}

const SCRATCH = 'lowered';
/** Limits of the cache; the file asked for longest ago is removed first. What is being made comes on top. */
const CACHE_LIMITS = { files: 40, bytes: 2 * 1024 ** 3 };
/** Made at once; whoever comes then is sent the song as it is. */
const MAX_CONCURRENT_CONVERSIONS = 2;
const LIMITS = { timeoutMs: 30 * 60_000, maxCpuSeconds: 900, maxFileBytes: 1024 ** 3, silentMs: 60_000 };
const PIECE = 64 * 1024;

/** One that is being made, or was. */
interface Transcode {
  /** Its file can be opened. */
  readonly path: Promise<string>;
  /** In bytes, once it is whole. */
  size: number | undefined;
  isFailed: boolean;
  /** Waits for more of it. */
  grown: PromiseWithResolvers<void>;
  /** Ends ffmpeg where its song is removed. */
  readonly removal: AbortController;
}

/** What there is of it, and then what comes, as it comes. @throws where it cannot be made: the answer breaks off */
async function* growing(lowered: Transcode): AsyncGenerator<Uint8Array> {
  const file = await open(await lowered.path, 'r');
  try {
    for (;;) {
      const { size, isFailed, grown } = lowered; // before reading: what is written behind it is told of
      const piece = Buffer.allocUnsafe(PIECE);
      const { bytesRead } = await file.read(piece, 0, PIECE);
      if (bytesRead > 0) yield piece.subarray(0, bytesRead);
      else if (isFailed) throw new Error('a song could not be made smaller');
      else if (size !== undefined) return;
      else await grown.promise;
    }
  } finally {
    await file.close();
  }
}

const BEFORE = '-nostdin -hide_banner -v error -stats_period 0.2 -progress pipe:1'.split(' ');
/** As for every file that comes from elsewhere. */
const READING = '-format_whitelist mp3,mov,flac,ogg,wav -protocol_whitelist file,pipe'.split(' ');
/** Without a table of the whole at its beginning, which could be written only at the end. */
const WRITING = '-map 0:a:0 -map_metadata -1 -c:a libmp3lame -write_xing 0 -flush_packets 1 -f mp3 -y'.split(' ');

interface TranscodeRequest {
  readonly program: string;
  /** Absolute. */
  readonly from: string;
  /** Of an MP3; a FLAC file where left out. */
  readonly kbit?: number;
}

/** Loses nothing that a song still has. */
const WRITING_FLAC = '-map 0:a:0 -map_metadata -1 -c:a flac -f flac -y'.split(' ');

const argsOf = ({ from, kbit }: TranscodeRequest, fileName: string): readonly string[] => [
  ...BEFORE,
  ...READING,
  '-i',
  from,
  ...(kbit === undefined ? WRITING_FLAC : [...WRITING, '-b:a', `${kbit}k`]),
  fileName,
];

interface TranscoderDeps {
  readonly children: Pick<ProcessRunner, 'run'>;
  /** As `Children.run` takes it; undefined where there is none. */
  readonly ffmpeg: () => Promise<string | undefined>;
  readonly files: Pick<FileStorage, 'getPath' | 'createScratchFolder'>;
  readonly disk: Pick<DiskSpace, 'canStoreFiles'>;
  readonly cacheLimits?: typeof CACHE_LIMITS;
}

/** Songs in fewer bits, for players on a slow line, which are sent while they are made; and as FLAC for browsers. */
export function createTranscoder({ children, ffmpeg, files, disk, cacheLimits = CACHE_LIMITS }: TranscoderDeps) {
  /** By name; the one asked for last stands last. */
  const kept = new Map<string, Transcode>();
  /** Also those that are no longer in `kept`: they take processor time until they end. */
  const running = new Set<Transcode>();
  /** Counts files, so that a removed one and the next of the same name never share theirs. */
  let fileCount = 0;
  const stopping = new AbortController();

  const tell = (lowered: Transcode): void => {
    const { grown } = lowered;
    lowered.grown = Promise.withResolvers();
    grown.resolve();
  };

  const drop = async (name: string, lowered: Transcode): Promise<void> => {
    if (kept.get(name) === lowered) kept.delete(name);
    await rm(await lowered.path, { force: true });
  };

  /** Removes the oldest files until the cache is within its limits; never `current`, or one that is being made. */
  const prune = async (current?: Transcode): Promise<void> => {
    let bytes = [...kept.values()].reduce((sum, { size = 0 }) => sum + size, 0);
    for (const [name, lowered] of kept) {
      if (kept.size <= cacheLimits.files && bytes <= cacheLimits.bytes) return;
      if (lowered === current || running.has(lowered)) continue;
      bytes -= lowered.size ?? 0;
      await drop(name, lowered);
    }
  };

  const make = async (name: string, lowered: Transcode, making: TranscodeRequest): Promise<void> => {
    try {
      const path = await lowered.path;
      const { exitCode, exceededLimit } = await children.run({
        program: making.program,
        args: argsOf(making, basename(path)),
        folder: dirname(path),
        limits: LIMITS,
        reads: [making.from],
        onLine: () => tell(lowered),
        signal: AbortSignal.any([stopping.signal, lowered.removal.signal]),
      });
      if (exitCode !== 0 || exceededLimit !== undefined)
        throw new Error(`ffmpeg ended with ${exceededLimit ?? exitCode}`);
      lowered.removal.signal.throwIfAborted();
      lowered.size = (await stat(path)).size;
      await prune(lowered);
    } catch (error) {
      lowered.isFailed = true;
      await drop(name, lowered);
      throw error;
    } finally {
      running.delete(lowered);
      tell(lowered);
    }
  };

  /** There for whoever reads, before anything is in it. @returns its path. */
  const prepare = async (name: string): Promise<string> => {
    fileCount += 1;
    const fileName = `${fileCount}-${name}`;
    const path = join(await files.createScratchFolder(SCRATCH), fileName);
    await (await open(path, 'w', 0o600)).close();
    await prune();
    return path;
  };

  const begin = (name: string, making: TranscodeRequest): Transcode => {
    const grown = Promise.withResolvers<void>();
    const removal = new AbortController();
    const lowered: Transcode = { path: prepare(name), size: undefined, isFailed: false, grown, removal };
    kept.set(name, lowered);
    running.add(lowered);
    make(name, lowered, making).catch(() => undefined); // whoever reads it is told
    return lowered;
  };

  /** Forgets one that was made, where its file is gone. */
  const lookFor = async (name: string): Promise<void> => {
    const known = kept.get(name);
    if (known?.size === undefined) return;
    const found = await stat(await known.path).catch(() => undefined);
    if (found?.size !== known.size && kept.get(name) === known) kept.delete(name);
  };

  /** Waits until one of those that are being made has come further. */
  const oneHasGrown = (): Promise<unknown> => Promise.race([...running].map(({ grown }) => grown.promise));

  const used = (name: string, lowered: Transcode): Transcode => {
    kept.delete(name);
    kept.set(name, lowered);
    return lowered;
  };

  return {
    /** A song as FLAC, for browsers that play its own kind not; undefined where it can't be made. It is sent once it is whole, so that it can be sought in. */
    flacOf: async (song: Pick<Song, 'id' | 'crc'>, from: string): Promise<Ranged | undefined> => {
      const name = `${song.id}-${song.crc}.flac`;
      const program = await ffmpeg();
      await lookFor(name);
      while (!kept.has(name) && running.size >= MAX_CONCURRENT_CONVERSIONS) await oneHasGrown();
      const known = kept.get(name);
      if (program === undefined || (known === undefined && !disk.canStoreFiles())) return undefined;
      const lowered = used(name, known ?? begin(name, { program, from }));
      while (lowered.size === undefined && !lowered.isFailed) await lowered.grown.promise;
      const { size } = lowered;
      if (size === undefined) return undefined;
      const path = await lowered.path;
      return createRanged([{ size, open: () => open(path, 'r') }], `${name}-${size.toString(36)}`);
    },
    /** The body of an answer; undefined where none can be made, or too many are being made already. */
    of: async (song: Pick<Song, 'id' | 'crc'>, from: string, kbit: number): Promise<EndpointResponse['body']> => {
      const name = `${song.id}-${song.crc}-${kbit}.mp3`;
      const program = await ffmpeg();
      await lookFor(name);
      const known = kept.get(name);
      if (program === undefined) return undefined;
      if (known === undefined && (running.size >= MAX_CONCURRENT_CONVERSIONS || !disk.canStoreFiles()))
        return undefined;
      const lowered = used(name, known ?? begin(name, { program, from, kbit }));
      const path = await lowered.path;
      const { size } = lowered;
      if (size === undefined) return growing(lowered);
      return createRanged([{ size, open: () => open(path, 'r') }], `${name}-${size.toString(36)}`);
    },
    /** What was made of a song that is no more. */
    remove: async (song: number): Promise<void> => {
      // A copy: what is begun while files are removed is another one.
      const ofSong = [...kept].filter(([name]) => name.startsWith(`${song}-`));
      for (const [name, lowered] of ofSong) {
        lowered.removal.abort(new Error('the song was removed'));
        await drop(name, lowered);
      }
    },
    /** Clears away what an earlier server left. */
    begin: async (): Promise<void> => {
      await files.createScratchFolder(SCRATCH);
    },
    stop: (): void => stopping.abort(new Error('the server stops')),
  };
}
export type LoweredSongs = ReturnType<typeof createTranscoder>;
