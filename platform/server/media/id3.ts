/** A frame of an ID3v2 tag, as its bytes are. */
export interface Id3Frame {
  readonly id: string;
  /** All of it, with its head. */
  readonly bytes: Buffer;
  readonly body: Buffer;
}

export interface Id3Tag {
  /** 2, 3 or 4. */
  readonly version: number;
  readonly flags: number;
  readonly frames: readonly Id3Frame[];
  /** Nothing stands behind the frames that is not understood. */
  readonly isWhole: boolean;
  /** Bytes from the beginning of the file to the end of the tag. */
  readonly size: number;
}

const HEAD_BYTES = 10;
const UNSYNCHRONIZED = 0x80;
const EXTENDED = 0x40;

/** Seven bits a byte. */
const sevenBits = (bytes: Buffer): number => bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
const toSevenBits = (value: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));

/** How long the tag is that a file begins with; 0 where there is none. */
export function getId3Size(head: Buffer): number {
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const footer = head[3] === 4 && ((head[5] ?? 0) & 0x10) !== 0 ? HEAD_BYTES : 0;
  return HEAD_BYTES + sevenBits(head.subarray(6, 10)) + footer;
}

/** Takes out the zeros that stand behind 0xFF so that no player takes a tag for sound. */
const resynchronized = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll('\xff\0', '\xff'), 'latin1');

const isFrameId = (text: string): boolean => /^[A-Z0-9]+$/.test(text);

/** What a frame of a length is followed by: 2 is another frame or the end of the tag, 1 its padding, 0 neither. */
const followedBy = (body: Buffer, end: number): number => {
  if (end === body.length || isFrameId(body.toString('latin1', end, end + 4))) return end <= body.length ? 2 : 0;
  return body[end] === 0 ? 1 : 0;
};

/** Old iTunes wrote sizes of version 4 with eight bits a byte: which it is shows where the next frame begins. */
const frameSize = (body: Buffer, at: number, version: number): number => {
  const bytes = version === 2 ? body.subarray(at + 3, at + 6) : body.subarray(at + 4, at + 8);
  const plain = bytes.readUIntBE(0, bytes.length);
  if (version < 4 || bytes.some((byte) => byte >= 0x80)) return plain;
  const packed = sevenBits(bytes);
  const first = at + HEAD_BYTES;
  return followedBy(body, first + plain) > followedBy(body, first + packed) ? plain : packed;
};

const framesIn = (body: Buffer, version: number): Pick<Id3Tag, 'frames' | 'isWhole'> => {
  const frames: Id3Frame[] = [];
  const [idBytes, headBytes] = version === 2 ? [3, 6] : [4, 10];
  let at = 0;
  while (at + headBytes <= body.length && body[at] !== 0) {
    const id = body.toString('latin1', at, at + idBytes);
    const size = frameSize(body, at, version);
    const end = at + headBytes + size;
    if (!isFrameId(id) || end > body.length) break;
    const bytes = Buffer.from(body.subarray(at, end));
    if (version === 4) toSevenBits(size).copy(bytes, idBytes);
    frames.push({ id, bytes, body: bytes.subarray(headBytes) });
    at = end;
  }
  return { frames, isWhole: body.subarray(at).every((byte) => byte === 0) };
};

/** Of version 2 this bit says that all is packed, in no known way: nothing of it is read. */
const extendedBytes = (body: Buffer, version: number): number => {
  if (version === 2) return body.length;
  return version === 4 ? sevenBits(body.subarray(0, 4)) : body.readUInt32BE(0) + 4;
};

/** @param bytes At least the whole tag. Undefined where there is none, or one that is not understood. */
export function parseId3(bytes: Buffer): Id3Tag | undefined {
  const size = getId3Size(bytes);
  const [version = 0, flags = 0] = [bytes[3], bytes[5]];
  if (size === 0 || size > bytes.length || ![2, 3, 4].includes(version)) return undefined;
  let body = bytes.subarray(HEAD_BYTES, size);
  // In version 4 each frame is so by itself, and stays as it is.
  if ((flags & UNSYNCHRONIZED) !== 0 && version < 4) body = resynchronized(body);
  if ((flags & EXTENDED) !== 0) body = body.subarray(extendedBytes(body, version));
  const kept = version === 4 ? flags & UNSYNCHRONIZED : 0;
  return { version, flags: kept, ...framesIn(body, version), size };
}

const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** The text of a frame, several apart by U+0000. */
const decoded = (encoding: number | undefined, bytes: Buffer): string => {
  if (encoding === 0) return bytes.toString('latin1');
  if (encoding === 3) return bytes.toString('utf8');
  const isBig = encoding === 2 || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return (isBig ? swapped(bytes) : bytes).toString('utf16le').replaceAll('\ufeff', '');
};

/** The values of a text frame: an artist called AC/DC is one, whatever the standard says of slashes. */
export function parseFrameTexts({ id, body }: Id3Frame): readonly string[] {
  const all = decoded(body[0], body.subarray(1)).split('\0');
  // The first one of these is what they are called.
  return (id.startsWith('TXX') ? all.slice(1) : all).filter((text) => text.trim() !== '');
}

/** What a frame of the user's own is called. */
export function parseFrameName({ body }: Id3Frame): string {
  return decoded(body[0], body.subarray(1)).split('\0')[0] ?? '';
}

/** A text frame; several values apart by U+0000, which players of every version read. */
export function createTextFrame(version: number, id: string, values: readonly string[]): Buffer {
  const text = values.join('\0');
  const body =
    version === 4
      ? Buffer.concat([Buffer.from([3]), Buffer.from(text, 'utf8')])
      : Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const size = Buffer.alloc(version === 2 ? 3 : 4);
  if (version === 4) toSevenBits(body.length).copy(size);
  else size.writeUIntBE(body.length, 0, size.length);
  return Buffer.concat([Buffer.from(id, 'latin1'), size, Buffer.alloc(version === 2 ? 0 : 2), body]);
}

const PADDING = 1024;

export function writeId3(version: number, flags: number, frames: readonly Buffer[]): Buffer {
  const body = Buffer.concat([...frames, Buffer.alloc(PADDING)]);
  return Buffer.concat([
    Buffer.from('ID3', 'latin1'),
    Buffer.from([version, 0, flags]),
    toSevenBits(body.length),
    body,
  ]);
}
