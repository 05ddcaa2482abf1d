import { type FileHandle, open } from 'node:fs/promises';
import type { ProcessedSong, Loudness } from './media.ts';

/**
 * ReplayGain tags in songs. The loudness is still being measured during the conversion, so ffmpeg writes placeholders
 * (`createLoudnessPlaceholder`), which `writeLoudness` overwrites without moving a byte.
 */

/** Formats a gain at a fixed length. */
const formatGain = (gain: number): string => `${gain < 0 ? '-' : '+'}${Math.abs(gain).toFixed(2).padStart(5, '0')} dB`;
const formatPeak = (peak: number): string => Math.min(peak, 9.999_999).toFixed(6);

const GAIN_TAG = 'REPLAYGAIN_TRACK_GAIN';
const PEAK_TAG = 'REPLAYGAIN_TRACK_PEAK';

/** Creates a box of an MP4 file (ISO/IEC 14496-12, 4.2): length, type, content. */
const createBox = (type: string, ...inner: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(inner);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

const ZERO = Buffer.alloc(4);
const UTF8 = Buffer.from([0, 0, 0, 1]);

/** Creates a freeform tag, where players look for ReplayGain in MP4. ffmpeg cannot write one into an `.m4a`. */
const createFreeformTag = (name: string, text: string): Buffer =>
  createBox(
    '----',
    createBox('mean', ZERO, Buffer.from('com.apple.iTunes')),
    createBox('name', ZERO, Buffer.from(name.toLowerCase())),
    createBox('data', UTF8, ZERO, Buffer.from(text)),
  );

const createLoudnessTags = ({ gain, peak }: Loudness): Buffer =>
  Buffer.concat([createFreeformTag(GAIN_TAG, formatGain(gain)), createFreeformTag(PEAK_TAG, formatPeak(peak))]);

/** Creates a tag for TV, which songs do not use, so that real comments remain. */
const createPlaceholderTag = (text: string): Buffer =>
  createBox('tvnn', createBox('data', UTF8, ZERO, Buffer.from(text)));

const SILENT: Loudness = { gain: 0, peak: 0 };
/** Exactly as long as the tags that replace it. */
const PLACEHOLDER = '-'.repeat(createLoudnessTags(SILENT).length - createPlaceholderTag('').length);

/** Formats whose tags cannot be overwritten in place. */
const WITHOUT_PLACEHOLDER: ReadonlySet<string> = new Set(['opus', 'ogg', 'wav']);

/** Returns tags for ffmpeg that `writeLoudness` overwrites later. */
export function createLoudnessPlaceholder(extension: ProcessedSong['extension']): Readonly<Record<string, string>> {
  return extension === 'm4a'
    ? { network: PLACEHOLDER }
    : WITHOUT_PLACEHOLDER.has(extension)
      ? {}
      : { [GAIN_TAG]: formatGain(0), [PEAK_TAG]: formatPeak(0) };
}

const readBytes = async (file: FileHandle, at: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
};

/** Size of the start of a file that contains its tags, including our picture. */
const MAX_TAG_BYTES = 1024 * 1024;

const writeMp3Loudness = async (file: FileHandle, { gain, peak }: Loudness): Promise<void> => {
  const head = await readBytes(file, 0, MAX_TAG_BYTES);
  const overwrite = async (name: string, text: string): Promise<void> => {
    const at = head.indexOf(`${name}\0`, 0, 'latin1');
    if (at !== -1) await file.write(text, at + name.length + 1, 'latin1');
  };
  await overwrite(GAIN_TAG, formatGain(gain));
  await overwrite(PEAK_TAG, formatPeak(peak));
};

/** FLAC has its tags as plain text. Ogg pages have checksums, so Ogg files retain what ffmpeg wrote. */
const writeFlacLoudness = async (file: FileHandle, { gain, peak }: Loudness): Promise<void> => {
  const head = await readBytes(file, 0, MAX_TAG_BYTES);
  if (head.toString('latin1', 0, 4) !== 'fLaC') return;
  for (const [name, text] of [
    [GAIN_TAG, formatGain(gain)],
    [PEAK_TAG, formatPeak(peak)],
  ] as const) {
    const at = head.indexOf(`${name}=`, 0, 'latin1');
    if (at !== -1) await file.write(text, at + name.length + 1, 'latin1');
  }
};

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds the first box of a type. Searching ends at a box over 4 GiB, whose size is stored elsewhere. */
const findBox = async (file: FileHandle, type: string, { from, to }: Span): Promise<Span | undefined> => {
  for (let at = from; at + 8 <= to;) {
    const head = await readBytes(file, at, 8);
    const length = head.length < 8 ? 0 : head.readUInt32BE();
    if (length < 8) return undefined;
    if (head.toString('latin1', 4) === type) return { from: at, to: Math.min(to, at + length) };
    at += length;
  }
  return undefined;
};

/** Boxes around the tags, and the sizes of their headers. */
const ENCLOSING_BOXES = [
  ['moov', 8],
  ['udta', 8],
  ['meta', 12],
  ['ilst', 8],
] as const;

const writeM4aLoudness = async (file: FileHandle, loudness: Loudness): Promise<void> => {
  let within: Span = { from: 0, to: (await file.stat()).size };
  for (const [type, head] of ENCLOSING_BOXES) {
    const found = await findBox(file, type, within);
    if (!found) return;
    within = { from: found.from + head, to: found.to };
  }
  const placeholder = await findBox(file, 'tvnn', within);
  const tags = createLoudnessTags(loudness);
  if (placeholder && placeholder.to - placeholder.from === tags.length)
    await file.write(tags, 0, tags.length, placeholder.from);
};

/** Writes the loudness of a song over its placeholder. */
export async function writeLoudness(
  path: string,
  extension: ProcessedSong['extension'],
  loudness: Loudness,
): Promise<void> {
  await using file = await open(path, 'r+');
  if (extension === 'mp3') await writeMp3Loudness(file, loudness);
  else if (extension === 'm4a') await writeM4aLoudness(file, loudness);
  else if (extension !== 'wav') await writeFlacLoudness(file, loudness);
}
