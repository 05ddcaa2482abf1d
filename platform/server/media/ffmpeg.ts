import { JobFailure } from '../jobs/jobQueue.ts';
import {
  type ProcessResult,
  type ProcessLimits,
  type ProcessRunner,
  ProgramNotFoundError,
} from '../programs/childProcesses.ts';

const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;

/** Containers that are taken. Lists that lead to other files (m3u8, ffconcat) are none of them, whatever they are called. */
const FORMATS = {
  audio:
    'mp3,ogg,mov,matroska,wav,flac,aac,mpegts,asf,aiff,ape,wv,mpc,mpc8,ac3,eac3,amr,amrnb,amrwb,caf,au,w64,voc,mpeg,avi,flv,dsf,iff,tta,tak,dts,dtshd,mlp,truehd,rm,shn,oma,xwma,sox,ircam,gsm,qcp',
  video: 'mov,matroska,avi,mpegts,ogg',
} as const;
export type MediaKind = keyof typeof FORMATS;

/** Stands before every input that somebody else made. */
export const buildInputArgs = (among: MediaKind, name: string): readonly string[] => [
  '-format_whitelist',
  FORMATS[among],
  '-protocol_whitelist',
  'file,pipe',
  '-i',
  name,
];

/** A song of twelve hours takes some minutes, a recording of an hour about as long as it is. */
const LIMITS: Readonly<Record<MediaKind, ProcessLimits>> = {
  audio: { timeoutMs: HOUR_MS / 2, maxCpuSeconds: 1800, maxFileBytes: 2 * GIB, silentMs: 60_000, memoryBytes: 4 * GIB },
  video: {
    timeoutMs: 8 * HOUR_MS,
    maxCpuSeconds: 16 * 3600,
    maxFileBytes: 8 * GIB,
    silentMs: 120_000,
    memoryBytes: 8 * GIB,
  },
};

export interface FfmpegRequest {
  readonly program?: 'ffmpeg' | 'ffprobe';
  readonly args: readonly string[];
  readonly folder: string;
  readonly kind: MediaKind;
  readonly reads?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Told how far it is. */
  readonly onSeconds?: (seconds: number) => void;
}

export interface FfmpegResult extends ProcessResult {
  /** Of the output, as it says at last. */
  readonly seconds: number;
}

/** Runs ffmpeg or ffprobe. @throws JobFailure where it is missing, took too long, or found no room. What it says of the file, the caller reads. */
export type RunFfmpeg = (wish: FfmpegRequest) => Promise<FfmpegResult>;

const secondsIn = (line: string): number | undefined => {
  const [, microseconds] = /^out_time_us=(\d+)$/.exec(line) ?? [];
  return microseconds === undefined ? undefined : Number(microseconds) / 1e6;
};

const START = ['-nostdin', '-hide_banner', '-y', '-nostats', '-progress', 'pipe:1'];

export const createFfmpeg =
  (children: ProcessRunner): RunFfmpeg =>
  async ({ program = 'ffmpeg', args, folder, kind, reads = [], signal, onSeconds }) => {
    let seconds = 0;
    const run = async (): Promise<ProcessResult> => {
      try {
        return await children.run({
          program,
          args: program === 'ffmpeg' ? [...START, ...args] : ['-hide_banner', ...args],
          folder,
          limits: LIMITS[kind],
          reads,
          signal,
          onLine: (line) => {
            const found = secondsIn(line);
            if (found === undefined) return;
            seconds = found;
            onSeconds?.(found);
          },
        });
      } catch (cause) {
        if (!(cause instanceof ProgramNotFoundError)) throw cause;
        throw new JobFailure('again', `${program} is missing on this server`, { cause });
      }
    };
    const end = await run();
    if (end.exceededLimit !== undefined || end.signal === 'SIGXCPU') throw new JobFailure('again', 'Took too long');
    if (end.errorOutput.includes('No space left on device'))
      throw new JobFailure('again', 'There was no room on the disk of the server');
    return { ...end, seconds };
  };
