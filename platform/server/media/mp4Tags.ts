import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges, type TagParts } from './tagChanges.ts';

/** A box of an MP4 file (ISO/IEC 14496-12, 4.2). */
interface Box {
  readonly type: string;
  readonly body: Buffer;
}

const boxesIn = (bytes: Buffer): readonly Box[] | undefined => {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length;) {
    // Some writers end `udta` with four zeros.
    if (bytes.length - at < 8) return bytes.subarray(at).every((byte) => byte === 0) ? boxes : undefined;
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) return undefined;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
};

const box = (type: string, ...inner: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(inner);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};
const written = ({ type, body }: Box): Buffer => box(type, body);

const TEXT = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]);
const textTag = (type: string, values: readonly string[]): Buffer =>
  box(type, ...values.map((value) => box('data', TEXT, Buffer.from(value))));

/** What a tag of the user's own is called. */
const freeName = ({ type, body }: Box): string =>
  type === '----'
    ? (boxesIn(body)
        ?.find((one) => one.type === 'name')
        ?.body.toString('utf8', 4) ?? '')
    : '';

const listWith = (old: readonly Box[], { title, artists, album }: TagChanges): Buffer => {
  const gone = new Set([
    ...(title === undefined ? [] : ['\u00a9nam']),
    ...(artists === undefined ? [] : ['\u00a9ART']),
    ...(album === undefined ? [] : ['\u00a9alb']),
  ]);
  const isGone = (one: Box): boolean =>
    gone.has(one.type) || (artists !== undefined && freeName(one).toUpperCase() === 'ARTISTS');
  const fresh = [
    ...(title ? [textTag('\u00a9nam', [title])] : []),
    ...(artists && artists.length > 0 ? [textTag('\u00a9ART', artists)] : []),
    ...(album ? [textTag('\u00a9alb', [album])] : []),
  ];
  return box('ilst', ...fresh, ...old.filter((one) => !isGone(one)).map(written));
};

const HANDLER = box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0', 'latin1'));
const NO_VERSION = Buffer.alloc(4);

/** With one box made of what it was; behind the others where there was none. */
const replaced = (boxes: readonly Box[], type: string, make: (old: Buffer | undefined) => Buffer): Buffer => {
  const at = boxes.findIndex((one) => one.type === type);
  const made = make(boxes[at]?.body);
  return Buffer.concat(
    at < 0 ? [...boxes.map(written), made] : boxes.map((one, place) => (place === at ? made : written(one))),
  );
};

const metaWith = (old: Buffer | undefined, changes: TagChanges): Buffer => {
  if (!old) return box('meta', NO_VERSION, HANDLER, listWith([], changes));
  // QuickTime's own has no version before its boxes.
  const head = old.toString('latin1', 4, 8) === 'hdlr' ? 0 : 4;
  const inner = boxesIn(old.subarray(head)) ?? [];
  const list = (body: Buffer | undefined): Buffer => listWith((body && boxesIn(body)) ?? [], changes);
  return box('meta', old.subarray(0, head), replaced(inner, 'ilst', list));
};

const moovWith = (boxes: readonly Box[], changes: TagChanges): Buffer =>
  box(
    'moov',
    replaced(boxes, 'udta', (udta) =>
      box(
        'udta',
        replaced((udta && boxesIn(udta)) ?? [], 'meta', (meta) => metaWith(meta, changes)),
      ),
    ),
  );

/** Boxes on the way to the tables of where the sound is. */
const AROUND = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** Sound that is behind `from` has come to stand elsewhere. */
const shiftOffsets = (bytes: Buffer, from: number, by: number): void => {
  for (const { type, body } of boxesIn(bytes) ?? []) {
    if (AROUND.has(type)) shiftOffsets(body, from, by);
    if (type !== 'stco' && type !== 'co64') continue;
    const size = type === 'stco' ? 4 : 8;
    for (let left = body.readUInt32BE(4), at = 8; left > 0 && at + size <= body.length; left -= 1, at += size) {
      const offset = size === 4 ? BigInt(body.readUInt32BE(at)) : body.readBigUInt64BE(at);
      if (offset < BigInt(from)) continue;
      if (size === 4) body.writeUInt32BE(Number(offset) + by, at);
      else body.writeBigUInt64BE(offset + BigInt(by), at);
    }
  }
};

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where the box of all that is known of a file is; undefined where there is none, or its sound lies in fragments. */
const findMoov = async (file: FileHandle): Promise<Span | undefined> => {
  const { size: end } = await file.stat();
  let moov: Span | undefined;
  for (let at = 0; at + 8 <= end;) {
    const head = await readAt(file, at, 16);
    const type = head.toString('latin1', 4, 8);
    const short = head.readUInt32BE(0);
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
    if (size < 8 || type === 'moof') return undefined;
    if (type === 'moov') moov = short === 1 ? undefined : { from: at, to: at + size };
    at += size;
  }
  return moov;
};

/** An MP4 file with other tags; undefined where it is not understood. */
export async function rewriteMp4Tags(file: FileHandle, changes: TagChanges): Promise<TagParts | undefined> {
  const found = await findMoov(file);
  if (!found || found.to - found.from > MAX_TAG_BYTES) return undefined;
  const old = await readAt(file, found.from, found.to - found.from);
  const boxes = boxesIn(old.subarray(8));
  if (!boxes) return undefined;
  const fresh = moovWith(boxes, changes);
  shiftOffsets(fresh, found.to, fresh.length - old.length);
  return [{ from: 0, to: found.from }, fresh, { from: found.to }];
}
