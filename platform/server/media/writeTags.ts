import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rewriteTrailingTags } from './apeTags.ts';
import { parseFrameName, getId3Size, parseId3, createTextFrame, writeId3 } from './id3.ts';
import { rewriteMp4Tags } from './mp4Tags.ts';
import { rewriteOggTags, replaceComments } from './oggTags.ts';
import { MAX_TAG_BYTES, readAt, type TagChanges, type TagParts } from './tagChanges.ts';

const ID3_IDS = { title: ['TIT2', 'TT2'], artists: ['TPE1', 'TP1'], album: ['TALB', 'TAL'] } as const;

/** Returns the parts of an MP3 with changed ID3v2 tags; undefined if its tag is not supported. */
async function rewriteMp3Tags(file: FileHandle, changes: TagChanges): Promise<TagParts | undefined> {
  const size = getId3Size(await readAt(file, 0, 10));
  if (size > MAX_TAG_BYTES) return undefined;
  // Players read the second one of two tags, so both must be merged.
  if (size > 0 && getId3Size(await readAt(file, size, 10)) > 0) return undefined;
  const emptyTag = { version: 4, flags: 0, frames: [], isComplete: true, size };
  const tag = size === 0 ? emptyTag : parseId3(await readAt(file, 0, size));
  if (!tag?.isComplete) return undefined;
  const { version, flags, frames } = tag;
  const values = {
    title: changes.title && [changes.title],
    artists: changes.artists,
    album: changes.album && [changes.album],
  };
  const names = (['title', 'artists', 'album'] as const).filter((name) => changes[name] !== undefined);
  const replacedIds = new Set<string>(names.flatMap((name) => ID3_IDS[name]));
  const isReplaced = (frame: (typeof frames)[number]): boolean =>
    replacedIds.has(frame.id) ||
    (changes.artists !== undefined && frame.id.startsWith('TXX') && parseFrameName(frame).toUpperCase() === 'ARTISTS');
  const newFrames = names.flatMap((name) => {
    const texts = values[name] || [];
    return texts.length === 0 ? [] : [createTextFrame(version, ID3_IDS[name][version === 2 ? 1 : 0], texts)];
  });
  const remainingFrames = frames.filter((frame) => !isReplaced(frame)).map(({ bytes }) => bytes);
  const id3 = writeId3(version, flags, [...newFrames, ...remainingFrames]);
  const end = await rewriteTrailingTags(file, size, changes);
  if (end === 'unsupported') return undefined;
  return end ? [id3, { from: size, to: end.from }, end.bytes] : [id3, { from: size }];
}

/** Types of FLAC blocks. */
const COMMENT_BLOCK = 4;
const PADDING_BLOCK = 1;

/** Returns the parts of a FLAC with changed comments; undefined if it cannot be parsed. */
async function rewriteFlacTags(file: FileHandle, changes: TagChanges): Promise<TagParts | undefined> {
  if ((await readAt(file, 0, 4)).toString('latin1') !== 'fLaC') return undefined;
  const blocks: { readonly type: number; readonly body: Buffer }[] = [];
  let offset = 4;
  for (let isLast = false; !isLast;) {
    const head = await readAt(file, offset, 4);
    if (head.length < 4 || offset > MAX_TAG_BYTES) return undefined;
    const [typeByte = 0, length] = [head[0], head.readUIntBE(1, 3)];
    isLast = typeByte >= 0x80;
    blocks.push({ type: typeByte & 0x7f, body: await readAt(file, offset + 4, length) });
    offset += 4 + length;
  }
  const oldBlock = blocks.find(({ type }) => type === COMMENT_BLOCK)?.body;
  const comments = replaceComments(oldBlock, changes);
  if (!comments) return undefined;
  const otherBlocks = blocks.filter(({ type }) => type !== COMMENT_BLOCK && type !== PADDING_BLOCK);
  const newBlocks = [...otherBlocks.slice(0, 1), { type: COMMENT_BLOCK, body: comments }, ...otherBlocks.slice(1)];
  const parts = [...newBlocks, { type: PADDING_BLOCK | 0x80, body: Buffer.alloc(1024) }].flatMap(({ type, body }) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(type * 0x100_0000 + body.length);
    return [head, body];
  });
  return [Buffer.from('fLaC'), ...parts, { from: offset }];
}

/** Functions that change tags, by the extension of the file. */
const REWRITERS: Readonly<Record<string, (file: FileHandle, changes: TagChanges) => Promise<TagParts | undefined>>> = {
  '.mp3': rewriteMp3Tags,
  '.flac': rewriteFlacTags,
  '.m4a': rewriteMp4Tags,
};

/** Yields the bytes of a file with changed tags. */
async function* streamParts(path: string, parts: TagParts): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part;
    else if (part.to === undefined || part.to > part.from)
      yield* createReadStream(path, { start: part.from, end: (part.to ?? Infinity) - 1 }) as AsyncIterable<Buffer>;
  }
}

/**
 * Copies a song with some tags changed; audio and all other tags stay the same, byte by byte.
 * @returns false if its tags are not supported, and nothing was written.
 */
export async function writeTags(from: string, to: string, changes: TagChanges): Promise<boolean> {
  const type = extname(from).toLowerCase();
  await using file = await open(from, 'r');
  const isOgg = type === '.ogg' || type === '.opus';
  const parts = isOgg ? undefined : await REWRITERS[type]?.(file, changes);
  const bytes = isOgg ? await rewriteOggTags(file, changes) : parts && streamParts(from, parts);
  if (!bytes) return false;
  await pipeline(Readable.from(bytes), createWriteStream(to, { mode: 0o600 }));
  return true;
}
