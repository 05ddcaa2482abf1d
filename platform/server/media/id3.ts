import { inflateSync } from 'node:zlib';

/** A frame of an ID3v2 tag, as bytes. */
export interface Id3Frame {
  readonly id: string;
  /** The whole frame with its header, as stored. */
  readonly bytes: Buffer;
  /** The decoded content. Empty if it is encrypted or damaged. */
  readonly body: Buffer;
}

/** A parsed ID3v2 tag. */
export interface Id3Tag {
  /** Version of the tag: 2, 3 or 4. */
  readonly version: number;
  readonly flags: number;
  readonly frames: readonly Id3Frame[];
  /** Whether everything after the frames is padding. */
  readonly isComplete: boolean;
  /** Bytes from the start of the file to the end of the tag. */
  readonly size: number;
}

const HEADER_BYTES = 10;
/** Maximum size of a decompressed frame. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const UNSYNCHRONIZED_FLAG = 0x80;
const EXTENDED_HEADER_FLAG = 0x40;

/** Decodes an integer with seven bits per byte, the format of sizes in tags. */
const decodeSevenBits = (bytes: Buffer): number => bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
const encodeSevenBits = (value: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));

/** Returns the size of the tag at the start of a file; 0 if there is none. */
export function getId3Size(head: Buffer): number {
  if (head.length < HEADER_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const footer = head[3] === 4 && ((head[5] ?? 0) & 0x10) !== 0 ? HEADER_BYTES : 0;
  return HEADER_BYTES + decodeSevenBits(head.subarray(6, 10)) + footer;
}

/** Removes the zeros after 0xFF, which prevent players from mistaking a tag for audio. */
const resynchronize = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll('\xff\0', '\xff'), 'latin1');

const isFrameId = (text: string): boolean => /^[A-Z0-9]+$/.test(text);

/** Returns what follows a frame of some length: 2 for another frame or the end, 1 for padding, 0 for neither. */
function rankFollower(body: Buffer, end: number): number {
  if (end === body.length || isFrameId(body.toString('latin1', end, end + 4))) return end <= body.length ? 2 : 0;
  return body[end] === 0 ? 1 : 0;
}

/** Returns the size of a frame. Old iTunes used eight bits per byte in version 4, which only the next frame shows. */
function readFrameSize(body: Buffer, offset: number, version: number): number {
  const bytes = version === 2 ? body.subarray(offset + 3, offset + 6) : body.subarray(offset + 4, offset + 8);
  const eightBitSize = bytes.readUIntBE(0, bytes.length);
  if (version < 4 || bytes.some((byte) => byte >= 0x80)) return eightBitSize;
  const sevenBitSize = decodeSevenBits(bytes);
  const bodyStart = offset + HEADER_BYTES;
  return rankFollower(body, bodyStart + eightBitSize) > rankFollower(body, bodyStart + sevenBitSize)
    ? eightBitSize
    : sevenBitSize;
}

/** How the content of a frame is stored. Each version has its own bits in the second flag byte of a frame. */
interface FrameFormat {
  readonly isGrouped: boolean;
  readonly isCompressed: boolean;
  readonly isEncrypted: boolean;
  readonly isUnsynchronized: boolean;
  /** Whether the content starts with its size before compression. */
  readonly hasSize: boolean;
}

function getFrameFormat(flags: number, version: number): FrameFormat {
  const has = (bit: number): boolean => (flags & bit) !== 0;
  return version === 4
    ? {
        isGrouped: has(0x40),
        isCompressed: has(8),
        isEncrypted: has(4),
        isUnsynchronized: has(2),
        hasSize: has(1),
      }
    : {
        isGrouped: has(0x20),
        isCompressed: has(0x80),
        isEncrypted: has(0x40),
        isUnsynchronized: false,
        hasSize: has(0x80),
      };
}

/** Whether the encoding has two bytes per character: UTF-16 with a byte order mark, or big-endian. */
const isUtf16 = (encoding: number | undefined): boolean => encoding === 1 || encoding === 2;

/** Corrects what careless programs write: a text without its encoding, and half a character at its end. */
function repairText(content: Buffer): Buffer {
  const [encoding = 0] = content;
  if (encoding > 3) return Buffer.concat([Buffer.from([0]), content]);
  return isUtf16(encoding) && content.length % 2 === 0 ? content.subarray(0, -1) : content;
}

/**
 * Decodes the content of a frame.
 * @param isTagUnsynchronized whether the tag says so about all of its frames, which some programs forget to do
 */
function decodeContent(id: string, content: Buffer, format: FrameFormat, isTagUnsynchronized: boolean): Buffer {
  if (format.isEncrypted) return Buffer.alloc(0);
  const prefixBytes = (format.isGrouped ? 1 : 0) + (format.hasSize ? 4 : 0);
  const stored = content.subarray(prefixBytes);
  // Unsynchronized bytes never contain these pairs.
  const isSynchronized = /\xff[\xe0-\xff]/.test(stored.toString('latin1'));
  const isUnsynchronized = (format.isUnsynchronized || isTagUnsynchronized) && !isSynchronized;
  const synchronized = isUnsynchronized ? resynchronize(stored) : stored;
  try {
    const decoded = format.isCompressed
      ? inflateSync(synchronized, { maxOutputLength: MAX_FRAME_BYTES })
      : synchronized;
    return id.startsWith('T') ? repairText(decoded) : decoded;
  } catch {
    return Buffer.alloc(0); // not compressed data, or far too much of it
  }
}

