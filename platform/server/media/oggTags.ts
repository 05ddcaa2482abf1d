import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges } from './tagChanges.ts';

const VENDOR = Buffer.from('pegboard');

function prefixSize(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
}

interface CommentBlock {
  readonly vendor: Buffer;
  readonly list: readonly Buffer[];
  /** Bytes after the comments: Vorbis has a bit there, Opus may have padding. */
  readonly rest: Buffer;
}

/** Returns undefined if they are cut off. */
function parseComments(bytes: Buffer): CommentBlock | undefined {
  let at = 0;
  function readNext(): Buffer | undefined {
    if (at + 4 > bytes.length) return undefined;
    const size = bytes.readUInt32LE(at);
    at += 4 + size;
    return at > bytes.length ? undefined : bytes.subarray(at - size, at);
  }
  const vendor = readNext();
  if (!vendor || at + 4 > bytes.length) return undefined;
  const count = bytes.readUInt32LE(at);
  at += 4;
  const list: Buffer[] = [];
  for (let remaining = count; remaining > 0; remaining -= 1) {
    const comment = readNext();
    if (!comment) return undefined;
    list.push(comment);
  }
  return { vendor, list, rest: bytes.subarray(at) };
}

const getName = (comment: Buffer): string =>
  comment.toString('latin1', 0, Math.max(0, comment.indexOf('='))).toUpperCase();

/** Changes some comments of FLAC, Ogg Vorbis or Opus; undefined if they cannot be parsed. */
export function replaceComments(old: Buffer | undefined, { title, artists, album }: TagChanges): Buffer | undefined {
  const oldBlock = old ? parseComments(old) : { vendor: VENDOR, list: [], rest: Buffer.alloc(0) };
  if (!oldBlock) return undefined;
  const replacedNames = new Set([
    ...(title === undefined ? [] : ['TITLE']),
    ...(artists === undefined ? [] : ['ARTIST', 'ARTISTS']),
    ...(album === undefined ? [] : ['ALBUM']),
  ]);
  const newComments = [
    ...(title ? [`TITLE=${title}`] : []),
    ...(artists ?? []).map((artist) => `ARTIST=${artist}`),
    ...(album ? [`ALBUM=${album}`] : []),
  ].map((text) => Buffer.from(text));
  const list = [...newComments, ...oldBlock.list.filter((comment) => !replacedNames.has(getName(comment)))];
  const count = Buffer.alloc(4);
  count.writeUInt32LE(list.length);
  return Buffer.concat([prefixSize(oldBlock.vendor), count, ...list.map(prefixSize), oldBlock.rest]);
}

const HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
const CONTINUED_FLAG = 1;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value;
});

/** Writes the checksum of a page, which is computed with its own field empty. */
function writeChecksum(page: Buffer): Buffer {
  page.writeUInt32LE(0, 22);
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  page.writeUInt32LE(crc >>> 0, 22);
  return page;
}

interface Page {
  readonly bytes: Buffer;
  readonly segments: Buffer;
  readonly body: Buffer;
  readonly serial: number;
  readonly number: number;
}

