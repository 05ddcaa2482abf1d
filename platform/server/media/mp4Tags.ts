import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges, type TagParts } from './tagChanges.ts';

/** A range of bytes in a file. */
export interface FileRange {
  readonly from: number;
  /** Offset after the last byte. */
  readonly to: number;
}

/** A box of an MP4 file (ISO/IEC 14496-12, 4.2). */
interface Mp4Box {
  readonly type: string;
  readonly body: Buffer;
}

/** Parses consecutive boxes; undefined if one is cut off. */
function parseBoxes(bytes: Buffer): readonly Mp4Box[] | undefined {
  const boxes: Mp4Box[] = [];
  for (let offset = 0; offset < bytes.length;) {
    // Some writers end `udta` with four zeros.
    if (bytes.length - offset < 8) return bytes.subarray(offset).every((byte) => byte === 0) ? boxes : undefined;
    const size = bytes.readUInt32BE(offset);
    if (size < 8 || offset + size > bytes.length) return undefined;
    boxes.push({
      type: bytes.toString('latin1', offset + 4, offset + 8),
      body: bytes.subarray(offset + 8, offset + size),
    });
    offset += size;
  }
  return boxes;
}

/** Creates a box: length, type, content. */
export function createBox(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}
const serializeBox = ({ type, body }: Mp4Box): Buffer => createBox(type, body);

const TEXT_HEADER = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]);
const createTextTag = (type: string, values: readonly string[]): Buffer =>
  createBox(type, ...values.map((value) => createBox('data', TEXT_HEADER, Buffer.from(value))));

/** Returns the name of a user-defined tag; empty for other tags. */
const getFreeformName = ({ type, body }: Mp4Box): string =>
  type === '----'
    ? (parseBoxes(body)
        ?.find((candidate) => candidate.type === 'name')
        ?.body.toString('utf8', 4) ?? '')
    : '';

/** Returns the list of tags (`ilst`) with changed ones. */
function replaceTags(previous: readonly Mp4Box[], { title, artists, album }: TagChanges): Buffer {
  const replacedTypes = new Set([
    ...(title === undefined ? [] : ['\u00a9nam']),
    ...(artists === undefined ? [] : ['\u00a9ART']),
    ...(album === undefined ? [] : ['\u00a9alb']),
  ]);
  const isReplaced = (candidate: Mp4Box): boolean =>
    replacedTypes.has(candidate.type) ||
    (artists !== undefined && getFreeformName(candidate).toUpperCase() === 'ARTISTS');
  const newTags = [
    ...(title ? [createTextTag('\u00a9nam', [title])] : []),
    ...(artists && artists.length > 0 ? [createTextTag('\u00a9ART', artists)] : []),
    ...(album ? [createTextTag('\u00a9alb', [album])] : []),
  ];
  return createBox('ilst', ...newTags, ...previous.filter((candidate) => !isReplaced(candidate)).map(serializeBox));
}

const HANDLER = createBox('hdlr', Buffer.from('\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0', 'latin1'));
const NO_VERSION = Buffer.alloc(4);

/**
 * Returns the bytes of boxes with one of them replaced, or appended if it is missing. Undefined if the boxes or the new
 * one can't be parsed, because tags in them would be lost.
 */
function replaceBox(
  boxes: readonly Mp4Box[] | undefined,
  type: string,
  createNewBox: (oldBytes: Buffer | undefined) => Buffer | undefined,
): Buffer | undefined {
  if (!boxes) return undefined;
  const position = boxes.findIndex((candidate) => candidate.type === type);
  const newBody = createNewBox(boxes[position]?.body);
  if (!newBody) return undefined;
  return Buffer.concat(
    position < 0
      ? [...boxes.map(serializeBox), newBody]
      : boxes.map((candidate, index) => (index === position ? newBody : serializeBox(candidate))),
  );
}

/** Parses the boxes in another one, which may be missing. */
const parseContent = (bytes: Buffer | undefined): readonly Mp4Box[] | undefined => (bytes ? parseBoxes(bytes) : []);

