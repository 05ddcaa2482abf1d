import * as z from 'zod/mini';
import { JobFailure } from '../jobs/jobQueue.ts';
import { type MediaKind, type RunFfmpeg, buildInputArgs } from './ffmpeg.ts';
import { NO_VIDEO_MESSAGE, type Probe } from './media.ts';

const tags = z.optional(z.record(z.string(), z.string()));
const stream = z.object({
  codec_type: z.optional(z.string()),
  codec_name: z.optional(z.string()),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
  pix_fmt: z.optional(z.string()),
  color_transfer: z.optional(z.string()),
  color_primaries: z.optional(z.string()),
  disposition: z.optional(z.object({ attached_pic: z.optional(z.number()) })),
  tags,
});
const answer = z.object({
  format: z.object({ format_name: z.string(), duration: z.optional(z.string()), tags }),
  streams: z.array(stream),
});
type Stream = z.output<typeof stream>;

const ENTRIES =
  'format=duration,format_name:stream=codec_type,codec_name,width,height,pix_fmt,color_transfer,color_primaries:stream_disposition=attached_pic:format_tags:stream_tags';
const NOTHING = { audio: 'No sound in this file', video: 'No video in this file' } as const;

const parsed = (output: string): z.output<typeof answer> | undefined => {
  try {
    return answer.parse(JSON.parse(output));
  } catch {
    return undefined; // it prints half an object where it could not read the file
  }
};

const secondsOf = (text: string | undefined): number | undefined => {
  const seconds = Number(text ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
};

const videoOf = ({
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

const whatLacks = (among: MediaKind, { audio }: Pick<Probe, 'audio'>): string =>
  among === 'video' && audio ? NO_VIDEO_MESSAGE : NOTHING[among];

const soundOf = ({ codec_name: codec }: Stream = {}): Probe['audio'] => (codec === undefined ? undefined : { codec });

/** One that moves: covers are none. */
const isPicture = ({ codec_type: type, disposition }: Stream): boolean =>
  type === 'video' && disposition?.attached_pic !== 1;

/** @throws JobFailure `final` where it is no file of the kind. */
export const probeMedia = async (
  ffmpeg: RunFfmpeg,
  among: MediaKind,
  file: { readonly folder: string; readonly name: string; readonly signal?: AbortSignal | undefined },
): Promise<Probe> => {
  const { output, exitCode } = await ffmpeg({
    program: 'ffprobe',
    args: ['-v', 'error', '-show_entries', ENTRIES, '-of', 'json', ...buildInputArgs(among, file.name)],
    kind: among,
    ...file,
  });
  const found = exitCode === 0 ? parsed(output) : undefined;
  const { format, streams = [] } = found ?? {};
  const audio = streams.find(({ codec_type: type }) => type === 'audio');
  const video = streams.find(isPicture);
  const result = {
    format: format?.format_name ?? '',
    seconds: secondsOf(format?.duration),
    tags: { ...audio?.tags, ...format?.tags },
    audio: soundOf(audio),
    video: video && videoOf(video),
  };
  if (result[among] === undefined) throw new JobFailure('final', whatLacks(among, result));
  return result;
};
