import { type FileHandle, open } from 'node:fs/promises';
import type { ProcessedSong, Loudness } from './media.ts';

/**
 * ReplayGain inside songs. A song is made while its loudness is still measured, and a file of a gigabyte is not written
 * twice for twenty letters: ffmpeg keeps a place free (`loudnessPlace`), and `writeLoudness` fills it without moving a byte.
 */

/** Always of the same length. */
const gainText = (gain: number): string => `${gain < 0 ? '-' : '+'}${Math.abs(gain).toFixed(2).padStart(5, '0')} dB`;
const peakText = (peak: number): string => Math.min(peak, 9.999_999).toFixed(6);

const GAIN = 'REPLAYGAIN_TRACK_GAIN';
const PEAK = 'REPLAYGAIN_TRACK_PEAK';

/** A box of an MP4 file (ISO/IEC 14496-12, 4.2): its length, its type, what is in it. */
const box = (type: string, ...inner: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(inner);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

const ZERO = Buffer.alloc(4);
const UTF8 = Buffer.from([0, 0, 0, 1]);

/** A tag under a name of its own, as players look for ReplayGain in MP4: ffmpeg cannot write one into an `.m4a`. */
const freeTag = (name: string, text: string): Buffer =>
  box(
    '----',
    box('mean', ZERO, Buffer.from('com.apple.iTunes')),
    box('name', ZERO, Buffer.from(name.toLowerCase())),
    box('data', UTF8, ZERO, Buffer.from(text)),
  );

const freeTags = ({ gain, peak }: Loudness): Buffer =>
  Buffer.concat([freeTag(GAIN, gainText(gain)), freeTag(PEAK, peakText(peak))]);

/** A tag of television, which songs do not have: their comments stay. */
const createPlaceholderTag = (text: string): Buffer => box('tvnn', box('data', UTF8, ZERO, Buffer.from(text)));

const NOTHING: Loudness = { gain: 0, peak: 0 };
/** A text that is just as long as the tags that take its place. */
const PLACEHOLDER = '-'.repeat(freeTags(NOTHING).length - createPlaceholderTag('').length);

/** Whose tags are not written over in place. */
const NO_PLACE: ReadonlySet<string> = new Set(['opus', 'ogg', 'wav']);

/** Tags for ffmpeg, which `writeLoudness` writes over. */
export function createLoudnessPlaceholder(extension: ProcessedSong['extension']): Readonly<Record<string, string>> {
  return extension === 'm4a'
    ? { network: PLACEHOLDER }
    : NO_PLACE.has(extension)
      ? {}
      : { [GAIN]: gainText(0), [PEAK]: peakText(0) };
}

const bytesAt = async (file: FileHandle, at: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
};

/** Where the tags of an MP3 stand: a picture of ours among them. */
const ID3_BYTES = 1024 * 1024;

const intoMp3 = async (file: FileHandle, { gain, peak }: Loudness): Promise<void> => {
  const head = await bytesAt(file, 0, ID3_BYTES);
  const over = async (name: string, text: string): Promise<void> => {
    const at = head.indexOf(`${name}\0`, 0, 'latin1');
    if (at !== -1) await file.write(text, at + name.length + 1, 'latin1');
  };
  await over(GAIN, gainText(gain));
  await over(PEAK, peakText(peak));
};

/** FLAC and Ogg have their tags as plain text; a checksum of an Ogg page would be another, so those keep what ffmpeg wrote. */
const intoComments = async (file: FileHandle, { gain, peak }: Loudness): Promise<void> => {
  const head = await bytesAt(file, 0, ID3_BYTES);
  if (head.toString('latin1', 0, 4) !== 'fLaC') return;
  for (const [name, text] of [
    [GAIN, gainText(gain)],
    [PEAK, peakText(peak)],
  ] as const) {
    const at = head.indexOf(`${name}=`, 0, 'latin1');
    if (at !== -1) await file.write(text, at + name.length + 1, 'latin1');
  }
};

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The first box of a type. One longer than 4 GiB says its length elsewhere: what lies behind it is not looked for. */
const findBox = async (file: FileHandle, type: string, { from, to }: Span): Promise<Span | undefined> => {
  for (let at = from; at + 8 <= to;) {
    const head = await bytesAt(file, at, 8);
    const length = head.length < 8 ? 0 : head.readUInt32BE();
    if (length < 8) return undefined;
    if (head.toString('latin1', 4) === type) return { from: at, to: Math.min(to, at + length) };
    at += length;
  }
  return undefined;
};

/** Boxes around the tags, and how long the head of each is. */
const AROUND = [
  ['moov', 8],
  ['udta', 8],
  ['meta', 12],
  ['ilst', 8],
] as const;

const intoM4a = async (file: FileHandle, loudness: Loudness): Promise<void> => {
  let within: Span = { from: 0, to: (await file.stat()).size };
  for (const [type, head] of AROUND) {
    const found = await findBox(file, type, within);
    if (!found) return;
    within = { from: found.from + head, to: found.to };
  }
  const place = await findBox(file, 'tvnn', within);
  const tags = freeTags(loudness);
  if (place && place.to - place.from === tags.length) await file.write(tags, 0, tags.length, place.from);
};

/** Writes how loud a song is into the place that was kept for it. */
export async function writeLoudness(
  path: string,
  extension: ProcessedSong['extension'],
  loudness: Loudness,
): Promise<void> {
  await using file = await open(path, 'r+');
  if (extension === 'mp3') await intoMp3(file, loudness);
  else if (extension === 'm4a') await intoM4a(file, loudness);
  else if (extension !== 'wav') await intoComments(file, loudness);
}
