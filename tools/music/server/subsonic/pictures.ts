import { parseFile } from 'music-metadata';
import sharp from 'sharp';

/** What is kept beside a song; what stands in its file is larger. */
const KEPT_PIXELS = 320;
const MOST_PIXELS = 1200;
const LIMITS = { limitInputPixels: 40e6, failOn: 'error' } as const;

/** The picture within a song's file, as it was put there; undefined where there is none to be read. */
const within = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    const { common } = await parseFile(path, { duration: false });
    return common.picture?.[0]?.data;
  } catch {
    return undefined; // the smaller one will do
  }
};

/**
 * A song's picture as a JPEG, which every player reads.
 * @param size Its longer side in pixels; never larger than there is. 0 for the largest.
 */
export const pictureOf = async (
  { song, kept }: { readonly song: string; readonly kept: string },
  size: number,
): Promise<Uint8Array> => {
  const wanted = size === 0 ? MOST_PIXELS : Math.min(size, MOST_PIXELS);
  const large = wanted > KEPT_PIXELS ? await within(song) : undefined;
  return sharp(large ?? kept, LIMITS)
    .resize({ width: wanted, height: wanted, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#000' })
    .jpeg({ quality: 85 })
    .toBuffer();
};
