import { extname, join } from 'node:path';
import { checksumOf } from '../files.ts';
import { JobFailure } from '../jobs/jobs.ts';
import { decode, decodeLoudness } from './decode.ts';
import { type Ffmpeg, guarded } from './ffmpeg.ts';
import { isAsLong, whyIncomplete } from './judge.ts';
import { writeLoudness } from './loudnessTags.ts';
import {
  type FinishedSong,
  Incomplete,
  type Media,
  type Probe,
  type SongSource,
  type SongStep,
  type SongTags,
} from './media.ts';
import { NO_COLOUR, type Picture, pictureBytes, pictureOf, TAG_NAME, THUMBNAIL_NAME, writePicture } from './picture.ts';
import { probe } from './probe.ts';
import { type FileTags, readTags, tagArguments, tagText } from './tags.ts';

const MOST_SECONDS = 12 * 3600;
const BROKEN = 'Conversion failed';

interface Form {
  readonly extension: FinishedSong['extension'];
  readonly type: FinishedSong['type'];
  readonly codec: readonly string[];
  readonly container: readonly string[];
}

const MP3 = ['-id3v2_version', '3', '-f', 'mp3'];
const M4A = ['-movflags', '+faststart', '-f', 'ipod'];

/** Sound that every browser and phone plays stays as it is; all else becomes MP3. */
const formOf = (codec: string): Form => {
  if (codec === 'aac') return { extension: 'm4a', type: 'audio/mp4', codec: ['-c:a', 'copy'], container: M4A };
  const encode = codec === 'mp3' ? ['-c:a', 'copy'] : ['-c:a', 'libmp3lame', '-q:a', '2'];
  return { extension: 'mp3', type: 'audio/mpeg', codec: encode, container: MP3 };
};

const PICTURE = ['-map', '1:v:0', '-c:v', 'copy', '-disposition:v:0', 'attached_pic'];
const FRONT = ['-metadata:s:v', 'comment=Cover (front)'];

/** The longer of what the page and the container say. */
const announcedOf = (page: number | undefined, { seconds }: Probe): number | undefined => {
  const said = [page, seconds].filter((one) => one !== undefined);
  return said.length === 0 ? undefined : Math.max(...said);
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

/** What a song says of itself, and its picture. */
interface Dress {
  readonly tags: SongTags;
  readonly picture: Picture | undefined;
}

const dressOf = async (source: SongSource): Promise<Dress> => {
  const own = await readTags(join(source.folder, source.name));
  const picture = await coverOf(source, own);
  if (picture) await writePicture(source.folder, picture);
  return { tags: tagsOf(source, own), picture };
};

/** What is known of a song before it is converted. */
interface Known extends Dress {
  readonly source: SongSource;
  readonly step: Steps;
  readonly form: Form;
  readonly announced: number | undefined;
  /** About how long it is, for how far a step is. */
  readonly whole: number;
  /** Aborted with the source's own signal, and when the other half of the work has failed. */
  readonly signal: AbortSignal;
}

/** Reads it to its end. @throws JobFailure where it is not whole */
const check = async (ffmpeg: Ffmpeg, { source, step, announced, whole, signal }: Known) => {
  const { folder, name } = source;
  const decoded = await step('decode', (within) =>
    decodeLoudness(ffmpeg, { folder, name, signal, onSeconds: (seconds) => within(seconds / whole) }, whole),
  );
  const incomplete = whyIncomplete(decoded, announced);
  if (incomplete !== undefined) throw new Incomplete('again', incomplete);
  if (decoded.seconds === 0) throw new JobFailure('final', 'No sound in this file');
  return decoded;
};

/** Makes the song that is kept, and reads that to its end. How loud it is, is not yet known. */
const convert = async (ffmpeg: Ffmpeg, { source, step, form, whole, signal, tags, picture }: Known) => {
  const { folder, name } = source;
  const final = `final.${form.extension}`;
  await step('convert', async (within) => {
    const { code } = await ffmpeg({
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
    });
    if (code !== 0) throw new JobFailure('again', BROKEN);
  });
  const { seconds } = await step('verify', (within) =>
    decode(ffmpeg, 'audio', { folder, name: final, signal, onSeconds: (at) => within(at / whole) }),
  );
  return { final, seconds };
};

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

/** Notes on media, 'Checking and converting': probed, decoded against what was announced, given its picture and tags, converted, and decoded again. Checking and converting go side by side. */
export const finishSong = async (ffmpeg: Ffmpeg, source: SongSource): Promise<FinishedSong> => {
  const { folder, name, signal } = source;
  const step = makeSteps(source);
  const [found, dress] = await bothHalves(
    signal,
    (either) => step('probe', () => probe(ffmpeg, 'audio', { folder, name, signal: either })),
    () => step('picture', () => dressOf(source)),
  );
  const announced = announcedOf(source.announcedSeconds, found);
  if (announced !== undefined && announced > MOST_SECONDS) throw new JobFailure('final', 'Longer than 12 hours');
  const form = formOf(found.audio?.codec ?? '');
  const known = { ...dress, source, step, form, announced, whole: announced ?? 300 };

  const [first, made] = await bothHalves(
    signal,
    (either) => check(ffmpeg, { ...known, signal: either }),
    (either) => convert(ffmpeg, { ...known, signal: either }),
  );
  if (!isAsLong(made.seconds, first.seconds)) throw new JobFailure('again', BROKEN);
  const { final, seconds } = made;
  const { tags, picture } = dress;
  const { loudness } = first;
  await writeLoudness(join(folder, final), form.extension, loudness);
  return {
    name: final,
    extension: form.extension,
    type: form.type,
    seconds,
    ...(await checksumOf(join(folder, final))),
    tags,
    loudness,
    thumbnail: picture && THUMBNAIL_NAME,
    colour: picture?.colour ?? NO_COLOUR,
  };
};

/** The same sound and picture under other tags. */
export const retag = async (ffmpeg: Ffmpeg, song: Parameters<Media['retag']>[0]): ReturnType<Media['retag']> => {
  const { from, folder, to, tags, loudness, signal } = song;
  const extension = extname(to) === '.mp3' ? 'mp3' : 'm4a';
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
      ...(extension === 'mp3' ? MP3 : M4A),
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
