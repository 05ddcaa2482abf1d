import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Children } from '#platform/server/children/children.ts';
import type { Disk } from '#platform/server/disk.ts';
import type { EndpointAnswer } from '#platform/server/endpoint.ts';
import type { Files } from '#platform/server/files.ts';
import { rangedOf } from '#platform/server/ranged/parts.ts';
import type { Song } from '../../domain/song.ts';

/** Steps of an MP3's bit rate that are made; what is asked for in between gets the one below. */
const STEPS = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;

/** The bit rate to be made of one that was asked for, both in kilobits in a second. */
export const stepOf = (asked: number): number => STEPS.findLast((step) => step <= asked) ?? STEPS[0];

const SCRATCH = 'lowered';
/** Kept for whoever asks again; the one asked for longest ago goes first. */
const MOST_KEPT = 40;
/** Made at once; whoever comes then is sent the song as it is. */
const AT_ONCE = 2;
const LIMITS = { wallMs: 30 * 60_000, cpuSeconds: 900, fileBytes: 1024 ** 3, silentMs: 60_000 };
const PIECE = 64 * 1024;

/** One that is being made, or was. */
interface Lowered {
  /** Its file can be opened. */
  readonly path: Promise<string>;
  /** In bytes, once it is whole. */
  size: number | undefined;
  isFailed: boolean;
  /** Waits for more of it. */
  grown: PromiseWithResolvers<void>;
}

/** What there is of it, and then what comes, as it comes. @throws where it cannot be made: the answer breaks off */
async function* growing(lowered: Lowered): AsyncGenerator<Uint8Array> {
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

const argsOf = (from: string, name: string, kbit: number): readonly string[] => [
  ...BEFORE,
  ...READING,
  '-i',
  from,
  ...WRITING,
  '-b:a',
  `${kbit}k`,
  name,
];

interface Making {
  readonly program: string;
  /** Absolute. */
  readonly from: string;
  readonly kbit: number;
}

interface Parts {
  readonly children: Pick<Children, 'run'>;
  /** As `Children.run` takes it; undefined where there is none. */
  readonly ffmpeg: () => Promise<string | undefined>;
  readonly files: Pick<Files, 'path' | 'scratch'>;
  readonly disk: Pick<Disk, 'mayKeepFiles'>;
}

/** Songs in fewer bits, for players on a slow line. They are sent while they are made. */
export const makeLowered = ({ children, ffmpeg, files, disk }: Parts) => {
  /** By name; the one asked for last stands last. */
  const kept = new Map<string, Lowered>();
  const running = new Set<string>();
  const stopping = new AbortController();

  const tell = (lowered: Lowered): void => {
    const { grown } = lowered;
    lowered.grown = Promise.withResolvers();
    grown.resolve();
  };

  const drop = async (name: string): Promise<void> => {
    const lowered = kept.get(name);
    kept.delete(name);
    if (lowered) await rm(await lowered.path, { force: true });
  };

  const make = async (name: string, lowered: Lowered, { program, from, kbit }: Making): Promise<void> => {
    try {
      const path = await lowered.path;
      const { code, stopped } = await children.run({
        program,
        args: argsOf(from, name, kbit),
        folder: dirname(path),
        limits: LIMITS,
        reads: [from],
        onLine: () => tell(lowered),
        signal: stopping.signal,
      });
      if (code !== 0 || stopped !== undefined) throw new Error(`ffmpeg ended with ${stopped ?? code}`);
      lowered.size = (await stat(path)).size;
    } catch (error) {
      lowered.isFailed = true;
      await drop(name);
      throw error;
    } finally {
      running.delete(name);
      tell(lowered);
    }
  };

  /** There for whoever reads, before anything is in it. @returns its path. */
  const prepare = async (name: string): Promise<string> => {
    const path = join(await files.scratch(SCRATCH), name);
    await (await open(path, 'w', 0o600)).close();
    for (const old of kept.keys()) {
      if (kept.size <= MOST_KEPT || running.has(old)) break;
      await drop(old);
    }
    return path;
  };

  const begin = (name: string, making: Making): Lowered => {
    const grown = Promise.withResolvers<void>();
    const lowered: Lowered = { path: prepare(name), size: undefined, isFailed: false, grown };
    kept.set(name, lowered);
    running.add(name);
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

  return {
    /** The body of an answer; undefined where none can be made, or too many are being made already. */
    of: async (song: Song, from: string, kbit: number): Promise<EndpointAnswer['body']> => {
      const name = `${song.id}-${song.crc}-${kbit}.mp3`;
      const program = await ffmpeg();
      await lookFor(name);
      const known = kept.get(name);
      if (program === undefined) return undefined;
      if (known === undefined && (running.size >= AT_ONCE || !disk.mayKeepFiles())) return undefined;
      const lowered = known ?? begin(name, { program, from, kbit });
      kept.delete(name);
      kept.set(name, lowered);
      const path = await lowered.path;
      const { size } = lowered;
      if (size === undefined) return growing(lowered);
      return rangedOf([{ size, open: () => open(path, 'r') }], `${name}-${size.toString(36)}`);
    },
    /** What was made of a song that is no more. */
    remove: async (song: number): Promise<void> => {
      for (const name of kept.keys()) if (name.startsWith(`${song}-`)) await drop(name);
    },
    /** Clears away what an earlier server left. */
    begin: async (): Promise<void> => {
      await files.scratch(SCRATCH);
    },
    stop: (): void => stopping.abort(new Error('the server stops')),
  };
};
export type LoweredSongs = ReturnType<typeof makeLowered>;
