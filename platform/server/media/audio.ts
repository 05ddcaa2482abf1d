import { rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { checksumOf } from '../files.ts';
import { JobFailure } from '../jobs/jobs.ts';
import { decode, decodeLoudness } from './decode.ts';
import { type Ffmpeg, guarded } from './ffmpeg.ts';
import { CONTAINERS, type Form, formNamed, formOf, losslessForm, playedForm } from './form.ts';
import { isAsLong, type Sound, soundIn, whyIncomplete } from './judge.ts';
import { writeLoudness } from './loudnessTags.ts';
import {
  type FinishedSong,
  Incomplete,
  type Media,
  type Probe,
  type SongDetails,
  type SongSource,
  type SongStep,
  type SongTags,
} from './media.ts';
import { NO_COLOUR, type Picture, pictureBytes, pictureOf, TAG_NAME, THUMBNAIL_NAME, writePicture } from './picture.ts';
import { probe } from './probe.ts';
import type { TagChanges } from './tagChanges.ts';
import { type FileTags, probedTags, readTags, tagArguments, tagText } from './tags.ts';
import { writeTags } from './writeTags.ts';

const MOST_SECONDS = 12 * 3600;
const BROKEN = 'Conversion failed';

const PICTURE = ['-map', '1:v:0', '-c:v', 'copy', '-disposition:v:0', 'attached_pic'];
const FRONT = ['-metadata:s:v', 'comment=Cover (front)'];

/** The longer of what the page and the container say. @throws JobFailure where that is too long */
const announcedOf = ({ announcedSeconds }: SongSource, container: number | undefined): number | undefined => {
  const said = [announcedSeconds, container].filter((one) => one !== undefined);
  const announced = said.length === 0 ? undefined : Math.max(...said);
  if (announced !== undefined && announced > MOST_SECONDS) throw new JobFailure('final', 'Longer than 12 hours');
  return announced;
};

/** Steps of a song, and how much of the whole each takes. */
const SHARES: Readonly<Record<SongStep, number>> = { probe: 5, decode: 35, picture: 5, convert: 40, verify: 15 };

/** Tells how far all steps are together: some run side by side. */
const makeSteps = ({ onProgress, onStep }: SongSource) => {
  const done = new Map<SongStep, number>();
  const reached = (step: SongStep, share: number): void => {
    done.set(step, Math.max(done.get(step) ?? 0, Math.min(1, share)));
    onProgress?.([...done].reduce((sum, [one, part]) => sum + SHARES[one] * part, 0));
  };
  return async <T>(step: SongStep, work: (within: (share: number) => void) => Promise<T>): Promise<T> => {
    const started = performance.now();
    const made = await work((share) => reached(step, share));
    reached(step, 1);
    onStep?.(step, performance.now() - started);
    return made;
  };
};
type Steps = ReturnType<typeof makeSteps>;

/** What a song says of itself, and its picture. */
interface Dress {
  readonly tags: SongTags;
  readonly picture: Picture | undefined;
}

const coverOf = async ({ folder, cover }: SongSource, tags: FileTags): Promise<Picture | undefined> => {
  const outside = cover === undefined ? undefined : await pictureBytes(join(folder, cover));
  const first = outside && (await pictureOf(outside));
  return first ?? (tags.picture && (await pictureOf(tags.picture)));
};

const tagsOf = ({ tags, fallbackTitle }: SongSource, own: FileTags): SongTags => ({
  title: tagText(tags.title ?? '') || own.title || tagText(fallbackTitle) || 'Untitled',
  artist: tagText(tags.artist ?? '') || own.artist,
  album: tagText(tags.album ?? '') || own.album,
});

/** The file's own, where the artist is the one that it names. */
const detailsOf = ({ artist }: SongTags, own: FileTags): SongDetails =>
  artist === own.artist ? own.details : { ...own.details, artists: [] };

/** What is known of a song before it is read to its end. */
interface Known {
  readonly source: SongSource;
  readonly step: Steps;
  readonly own: FileTags;
  /** What it is made into; guessed where nobody has been asked. */
  readonly form: Form;
  /** The same where the file stays as it is. */
  readonly played: Form | undefined;
  /** What ffprobe says; undefined where it was not asked. */
  readonly probed: Sound | undefined;
  /** About how long it is, for how far a step is. */
  readonly whole: number;
  /** Aborted with the source's own signal, and when the other half of the work has failed. */
  readonly signal?: AbortSignal | undefined;
}

const probeSound = async (
  ffmpeg: Ffmpeg,
  { folder, name }: SongSource,
  signal?: AbortSignal,
): Promise<Sound & Pick<Probe, 'tags'>> => {
  const { seconds, audio, video, format, tags } = await probe(ffmpeg, 'audio', { folder, name, signal });
  return { seconds, codec: audio?.codec ?? '', container: format, hasVideo: video !== undefined, tags };
};

/**
 * Starting a program to ask takes as long as a third of reading the whole song. So where the file's head says enough, the work begins on its word:
 * ffmpeg says the same while it reads, and by that alone the song is judged.
 */
const lookAt = async (
  ffmpeg: Ffmpeg,
  source: SongSource,
): Promise<Pick<Known, 'own' | 'form' | 'played' | 'probed' | 'whole'>> => {
  const read = await readTags(join(source.folder, source.name));
  const form = formNamed(read.codec);
  const whole = Math.max(read.seconds ?? 0, source.announcedSeconds ?? 0);
  if (form && whole > 0 && whole <= MOST_SECONDS && source.keepsFile !== true)
    return { own: read, form, played: undefined, probed: undefined, whole };
  const probed = await probeSound(ffmpeg, source, source.signal);
  const own = read.isUnread ? probedTags(probed.tags) : read;
  const played = source.keepsFile === true ? playedForm(probed) : undefined;
  const made = source.keepsFile === true ? losslessForm(probed.codec) : formOf(probed.codec);
  return { own, form: played ?? made, played, probed, whole: announcedOf(source, probed.seconds) ?? 300 };
};

/** Reads it to its end. @throws JobFailure where it is not whole */
const check = async (ffmpeg: Ffmpeg, { source, step, form, probed, whole, signal }: Known) => {
  const { folder, name } = source;
  const decoded = await step('decode', (within) =>
    decodeLoudness(ffmpeg, { folder, name, signal, onSeconds: (seconds) => within(seconds / whole) }, whole),
  );
  const { seconds, codec } = probed ?? soundIn(decoded.said) ?? (await probeSound(ffmpeg, source, signal));
  const incomplete = whyIncomplete(decoded, announcedOf(source, seconds));
  if (incomplete !== undefined) throw new Incomplete('again', incomplete);
  if (decoded.seconds === 0) throw new JobFailure('final', 'No sound in this file');
  return { ...decoded, form: source.keepsFile === true ? form : formOf(codec) };
};

const dressOf = async (source: SongSource, own: FileTags): Promise<Dress> => {
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

interface Converted {
  readonly form: Form;
  readonly final: string;
  readonly seconds: number;
}

/** Makes the song that is kept, and reads that to its end; undefined where ffmpeg could not. How loud it is, is not yet known. */
const convert = async (ffmpeg: Ffmpeg, known: Known, dress: Dress): Promise<Converted | undefined> => {
  const { source, step, form, whole, signal } = known;
  const { tags, picture } = dress;
  const details = detailsOf(tags, known.own);
  const { folder, name } = source;
  const final = `final.${form.extension}`;
  const { code } = await step('convert', (within) =>
    ffmpeg({
      args: [
        '-v',
        'error',
        ...guarded('audio', name),
        ...(picture ? ['-f', 'image2', '-protocol_whitelist', 'file', '-i', TAG_NAME] : []),
        '-map',
        '0:a:0',
        ...(picture ? [...PICTURE, ...FRONT] : []),
        ...form.codec,
        ...tagArguments(tags, form.extension),
        ...form.container,
        final,
      ],
      folder,
      among: 'audio',
      signal,
      onSeconds: (seconds) => within(seconds / whole),
    }),
  );
  if (code !== 0) return undefined;
  if (details.artists.length > 1) await keepArtists(folder, final, details.artists);
  const { seconds } = await step('verify', (within) =>
    decode(ffmpeg, 'audio', { folder, name: final, signal, onSeconds: (at) => within(at / whole) }),
  );
  return { form, final, seconds };
};

/** The same in the first form from this one on that ffmpeg can make of it. */
const convertAs = async (
  ffmpeg: Ffmpeg,
  form: Form | undefined,
  known: Known,
  dress: Dress,
): Promise<Converted | undefined> =>
  form && ((await convert(ffmpeg, { ...known, form }, dress)) ?? convertAs(ffmpeg, form.fallback, known, dress));

/** Both to their end; what is wrong with the source is told rather than what came of converting it. */
const bothHalves = async <A, B>(
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
export const finishSong = async (ffmpeg: Ffmpeg, source: SongSource): Promise<FinishedSong> => {
  const { folder, signal } = source;
  const step = makeSteps(source);
  const known = { ...(await step('probe', () => lookAt(ffmpeg, source))), source, step, signal };
  const [first, [dress, guessed]] = await bothHalves(
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
  if (!made || !isAsLong(made.seconds, first.seconds)) throw new JobFailure('again', BROKEN);
  const { form, final, seconds } = made;
  const { tags, picture } = dress;
  if (!known.played) await writeLoudness(join(folder, final), form.extension, loudness);
  return {
    name: final,
    extension: form.extension,
    type: form.type,
    seconds,
    ...(await checksumOf(join(folder, final))),
    tags,
    details: detailsOf(tags, known.own),
    loudness,
    thumbnail: picture && THUMBNAIL_NAME,
    colour: picture?.colour ?? NO_COLOUR,
  };
};

/** What of a file's tags is to be another. */
const changesOf = (own: SongTags, tags: SongTags): TagChanges => ({
  title: own.title === tagText(tags.title) ? undefined : tagText(tags.title),
  artists: own.artist === tagText(tags.artist) ? undefined : [tagText(tags.artist)].filter(Boolean),
  album: own.album === tagText(tags.album) ? undefined : tagText(tags.album),
});

/** The same sound and picture under other tags. */
export const retag = async (ffmpeg: Ffmpeg, song: Parameters<Media['retag']>[0]): ReturnType<Media['retag']> => {
  const { from, folder, to, tags, loudness, signal } = song;
  if (await writeTags(from, join(folder, to), changesOf(await readTags(from), tags)))
    return checksumOf(join(folder, to));
  const extension = extname(to).slice(1) as FinishedSong['extension'];
  const { code } = await ffmpeg({
    args: [
      '-v',
      'error',
      ...guarded('audio', from),
      '-map',
      '0:a:0',
      '-map',
      '0:v:0?',
      '-c',
      'copy',
      '-disposition:v',
      'attached_pic',
      ...FRONT,
      ...tagArguments(tags, extension),
      ...CONTAINERS[extension],
      to,
    ],
    folder,
    among: 'audio',
    reads: [from],
    signal,
  });
  if (code !== 0) throw new JobFailure('again', BROKEN);
  await writeLoudness(join(folder, to), extension, loudness);
  return checksumOf(join(folder, to));
};