/** Returns the box around the list of tags (`meta`) with changed tags. */
function rewriteMeta(oldBytes: Buffer | undefined, changes: TagChanges): Buffer | undefined {
  if (!oldBytes) return createBox('meta', NO_VERSION, HANDLER, replaceTags([], changes));
  // QuickTime's variant has no version before its boxes.
  const versionBytes = oldBytes.toString('latin1', 4, 8) === 'hdlr' ? 0 : 4;
  const children = replaceBox(parseBoxes(oldBytes.subarray(versionBytes)), 'ilst', (body) => {
    const tags = parseContent(body);
    return tags && replaceTags(tags, changes);
  });
  return children && createBox('meta', oldBytes.subarray(0, versionBytes), children);
}

/** Returns the box of metadata (`moov`) with changed tags. */
function rewriteMoov(boxes: readonly Mp4Box[] | undefined, changes: TagChanges): Buffer | undefined {
  const children = replaceBox(boxes, 'udta', (udta) => {
    const userData = replaceBox(parseContent(udta), 'meta', (meta) => rewriteMeta(meta, changes));
    return userData && createBox('udta', userData);
  });
  return children && createBox('moov', children);
}

/** Boxes around the tables of audio offsets. */
const ENCLOSING_BOXES = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** Adjusts the offsets of audio after `from` in a box, because that audio moves by `distance` bytes. */
function shiftOffsets(bytes: Buffer, from: number, distance: number): void {
  for (const { type, body } of parseBoxes(bytes) ?? []) {
    if (ENCLOSING_BOXES.has(type)) shiftOffsets(body, from, distance);
    if (type !== 'stco' && type !== 'co64') continue;
    const size = type === 'stco' ? 4 : 8;
    for (
      let remaining = body.readUInt32BE(4), entryOffset = 8;
      remaining > 0 && entryOffset + size <= body.length;
      remaining -= 1, entryOffset += size
    ) {
      const audioOffset = size === 4 ? BigInt(body.readUInt32BE(entryOffset)) : body.readBigUInt64BE(entryOffset);
      if (audioOffset < BigInt(from)) continue;
      if (size === 4) body.writeUInt32BE(Number(audioOffset) + distance, entryOffset);
      else body.writeBigUInt64BE(audioOffset + BigInt(distance), entryOffset);
    }
  }
}

/** Returns the range of the box of metadata (`moov`); undefined if there is none, or the audio is fragmented. */
async function findMoov(file: FileHandle): Promise<FileRange | undefined> {
  const { size: end } = await file.stat();
  let moov: FileRange | undefined;
  for (let offset = 0; offset + 8 <= end;) {
    const header = await readAt(file, offset, 16);
    const type = header.toString('latin1', 4, 8);
    const shortSize = header.readUInt32BE(0);
    if (shortSize === 1 && header.length < 16) return undefined;
    const size = shortSize === 1 ? Number(header.readBigUInt64BE(8)) : shortSize === 0 ? end - offset : shortSize;
    if (size < 8 || type === 'moof') return undefined;
    if (type === 'moov') moov = shortSize === 1 ? undefined : { from: offset, to: offset + size };
    offset += size;
  }
  return moov;
}

/** Returns the parts of an MP4 file with changed tags; undefined if the file is not supported. */
export async function rewriteMp4Tags(file: FileHandle, changes: TagChanges): Promise<TagParts | undefined> {
  const moov = await findMoov(file);
  if (!moov || moov.to - moov.from > MAX_TAG_BYTES) return undefined;
  const oldBytes = await readAt(file, moov.from, moov.to - moov.from);
  const newMoov = rewriteMoov(parseBoxes(oldBytes.subarray(8)), changes);
  if (!newMoov) return undefined;
  shiftOffsets(newMoov, moov.to, newMoov.length - oldBytes.length);
  return [{ from: 0, to: moov.from }, newMoov, { from: moov.to }];
}
