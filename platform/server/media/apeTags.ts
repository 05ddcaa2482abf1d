import type { FileHandle } from 'node:fs/promises';
import { MAX_TAG_BYTES, readAt, type TagChanges } from './tagChanges.ts';

// Tags at the end of an MP3: an APEv2 tag, and after it the 128 bytes of ID3v1. Some players prefer them to ID3v2.

const ID3V1_BYTES = 128;
/** Length of a text in ID3v1. */
const ID3V1_TEXT_BYTES = 30;
/** Length of the footer of an APE tag, and of the header that it can have. */
const APE_FOOTER_BYTES = 32;
const APE_SIGNATURE = 'APETAGEX';
const HAS_HEADER_FLAG = 0x8000_0000;

/** The end of an MP3 after its audio, with changed tags. */
export interface TrailingTags {
  /** Offset where the audio ends. */
  readonly from: number;
  readonly bytes: Buffer;
}

/** Returns an ID3v1 tag with changed texts. Texts that it can't represent are removed, as ID3v2 has them. */
function replaceId3v1(tag: Buffer, { title, artists, album }: TagChanges): Buffer {
  const changed = Buffer.from(tag);
  for (const [text, offset] of [
    [title, 3],
    [artists?.join(', '), 33],
    [album, 63],
  ] as const) {
    if (text === undefined) continue;
    changed.fill(0, offset, offset + ID3V1_TEXT_BYTES);
    if (/^[\0-\xff]*$/.test(text)) changed.write(text.slice(0, ID3V1_TEXT_BYTES), offset, 'latin1');
  }
  return changed;
}

/** An item of an APE tag, as bytes. */
interface ApeItem {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Parses the items of an APE tag; undefined if they are damaged. */
function parseApeItems(body: Buffer, count: number): readonly ApeItem[] | undefined {
  const items: ApeItem[] = [];
  let offset = 0;
  while (items.length < count) {
    const nameEnd = body.indexOf(0, offset + 8);
    if (nameEnd < 0) return undefined;
    const end = nameEnd + 1 + body.readUInt32LE(offset);
    if (end > body.length) return undefined;
    items.push({ name: body.toString('latin1', offset + 8, nameEnd), bytes: body.subarray(offset, end) });
    offset = end;
  }
  return items;
}

function createApeItem(name: string, values: readonly string[]): ApeItem {
  const value = Buffer.from(values.join('\0'));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(value.length);
  return { name, bytes: Buffer.concat([head, Buffer.from(`${name}\0`, 'latin1'), value]) };
}

/** Returns an APE tag with changed items; undefined if it is damaged. @param footer its last 32 bytes */
function replaceApe(items: Buffer, footer: Buffer, { title, artists, album }: TagChanges): Buffer | undefined {
  const oldItems = parseApeItems(items, footer.readUInt32LE(16));
  if (!oldItems) return undefined;
  const changes = (
    [
      ['Title', title === undefined ? undefined : [title]],
      ['Artist', artists],
      ['Album', album === undefined ? undefined : [album]],
    ] as const
  ).flatMap(([name, values]) => (values ? [{ name, values: values.filter((value) => value !== '') }] : []));
  const changedNames = new Set(changes.map(({ name }) => name.toLowerCase()));
  const newItems = [
    ...changes.flatMap(({ name, values }) => (values.length > 0 ? [createApeItem(name, values)] : [])),
    ...oldItems.filter(({ name }) => !changedNames.has(name.toLowerCase())),
  ];
  const body = Buffer.concat(newItems.map(({ bytes }) => bytes));
  const flags = footer.readUInt32LE(20);
  function createEdge(isHeader: boolean): Buffer {
    const edge = Buffer.from(footer);
    edge.writeUInt32LE(body.length + APE_FOOTER_BYTES, 12);
    edge.writeUInt32LE(newItems.length, 16);
    edge.writeUInt32LE(isHeader ? (flags | 0x2000_0000) >>> 0 : flags, 20);
    return edge;
  }
  const hasHeader = (flags & HAS_HEADER_FLAG) !== 0;
  return Buffer.concat([...(hasHeader ? [createEdge(true)] : []), body, createEdge(false)]);
}

/**
 * Returns the end of an MP3 with changed tags; 'unsupported' if its tags are damaged, undefined if it has none.
 * @param start offset where the audio starts
 */
export async function rewriteTrailingTags(
  file: FileHandle,
  start: number,
  changes: TagChanges,
): Promise<TrailingTags | 'unsupported' | undefined> {
  const { size } = await file.stat();
  const lastBytes = await readAt(file, Math.max(start, size - ID3V1_BYTES), ID3V1_BYTES);
  const hasId3v1 = lastBytes.length === ID3V1_BYTES && lastBytes.toString('latin1', 0, 3) === 'TAG';
  const apeEnd = size - (hasId3v1 ? ID3V1_BYTES : 0);
  const id3v1 = hasId3v1 ? replaceId3v1(lastBytes, changes) : Buffer.alloc(0);
  const footer = await readAt(file, Math.max(start, apeEnd - APE_FOOTER_BYTES), APE_FOOTER_BYTES);
  const hasApe = footer.length === APE_FOOTER_BYTES && footer.toString('latin1', 0, 8) === APE_SIGNATURE;
  if (!hasApe) return hasId3v1 ? { from: apeEnd, bytes: id3v1 } : undefined;
  const itemsStart = apeEnd - footer.readUInt32LE(12);
  const from = itemsStart - ((footer.readUInt32LE(20) & HAS_HEADER_FLAG) === 0 ? 0 : APE_FOOTER_BYTES);
  const itemBytes = apeEnd - APE_FOOTER_BYTES - itemsStart;
  if (from < start || itemBytes < 0 || itemBytes > MAX_TAG_BYTES) return 'unsupported';
  const ape = replaceApe(await readAt(file, itemsStart, itemBytes), footer, changes);
  return ape ? { from, bytes: Buffer.concat([ape, id3v1]) } : 'unsupported';
}
