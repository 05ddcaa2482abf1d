import { rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { JobFailure } from '../jobs/jobQueue.ts';
import { computeChecksum } from '../storage/fileStorage.ts';
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
import { hasSameDuration, type AudioStream, parseAudioStream, explainIncomplete } from './soundCheck.ts';
import type { TagChanges } from './tagChanges.ts';
import { type FileTags, parseProbedTags, readTags, buildTagArguments, cleanTagText } from './tags.ts';
import { writeTags } from './writeTags.ts';

const MAX_SONG_SECONDS = 12 * 3600;
const CONVERSION_FAILED_MESSAGE = 'Conversion failed';

const PICTURE = ['-map', '1:v:0', '-c:v', 'copy', '-disposition:v:0', 'attached_pic'];
const FRONT = ['-metadata:s:v', 'comment=Cover (front)'];

/** The longer of what the page and the container say. @throws JobFailure where that is too long */
const getAnnouncedSeconds = ({ announcedSeconds }: SongSource, container: number | undefined): number | undefined => {
  const said = [announcedSeconds, container].filter((one) => one !== undefined);
  const announced = said.length === 0 ? undefined : Math.max(...said);
  if (announced !== undefined && announced > MAX_SONG_SECONDS) throw new JobFailure('final', 'Longer than 12 hours');
  return announced;
};

/** Steps of a song, and how much of the whole each takes. */
const STEP_SHARES: Readonly<Record<SongStep, number>> = { probe: 5, decode: 35, picture: 5, convert: 40, verify: 15 };

/** Tells how far all steps are together: some run side by side. */
const createStepProgress = ({ onProgress, onStep }: SongSource) => {
  const done = new Map<SongStep, number>();
  const reached = (step: SongStep, share: number): void => {
    done.set(step, Math.max(done.get(step) ?? 0, Math.min(1, share)));
    onProgress?.([...done].reduce((sum, [one, part]) => sum + STEP_SHARES[one] * part, 0));
  };
  return async <T>(step: SongStep, work: (within: (share: number) => void) => Promise<T>): Promise<T> => {
    const started = performance.now();
    const made = await work((share) => reached(step, share));
    reached(step, 1);
    onStep?.(step, performance.now() - started);
    return made;
  };
};
type StepProgress = ReturnType<typeof createStepProgress>;

/** What a song says of itself, and its picture. */
interface SongMetadata {
  readonly tags: SongTags;
  readonly picture: CoverPicture | undefined;
}

const coverOf = async ({ folder, cover }: SongSource, tags: FileTags): Promise<CoverPicture | undefined> => {
  const outside = cover === undefined ? undefined : await readPicture(join(folder, cover));
  const first = outside && (await processPicture(outside));
  return first ?? (tags.picture && (await processPicture(tags.picture)));
};

const tagsOf = ({ tags, fallbackTitle }: SongSource, own: FileTags): SongTags => ({
  title: cleanTagText(tags.title ?? '') || own.title || cleanTagText(fallbackTitle) || 'Untitled',
  artist: cleanTagText(tags.artist ?? '') || own.artist,
  album: cleanTagText(tags.album ?? '') || own.album,
});

/** The file's own, where the artist is the one that it names. */
const detailsOf = ({ artist }: SongTags, own: FileTags): SongDetails =>
  artist === own.artist ? own.details : { ...own.details, artists: [] };

/** What is known of a song before it is read to its end. */
interface SongInspection {
  readonly source: SongSource;
  readonly step: StepProgress;
  readonly own: FileTags;
  /** What it is made into; guessed where nobody has been asked. */
  readonly form: AudioFormat;
  /** The same where the file stays as it is. */
  readonly played: AudioFormat | undefined;
  /** What ffprobe says; undefined where it was not asked. */
  readonly probed: AudioStream | undefined;
  /** About how long it is, for how far a step is. */
  readonly whole: number;
  /** Aborted with the source's own signal, and when the other half of the work has failed. */
  readonly signal?: AbortSignal | undefined;
}

const probeSound = async (
  ffmpeg: RunFfmpeg,
  { folder, name }: SongSource,
  signal?: AbortSignal,
): Promise<AudioStream & Pick<Probe, 'tags'>> => {
  const { seconds, audio, video, format, tags } = await probeMedia(ffmpeg, 'audio', { folder, name, signal });
  return { seconds, codec: audio?.codec ?? '', container: format, hasVideo: video !== undefined, tags };
};

/**
 * Starting a program to ask takes as long as a third of reading the whole song. So where the file's head says enough, the work begins on its word:
 * ffmpeg says the same while it reads, and by that alone the song is judged.
 */
const inspectSong = async (
  ffmpeg: RunFfmpeg,
  source: SongSource,
): Promise<Pick<SongInspection, 'own' | 'form' | 'played' | 'probed' | 'whole'>> => {
  const read = await readTags(join(source.folder, source.name));
  const form = findFormatByName(read.codec);
  const whole = Math.max(read.seconds ?? 0, source.announcedSeconds ?? 0);
  if (form && whole > 0 && whole <= MAX_SONG_SECONDS && source.keepsFile !== true)
    return { own: read, form, played: undefined, probed: undefined, whole };
  const probed = await probeSound(ffmpeg, source, source.signal);
  const own = read.isUnread ? parseProbedTags(probed.tags) : read;
  const played = source.keepsFile === true ? findPlayableFormat(probed) : undefined;
  const made = source.keepsFile === true ? chooseLosslessFormat(probed.codec) : chooseFormat(probed.codec);
  return { own, form: played ?? made, played, probed, whole: getAnnouncedSeconds(source, probed.seconds) ?? 300 };
};

/** Reads it to its end. @throws JobFailure where it is not whole */
const check = async (ffmpeg: RunFfmpeg, { source, step, form, probed, whole, signal }: SongInspection) => {
  const { folder, name } = source;
  const decoded = await step('decode', (within) =>
    decodeLoudness(ffmpeg, { folder, name, signal, onSeconds: (seconds) => within(seconds / whole) }, whole),
  );
  const { seconds, codec } =
    probed ?? parseAudioStream(decoded.ffmpegOutput) ?? (await probeSound(ffmpeg, source, signal));
  const incomplete = explainIncomplete(decoded, getAnnouncedSeconds(source, seconds));
  if (incomplete !== undefined) throw new IncompleteSongFailure('again', incomplete);
  if (decoded.seconds === 0) throw new JobFailure('final', 'No sound in this file');
  return { ...decoded, form: source.keepsFile === true ? form : chooseFormat(codec) };
};

const dressOf = async (source: SongSource, own: FileTags): Promise<SongMetadata> => {
  const picture = await coverOf(source, own);
  if (picture) await writePicture(source.folder, picture);
  return { tags: tagsOf(source, own), picture };
};

/** Each artist by itself: ffmpeg has one text for all. */
const keepArtists = async (folder: string, name: string, artists: readonly string[]): Promise<void> => {
  const other = `artists${extname(name)}`;
  if (await writeTags(join(folder, name), join(folder, other), { artists }))
    await rename(join(folder, other), join(folder, name));
};

interface ConvertedSong {
  readonly form: AudioFormat;
  readonly final: string;
  readonly seconds: number;
}

/** Makes the song that is kept, and reads that to its end; undefined where ffmpeg could not. How loud it is, is not yet known. */
const convert = async (
  ffmpeg: RunFfmpeg,
  known: SongInspection,
  dress: SongMetadata,
): Promise<ConvertedSong | undefined> => {
  const { source, step, form, whole, signal } = known;
  const { tags, picture } = dress;
  const details = detailsOf(tags, known.own);
  const { folder, name } = source;
  const final = `final.${form.extension}`;
  const { exitCode } = await step('convert', (within) =>
    ffmpeg({
      args: [
        '-v',
        'error',
        ...buildInputArgs('audio', name),
        ...(picture ? ['-f', 'image2', '-protocol_whitelist', 'file', '-i', TAG_PICTURE_NAME] : []),
        '-map',
        '0:a:0',
        ...(picture ? [...PICTURE, ...FRONT] : []),
        ...form.codec,
        ...buildTagArguments(tags, form.extension),
        ...form.container,
        final,
      ],
      folder,
      kind: 'audio',
      signal,
      onSeconds: (seconds) => within(seconds / whole),
    }),
  );
  if (exitCode !== 0) return undefined;
  if (details.artists.length > 1) await keepArtists(folder, final, details.artists);
  const { seconds } = await step('verify', (within) =>
    decodeMedia(ffmpeg, 'audio', { folder, name: final, signal, onSeconds: (at) => within(at / whole) }),
  );
  return { form, final, seconds };
};

/** The same in the first form from this one on that ffmpeg can make of it. */
const convertAs = async (
  ffmpeg: RunFfmpeg,
  form: AudioFormat | undefined,
  known: SongInspection,
  dress: SongMetadata,
): Promise<ConvertedSong | undefined> =>
  form && ((await convert(ffmpeg, { ...known, form }, dress)) ?? convertAs(ffmpeg, form.fallback, known, dress));

/** Both to their end; what is wrong with the source is told rather than what came of converting it. */
const runBoth = async <A, B>(
  outer: AbortSignal | undefined,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<readonly [A, B]> => {
  const abort = new AbortController();
  const signal = outer ? AbortSignal.any([outer, abort.signal]) : abort.signal;
  const halves = [
    first(signal).catch((error: unknown) => {
      abort.abort(error);
      throw error;
    }),
    second(signal),
  ] as const;
  const [one, other] = await Promise.allSettled(halves);
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
};

/** Notes on media, 'Checking and converting': looked at, decoded against what was announced, given its picture and tags, converted, and decoded again. Checking and converting go side by side. */
export async function processSong(ffmpeg: RunFfmpeg, source: SongSource): Promise<ProcessedSong> {
  const { folder, signal } = source;
  const step = createStepProgress(source);
  const known = { ...(await step('probe', () => inspectSong(ffmpeg, source))), source, step, signal };
  const [first, [dress, guessed]] = await runBoth(
    signal,
    (either) => check(ffmpeg, { ...known, signal: either }),
    async (either) => {
      const dressed = await step('picture', () => dressOf(source, known.own));
      if (known.played) return [dressed, undefined] as const;
      return [dressed, await convert(ffmpeg, { ...known, signal: either }, dressed)] as const;
    },
  );
  const { loudness } = first;
  // A head that misled has cost some time, and not the song.
  const next = first.form === known.form ? known.form.fallback : first.form;
  const made = known.played
    ? { form: known.played, final: source.name, seconds: first.seconds }
    : (first.form === known.form && guessed) || (await convertAs(ffmpeg, next, known, dress));
  if (!made || !hasSameDuration(made.seconds, first.seconds)) throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);
  const { form, final, seconds } = made;
  const { tags, picture } = dress;
  if (!known.played) await writeLoudness(join(folder, final), form.extension, loudness);
  return {
    name: final,
    extension: form.extension,
    type: form.type,
    seconds,
    ...(await computeChecksum(join(folder, final))),
    tags,
    details: detailsOf(tags, known.own),
    loudness,
    thumbnail: picture && THUMBNAIL_NAME,
    colour: picture?.colour ?? DEFAULT_COLOUR,
  };
}

/** What of a file's tags is to be another. */
const changesOf = (own: SongTags, tags: SongTags): TagChanges => ({
  title: own.title === cleanTagText(tags.title) ? undefined : cleanTagText(tags.title),
  artists: own.artist === cleanTagText(tags.artist) ? undefined : [cleanTagText(tags.artist)].filter(Boolean),
  album: own.album === cleanTagText(tags.album) ? undefined : cleanTagText(tags.album),
});

/** The same sound and picture under other tags. */
export async function retag(ffmpeg: RunFfmpeg, song: Parameters<Media['retag']>[0]): ReturnType<Media['retag']> {
  const { from, folder, to, tags, loudness, signal } = song;
  if (await writeTags(from, join(folder, to), changesOf(await readTags(from), tags)))
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
      ...FRONT,
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
