import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges } from './tagChanges.ts';

// Tags of Ogg Vorbis, Opus and FLAC are Vorbis comments: texts such as TITLE=Home in one block.

/** Program name that a new comment block starts with. */
const VENDOR = Buffer.from('pegboard');

/** Returns bytes behind their length, a 32-bit little-endian number. */
function prefixSize(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
}

/** A parsed Vorbis comment block. */
interface CommentBlock {
  /** Name of the program that wrote the audio. */
  readonly vendor: Buffer;
  /** Comments such as `TITLE=Home`. */
  readonly comments: readonly Buffer[];
  /** Bytes after the comments: Vorbis has a bit there, Opus may have padding. */
  readonly rest: Buffer;
}

/** Parses a Vorbis comment block, without the signature of its codec; undefined if it is cut off. */
function parseComments(bytes: Buffer): CommentBlock | undefined {
  let offset = 0;
  function readNext(): Buffer | undefined {
    if (offset + 4 > bytes.length) return undefined;
    const size = bytes.readUInt32LE(offset);
    offset += 4 + size;
    return offset > bytes.length ? undefined : bytes.subarray(offset - size, offset);
  }
  const vendor = readNext();
  if (!vendor || offset + 4 > bytes.length) return undefined;
  const count = bytes.readUInt32LE(offset);
  offset += 4;
  const comments: Buffer[] = [];
  for (let remaining = count; remaining > 0; remaining -= 1) {
    const comment = readNext();
    if (!comment) return undefined;
    comments.push(comment);
  }
  return { vendor, comments, rest: bytes.subarray(offset) };
}

/** Returns the upper-case name of a comment; empty if it has none. */
const getName = (comment: Buffer): string =>
  comment.toString('latin1', 0, Math.max(0, comment.indexOf('='))).toUpperCase();

/**
 * Returns a Vorbis comment block with changed tags, for Ogg Vorbis, Opus and FLAC; undefined if the old one is invalid.
 * Without an old block it creates one.
 */
export function replaceComments(
  oldBytes: Buffer | undefined,
  { title, artists, album }: TagChanges,
): Buffer | undefined {
  const oldBlock = oldBytes ? parseComments(oldBytes) : { vendor: VENDOR, comments: [], rest: Buffer.alloc(0) };
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
  const comments = [...newComments, ...oldBlock.comments.filter((comment) => !replacedNames.has(getName(comment)))];
  const count = Buffer.alloc(4);
  count.writeUInt32LE(comments.length);
  return Buffer.concat([prefixSize(oldBlock.vendor), count, ...comments.map(prefixSize), oldBlock.rest]);
}

/** Length of a page's header without its segment table (RFC 3533, section 6). */
const HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
const MAX_SEGMENT_BYTES = 255;
/** Marks a page that starts in the middle of a packet. */
const CONTINUED_FLAG = 1;
/** Offsets of fields in the header of a page. */
const FLAGS_OFFSET = 5;
const GRANULE_POSITION_OFFSET = 6;
const SERIAL_OFFSET = 14;
const PAGE_NUMBER_OFFSET = 18;
const CHECKSUM_OFFSET = 22;
const SEGMENT_COUNT_OFFSET = 26;

/** CRC-32 with polynomial 0x04C11DB7, not reflected, of each byte. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value;
});

/** Writes the checksum into a page, and returns the page. It is computed while its own field is 0. */
function writeChecksum(page: Buffer): Buffer {
  page.writeUInt32LE(0, CHECKSUM_OFFSET);
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  page.writeUInt32LE(crc >>> 0, CHECKSUM_OFFSET);
  return page;
}

/** A page of an Ogg file. */
interface Page {
  /** The whole page. */
  readonly bytes: Buffer;
  /** Length of each segment of the body. A segment of less than 255 bytes ends a packet. */
  readonly segmentSizes: Buffer;
  readonly body: Buffer;
  /** Number of the stream that the page belongs to. */
  readonly serial: number;
  /** Position of the page in its stream. */
  readonly number: number;
}

