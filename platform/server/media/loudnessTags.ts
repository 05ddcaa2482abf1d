import { type FileHandle, open } from 'node:fs/promises';
import type { ProcessedSong, Loudness } from './media.ts';
import { createBox, type FileRange } from './mp4Tags.ts';
import { readAt } from './tagChanges.ts';

/**
 * ReplayGain tags in songs. The loudness is still being measured during the conversion, so ffmpeg writes placeholders
 * (`createLoudnessPlaceholder`), which `writeLoudness` overwrites without moving a byte.
 */

/** Formats a gain at a fixed length. */
const formatGain = (gain: number): string => `${gain < 0 ? '-' : '+'}${Math.abs(gain).toFixed(2).padStart(5, '0')} dB`;
const formatPeak = (peak: number): string => Math.min(peak, 9.999_999).toFixed(6);

const GAIN_TAG = 'REPLAYGAIN_TRACK_GAIN';
const PEAK_TAG = 'REPLAYGAIN_TRACK_PEAK';

const FOUR_ZEROS = Buffer.alloc(4);
const UTF8_TYPE = Buffer.from([0, 0, 0, 1]);

/** Creates a freeform tag, where players look for ReplayGain in MP4. ffmpeg cannot write one into an `.m4a`. */
const createFreeformTag = (name: string, text: string): Buffer =>
  createBox(
    '----',
    createBox('mean', FOUR_ZEROS, Buffer.from('com.apple.iTunes')),
    createBox('name', FOUR_ZEROS, Buffer.from(name.toLowerCase())),
    createBox('data', UTF8_TYPE, FOUR_ZEROS, Buffer.from(text)),
  );

const createLoudnessTags = ({ gain, peak }: Loudness): Buffer =>
  Buffer.concat([createFreeformTag(GAIN_TAG, formatGain(gain)), createFreeformTag(PEAK_TAG, formatPeak(peak))]);

/** Creates a tag for TV, which songs do not use, so that real comments remain. */
const createPlaceholderTag = (text: string): Buffer =>
  createBox('tvnn', createBox('data', UTF8_TYPE, FOUR_ZEROS, Buffer.from(text)));

const SILENT: Loudness = { gain: 0, peak: 0 };
/** Exactly as long as the tags that replace it. */
const PLACEHOLDER = '-'.repeat(createLoudnessTags(SILENT).length - createPlaceholderTag('').length);

/** Formats whose tags cannot be overwritten in place. */
const EXTENSIONS_WITHOUT_PLACEHOLDER: ReadonlySet<string> = new Set(['opus', 'ogg', 'wav']);

/** Returns tags for ffmpeg that `writeLoudness` overwrites later. */
export function createLoudnessPlaceholder(extension: ProcessedSong['extension']): Readonly<Record<string, string>> {
  return extension === 'm4a'
    ? { network: PLACEHOLDER }
    : EXTENSIONS_WITHOUT_PLACEHOLDER.has(extension)
      ? {}
      : { [GAIN_TAG]: formatGain(0), [PEAK_TAG]: formatPeak(0) };
}

/** Size of the start of a file that contains its tags, including our picture. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** Overwrites the text of both tags, which follows their name and a separator. */
async function overwriteTexts(file: FileHandle, { gain, peak }: Loudness, separator: '\0' | '='): Promise<void> {
  const head = await readAt(file, 0, MAX_HEAD_BYTES);
  for (const [name, text] of [
    [GAIN_TAG, formatGain(gain)],
    [PEAK_TAG, formatPeak(peak)],
  ] as const) {
    const start = head.indexOf(`${name}${separator}`, 0, 'latin1');
    if (start !== -1) await file.write(text, start + name.length + 1, 'latin1');
  }
}

/** Finds the first box of a type. Searching ends at a box over 4 GiB, whose size is stored elsewhere. */
async function findBox(file: FileHandle, type: string, { from, to }: FileRange): Promise<FileRange | undefined> {
  for (let offset = from; offset + 8 <= to;) {
    const head = await readAt(file, offset, 8);
    const length = head.length < 8 ? 0 : head.readUInt32BE();
    if (length < 8) return undefined;
    if (head.toString('latin1', 4) === type) return { from: offset, to: Math.min(to, offset + length) };
    offset += length;
  }
  return undefined;
}

/** Boxes around the tags, and the sizes of their headers. */
const ENCLOSING_BOXES = [
  ['moov', 8],
  ['udta', 8],
  ['meta', 12],
  ['ilst', 8],
] as const;

async function writeM4aLoudness(file: FileHandle, loudness: Loudness): Promise<void> {
  let range: FileRange = { from: 0, to: (await file.stat()).size };
  for (const [type, headerBytes] of ENCLOSING_BOXES) {
    const box = await findBox(file, type, range);
    if (!box) return;
    range = { from: box.from + headerBytes, to: box.to };
  }
  const placeholder = await findBox(file, 'tvnn', range);
  const tags = createLoudnessTags(loudness);
  if (placeholder && placeholder.to - placeholder.from === tags.length)
    await file.write(tags, 0, tags.length, placeholder.from);
}

/** Writes the loudness of a song over its placeholder. */
export async function writeLoudness(
  path: string,
  extension: ProcessedSong['extension'],
  loudness: Loudness,
): Promise<void> {
  await using file = await open(path, 'r+');
  if (extension === 'mp3') await overwriteTexts(file, loudness, '\0');
  else if (extension === 'm4a') await writeM4aLoudness(file, loudness);
  // Ogg pages have checksums, so Ogg files retain what ffmpeg wrote.
  else if ((await readAt(file, 0, 4)).toString('latin1') === 'fLaC') await overwriteTexts(file, loudness, '=');
}
