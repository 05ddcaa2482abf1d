import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharpOptions } from 'sharp';

/** A song's picture, made anew from whatever it was. */
export interface CoverPicture {
  /** 320 px square, webp. */
  readonly thumbnail: Buffer;
  /** 600 px at most, jpeg, for the tag. */
  readonly tag: Buffer;
  /** CSS. */
  readonly colour: string;
}

/** Of a song without a picture. */
export const DEFAULT_COLOUR = 'rgb(90, 90, 90)';

const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
const OPTIONS: SharpOptions = { limitInputPixels: 40e6, failOn: 'error', pages: 1 };
const THUMBNAIL_PIXELS = 320;
const MAX_TAG_PIXELS = 600;

/** Pictures of dots, by their first bytes. SVG is a program, and none of them. */
const isPicture = (bytes: Buffer): boolean => {
  const head = bytes.subarray(0, 16).toString('latin1');
  return (
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('GIF8') ||
    (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') ||
    /^.{4}ftyp(avif|avis)/s.test(head)
  );
};

/** At most so many bytes of a file; undefined where it has more. */
export async function readPicture(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    return size > MAX_PICTURE_BYTES ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}

/** Undefined where it is none, or a broken one: a song does without. */
export async function processPicture(bytes: Buffer): Promise<CoverPicture | undefined> {
  if (bytes.length > MAX_PICTURE_BYTES || !isPicture(bytes)) return undefined;
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1); // a song at a time, beside a server that answers
  try {
    // Turned upright and flattened once, then small: the others are made of that.
    const upright = await sharp(bytes, OPTIONS)
      .rotate()
      .flatten({ background: '#000' })
      .resize(1200, 1200, { fit: 'inside', withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = upright.info;
    const again = () => sharp(upright.data, { raw: { width, height, channels } }).toColourspace('srgb');
    const square = await again().resize(64, 64, { fit: 'cover' }).removeAlpha().png().toBuffer();
    const { dominant } = await sharp(square).stats();
    return {
      thumbnail: await again()
        .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'cover' })
        .webp({ quality: 80 })
        .toBuffer(),
      tag: await again()
        .resize(MAX_TAG_PIXELS, MAX_TAG_PIXELS, { fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: 85 })
        .toBuffer(),
      colour: `rgb(${dominant.r}, ${dominant.g}, ${dominant.b})`,
    };
  } catch {
    return undefined; // half a picture, one of too many dots, or none after all
  }
}

/** Names of a picture's files in the folder of a job. */
export const TAG_PICTURE_NAME = 'tag.jpg';
export const THUMBNAIL_NAME = 'thumbnail.webp';

export async function writePicture(folder: string, { thumbnail, tag }: CoverPicture): Promise<void> {
  await writeFile(join(folder, THUMBNAIL_NAME), thumbnail);
  await writeFile(join(folder, TAG_PICTURE_NAME), tag);
}