/** Reads the Ogg page at an offset of a file; undefined if no page starts there. */
async function readPage(file: FileHandle, offset: number): Promise<Page | undefined> {
  const head = await readAt(file, offset, HEADER_BYTES + MAX_SEGMENTS);
  if (head.length < HEADER_BYTES || head.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const segmentSizes = head.subarray(HEADER_BYTES, HEADER_BYTES + (head[SEGMENT_COUNT_OFFSET] ?? 0));
  const bodyOffset = HEADER_BYTES + segmentSizes.length;
  const bytes = await readAt(file, offset, bodyOffset + segmentSizes.reduce((sum, size) => sum + size, 0));
  return {
    bytes,
    segmentSizes,
    body: bytes.subarray(bodyOffset),
    serial: head.readUInt32LE(SERIAL_OFFSET),
    number: head.readUInt32LE(PAGE_NUMBER_OFFSET),
  };
}

/** Splits packets into Ogg pages of a stream, numbered from `firstNumber`. */
function createPages(packets: readonly Buffer[], serial: number, firstNumber: number): readonly Buffer[] {
  const segmentSizes: number[] = [];
  /** Indexes of segments that end a packet. */
  const packetEnds = new Set<number>();
  for (const { length } of packets) {
    for (let remaining = length; remaining >= 0; remaining -= MAX_SEGMENT_BYTES)
      segmentSizes.push(Math.min(MAX_SEGMENT_BYTES, remaining));
    packetEnds.add(segmentSizes.length - 1);
  }
  const content = Buffer.concat(packets);
  const pages: Buffer[] = [];
  let offset = 0;
  for (let from = 0; from < segmentSizes.length; from += MAX_SEGMENTS) {
    const pageSizes = segmentSizes.slice(from, from + MAX_SEGMENTS);
    const length = pageSizes.reduce((sum, size) => sum + size, 0);
    const head = Buffer.alloc(HEADER_BYTES);
    head.write('OggS', 'latin1');
    head[FLAGS_OFFSET] = from > 0 && !packetEnds.has(from - 1) ? CONTINUED_FLAG : 0;
    // The position is -1 if no packet ends on this page.
    if (!pageSizes.some((_, index) => packetEnds.has(from + index)))
      head.fill(0xff, GRANULE_POSITION_OFFSET, SERIAL_OFFSET);
    head.writeUInt32LE(serial, SERIAL_OFFSET);
    head.writeUInt32LE(firstNumber + pages.length, PAGE_NUMBER_OFFSET);
    head[SEGMENT_COUNT_OFFSET] = pageSizes.length;
    pages.push(writeChecksum(Buffer.concat([head, Buffer.from(pageSizes), content.subarray(offset, offset + length)])));
    offset += length;
  }
  return pages;
}

/**
 * Reads the header packets after the first page, their number of pages, and the offset where audio starts.
 * Returns undefined if they are incomplete, too large, or not followed by a new page.
 */
async function readHeaderPackets(file: FileHandle, startOffset: number, count: number) {
  const packets: Buffer[] = [];
  let segments: Buffer[] = [];
  let pageOffset = startOffset;
  let pageCount = 0;
  for (; packets.length < count; pageCount += 1) {
    const page = await readPage(file, pageOffset);
    if (!page || pageOffset > MAX_TAG_BYTES) return undefined;
    let offset = 0;
    for (const size of page.segmentSizes) {
      segments.push(page.body.subarray(offset, offset + size));
      offset += size;
      if (size === MAX_SEGMENT_BYTES) continue;
      packets.push(Buffer.concat(segments));
      segments = [];
    }
    pageOffset += page.bytes.length;
  }
  // Audio starts on a new page.
  return packets.length === count && segments.length === 0
    ? { packets, audioOffset: pageOffset, pageCount }
    : undefined;
}

/** Codecs by the start of their first packet. `packetCount` counts header packets after it; comments come first. */
const CODECS = [
  { headSignature: 'OpusHead', commentSignature: 'OpusTags', packetCount: 1 },
  { headSignature: '\u0001vorbis', commentSignature: '\u0003vorbis', packetCount: 2 },
] as const;

/**
 * Returns the bytes of an Ogg Vorbis or Opus file with changed tags; undefined if the file is not supported.
 * If the tags need another number of pages, all later pages are renumbered.
 */
export async function rewriteOggTags(
  file: FileHandle,
  changes: TagChanges,
): Promise<AsyncIterable<Buffer> | undefined> {
  const firstPage = await readPage(file, 0);
  const codec =
    firstPage &&
    CODECS.find(({ headSignature }) => firstPage.body.toString('latin1', 0, headSignature.length) === headSignature);
  if (!firstPage || !codec) return undefined;
  const header = await readHeaderPackets(file, firstPage.bytes.length, codec.packetCount);
  const [comments, ...otherPackets] = header?.packets ?? [];
  if (!header || !comments || comments.toString('latin1', 0, codec.commentSignature.length) !== codec.commentSignature)
    return undefined;
  const newComments = replaceComments(comments.subarray(codec.commentSignature.length), changes);
  if (!newComments) return undefined;
  const { serial, number } = firstPage;
  const newPages = createPages(
    [Buffer.concat([Buffer.from(codec.commentSignature, 'latin1'), newComments]), ...otherPackets],
    serial,
    number + 1,
  );
  const pageShift = newPages.length - header.pageCount;
  return (async function* () {
    yield firstPage.bytes;
    yield* newPages;
    for (let offset = header.audioOffset; ;) {
      const page = await readPage(file, offset);
      if (!page) {
        // Copy anything that is not a page unchanged.
        const rest = await readAt(file, offset, (await file.stat()).size - offset);
        if (rest.length > 0) yield rest;
        return;
      }
      offset += page.bytes.length;
      if (page.serial !== serial || pageShift === 0) yield page.bytes;
      else {
        page.bytes.writeUInt32LE(page.number + pageShift, PAGE_NUMBER_OFFSET);
        yield writeChecksum(page.bytes);
      }
    }
  })();
}
