import { type FileHandle, open } from 'node:fs/promises';
import { loudnessPlace } from './loudnessTags.ts';
import type { FinishedSong, SongTags } from './media.ts';

/** What a file says of itself. */
export interface FileTags extends SongTags {
  readonly picture: Buffer | undefined;
  /** As music-metadata names it. */
  readonly codec?: string | undefined;
  readonly seconds?: number | undefined;
}

const TEXT_LENGTH = 300;

/** One line without control characters, of at most 300 code points. Nothing of it means anything to a program. */
export const tagText = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, TEXT_LENGTH).join('');
};

/** As much of a file as is looked at for its tags, in all: whoever announces a picture of a gigabyte does not get it into the server's memory. */
const MOST_READ = 48 * 1024 * 1024;

/** What music-metadata reads of a blob, of an open file. @throws Error where that is too much */
const blobOf = async (file: FileHandle): Promise<Blob> => {
  const { size } = await file.stat();
  let left = MOST_READ;
  const read = async (from: number, to: number): Promise<ArrayBuffer> => {
    left -= to - from;
    if (left < 0) throw new Error('the tags of this file are too large');
    const bytes = new Uint8Array(to - from);
    await file.read(bytes, 0, bytes.length, from);
    return bytes.buffer;
  };
  const slice = (from = 0, to = size) => ({ arrayBuffer: () => read(from, Math.min(to, size)) });
  return { size, type: '', slice } as unknown as Blob;
};

/** Reads what a file that somebody else made says of itself; nothing where that cannot be read. */
export const readTags = async (path: string): Promise<FileTags> => {
  const { parseBlob } = await import('music-metadata');
  const file = await open(path, 'r');
  try {
    const { common, format } = await parseBlob(await blobOf(file), { duration: false });
    const picture = common.picture?.[0];
    return {
      title: tagText(common.title ?? ''),
      artist: tagText(common.artist ?? ''),
      album: tagText(common.album ?? ''),
      picture: picture && Buffer.from(picture.data),
      codec: format.codec,
      seconds: format.duration,
    };
  } catch {
    return { title: '', artist: '', album: '', picture: undefined }; // whether it is a song at all, ffmpeg says
  } finally {
    await file.close();
  }
};

/** For ffmpeg: the file's own are dropped, ours written, with a place for the loudness. */
export const tagArguments = (
  { title, artist, album }: SongTags,
  extension: FinishedSong['extension'],
): readonly string[] => [
  '-map_metadata',
  '-1',
  '-map_chapters',
  '-1',
  ...Object.entries({ title, artist, album, ...loudnessPlace(extension) })
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => ['-metadata', `${name}=${tagText(value)}`]),
];
