import * as z from 'zod/mini';
import { HOUR_MS, HOUR_SECONDS } from '#platform/contract/duration.ts';
import { JobFailure } from '../jobs/jobQueue.ts';
import {
  type ProcessResult,
  type ProcessLimits,
  type ProcessRunner,
  ProgramNotFoundError,
} from '../programs/childProcesses.ts';
import { type DecodeResult, parseLoudness } from './audioCheck.ts';
import { NO_VIDEO_MESSAGE, type Probe, type Loudness } from './media.ts';

const GIB = 1024 ** 3;

/** Allowed containers. Playlists, which refer to other files (m3u8, ffconcat), are not among them. */
const ALLOWED_CONTAINERS = {
  audio:
    'mp3,ogg,mov,matroska,wav,flac,aac,mpegts,asf,aiff,ape,wv,mpc,mpc8,ac3,eac3,amr,amrnb,amrwb,caf,au,w64,voc,mpeg,avi,flv,dsf,iff,tta,tak,dts,dtshd,mlp,truehd,rm,shn,oma,xwma,sox,ircam,gsm,qcp',
  video: 'mov,matroska,avi,mpegts,ogg',
} as const;
export type MediaKind = keyof typeof ALLOWED_CONTAINERS;

/** Builds the arguments for an untrusted input. */
export function buildInputArgs(kind: MediaKind, name: string): readonly string[] {
  return ['-format_whitelist', ALLOWED_CONTAINERS[kind], '-protocol_whitelist', 'file,pipe', '-i', name];
}

/** Limits of ffmpeg. A song of twelve hours takes some minutes, a recording about its own length. */
const LIMITS: Readonly<Record<MediaKind, ProcessLimits>> = {
  audio: {
    timeoutMs: HOUR_MS / 2,
    maxCpuSeconds: 1800,
    maxFileBytes: 2 * GIB,
    maxIdleMs: 60_000,
    maxMemoryBytes: 4 * GIB,
  },
  video: {
    timeoutMs: 8 * HOUR_MS,
    maxCpuSeconds: 16 * HOUR_SECONDS,
    maxFileBytes: 8 * GIB,
    maxIdleMs: 120_000,
    maxMemoryBytes: 8 * GIB,
  },
};

/** One run of ffmpeg or ffprobe. */
export interface FfmpegRequest {
  readonly program?: 'ffmpeg' | 'ffprobe';
  readonly args: readonly string[];
  readonly folder: string;
  readonly kind: MediaKind;
  readonly reads?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Called with the position in the media. */
  readonly onSeconds?: (seconds: number) => void;
}

/** How ffmpeg ended. */
export interface FfmpegResult extends ProcessResult {
  /** Position in the output that ffmpeg reported last. */
  readonly seconds: number;
}

/**
 * Runs ffmpeg or ffprobe. The caller interprets its output.
 * @throws JobFailure if it is missing, takes too long or fills the disk.
 */
export type RunFfmpeg = (request: FfmpegRequest) => Promise<FfmpegResult>;

/** Returns the position in seconds of a line of progress; undefined for other lines. */
function parseProgress(line: string): number | undefined {
  const [, microseconds] = /^out_time_us=(\d+)$/.exec(line) ?? [];
  return microseconds === undefined ? undefined : Number(microseconds) / 1e6;
}

const COMMON_ARGS = ['-nostdin', '-hide_banner', '-y', '-nostats', '-progress', 'pipe:1'];

/** Creates a function that runs ffmpeg with the limits of the media kind. */
export function createFfmpeg(processRunner: ProcessRunner): RunFfmpeg {
  return async ({ program = 'ffmpeg', args, folder, kind, reads = [], signal, onSeconds }) => {
    let seconds = 0;
    async function run(): Promise<ProcessResult> {
      try {
        return await processRunner.run({
          program,
          args: program === 'ffmpeg' ? [...COMMON_ARGS, ...args] : ['-hide_banner', ...args],
          folder,
          limits: LIMITS[kind],
          reads,
          signal,
          onLine: (line) => {
            const position = parseProgress(line);
            if (position === undefined) return;
            seconds = position;
            onSeconds?.(position);
          },
        });
      } catch (cause) {
        if (!(cause instanceof ProgramNotFoundError)) throw cause;
        throw new JobFailure('again', `${program} is not installed on this server`, { cause });
      }
    }
    const result = await run();
    if (result.exceededLimit !== undefined || result.signal === 'SIGXCPU')
      throw new JobFailure('again', 'The conversion took too long');
    if (result.errorOutput.includes('No space left on device'))
      throw new JobFailure('again', 'The server ran out of disk space');
    return { ...result, seconds };
  };
}

const tagsSchema = z.optional(z.record(z.string(), z.string()));
const streamSchema = z.object({
  codec_type: z.optional(z.string()),
  codec_name: z.optional(z.string()),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
  pix_fmt: z.optional(z.string()),
  color_transfer: z.optional(z.string()),
  color_primaries: z.optional(z.string()),
  disposition: z.optional(z.object({ attached_pic: z.optional(z.number()) })),
  tags: tagsSchema,
});
const probeSchema = z.object({
  format: z.object({ format_name: z.string(), duration: z.optional(z.string()), tags: tagsSchema }),
  streams: z.array(streamSchema),
});
type Stream = z.output<typeof streamSchema>;

