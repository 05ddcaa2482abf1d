/** A frame of an ID3v2 tag, as bytes. */
export interface Id3Frame {
  readonly id: string;
  /** The whole frame with its header. */
  readonly bytes: Buffer;
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

/** Parses the frames of a tag, up to the padding or the first invalid frame. */
function parseFrames(body: Buffer, version: number): Pick<Id3Tag, 'frames' | 'isComplete'> {
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
    frames.push({ id, bytes, body: bytes.subarray(headBytes) });
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
  return { version, flags: remainingFlags, ...parseFrames(body, version), size };
}

const swapBytes = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** Returns the text of a frame. If there are several, U+0000 separates them. */
function decodeText(encoding: number | undefined, bytes: Buffer): string {
  if (encoding === 0) return bytes.toString('latin1');
  if (encoding === 3) return bytes.toString('utf8');
  const isBigEndian = encoding === 2 || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return (isBigEndian ? swapBytes(bytes) : bytes).toString('utf16le').replaceAll('\ufeff', '');
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
