import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges } from './tagChanges.ts';

const VENDOR = Buffer.from('pegboard');

const sized = (bytes: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
};

interface Comments {
  readonly vendor: Buffer;
  readonly list: readonly Buffer[];
  /** What is behind them: Vorbis has a bit there, Opus may have padding. */
  readonly rest: Buffer;
}

/** Undefined where they are cut off. */
const parseComments = (bytes: Buffer): Comments | undefined => {
  let at = 0;
  const next = (): Buffer | undefined => {
    if (at + 4 > bytes.length) return undefined;
    const size = bytes.readUInt32LE(at);
    at += 4 + size;
    return at > bytes.length ? undefined : bytes.subarray(at - size, at);
  };
  const vendor = next();
  if (!vendor || at + 4 > bytes.length) return undefined;
  const count = bytes.readUInt32LE(at);
  at += 4;
  const list: Buffer[] = [];
  for (let left = count; left > 0; left -= 1) {
    const one = next();
    if (!one) return undefined;
    list.push(one);
  }
  return { vendor, list, rest: bytes.subarray(at) };
};

const nameOf = (comment: Buffer): string =>
  comment.toString('latin1', 0, Math.max(0, comment.indexOf('='))).toUpperCase();

/** Comments as FLAC, Ogg Vorbis and Opus have them, with some changed and all others as they were; undefined where they cannot be read. */
export function replaceComments(old: Buffer | undefined, { title, artists, album }: TagChanges): Buffer | undefined {
  const known = old ? parseComments(old) : { vendor: VENDOR, list: [], rest: Buffer.alloc(0) };
  if (!known) return undefined;
  const gone = new Set([
    ...(title === undefined ? [] : ['TITLE']),
    ...(artists === undefined ? [] : ['ARTIST', 'ARTISTS']),
    ...(album === undefined ? [] : ['ALBUM']),
  ]);
  const fresh = [
    ...(title ? [`TITLE=${title}`] : []),
    ...(artists ?? []).map((artist) => `ARTIST=${artist}`),
    ...(album ? [`ALBUM=${album}`] : []),
  ].map((text) => Buffer.from(text));
  const list = [...fresh, ...known.list.filter((comment) => !gone.has(nameOf(comment)))];
  const count = Buffer.alloc(4);
  count.writeUInt32LE(list.length);
  return Buffer.concat([sized(known.vendor), count, ...list.map(sized), known.rest]);
}

const HEAD_BYTES = 27;
const MAX_SEGMENTS = 255;
const CONTINUED = 1;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value;
});

/** A page with its checksum, which is counted with its own place empty. */
const sealed = (page: Buffer): Buffer => {
  page.writeUInt32LE(0, 22);
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  page.writeUInt32LE(crc >>> 0, 22);
  return page;
};

interface Page {
  readonly bytes: Buffer;
  readonly segments: Buffer;
  readonly body: Buffer;
  readonly serial: number;
  readonly number: number;
}

/** The page at this place; undefined where there is none. */
const pageAt = async (file: FileHandle, at: number): Promise<Page | undefined> => {
  const head = await readAt(file, at, HEAD_BYTES + MAX_SEGMENTS);
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const segments = head.subarray(HEAD_BYTES, HEAD_BYTES + (head[26] ?? 0));
  const start = HEAD_BYTES + segments.length;
  const bytes = await readAt(file, at, start + segments.reduce((sum, size) => sum + size, 0));
  return { bytes, segments, body: bytes.subarray(start), serial: head.readUInt32LE(14), number: head.readUInt32LE(18) };
};

/** Pages that hold these packets, numbered from `first`. */
const pagesOf = (packets: readonly Buffer[], serial: number, first: number): readonly Buffer[] => {
  const sizes: number[] = [];
  /** Behind which segments a packet ends. */
  const ends = new Set<number>();
  for (const { length } of packets) {
    for (let left = length; left >= 0; left -= 255) sizes.push(Math.min(255, left));
    ends.add(sizes.length - 1);
  }
  const all = Buffer.concat(packets);
  const pages: Buffer[] = [];
  for (let from = 0, at = 0; from < sizes.length; from += MAX_SEGMENTS) {
    const some = sizes.slice(from, from + MAX_SEGMENTS);
    const length = some.reduce((sum, size) => sum + size, 0);
    const head = Buffer.alloc(HEAD_BYTES);
    head.write('OggS', 'latin1');
    head[5] = from > 0 && !ends.has(from - 1) ? CONTINUED : 0;
    // No packet ends on this page.
    if (!some.some((_, place) => ends.has(from + place))) head.fill(0xff, 6, 14);
    head.writeUInt32LE(serial, 14);
    head.writeUInt32LE(first + pages.length, 18);
    head[26] = some.length;
    pages.push(sealed(Buffer.concat([head, Buffer.from(some), all.subarray(at, at + length)])));
    at += length;
  }
  return pages;
};

/** Packets behind the first page, up to where sound begins, and where that is. */
const headerPackets = async (file: FileHandle, from: number, count: number) => {
  const packets: Buffer[] = [];
  let open: Buffer[] = [];
  let at = from;
  let pages = 0;
  for (; packets.length < count; pages += 1) {
    const page = await pageAt(file, at);
    if (!page || at > MAX_TAG_BYTES) return undefined;
    let place = 0;
    for (const size of page.segments) {
      open.push(page.body.subarray(place, place + size));
      place += size;
      if (size === 255) continue;
      packets.push(Buffer.concat(open));
      open = [];
    }
    at += page.bytes.length;
  }
  // Sound begins on a page of its own.
  return packets.length === count && open.length === 0 ? { packets, at, pages } : undefined;
};

const KINDS = [
  { name: 'OpusHead', mark: 'OpusTags', packets: 1 },
  { name: '\u0001vorbis', mark: '\u0003vorbis', packets: 2 },
] as const;

/** An Ogg file with other comments; undefined where it is not understood. Pages behind them are numbered anew where they are more or fewer. */
export async function rewriteOggTags(
  file: FileHandle,
  changes: TagChanges,
): Promise<AsyncIterable<Buffer> | undefined> {
  const first = await pageAt(file, 0);
  const kind = first && KINDS.find(({ name }) => first.body.toString('latin1', 0, name.length) === name);
  if (!first || !kind) return undefined;
  const found = await headerPackets(file, first.bytes.length, kind.packets);
  const [comments, ...others] = found?.packets ?? [];
  if (!found || !comments || comments.toString('latin1', 0, kind.mark.length) !== kind.mark) return undefined;
  const changed = replaceComments(comments.subarray(kind.mark.length), changes);
  if (!changed) return undefined;
  const { serial, number } = first;
  const fresh = pagesOf([Buffer.concat([Buffer.from(kind.mark, 'latin1'), changed]), ...others], serial, number + 1);
  const shift = fresh.length - found.pages;
  return (async function* () {
    yield first.bytes;
    yield* fresh;
    for (let at = found.at; ;) {
      const page = await pageAt(file, at);
      if (!page) {
        // What is no page any more is copied as it is.
        const rest = await readAt(file, at, (await file.stat()).size - at);
        if (rest.length > 0) yield rest;
        return;
      }
      at += page.bytes.length;
      if (page.serial !== serial || shift === 0) yield page.bytes;
      else {
        page.bytes.writeUInt32LE(page.number + shift, 18);
        yield sealed(page.bytes);
      }
    }
  })();
}