const PROBE_ENTRIES =
  'format=duration,format_name:stream=codec_type,codec_name,width,height,pix_fmt,color_transfer,color_primaries:stream_disposition=attached_pic:format_tags:stream_tags';
const MISSING_MESSAGES = { audio: 'No sound in this file', video: 'No video in this file' } as const;

/** Parses the output of ffprobe; undefined if it is not complete. */
function parseProbe(output: string): z.output<typeof probeSchema> | undefined {
  try {
    return probeSchema.parse(JSON.parse(output));
  } catch {
    return undefined; // ffprobe prints incomplete JSON for a file that it cannot read
  }
}

function parseSeconds(text: string | undefined): number | undefined {
  const seconds = Number(text ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

const toVideo = ({
  codec_name: codec,
  width = 0,
  height = 0,
  pix_fmt: pixels = '',
  ...colours
}: Stream): Probe['video'] =>
  codec === undefined
    ? undefined
    : {
        codec,
        width,
        height,
        pixels,
        transfer: colours.color_transfer ?? '',
        primaries: colours.color_primaries ?? '',
      };

const describeMissing = (kind: MediaKind, { audio }: Pick<Probe, 'audio'>): string =>
  kind === 'video' && audio ? NO_VIDEO_MESSAGE : MISSING_MESSAGES[kind];

const toAudio = ({ codec_name: codec }: Stream = {}): Probe['audio'] => (codec === undefined ? undefined : { codec });

/** Returns whether a stream is a moving picture, not a cover. */
const isMovingPicture = ({ codec_type: type, disposition }: Stream): boolean =>
  type === 'video' && disposition?.attached_pic !== 1;

/** Returns what a file claims to be. @throws JobFailure `final` if it is not of this kind. */
export async function probeMedia(
  ffmpeg: RunFfmpeg,
  kind: MediaKind,
  file: { readonly folder: string; readonly name: string; readonly signal?: AbortSignal | undefined },
): Promise<Probe> {
  const { output, exitCode } = await ffmpeg({
    program: 'ffprobe',
    args: ['-v', 'error', '-show_entries', PROBE_ENTRIES, '-of', 'json', ...buildInputArgs(kind, file.name)],
    kind,
    ...file,
  });
  const { format, streams = [] } = (exitCode === 0 ? parseProbe(output) : undefined) ?? {};
  const audio = streams.find(({ codec_type: type }) => type === 'audio');
  const video = streams.find(isMovingPicture);
  const result = {
    format: format?.format_name ?? '',
    seconds: parseSeconds(format?.duration),
    tags: { ...audio?.tags, ...format?.tags },
    audio: toAudio(audio),
    video: video && toVideo(video),
  };
  if (result[kind] === undefined) throw new JobFailure('final', describeMissing(kind, result));
  return result;
}

/** A file to decode. */
export interface DecodeRequest {
  readonly folder: string;
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly onSeconds?: (seconds: number) => void;
}

const STREAM_ARGS: Readonly<Record<MediaKind, readonly string[]>> = {
  audio: ['-map', '0:a:0', '-vn'],
  video: ['-map', '0:v:0', '-map', '0:a:0?'],
};

/** Decodes a file to its end, to get its real length and its errors. Bad frames in the middle do not stop it. */
export async function decodeMedia(ffmpeg: RunFfmpeg, kind: MediaKind, request: DecodeRequest): Promise<DecodeResult> {
  const { seconds, errorOutput } = await ffmpeg({
    args: [
      '-v',
      'level+warning',
      ...buildInputArgs(kind, request.name),
      ...STREAM_ARGS[kind],
      '-sn',
      '-dn',
      '-f',
      'null',
      '-',
    ],
    kind,
    ...request,
  });
  return { seconds, ffmpegOutput: errorOutput };
}

/** Maximum length of a song that is measured completely. In longer ones, every third second is nearly as exact. */
const MAX_FULLY_MEASURED_SECONDS = 60;
const EVERY_THIRD_SECOND = "aselect='lt(mod(t,3),1)',";
/** Names the channel layout, which some decoders (mono TTA, Speex) omit and `ebur128` requires. */
const LAYOUT_FILTER = 'aformat=channel_layouts=mono|stereo|2.1|3.0|4.0|quad|5.0|5.1|6.1|7.1,';

/** Like `decodeMedia` for audio, with its loudness. `totalSeconds` is the approximate length. */
export async function decodeLoudness(
  ffmpeg: RunFfmpeg,
  request: DecodeRequest,
  totalSeconds: number,
): Promise<DecodeResult & { readonly loudness: Loudness }> {
  const sampling = totalSeconds > MAX_FULLY_MEASURED_SECONDS ? EVERY_THIRD_SECOND : '';
  // `verbose` suppresses the filter's ten lines per second, but not its summary.
  const graph = `[0:a:0]asplit[all][some];[some]${sampling}${LAYOUT_FILTER}ebur128=peak=sample:framelog=verbose,anullsink`;
  const { seconds, errorOutput } = await ffmpeg({
    args: [
      '-v',
      'level+info',
      ...buildInputArgs('audio', request.name),
      '-filter_complex',
      graph,
      '-map',
      '[all]',
      '-f',
      'null',
      '-',
    ],
    kind: 'audio',
    ...request,
  });
  return { seconds, ffmpegOutput: errorOutput, loudness: parseLoudness(errorOutput) };
}