/** Parses the frames of a tag, up to the padding or the first invalid frame. */
function parseFrames(body: Buffer, version: number, isUnsynchronized: boolean): Pick<Id3Tag, 'frames' | 'isComplete'> {
  const frames: Id3Frame[] = [];
  const [idBytes, headBytes] = version === 2 ? [3, 6] : [4, 10];
  let offset = 0;
  while (offset + headBytes <= body.length && body[offset] !== 0) {
    const id = body.toString('latin1', offset, offset + idBytes);
    const size = readFrameSize(body, offset, version);
    const end = offset + headBytes + size;
    if (!isFrameId(id) || end > body.length) break;
    const bytes = Buffer.from(body.subarray(offset, end));
    if (version === 4) encodeSevenBits(size).copy(bytes, idBytes);
    const format = getFrameFormat(version === 2 ? 0 : (bytes[9] ?? 0), version);
    frames.push({ id, bytes, body: decodeContent(id, bytes.subarray(headBytes), format, isUnsynchronized) });
    offset = end;
  }
  return { frames, isComplete: body.subarray(offset).every((byte) => byte === 0) };
}

/** Returns the size of the extended header: in version 2 the whole tag, because its flag means unknown compression. */
function getExtendedHeaderSize(body: Buffer, version: number): number {
  if (version === 2) return body.length;
  return version === 4 ? decodeSevenBits(body.subarray(0, 4)) : body.readUInt32BE(0) + 4;
}

/**
 * Parses the ID3v2 tag at the start of a file; undefined if there is none, or it is not supported.
 * @param bytes at least the whole tag
 */
export function parseId3(bytes: Buffer): Id3Tag | undefined {
  const size = getId3Size(bytes);
  const [version = 0, flags = 0] = [bytes[3], bytes[5]];
  if (size === 0 || size > bytes.length || ![2, 3, 4].includes(version)) return undefined;
  let body = bytes.subarray(HEADER_BYTES, size);
  // In version 4, each frame is unsynchronized separately, and stays unchanged.
  if ((flags & UNSYNCHRONIZED_FLAG) !== 0 && version < 4) body = resynchronize(body);
  if ((flags & EXTENDED_HEADER_FLAG) !== 0) body = body.subarray(getExtendedHeaderSize(body, version));
  const remainingFlags = version === 4 ? flags & UNSYNCHRONIZED_FLAG : 0;
  return { version, flags: remainingFlags, ...parseFrames(body, version, remainingFlags !== 0), size };
}

/**
 * Returns a tag with plain frames, which every parser reads: neither unsynchronized, compressed nor grouped. Undefined
 * if the tag is not understood completely.
 */
export function toPlainId3(bytes: Buffer): Buffer | undefined {
  const tag = parseId3(bytes);
  if (!tag?.isComplete) return undefined;
  const frames = tag.frames
    .filter(({ body }) => body.length > 0)
    .map(({ id, body }) => createFrame(tag.version, id, body));
  return writeId3(tag.version, 0, frames);
}

const swapBytes = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** Returns the text of a frame. If there are several, U+0000 separates them. */
function decodeText(encoding: number | undefined, bytes: Buffer): string {
  if (encoding === 0) return bytes.toString('latin1');
  if (encoding === 3) return bytes.toString('utf8');
  const text = (encoding === 2 ? swapBytes(bytes) : bytes).toString('utf16le');
  // Each text can have a byte order mark of its own.
  return text
    .split('\0')
    .map((part) => (part.startsWith('\ufffe') ? swapBytes(Buffer.from(part, 'utf16le')).toString('utf16le') : part))
    .join('\0')
    .replaceAll('\ufeff', '');
}

/** Returns the values of a text frame. A slash does not separate them, unlike in the standard: AC/DC is one artist. */
export function parseFrameTexts({ id, body }: Id3Frame): readonly string[] {
  const texts = decodeText(body[0], body.subarray(1)).split('\0');
  // The first text of these frames is their name.
  return (id.startsWith('TXX') ? texts.slice(1) : texts).filter((text) => text.trim() !== '');
}

/** Returns the name of a user-defined frame. */
export function parseFrameName({ body }: Id3Frame): string {
  return decodeText(body[0], body.subarray(1)).split('\0')[0] ?? '';
}

/** Creates a text frame. Values are separated by U+0000, which players of every version read. */
export function createTextFrame(version: number, id: string, values: readonly string[]): Buffer {
  const text = values.join('\0');
  const body =
    version === 4
      ? Buffer.concat([Buffer.from([3]), Buffer.from(text, 'utf8')])
      : Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  return createFrame(version, id, body);
}

/** Creates a frame without flags. */
function createFrame(version: number, id: string, body: Buffer): Buffer {
  const size = Buffer.alloc(version === 2 ? 3 : 4);
  if (version === 4) encodeSevenBits(body.length).copy(size);
  else size.writeUIntBE(body.length, 0, size.length);
  return Buffer.concat([Buffer.from(id, 'latin1'), size, Buffer.alloc(version === 2 ? 0 : 2), body]);
}

const PADDING_BYTES = 1024;

/** Serializes an ID3v2 tag with padding. */
export function writeId3(version: number, flags: number, frames: readonly Buffer[]): Buffer {
  const body = Buffer.concat([...frames, Buffer.alloc(PADDING_BYTES)]);
  return Buffer.concat([
    Buffer.from('ID3', 'latin1'),
    Buffer.from([version, 0, flags]),
    encodeSevenBits(body.length),
    body,
  ]);
}
