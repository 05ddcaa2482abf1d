import { rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { JobFailure } from '../jobs/jobQueue.ts';
import { computeChecksum } from '../storage/fileStorage.ts';
import { hasSameDuration, type AudioStream, parseAudioStream, explainIncomplete } from './audioCheck.ts';
import {
  CONTAINERS,
  type AudioFormat,
  findFormatByName,
  chooseFormat,
  chooseLosslessFormat,
  findPlayableFormat,
} from './audioFormat.ts';
import {
  DEFAULT_COLOUR,
  type CoverPicture,
  readPicture,
  processPicture,
  TAG_PICTURE_NAME,
  THUMBNAIL_NAME,
  writePicture,
} from './coverPicture.ts';
import { decodeMedia, decodeLoudness, type RunFfmpeg, buildInputArgs, probeMedia } from './ffmpeg.ts';
import { writeLoudness } from './loudnessTags.ts';
import {
  type ProcessedSong,
  IncompleteSongFailure,
  type Media,
  type Probe,
  type SongDetails,
  type SongSource,
  type SongStep,
  type SongTags,
} from './media.ts';
import type { TagChanges } from './tagChanges.ts';
import { type FileTags, parseProbedTags, readTags, buildTagArguments, cleanTagText } from './tags.ts';
import { writeTags } from './writeTags.ts';

const MAX_SONG_SECONDS = 12 * HOUR_SECONDS;
const CONVERSION_FAILED_MESSAGE = 'Conversion failed';

const PICTURE_ARGS = ['-map', '1:v:0', '-c:v', 'copy', '-disposition:v:0', 'attached_pic'];
const FRONT_COVER_ARGS = ['-metadata:s:v', 'comment=Cover (front)'];

/** Returns the longer of the lengths that page and container announce. @throws JobFailure if it is too long. */
function getAnnouncedSeconds(
  { announcedSeconds }: SongSource,
  containerSeconds: number | undefined,
): number | undefined {
  const lengths = [announcedSeconds, containerSeconds].filter((length) => length !== undefined);
  const longestSeconds = lengths.length === 0 ? undefined : Math.max(...lengths);
  if (longestSeconds !== undefined && longestSeconds > MAX_SONG_SECONDS)
    throw new JobFailure('final', 'This file is longer than 12 hours');
  return longestSeconds;
}

/** Share of each step in the whole progress, in percent. */
const STEP_SHARES: Readonly<Record<SongStep, number>> = { probe: 5, decode: 35, picture: 5, convert: 40, verify: 15 };

/** Creates a function that runs a step and reports the progress of all steps, because some run concurrently. */
function createStepProgress({ onProgress, onStep }: SongSource) {
  const shareByStep = new Map<SongStep, number>();
  function report(step: SongStep, share: number): void {
    shareByStep.set(step, Math.max(shareByStep.get(step) ?? 0, Math.min(1, share)));
    onProgress?.([...shareByStep].reduce((sum, [name, value]) => sum + STEP_SHARES[name] * value, 0));
  }
  return async <T>(step: SongStep, run: (onProgress: (share: number) => void) => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await run((share) => report(step, share));
    report(step, 1);
    onStep?.(step, performance.now() - startedAt);
    return result;
  };
}
type StepProgress = ReturnType<typeof createStepProgress>;

/** Tags and picture of a song. */
interface SongMetadata {
  readonly tags: SongTags;
  readonly picture: CoverPicture | undefined;
}

/** Returns the external picture, else the one in the file; undefined if neither is usable. */
async function loadCover({ folder, cover }: SongSource, tags: FileTags): Promise<CoverPicture | undefined> {
  const externalPicture = cover === undefined ? undefined : await readPicture(join(folder, cover));
  const processedPicture = externalPicture && (await processPicture(externalPicture));
  return processedPicture ?? (tags.picture && (await processPicture(tags.picture)));
}

const mergeTags = ({ tags, fallbackTitle }: SongSource, fileTags: FileTags): SongTags => ({
  title: cleanTagText(tags.title ?? '') || fileTags.title || cleanTagText(fallbackTitle) || 'Untitled',
  artist: cleanTagText(tags.artist ?? '') || fileTags.artist,
  album: cleanTagText(tags.album ?? '') || fileTags.album,
});

/** Returns the details in the file; without its artists if the artist was replaced. */
const selectDetails = ({ artist }: SongTags, fileTags: FileTags): SongDetails =>
  artist === fileTags.artist ? fileTags.details : { ...fileTags.details, artists: [] };

/** What is known about a song before it is decoded. */
interface SongInspection {
  readonly source: SongSource;
  readonly step: StepProgress;
  readonly fileTags: FileTags;
  /** Target format; a guess if ffprobe was not run. */
  readonly format: AudioFormat;
  /** The format of a file that remains unchanged. */
  readonly playableFormat: AudioFormat | undefined;
  /** Result of ffprobe; undefined if it was not run. */
  readonly probe: AudioStream | undefined;
  /** Approximate length, for reports of progress. */
  readonly totalSeconds: number;
  /** Aborted with the source's signal, or if the concurrent step fails. */
  readonly signal?: AbortSignal | undefined;
}

async function probeAudio(
  ffmpeg: RunFfmpeg,
  { folder, name }: SongSource,
  signal?: AbortSignal,
): Promise<AudioStream & Pick<Probe, 'tags'>> {
  const { seconds, audio, video, format, tags } = await probeMedia(ffmpeg, 'audio', { folder, name, signal });
  return { seconds, codec: audio?.codec ?? '', container: format, hasVideo: video !== undefined, tags };
}

/**
 * Inspects a song. ffprobe takes a third of the time of decoding, so it is skipped if the file's header says enough.
 * ffmpeg reports the same while it decodes, and only that decides.
 */
async function inspectSong(
  ffmpeg: RunFfmpeg,
  source: SongSource,
): Promise<Pick<SongInspection, 'fileTags' | 'format' | 'playableFormat' | 'probe' | 'totalSeconds'>> {
  const fileTags = await readTags(join(source.folder, source.name));
  const format = findFormatByName(fileTags.codec);
  const totalSeconds = Math.max(fileTags.seconds ?? 0, source.announcedSeconds ?? 0);
  if (format && totalSeconds > 0 && totalSeconds <= MAX_SONG_SECONDS && source.keepsFile !== true)
    return { fileTags, format, playableFormat: undefined, probe: undefined, totalSeconds };
  const probe = await probeAudio(ffmpeg, source, source.signal);
  const playableFormat = source.keepsFile === true ? findPlayableFormat(probe) : undefined;
  const targetFormat = source.keepsFile === true ? chooseLosslessFormat(probe.codec) : chooseFormat(probe.codec);
  return {
    fileTags: fileTags.needsProbe ? parseProbedTags(probe.tags) : fileTags,
    format: playableFormat ?? targetFormat,
    playableFormat,
    probe,
    totalSeconds: getAnnouncedSeconds(source, probe.seconds) ?? 300,
  };
}

/** Decodes the source to its end. @throws JobFailure if it is incomplete. */
async function decodeSource(ffmpeg: RunFfmpeg, { source, step, format, probe, totalSeconds, signal }: SongInspection) {
  const { folder, name } = source;
  const decoded = await step('decode', (report) =>
    decodeLoudness(
      ffmpeg,
      { folder, name, signal, onSeconds: (seconds) => report(seconds / totalSeconds) },
      totalSeconds,
    ),
  );
  const { seconds, codec } =
    probe ?? parseAudioStream(decoded.ffmpegOutput) ?? (await probeAudio(ffmpeg, source, signal));
  const incompleteMessage = explainIncomplete(decoded, getAnnouncedSeconds(source, seconds));
  if (incompleteMessage !== undefined) throw new IncompleteSongFailure('again', incompleteMessage);
  if (decoded.seconds === 0) throw new JobFailure('final', 'No sound in this file');
  return { ...decoded, format: source.keepsFile === true ? format : chooseFormat(codec) };
}

/** Returns the tags and the picture of a song, after writing the picture into the folder. */
async function createMetadata(source: SongSource, fileTags: FileTags): Promise<SongMetadata> {
  const picture = await loadCover(source, fileTags);
  if (picture) await writePicture(source.folder, picture);
  return { tags: mergeTags(source, fileTags), picture };
}

/** Writes each artist separately, because ffmpeg only supports one text for all. */
async function writeArtists(folder: string, name: string, artists: readonly string[]): Promise<void> {
  const temporaryName = `artists${extname(name)}`;
  if (await writeTags(join(folder, name), join(folder, temporaryName), { artists }))
    await rename(join(folder, temporaryName), join(folder, name));
}

interface ConvertedSong {
  readonly format: AudioFormat;
  readonly name: string;
  readonly seconds: number;
}

/** Converts the song and decodes the result; undefined if ffmpeg failed. The loudness is not known yet. */
async function convert(
  ffmpeg: RunFfmpeg,
  inspection: SongInspection,
  metadata: SongMetadata,
): Promise<ConvertedSong | undefined> {
  const { source, step, format, totalSeconds, signal } = inspection;
  const { tags, picture } = metadata;
  const details = selectDetails(tags, inspection.fileTags);
  const { folder } = source;
  const name = `final.${format.extension}`;
  const { exitCode } = await step('convert', (report) =>
    ffmpeg({
      args: [
        '-v',
        'error',
        ...buildInputArgs('audio', source.name),
        ...(picture ? ['-f', 'image2', '-protocol_whitelist', 'file', '-i', TAG_PICTURE_NAME] : []),
        '-map',
        '0:a:0',
        ...(picture ? [...PICTURE_ARGS, ...FRONT_COVER_ARGS] : []),
        ...format.codec,
        ...buildTagArguments(tags, format.extension),
        ...format.container,
        name,
      ],
      folder,
      kind: 'audio',
      signal,
      onSeconds: (seconds) => report(seconds / totalSeconds),
    }),
  );
  if (exitCode !== 0) return undefined;
  if (details.artists.length > 1) await writeArtists(folder, name, details.artists);
  const { seconds } = await step('verify', (report) =>
    decodeMedia(ffmpeg, 'audio', { folder, name, signal, onSeconds: (position) => report(position / totalSeconds) }),
  );
  return { format, name, seconds };
}

/** Converts the song to a format or, if ffmpeg cannot produce that, to one of its fallbacks. */
const convertWithFallbacks = async (
  ffmpeg: RunFfmpeg,
  format: AudioFormat | undefined,
  inspection: SongInspection,
  metadata: SongMetadata,
): Promise<ConvertedSong | undefined> =>
  format &&
  ((await convert(ffmpeg, { ...inspection, format }, metadata)) ??
    convertWithFallbacks(ffmpeg, format.fallback, inspection, metadata));

/** Runs two functions concurrently, and returns both results. An error of the first one aborts the second one. */
async function runBoth<A, B>(
  outerSignal: AbortSignal | undefined,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<readonly [A, B]> {
  const controller = new AbortController();
  const signal = outerSignal ? AbortSignal.any([outerSignal, controller.signal]) : controller.signal;
  const halves = [
    first(signal).catch((error: unknown) => {
      controller.abort(error);
      throw error;
    }),
    second(signal),
  ] as const;
  const [firstResult, secondResult] = await Promise.allSettled(halves);
  if (firstResult.status === 'rejected') throw firstResult.reason;
  if (secondResult.status === 'rejected') throw secondResult.reason;
  return [firstResult.value, secondResult.value];
}

/** Inspects, decodes, tags, converts and verifies a song. Decoding and conversion run concurrently. */
export async function processSong(ffmpeg: RunFfmpeg, source: SongSource): Promise<ProcessedSong> {
  const { folder, signal } = source;
  const step = createStepProgress(source);
  const inspection = { ...(await step('probe', () => inspectSong(ffmpeg, source))), source, step, signal };
  const [decoded, [metadata, earlyConversion]] = await runBoth(
    signal,
    (halfSignal) => decodeSource(ffmpeg, { ...inspection, signal: halfSignal }),
    async (halfSignal) => {
      const songMetadata = await step('picture', () => createMetadata(source, inspection.fileTags));
      if (inspection.playableFormat) return [songMetadata, undefined] as const;
      return [songMetadata, await convert(ffmpeg, { ...inspection, signal: halfSignal }, songMetadata)] as const;
    },
  );
  const { loudness } = decoded;
  // A misleading header costs some time, but not the song.
  const isFormatRight = decoded.format === inspection.format;
  const nextFormat = isFormatRight ? inspection.format.fallback : decoded.format;
  const converted = inspection.playableFormat
    ? { format: inspection.playableFormat, name: source.name, seconds: decoded.seconds }
    : (isFormatRight && earlyConversion) || (await convertWithFallbacks(ffmpeg, nextFormat, inspection, metadata));
  if (!converted || !hasSameDuration(converted.seconds, decoded.seconds))
    throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);
  const { format, name, seconds } = converted;
  const { tags, picture } = metadata;
  if (!inspection.playableFormat) await writeLoudness(join(folder, name), format.extension, loudness);
  return {
    name,
    extension: format.extension,
    type: format.type,
    seconds,
    ...(await computeChecksum(join(folder, name))),
    tags,
    details: selectDetails(tags, inspection.fileTags),
    loudness,
    thumbnail: picture && THUMBNAIL_NAME,
    colour: picture?.colour ?? DEFAULT_COLOUR,
  };
}

/** Returns the tags that differ from those in the file. */
const getTagChanges = (fileTags: SongTags, tags: SongTags): TagChanges => ({
  title: fileTags.title === cleanTagText(tags.title) ? undefined : cleanTagText(tags.title),
  artists: fileTags.artist === cleanTagText(tags.artist) ? undefined : [cleanTagText(tags.artist)].filter(Boolean),
  album: fileTags.album === cleanTagText(tags.album) ? undefined : cleanTagText(tags.album),
});

/** Copies a song with new tags. Audio and picture stay the same. */
export async function retag(ffmpeg: RunFfmpeg, song: Parameters<Media['retag']>[0]): ReturnType<Media['retag']> {
  const { from, folder, to, tags, loudness, signal } = song;
  if (await writeTags(from, join(folder, to), getTagChanges(await readTags(from), tags)))
    return computeChecksum(join(folder, to));
  const extension = extname(to).slice(1) as ProcessedSong['extension'];
  const { exitCode } = await ffmpeg({
    args: [
      '-v',
      'error',
      ...buildInputArgs('audio', from),
      '-map',
      '0:a:0',
      '-map',
      '0:v:0?',
      '-c',
      'copy',
      '-disposition:v',
      'attached_pic',
      ...FRONT_COVER_ARGS,
      ...buildTagArguments(tags, extension),
      ...CONTAINERS[extension],
      to,
    ],
    folder,
    kind: 'audio',
    reads: [from],
    signal,
  });
  if (exitCode !== 0) throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);
  await writeLoudness(join(folder, to), extension, loudness);
  return computeChecksum(join(folder, to));
}
