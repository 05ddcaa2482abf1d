import type { ByteRange, RangedFile } from '#platform/contract/call.ts';

/** An open file. */
export interface ByteReader {
  /** Each call continues where the last one ended, at `position`. `bytesRead` is 0 at the end. */
  readonly read: (
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>;
  readonly close: () => Promise<void>;
}

/** Consecutive bytes in memory or in a file. */
export type BytePart =
  | { readonly bytes: Uint8Array }
  | {
      readonly size: number;
      /** Opens the file, which has exactly `size` bytes, to read a range. @throws if it is missing or was replaced. */
      readonly open: (range: ByteRange) => Promise<ByteReader>;
    };

/** Each reader has two buffers of this size: one is sent while the other is filled. */
const CHUNK_BYTES = 256 * 1024;

const getSize = (part: BytePart): number => ('bytes' in part ? part.bytes.length : part.size);

/** Creates a sequential reader of a range of parts. */
function createPartReader(parts: readonly BytePart[], { from, to }: ByteRange) {
  let index = 0;
  let offset = from;
  let unread = to - from + 1;
  let openFile: ByteReader | undefined;

  async function close(): Promise<void> {
    const handle = openFile;
    openFile = undefined;
    await handle?.close();
  }
  /** Moves to the part that contains the next byte. */
  async function seekPart(): Promise<BytePart | undefined> {
    for (let part = parts[index]; part; part = parts[index]) {
      if (offset < getSize(part)) return part;
      offset -= getSize(part);
      index += 1;
      await close();
    }
    return undefined;
  }
  async function copy(part: BytePart, target: Uint8Array): Promise<number> {
    if ('bytes' in part) {
      const bytes = part.bytes.subarray(offset, offset + target.length);
      target.set(bytes);
      return bytes.length;
    }
    openFile ??= await part.open({ from: offset, to: Math.min(part.size, offset + unread) - 1 });
    const length = Math.min(target.length, part.size - offset);
    return (await openFile.read(target, 0, length, offset)).bytesRead;
  }

  return {
    /** Fills the whole buffer. @throws if a file became shorter. */
    fill: async (target: Uint8Array): Promise<void> => {
      for (let filled = 0; filled < target.length;) {
        const part = await seekPart();
        const count = part === undefined ? 0 : await copy(part, target.subarray(filled));
        if (count === 0) throw new Error('a file became shorter while it was read');
        filled += count;
        offset += count;
        unread -= count;
      }
    },
    close,
  };
}

async function* readChunks(parts: readonly BytePart[], range: ByteRange): AsyncGenerator<Uint8Array> {
  const { from, to } = range;
  const reader = createPartReader(parts, range);
  const buffers = [
    Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from + 1)),
    Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from + 1)),
  ];
  let remaining = to - from + 1;
  function startFill(index: number): Promise<Uint8Array> | undefined {
    const chunk = buffers[index % 2]?.subarray(0, remaining);
    if (chunk === undefined || chunk.length === 0) return undefined;
    remaining -= chunk.length;
    const filling = reader.fill(chunk).then(() => chunk);
    // It is awaited later. If the reader stops before, its error is irrelevant.
    filling.catch(() => undefined);
    return filling;
  }
  let filling = startFill(0);
  try {
    for (let index = 1; filling !== undefined; index += 1) {
      const chunk = await filling;
      filling = startFill(index);
      yield chunk;
    }
  } finally {
    await filling?.catch(() => undefined);
    await reader.close();
  }
}

/** Creates ranged content from consecutive parts. `etag` comes without quotes. */
export function createRangedFile(parts: readonly BytePart[], etag: string): RangedFile {
  return {
    size: parts.reduce((sum, part) => sum + getSize(part), 0),
    etag: `"${etag}"`,
    read: (range) => readChunks(parts, range),
  };
}
