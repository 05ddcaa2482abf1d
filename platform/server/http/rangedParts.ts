import type { FileHandle } from 'node:fs/promises';
import type { ByteRange, Ranged } from '#platform/contract/call.ts';

/** Some of the bytes: in memory, or of a file. */
export type BytePart =
  | { readonly bytes: Uint8Array }
  | {
      readonly size: number;
      /** The file, with exactly so many bytes. @throws where it is not there, or another one. */
      readonly open: () => Promise<FileHandle>;
    };

/** Two of them are in use for whoever reads: one is sent while the other is filled. */
const CHUNK_BYTES = 256 * 1024;

const sizeOf = (part: BytePart): number => ('bytes' in part ? part.bytes.length : part.size);

/** Reads on through parts, from a place on. */
const createPartReader = (parts: readonly BytePart[], from: number) => {
  let index = 0;
  let offset = from;
  let open: FileHandle | undefined;

  const close = async (): Promise<void> => {
    const handle = open;
    open = undefined;
    await handle?.close();
  };
  /** Goes to the part in which the next byte lies. */
  const settle = async (): Promise<BytePart | undefined> => {
    for (let part = parts[index]; part; part = parts[index]) {
      if (offset < sizeOf(part)) return part;
      offset -= sizeOf(part);
      index += 1;
      await close();
    }
    return undefined;
  };
  const copy = async (part: BytePart, into: Uint8Array): Promise<number> => {
    if ('bytes' in part) {
      const piece = part.bytes.subarray(offset, offset + into.length);
      into.set(piece);
      return piece.length;
    }
    open ??= await part.open();
    const length = Math.min(into.length, part.size - offset);
    return (await open.read(into, 0, length, offset)).bytesRead;
  };

  return {
    /** Fills all of it. @throws */
    fill: async (into: Uint8Array): Promise<void> => {
      for (let filled = 0; filled < into.length;) {
        const part = await settle();
        const count = part === undefined ? 0 : await copy(part, into.subarray(filled));
        if (count === 0) throw new Error('a file became shorter while it was read');
        filled += count;
        offset += count;
      }
    },
    close,
  };
};

async function* readChunks(parts: readonly BytePart[], { from, to }: ByteRange): AsyncGenerator<Uint8Array> {
  const reader = createPartReader(parts, from);
  const buffers = [
    Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from + 1)),
    Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from + 1)),
  ];
  let left = to - from + 1;
  const begin = (turn: number): Promise<Uint8Array> | undefined => {
    const piece = buffers[turn % 2]?.subarray(0, left);
    if (piece === undefined || piece.length === 0) return undefined;
    left -= piece.length;
    const filling = reader.fill(piece).then(() => piece);
    // It is awaited in its turn; whoever leaves before that has no use for why it failed.
    filling.catch(() => undefined);
    return filling;
  };
  let filling = begin(0);
  try {
    for (let turn = 1; filling !== undefined; turn += 1) {
      const piece = await filling;
      filling = begin(turn);
      yield piece;
    }
  } finally {
    await filling?.catch(() => undefined);
    await reader.close();
  }
}

/** Parts one behind the other. `etag` without its quotes. */
export function createRanged(parts: readonly BytePart[], etag: string): Ranged {
  return {
    size: parts.reduce((sum, part) => sum + sizeOf(part), 0),
    etag: `"${etag}"`,
    read: (range) => readChunks(parts, range),
  };
}
