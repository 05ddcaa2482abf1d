import { readTags } from '#platform/server/media/tags.ts';

/** What is kept beside a song; what stands in its file is larger. */
const THUMBNAIL_PIXELS = 320;
const MAX_PIXELS = 1200;
const LIMITS = { limitInputPixels: 40e6, failOn: 'error' } as const;
/** Of pictures that were made: players ask for the same ones again and again. */
const MAX_CACHE_BYTES = 8 * 1024 * 1024;

/** A song's picture. */
export interface PictureRequest {
  /** The same for the same file. */
  readonly name: string;
  /** The files in which it lies. */
  readonly paths: { readonly song: string; readonly kept: string };
  /** Its longer side in pixels; never larger than there is. 0 for the largest. */
  readonly size: number;
}

const make = async ({ song, kept }: PictureRequest['paths'], wanted: number): Promise<Uint8Array> => {
  const { default: sharp } = await import('sharp');
  // As it was put into the file; the smaller one will do.
  const tags = wanted > THUMBNAIL_PIXELS ? await readTags(song).catch(() => undefined) : undefined;
  return sharp(tags?.picture ?? kept, LIMITS)
    .resize({ width: wanted, height: wanted, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#000' })
    .jpeg({ quality: 85 })
    .toBuffer();
};

/** Pictures as JPEG, which every player reads. */
export const createPictures = () => {
  /** The one asked for last stands last. */
  const made = new Map<string, Uint8Array>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= made.get(key)?.length ?? 0;
    made.delete(key);
  };
  return async ({ name, paths, size }: PictureRequest): Promise<Uint8Array> => {
    const wanted = size === 0 ? MAX_PIXELS : Math.min(size, MAX_PIXELS);
    const key = `${name}-${wanted}`;
    const picture = made.get(key) ?? (await make(paths, wanted));
    forget(key);
    made.set(key, picture);
    bytes += picture.length;
    for (const oldest of made.keys()) if (bytes > MAX_CACHE_BYTES) forget(oldest);
    return picture;
  };
};
