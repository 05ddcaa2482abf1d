import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharpOptions } from 'sharp';

/** A song's cover picture, re-encoded from any source. */
export interface CoverPicture {
  /** Square of 320 px (webp). */
  readonly thumbnail: Buffer;
  /** Picture of at most 600 px for the tag of the song (jpeg). */
  readonly tag: Buffer;
  /** Dominant colour, for CSS. */
  readonly colour: string;
}

/** Colour of songs without a picture. */
export const DEFAULT_COLOUR = 'rgb(90, 90, 90)';

const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
const SHARP_OPTIONS: SharpOptions = { limitInputPixels: 40e6, failOn: 'error', pages: 1 };
const THUMBNAIL_PIXELS = 320;
const MAX_TAG_PIXELS = 600;

/** Returns whether bytes are a raster picture, by their start. SVG may contain programs, so it is not accepted. */
function isPicture(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 16).toString('latin1');
  return (
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('GIF8') ||
    (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') ||
    /^.{4}ftyp(avif|avis)/s.test(head)
  );
}

/** Reads a picture file; undefined if it is too large. */
export async function readPicture(path: string): Promise<Buffer | undefined> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  return size > MAX_PICTURE_BYTES ? undefined : await file.readFile();
}

/** Re-encodes a picture; undefined if it is damaged, too large or not a picture, because songs need none. */
export async function processPicture(bytes: Buffer): Promise<CoverPicture | undefined> {
  if (bytes.length > MAX_PICTURE_BYTES || !isPicture(bytes)) return undefined;
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1); // one thread, so that the server stays responsive
  try {
    // The picture is rotated, flattened and shrunk once, and all sizes are derived from that.
    const upright = await sharp(bytes, SHARP_OPTIONS)
      .rotate()
      .flatten({ background: '#000' })
      .resize(1200, 1200, { fit: 'inside', withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = upright.info;
    const createPipeline = () => sharp(upright.data, { raw: { width, height, channels } }).toColourspace('srgb');
    const square = await createPipeline().resize(64, 64, { fit: 'cover' }).removeAlpha().png().toBuffer();
    const { dominant } = await sharp(square).stats();
    return {
      thumbnail: await createPipeline()
        .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'cover' })
        .webp({ quality: 80 })
        .toBuffer(),
      tag: await createPipeline()
        .resize(MAX_TAG_PIXELS, MAX_TAG_PIXELS, { fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: 85 })
        .toBuffer(),
      colour: `rgb(${dominant.r}, ${dominant.g}, ${dominant.b})`,
    };
  } catch {
    return undefined; // incomplete, too many pixels, or not a picture after all
  }
}

/** Names of picture files in a job's folder. */
export const TAG_PICTURE_NAME = 'tag.jpg';
export const THUMBNAIL_NAME = 'thumbnail.webp';

/** Writes both sizes of a picture into a job's folder. */
export async function writePicture(folder: string, { thumbnail, tag }: CoverPicture): Promise<void> {
  await writeFile(join(folder, THUMBNAIL_NAME), thumbnail);
  await writeFile(join(folder, TAG_PICTURE_NAME), tag);
}
