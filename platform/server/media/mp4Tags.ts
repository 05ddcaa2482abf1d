import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges, type TagParts } from './tagChanges.ts';

/** Bytes of a file; the last one is excluded. */
export interface FileRange {
  readonly from: number;
  readonly to: number;
}

/** A box of an MP4 file (ISO/IEC 14496-12, 4.2). */
interface Mp4Box {
  readonly type: string;
  readonly body: Buffer;
}

function parseBoxes(bytes: Buffer): readonly Mp4Box[] | undefined {
  const boxes: Mp4Box[] = [];
  for (let at = 0; at < bytes.length;) {
    // Some writers end `udta` with four zeros.
    if (bytes.length - at < 8) return bytes.subarray(at).every((byte) => byte === 0) ? boxes : undefined;
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) return undefined;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + size) });
    at += size;
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

/** Returns the name of a user-defined tag. */
const getFreeformName = ({ type, body }: Mp4Box): string =>
  type === '----'
    ? (parseBoxes(body)
        ?.find((candidate) => candidate.type === 'name')
        ?.body.toString('utf8', 4) ?? '')
    : '';

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

/** Returns the boxes with one replaced, or appended if there was none. */
function replaceBox(boxes: readonly Mp4Box[], type: string, createBody: (old: Buffer | undefined) => Buffer): Buffer {
  const position = boxes.findIndex((candidate) => candidate.type === type);
  const newBody = createBody(boxes[position]?.body);
  return Buffer.concat(
    position < 0
      ? [...boxes.map(serializeBox), newBody]
      : boxes.map((candidate, index) => (index === position ? newBody : serializeBox(candidate))),
  );
}

function rewriteMeta(old: Buffer | undefined, changes: TagChanges): Buffer {
  if (!old) return createBox('meta', NO_VERSION, HANDLER, replaceTags([], changes));
  // QuickTime's variant has no version before its boxes.
  const versionBytes = old.toString('latin1', 4, 8) === 'hdlr' ? 0 : 4;
  const children = parseBoxes(old.subarray(versionBytes)) ?? [];
  const rewriteList = (body: Buffer | undefined): Buffer => replaceTags((body && parseBoxes(body)) ?? [], changes);
  return createBox('meta', old.subarray(0, versionBytes), replaceBox(children, 'ilst', rewriteList));
}

const rewriteMoov = (boxes: readonly Mp4Box[], changes: TagChanges): Buffer =>
  createBox(
    'moov',
    replaceBox(boxes, 'udta', (udta) =>
      createBox(
        'udta',
        replaceBox((udta && parseBoxes(udta)) ?? [], 'meta', (meta) => rewriteMeta(meta, changes)),
      ),
    ),
  );

/** Boxes around the tables of sound offsets. */
const ENCLOSING_BOXES = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** Adjusts offsets of sound after `from`, which moves by a distance in bytes. */
function shiftOffsets(bytes: Buffer, from: number, distance: number): void {
  for (const { type, body } of parseBoxes(bytes) ?? []) {
    if (ENCLOSING_BOXES.has(type)) shiftOffsets(body, from, distance);
    if (type !== 'stco' && type !== 'co64') continue;
    const size = type === 'stco' ? 4 : 8;
    for (
      let remaining = body.readUInt32BE(4), at = 8;
      remaining > 0 && at + size <= body.length;
      remaining -= 1, at += size
    ) {
      const offset = size === 4 ? BigInt(body.readUInt32BE(at)) : body.readBigUInt64BE(at);
      if (offset < BigInt(from)) continue;
      if (size === 4) body.writeUInt32BE(Number(offset) + distance, at);
      else body.writeBigUInt64BE(offset + BigInt(distance), at);
    }
  }
}

/** Finds the box of metadata; undefined if there is none, or the sound is fragmented. */
async function findMoov(file: FileHandle): Promise<FileRange | undefined> {
  const { size: end } = await file.stat();
  let moov: FileRange | undefined;
  for (let at = 0; at + 8 <= end;) {
    const header = await readAt(file, at, 16);
    const type = header.toString('latin1', 4, 8);
    const shortSize = header.readUInt32BE(0);
    const size = shortSize === 1 ? Number(header.readBigUInt64BE(8)) : shortSize === 0 ? end - at : shortSize;
    if (size < 8 || type === 'moof') return undefined;
    if (type === 'moov') moov = shortSize === 1 ? undefined : { from: at, to: at + size };
    at += size;
  }
  return moov;
}

/** Returns an MP4 file with other tags; undefined if it is not supported. */
export async function rewriteMp4Tags(file: FileHandle, changes: TagChanges): Promise<TagParts | undefined> {
  const moov = await findMoov(file);
  if (!moov || moov.to - moov.from > MAX_TAG_BYTES) return undefined;
  const old = await readAt(file, moov.from, moov.to - moov.from);
  const boxes = parseBoxes(old.subarray(8));
  if (!boxes) return undefined;
  const newMoov = rewriteMoov(boxes, changes);
  shiftOffsets(newMoov, moov.to, newMoov.length - old.length);
  return [{ from: 0, to: moov.from }, newMoov, { from: moov.to }];
}