/** Reads the page at an offset; undefined if there is none. */
async function readPage(file: FileHandle, at: number): Promise<Page | undefined> {
  const head = await readAt(file, at, HEADER_BYTES + MAX_SEGMENTS);
  if (head.length < HEADER_BYTES || head.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const segments = head.subarray(HEADER_BYTES, HEADER_BYTES + (head[26] ?? 0));
  const start = HEADER_BYTES + segments.length;
  const bytes = await readAt(file, at, start + segments.reduce((sum, size) => sum + size, 0));
  return { bytes, segments, body: bytes.subarray(start), serial: head.readUInt32LE(14), number: head.readUInt32LE(18) };
}

/** Creates pages for packets, numbered from `firstNumber`. */
function createPages(packets: readonly Buffer[], serial: number, firstNumber: number): readonly Buffer[] {
  const sizes: number[] = [];
  /** Indexes of segments that end a packet. */
  const ends = new Set<number>();
  for (const { length } of packets) {
    for (let remaining = length; remaining >= 0; remaining -= 255) sizes.push(Math.min(255, remaining));
    ends.add(sizes.length - 1);
  }
  const content = Buffer.concat(packets);
  const pages: Buffer[] = [];
  for (let from = 0, at = 0; from < sizes.length; from += MAX_SEGMENTS) {
    const pageSizes = sizes.slice(from, from + MAX_SEGMENTS);
    const length = pageSizes.reduce((sum, size) => sum + size, 0);
    const head = Buffer.alloc(HEADER_BYTES);
    head.write('OggS', 'latin1');
    head[5] = from > 0 && !ends.has(from - 1) ? CONTINUED_FLAG : 0;
    // No packet ends on this page.
    if (!pageSizes.some((_, index) => ends.has(from + index))) head.fill(0xff, 6, 14);
    head.writeUInt32LE(serial, 14);
    head.writeUInt32LE(firstNumber + pages.length, 18);
    head[26] = pageSizes.length;
    pages.push(writeChecksum(Buffer.concat([head, Buffer.from(pageSizes), content.subarray(at, at + length)])));
    at += length;
  }
  return pages;
}

/** Reads the packets after the first page, up to the start of the sound. */
async function readHeaderPackets(file: FileHandle, from: number, count: number) {
  const packets: Buffer[] = [];
  let segments: Buffer[] = [];
  let at = from;
  let pageCount = 0;
  for (; packets.length < count; pageCount += 1) {
    const page = await readPage(file, at);
    if (!page || at > MAX_TAG_BYTES) return undefined;
    let offset = 0;
    for (const size of page.segments) {
      segments.push(page.body.subarray(offset, offset + size));
      offset += size;
      if (size === 255) continue;
      packets.push(Buffer.concat(segments));
      segments = [];
    }
    at += page.bytes.length;
  }
  // Sound starts on a new page.
  return packets.length === count && segments.length === 0 ? { packets, end: at, pageCount } : undefined;
}

const CODECS = [
  { name: 'OpusHead', mark: 'OpusTags', packetCount: 1 },
  { name: '\u0001vorbis', mark: '\u0003vorbis', packetCount: 2 },
] as const;

/** Returns an Ogg file with other comments; undefined if it is not supported. Later pages are renumbered if needed. */
export async function rewriteOggTags(
  file: FileHandle,
  changes: TagChanges,
): Promise<AsyncIterable<Buffer> | undefined> {
  const firstPage = await readPage(file, 0);
  const codec = firstPage && CODECS.find(({ name }) => firstPage.body.toString('latin1', 0, name.length) === name);
  if (!firstPage || !codec) return undefined;
  const header = await readHeaderPackets(file, firstPage.bytes.length, codec.packetCount);
  const [comments, ...otherPackets] = header?.packets ?? [];
  if (!header || !comments || comments.toString('latin1', 0, codec.mark.length) !== codec.mark) return undefined;
  const newComments = replaceComments(comments.subarray(codec.mark.length), changes);
  if (!newComments) return undefined;
  const { serial, number } = firstPage;
  const newPages = createPages(
    [Buffer.concat([Buffer.from(codec.mark, 'latin1'), newComments]), ...otherPackets],
    serial,
    number + 1,
  );
  const shift = newPages.length - header.pageCount;
  return (async function* () {
    yield firstPage.bytes;
    yield* newPages;
    for (let at = header.end; ;) {
      const page = await readPage(file, at);
      if (!page) {
        // Copy anything that is not a page unchanged.
        const rest = await readAt(file, at, (await file.stat()).size - at);
        if (rest.length > 0) yield rest;
        return;
      }
      at += page.bytes.length;
      if (page.serial !== serial || shift === 0) yield page.bytes;
      else {
        page.bytes.writeUInt32LE(page.number + shift, 18);
        yield writeChecksum(page.bytes);
      }
    }
  })();
}
